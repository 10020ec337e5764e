/* mountaincar.c - Drive a weak car out of a valley by swinging to and fro.
 *
 * State        (x, v), x in [-1.2, 0.6], |v| <= 0.07
 * Actions      push left, none, right
 * Step         v += 0.001 (a - 1) - 0.0025 cos 3x, clipped; x += v, clipped; at the left wall v = 0
 * Ends         x >= 0.5 and v >= 0
 * Reward       paper: +100 at the goal, -1 otherwise; Gymnasium: -1
 * Start        x in [-0.6, -0.4) evenly, v = 0
 *
 * The physics is Gymnasium's MountainCar-v0. */
#include "backflow/env.h"
#include "env/physics.h"
#include "env/trained.h"

enum { A = 3 };

static void reset(double *state, bf_rng *rng) {
    state[0] = bf_rng_between(rng, -0.6, -0.4);
    state[1] = 0;
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rng;
    double x = state[0], v = state[1];
    v += (action - 1) * 0.001 + cos(3 * x) * -0.0025;
    v = bf__clip(v, -0.07, 0.07);
    x = bf__clip(x + v, -1.2, 0.6);
    if (x == -1.2 && v < 0)
        v = 0;
    state[0] = x;
    state[1] = v;
    bool there = x >= 0.5 && v >= 0;
    *reward = there && rewards == BF_REWARDS_PAPER ? 100 : -1;
    return there;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
    seen[1] = state[1];
}

static void push(const double *seen, double *p) {
    bf__choose(p, A, seen[1] >= 0 ? 2 : 0);
}

static const char *const names[] = {"x", "v"};
static const bf_env_policy policies[] = {
    {"handmade", "pushes with the velocity", push},
    {"trained", BF__TRAINED_SUMMARY, NULL, bf__trained_mountaincar},
    {NULL, NULL, NULL},
};

const bf_env bf__env_mountaincar = {
    .name = "mountaincar",
    .summary = "drive a weak car out of a valley; three pushes",
    .inner_dim = 2,
    .state_dim = 2,
    .actions = A,
    .limit = 200,
    .state_names = names,
    .reset = reset,
    .step = step,
    .observe = observe,
    .policies = policies,
};
