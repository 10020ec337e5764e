/* drift.c - A number that is pushed down, left alone or pushed up, and drifts back with noise.
 *
 *     x' = 0.8 x + 0.5 (a - 1) + 0.3 e,  e normal, a in {0, 1, 2};   r = -(x - 1)^2, before the
 * step
 *
 * Starts at x = 0 and never ends. If a policy chooses a without looking at x, with mean m and
 * variance v of a - 1, then x has the mean 2.5 m and the variance (0.25 v + 0.09) / 0.36 in the
 * long run: the reward per step is  -(variance + (2.5 m - 1)^2),  exactly. Every transition is
 * noisy, which none of the control problems is: here an estimator cannot do better than noise. */
#include "backflow/env.h"

enum { A = 3 };

static void reset(double *state, bf_rng *rng) {
    (void)rng;
    state[0] = 0;
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rewards;
    double x = state[0];
    *reward = -(x - 1) * (x - 1);
    state[0] = 0.8 * x + 0.5 * (action - 1) + 0.3 * bf_rng_normal(rng);
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
}

static void up(const double *seen, double *p) {
    (void)seen;
    p[0] = 0.1;
    p[1] = 0.2;
    p[2] = 0.7;
}

static const char *const names[] = {"x"};
static const bf_env_policy policies[] = {{"up", "0.1 / 0.2 / 0.7 everywhere", up, NULL}, {0}};

const bf_env bf__env_drift = {
    .name = "drift",
    .summary = "a number that drifts with noise; three pushes",
    .inner_dim = 1,
    .state_dim = 1,
    .actions = A,
    .limit = 200,
    .state_names = names,
    .reset = reset,
    .step = step,
    .observe = observe,
    .policies = policies,
};
