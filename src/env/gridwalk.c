/* gridwalk.c - A walk on a 10 x 10 grid towards the corner (9, 9).
 *
 * State        x * 10 + y, x and y in 0 .. 9; starts anywhere, evenly
 * Actions      0: x + 1, 1: y + 1, 2: x - 1, 3: y - 1; a move off the grid stays
 * Reward       exp(-2 D / 10), D = (9 - x) + (9 - y) after the move
 *
 * The walk never ends. The policy `greedy` goes +x if x <= y, otherwise +y. The policy greedy@0.9
 * takes an even action with probability 0.1.
 *
 * Source: the grid of the DICE experiments (Nachum et al. 2019). */
#include <math.h>

#include "backflow/env.h"

enum { N = 10, S = N * N, A = 4 };

static int move(int s, int action) {
    int x = s / N, y = s % N;
    int to = action < 2 ? 1 : -1;
    int *along = action % 2 == 0 ? &x : &y;
    if (*along + to >= 0 && *along + to < N)
        *along += to;
    return x * N + y;
}

static double reward_at(int s) {
    int away = (N - 1 - s / N) + (N - 1 - s % N);
    return exp(-2.0 * away / N);
}

static void reset(double *state, bf_rng *rng) {
    state[0] = (double)bf_rng_below(rng, S);
}

static bool step(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward) {
    (void)rewards;
    (void)rng;
    int next = move((int)state[0], action);
    *reward = reward_at(next);
    state[0] = next;
    return false;
}

static void observe(const double *state, double *seen) {
    seen[0] = state[0];
}

static void model(double *p, double *r, double *p0) {
    for (int i = 0; i < S * A * S; i++)
        p[i] = 0;
    for (int s = 0; s < S; s++) {
        p0[s] = 1.0 / S;
        for (int a = 0; a < A; a++) {
            int next = move(s, a);
            p[(s * A + a) * S + next] = 1;
            r[s * A + a] = reward_at(next);
        }
    }
}

static void greedy(const double *seen, double *p) {
    int s = (int)seen[0];
    bool along_x = s / N <= s % N;
    p[0] = along_x;
    p[1] = !along_x;
    p[2] = p[3] = 0;
}

static const char *const names[] = {"s"};
static const bf_env_policy policies[] = {
    {"greedy", "to the corner along the diagonal", greedy},
    {NULL, NULL, NULL},
};

const bf_env bf__env_gridwalk = {
    .name = "gridwalk",
    .summary = "10 x 10 grid, four moves, reward grows towards a corner",
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
