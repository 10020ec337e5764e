/* cartpole.c - Keep a pole upright on a cart by pushing the cart left or right.
 *
 * State        (x, xdot, theta, thetadot)
 * Actions      force -10, +10
 * Step         explicit Euler of 0.02; cart 1.0, pole 0.1 (half-length 0.5), g = 9.8
 * Ends         |x| > 2.4 or |theta| > 12 degrees
 * Reward       paper: -100 at the fall, +1 otherwise; Gymnasium: +1
 * Start        all four in [-0.05, 0.05), evenly
 *
 * The physics is Gymnasium's CartPole-v1. */
#include "backflow/env.h"
#include "env/physics.h"
#include "env/trained.h"

enum { A = 2 };

static void reset(double *state, bf_rng *rng) {
    for (int j = 0; j < 4; j++)
        state[j] = bf_rng_between(rng, -0.05, 0.05);
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rng;
    const double cart_and_pole = 1.1, pole = 0.1, half = 0.5, moment = 0.05, tau = 0.02;
    const double furthest = 2.4, steepest = 12 * 2 * BF__PI / 360;
    double x = state[0], speed = state[1], theta = state[2], turn = state[3];
    double sine = sin(theta), cosine = cos(theta), force = action == 1 ? 10 : -10;
    double push = (force + moment * (turn * turn) * sine) / cart_and_pole;
    double turning = (9.8 * sine - cosine * push) /
                     (half * (4.0 / 3.0 - pole * (cosine * cosine) / cart_and_pole));
    double speeding = push - moment * turning * cosine / cart_and_pole;
    state[0] = x = x + tau * speed;
    state[1] = speed + tau * speeding;
    state[2] = theta = theta + tau * turn;
    state[3] = turn + tau * turning;
    bool fell = fabs(x) > furthest || fabs(theta) > steepest;
    *reward = fell && rewards == BF_REWARDS_PAPER ? -100 : 1;
    return fell;
}

static void observe(const double *state, double *seen) {
    for (int j = 0; j < 4; j++)
        seen[j] = state[j];
}

/* Linear feedback on all four numbers. It keeps the pole up for thousands of steps from any
 * start. */
static void balance(const double *seen, double *p) {
    double lean = 0.1 * seen[0] + 0.3 * seen[1] + 3 * seen[2] + seen[3];
    bf__choose(p, A, lean > 0);
}

static const char *const names[] = {"x", "xdot", "theta", "thetadot"};
static const bf_env_policy policies[] = {
    {"handmade", "pushes to the side the pole leans and turns to", balance},
    {"trained", BF__TRAINED_SUMMARY, NULL, bf__trained_cartpole},
    {NULL, NULL, NULL},
};

const bf_env bf__env_cartpole = {
    .name = "cartpole",
    .summary = "keep a pole upright on a cart; two pushes",
    .inner_dim = 4,
    .state_dim = 4,
    .actions = A,
    .limit = 500,
    .state_names = names,
    .reset = reset,
    .step = step,
    .observe = observe,
    .policies = policies,
};
