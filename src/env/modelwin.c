/* modelwin.c - Three states and two actions: the toy example on which model-free methods that
 * need stationary data go wrong.
 *
 *     s0: action 0 -> s1 with 0.4 (r = +1), s2 with 0.6 (r = -1)
 *         action 1 -> s1 with 0.6 (r = +1), s2 with 0.4 (r = -1)
 *     s1, s2: any action -> s0, r = 0
 *
 * Every other state is s0, so that the mean reward of a policy with probability p of action 0
 * there is (0.2 - 0.4 p) / 2: -0.08 for the target (0.9), -0.04 for the behaviour (0.7).
 * Source: paper, section 5.1; Thomas & Brunskill, Data-efficient off-policy policy evaluation for
 * reinforcement learning, ICML 2016. */
#include "backflow/env.h"

enum { S = 3, A = 2 };

static const double win[A] = {0.4, 0.6};

static void reset(double *state, bf_rng *rng) {
    (void)rng;
    state[0] = 0;
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rewards;
    *reward = 0;
    if (state[0] == 0) {
        bool won = bf_rng_uniform(rng) < win[action];
        *reward = won ? 1 : -1;
        state[0] = won ? 1 : 2;
    } else {
        state[0] = 0;
    }
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
}

static void model(double *p, double *r, double *p0) {
    for (int i = 0; i < S * A * S; i++)
        p[i] = 0;
    for (int a = 0; a < A; a++) {
        p[a * S + 1] = win[a];
        p[a * S + 2] = 1 - win[a];
        r[a] = 2 * win[a] - 1;
        for (int s = 1; s < S; s++) {
            p[(s * A + a) * S] = 1;
            r[s * A + a] = 0;
        }
    }
    p0[0] = 1;
    p0[1] = p0[2] = 0;
}

static void split(const double *seen, double *p, double first, double second) {
    p[0] = seen[0] == 0 ? first : 0.5;
    p[1] = seen[0] == 0 ? second : 0.5;
}

static void target(const double *seen, double *p) {
    split(seen, p, 0.9, 0.1);
}

static void behavior(const double *seen, double *p) {
    split(seen, p, 0.7, 0.3);
}

static const char *const names[] = {"s"};
static const bf_env_policy policies[] = {
    {"target", "0.9 / 0.1 in state 0, even elsewhere", target},
    {"behavior", "0.7 / 0.3 in state 0, even elsewhere", behavior},
    {NULL, NULL, NULL},
};

const bf_env bf__env_modelwin = {
    .name = "modelwin",
    .summary = "three states, two actions: the paper's toy example",
    .inner_dim = 1,
    .state_dim = 1,
    .actions = A,
    .states = S,
    .limit = 200,
    .state_names = names,
    .reset = reset,
    .step = step,
    .observe = observe,
    .model = model,
    .policies = policies,
};
