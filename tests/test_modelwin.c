/* test_modelwin.c - The paper's toy problem, sampled: the black-box answer does not depend on the
 * length of trajectories, and the model's and the value function's agree with it; the naive one is
 * as wrong as theory says.
 *
 * From s0, action 0 leads to s1 (+1) with probability 0.4 and to s2 (-1) with 0.6; action 1 the
 * other way round. From s1 and s2 any action leads back at reward 0. Behaviour 0.7/0.3, target
 * 0.9/0.1 in s0, both even elsewhere. Exact: target -0.08; the reward of a visit to s0 has mean
 * -0.08 under the behaviour, and the sampling deviation of the black-box answer is
 * 0.5345 / sqrt(visits to s0). */
#include "harness.h"

#include <math.h>

enum { TRANSITIONS = 200000 };

static double chance(double s, int a, double first) {
    double p = s == 0 ? first : 0.5;
    return a == 0 ? p : 1 - p;
}

/* Trajectories of `steps` transitions each from s0, TRANSITIONS in all (or just under). */
static bf_dataset simulate(int steps, uint64_t seed, bf_arena *arena) {
    bf_error err;
    bf_rng rng = bf_rng_make(seed, "modelwin", (uint64_t)steps);
    int64_t episodes = TRANSITIONS / steps, n = episodes * steps;
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    for (int64_t i = 0; i < n; i++) {
        s[i] = i % steps == 0 ? 0 : ns[i - 1];
        action[i] = bf_rng_uniform(&rng) < chance(s[i], 0, 0.7) ? 0 : 1;
        bool wins = bf_rng_uniform(&rng) < (action[i] == 0 ? 0.4 : 0.6);
        ns[i] = s[i] != 0 ? 0 : wins ? 1 : 2;
        r[i] = s[i] != 0 ? 0 : wins ? 1 : -1;
        npi[i] = chance(ns[i], 0, 0.9);
        npi[n + i] = chance(ns[i], 1, 0.9);
    }
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = 3,
                        .state = s,
                        .next_state = ns,
                        .action = action,
                        .reward = r,
                        .npi = npi};
}

static double estimate(const char *method, const bf_dataset *data, bf_arena *arena) {
    bf_error err;
    bf_estimate out;
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    assert_ok(bf__estimator_run(bf_estimator_find(method), &out, &problem, NULL, NULL, arena, &err),
              err);
    return out.value;
}

/* A trajectory of length T is T transitions, or T states and T - 1 transitions. */
static void no_length_of_trajectories_matters(void **state) {
    (void)state;
    bf_error err;
    double worst = 0;
    for (int length = 4; length <= 128; length *= 2)
        for (int fewer = 0; fewer < 2; fewer++) {
            bf_arena *arena;
            assert_ok(bf_arena_create(&arena, NULL, &err), err);
            int steps = length - fewer;
            bf_dataset data = simulate(steps, 11, arena);
            double visits = (double)((steps + 1) / 2 * (data.n / steps)), n = (double)data.n;
            double deviation = 0.5345 / sqrt(visits);
            double error = estimate("blackbox", &data, arena) + 0.08;
            assert_near(error, 0, 4 * deviation);
            /* All of them are exact on the frequencies of the log. */
            assert_near(estimate("model", &data, arena), error - 0.08, 1e-9);
            assert_near(estimate("lstdq", &data, arena), error - 0.08, 1e-9);
            assert_near(estimate("dr", &data, arena), error - 0.08, 1e-9);
            worst = fmax(worst, fabs(error) / deviation);
            assert_near(estimate("naive", &data, arena), -0.08 * visits / n, 4 * sqrt(visits) / n);
            bf_arena_destroy(arena);
        }
    assert_true(worst > 0.5); /* twelve draws: the deviation is not merely generous */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_length_of_trajectories_matters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
