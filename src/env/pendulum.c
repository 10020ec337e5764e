/* pendulum.c - Swing a pole up and hold it, with too little torque to lift it at once.
 *
 * State        (theta, thetadot), theta = 0 upright; seen with theta wrapped to [-pi, pi)
 * Actions      torque u = -2, -1, 0, 1, 2
 * Step         thetadot += 0.05 (15 sin theta + 3 u), clipped to 8; theta += 0.05 thetadot
 * Reward       -(theta^2 + 0.1 thetadot^2 + 0.001 u^2), theta wrapped, before the step
 * Start        theta in [-pi, pi), thetadot in [-1, 1), evenly. Never ends.
 *
 * The physics is Gymnasium's Pendulum-v1, which keeps the angle unwrapped: so do we, inside. The
 * rewards of the paper are the same. */
#include "backflow/env.h"
#include "env/physics.h"
#include "env/trained.h"

enum { A = 5 };

static void reset(double *state, bf_rng *rng) {
    state[0] = bf_rng_between(rng, -BF__PI, BF__PI);
    state[1] = bf_rng_between(rng, -1, 1);
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rewards;
    (void)rng;
    const double dt = 0.05;
    double theta = state[0], speed = state[1], u = action - 2;
    double angle = bf__wrap(theta);
    *reward = -(angle * angle + 0.1 * (speed * speed) + 0.001 * (u * u));
    speed = bf__clip(speed + (15 * sin(theta) + 3 * u) * dt, -8, 8);
    state[0] = theta + speed * dt;
    state[1] = speed;
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = bf__wrap(state[0]);
    seen[1] = state[1];
}

/* Pumps energy until it is that of the upright pole, then holds the pole by proportional control. E
 * = thetadot^2 / 2 + 15 (cos theta - 1) is 0 for the upright pole at rest. */
static void swing(const double *seen, double *p) {
    double theta = seen[0], speed = seen[1], u;
    if (fabs(theta) < 0.6 && fabs(speed) < 3) {
        u = -(10 * theta + 2 * speed);
    } else {
        double energy = 0.5 * speed * speed + 15 * (cos(theta) - 1);
        double along = speed != 0 ? speed : 1;
        u = energy < 0 ? 2 * copysign(1, along) : -0.5 * energy * copysign(1, along);
    }
    bf__choose(p, A, (int)lround(bf__clip(u, -2, 2)) + 2);
}

static const char *const names[] = {"theta", "thetadot"};
static const bf_env_policy policies[] = {
    {"handmade", "pumps energy, then holds the pole up", swing},
    {"trained", BF__TRAINED_SUMMARY, NULL, bf__trained_pendulum},
    {NULL, NULL, NULL},
};

const bf_env bf__env_pendulum = {
    .name = "pendulum",
    .summary = "swing a pole up and hold it; five torques",
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
