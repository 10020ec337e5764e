/* acrobot.c - Swing the tip of a two-link pendulum above its base, with torque at the joint.
 *
 * State        inside (theta1, theta2, w1, w2), theta1 = 0 hanging; seen as
 *              (cos theta1, sin theta1, cos theta2, sin theta2, w1, w2)
 * Actions      torque -1, 0, +1
 * Step         one fourth-order Runge-Kutta step of 0.2; links of length and mass 1, moment 1,
 *              g = 9.8; angles wrapped to [-pi, pi], |w1| <= 4 pi, |w2| <= 9 pi
 * Ends         -cos theta1 - cos(theta1 + theta2) > 1
 * Reward       paper: +100 at the goal, -1 otherwise; Gymnasium: 0 at the goal, -1 otherwise
 * Start        all four in [-0.1, 0.1), evenly
 *
 * The physics is Gymnasium's Acrobot-v1 ("book"), with cos(x - pi/2) written sin x. */
#include "env/acrobot.h"

#include "backflow/env.h"
#include "env/physics.h"
#include "env/trained.h"

enum { A = 3 };

static void derivatives(const double *s, double torque, bool book, double *out) {
    const double g = 9.8;
    double w1 = s[2], w2 = s[3], sine = sin(s[1]), cosine = cos(s[1]);
    /* m = l = 1, lc = 1/2, I = 1: d1 = lc^2 + (1 + lc^2 + 2 lc cos) + 2, and so on. */
    double d1 = 3.5 + cosine, d2 = 1.25 + 0.5 * cosine;
    double phi2 = 0.5 * g * sin(s[0] + s[1]);
    double phi1 = -0.5 * (w2 * w2) * sine - w2 * w1 * sine + 1.5 * g * sin(s[0]) + phi2;
    double pull = book ? 0.5 * (w1 * w1) * sine : 0;
    double turn2 = (torque + d2 / d1 * phi1 - pull - phi2) / (1.25 - d2 * d2 / d1);
    out[0] = w1;
    out[1] = w2;
    out[2] = -(d2 * turn2 + phi1) / d1;
    out[3] = turn2;
}

static double turn_back(double angle) {
    while (angle > BF__PI)
        angle -= 2 * BF__PI;
    while (angle < -BF__PI)
        angle += 2 * BF__PI;
    return angle;
}

void bf__acrobot_move(double *state, double torque, bool book) {
    const double dt = 0.2;
    double k1[4], k2[4], k3[4], k4[4], at[4];
    derivatives(state, torque, book, k1);
    for (int j = 0; j < 4; j++)
        at[j] = state[j] + dt / 2 * k1[j];
    derivatives(at, torque, book, k2);
    for (int j = 0; j < 4; j++)
        at[j] = state[j] + dt / 2 * k2[j];
    derivatives(at, torque, book, k3);
    for (int j = 0; j < 4; j++)
        at[j] = state[j] + dt * k3[j];
    derivatives(at, torque, book, k4);
    for (int j = 0; j < 4; j++)
        state[j] += dt / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    state[0] = turn_back(state[0]);
    state[1] = turn_back(state[1]);
    state[2] = bf__clip(state[2], -4 * BF__PI, 4 * BF__PI);
    state[3] = bf__clip(state[3], -9 * BF__PI, 9 * BF__PI);
}

static void reset(double *state, bf_rng *rng) {
    for (int j = 0; j < 4; j++)
        state[j] = bf_rng_between(rng, -0.1, 0.1);
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rng;
    bf__acrobot_move(state, action - 1, true);
    bool above = -cos(state[0]) - cos(state[1] + state[0]) > 1;
    *reward = !above ? -1 : rewards == BF_REWARDS_PAPER ? 100 : 0;
    return above;
}

static void observe(const double *state, double *seen) {
    seen[0] = cos(state[0]);
    seen[1] = sin(state[0]);
    seen[2] = cos(state[1]);
    seen[3] = sin(state[1]);
    seen[4] = state[2];
    seen[5] = state[3];
}

/* The torque goes against the turn of the first link. The second link then swings the first one
 * up. */
static void pump(const double *seen, double *p) {
    bf__choose(p, A, seen[4] > 0 ? 0 : 2);
}

static const char *const names[] = {"cos1", "sin1", "cos2", "sin2", "w1", "w2"};
static const bf_env_policy policies[] = {
    {"handmade", "torque against the turn of the first link", pump},
    {"trained", BF__TRAINED_SUMMARY, NULL, bf__trained_acrobot},
    {NULL, NULL, NULL},
};

const bf_env bf__env_acrobot = {
    .name = "acrobot",
    .summary = "swing a two-link pendulum above its base; three torques",
    .inner_dim = 4,
    .state_dim = 6,
    .actions = A,
    .limit = 500,
    .state_names = names,
    .reset = reset,
    .step = step,
    .observe = observe,
    .policies = policies,
};
