/* boyan.c - Boyan's chain of 13 states, continuing.
 *
 *     i >= 2:  -> i - 2 with 0.9, i - 1 with 0.1;  r = -3
 *     1:       -> 0;                               r = -2
 *     0:       -> any of the 13, evenly;           r = 0
 *
 * The two actions do the same. Therefore the value is that of the chain for every behaviour and
 * every target, and an estimator that says otherwise is wrong. The chain starts in state 12.
 *
 * Source: Boyan, Technical update: least-squares temporal difference learning, 2002. */
#include "backflow/env.h"

enum { S = 13, A = 2 };

static double reward_at(int s) {
    return s >= 2 ? -3 : s == 1 ? -2 : 0;
}

static void reset(double *state, bf_rng *rng) {
    (void)rng;
    state[0] = S - 1;
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)action;
    (void)rewards;
    int s = (int)state[0];
    *reward = reward_at(s);
    if (s >= 2)
        state[0] = bf_rng_uniform(rng) < 0.9 ? s - 2 : s - 1;
    else
        state[0] = s == 1 ? 0 : (double)bf_rng_below(rng, S);
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
}

static void model(double *p, double *r, double *p0) {
    for (int i = 0; i < S * A * S; i++)
        p[i] = 0;
    for (int s = 0; s < S; s++) {
        p0[s] = s == S - 1;
        for (int a = 0; a < A; a++) {
            double *row = p + (s * A + a) * S;
            r[s * A + a] = reward_at(s);
            for (int next = 0; s == 0 && next < S; next++)
                row[next] = 1.0 / S;
            if (s == 1)
                row[0] = 1;
            if (s >= 2) {
                row[s - 2] = 0.9;
                row[s - 1] = 0.1;
            }
        }
    }
}

static const char *const names[] = {"s"};

const bf_env bf__env_boyan = {
    .name = "boyan",
    .summary = "Boyan's chain of 13 states, continuing; both actions do the same",
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
};
