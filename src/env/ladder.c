/* ladder.c - A walk on twelve rungs, each step of which is a fair coin.
 *
 * State        the rung, 0 .. 11; starts at 0
 * Actions      0: down, 1: up; heads moves by one, tails stays, and so does a move off the ladder
 * Reward       1 with probability rung / 11, of the rung before the step; otherwise 0
 *
 * The walk never ends. A policy that goes up with probability u wherever it is spends time on the
 * rungs in proportion to (u / (1 - u))^rung, exactly. So the ratio of two policies is smooth in the
 * rung, and both outcomes of a step are equally likely: a log in which every step is taken twice,
 * once with each, has no noise left in its steps. src/experiment/generalization.c rests on that. */
#include "backflow/env.h"

enum { S = 12, A = 2 };

static int move(int s, int action) {
    int to = s + (action == 1 ? 1 : -1);
    return to >= 0 && to < S ? to : s;
}

static double prize_at(int s) {
    return (double)s / (S - 1);
}

static void reset(double *state, bf_rng *rng) {
    (void)rng;
    state[0] = 0;
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rewards;
    int s = (int)state[0];
    *reward = bf_rng_uniform(rng) < prize_at(s);
    if (bf_rng_uniform(rng) < 0.5)
        state[0] = move(s, action);
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
}

static void model(double *p, double *r, double *p0) {
    for (int i = 0; i < S * A * S; i++)
        p[i] = 0;
    for (int s = 0; s < S; s++) {
        p0[s] = s == 0;
        for (int a = 0; a < A; a++) {
            r[s * A + a] = prize_at(s);
            p[(s * A + a) * S + s] += 0.5;
            p[(s * A + a) * S + move(s, a)] += 0.5;
        }
    }
}

static void climber(const double *seen, double *p) {
    (void)seen;
    p[0] = 0.4;
    p[1] = 0.6;
}

static const char *const names[] = {"s"};
static const bf_env_policy policies[] = {{"climber", "0.4 / 0.6 everywhere", climber, NULL}, {0}};

const bf_env bf__env_ladder = {
    .name = "ladder",
    .summary = "twelve rungs, down or up; every step is a fair coin, prizes are rarer below",
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
