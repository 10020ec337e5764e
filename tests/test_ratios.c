/* test_ratios.c - ips and dualdice, tabular: the limits that theory gives on ModelWin, plain linear
 * algebra on random processes, and numpy straight from their authors' recipes. */
#include "ratios.h"

#include <stdio.h>

/* ---- ModelWin */

/* A trajectory of T states has T - 1 transitions, T / 2 of them from state 0: the log is not
 * balanced, and IPS is off by a known amount. With T transitions it is, and IPS is right. */
static void ips_has_the_limits_of_theory(void **state) {
    (void)state;
    const struct {
        int length;
        double limit;
    } cases[] = {{4, -0.106667},  {8, -0.091429},  {16, -0.085333},
                 {32, -0.082581}, {64, -0.081270}, {128, -0.080630}};
    for (size_t k = 0; k < 6; k++) {
        bf_mark mark = bf_arena_mark(arena);
        int half = cases[k].length / 2, times = 640 / half;
        bf_dataset fewer = model_win_expected(half * times, (half - 1) * times);
        bf_dataset full = model_win_expected(half * times, half * times);
        bf_estimate out = estimate("ips", "", &fewer, 1);
        assert_near(out.value, cases[k].limit, 1e-6);
        assert_near(value("ips", "", &full, 1), -0.08, 1e-6);
        /* Held against the states that rows start from, it is right whatever T. */
        assert_near(value("ips", "balance states", &fewer, 1), -0.08, 1e-6);
        assert_near(value("naive", "", &fewer, 1), -0.08 * half / (2 * half - 1), 1e-12);
        /* The diagnostic says what is wrong: states and next states differ by 1 / (T - 1). */
        assert_near(bf_estimate_get(&out, "imbalance"), 1.0 / (2 * half - 1), 1e-12);
        assert_int_equal(out.warning_count, 1.0 / (2 * half - 1) > 0.02);
        assert_near(value("blackbox", "", &fewer, 1), -0.08, 1e-12);
        bf_arena_rewind(arena, mark);
    }
}

/* Sampled, within the noise: 0.5345 / sqrt(visits) and a little more, four of them. */
static void dualdice_has_the_limits_of_theory(void **state) {
    (void)state;
    const double gammas[] = {0.5, 0.9, 0.99};
    bf_dataset sampled = model_win_sampled(40000, 3, 5);
    for (int k = 0; k < 3; k++) {
        assert_near(value("dualdice", "", &sampled, gammas[k]), -0.16 / (1 + gammas[k]), 0.0096);
        assert_near(value("dualdice", "ratio state", &sampled, gammas[k]), -0.16 / (1 + gammas[k]),
                    0.0096);
    }
    bf_estimate out = estimate("dualdice", "", &sampled, 1);
    assert_near(bf_estimate_get(&out, "gamma_used"), 0.9999, 0);
    assert_near(out.value, value("blackbox", "", &sampled, 1), 2e-5);
}

static void add(double sums[2], double x) {
    sums[0] += x;
    sums[1] += x * x;
}

/* 200 logs of 400 trajectories of 4 states: bias and deviation of each method. */
static void bias_and_deviation_are_as_known(void **state) {
    (void)state;
    enum { RUNS = 200, METHODS = 5 };
    const struct {
        const char *method, *options;
        double gamma, bias, deviation;
    } cases[METHODS] = {{"naive", "", 1, +0.0260, 0.0253},
                        {"blackbox", "", 1, -0.0010, 0.0195},
                        {"ips", "", 1, -0.0279, 0.0262},
                        {"dualdice", "average_gamma 0.9", 1, -0.0051, 0.0206},
                        {"dualdice", "", 1, -0.0010, 0.0195}};
    double sums[METHODS][2] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_dataset data = model_win_sampled(400, 3, 1000 + run);
        for (int k = 0; k < METHODS; k++)
            add(sums[k], value(cases[k].method, cases[k].options, &data, cases[k].gamma) + 0.08);
        bf_arena_rewind(arena, mark);
    }
    for (int k = 0; k < METHODS; k++) {
        double bias = sums[k][0] / RUNS, deviation = sqrt(sums[k][1] / RUNS - bias * bias);
        /* Both numbers, ours and the known ones, come from 200 runs: three deviations of their
         * difference. */
        assert_near(bias, cases[k].bias, 3 * sqrt(2.0 / RUNS) * cases[k].deviation);
        assert_near(deviation, cases[k].deviation, 3 * cases[k].deviation / sqrt(RUNS));
    }
}

/* ---- Random processes */

/* mu (n) of the rows of mdp_log: the share of each action among the rows of its state. */
static const double *tallied_mu(const mdp *m, const bf_dataset *data) {
    double *mu = bf_arena_alloc(arena, data->n, sizeof *mu, &err), rows[MDP_MAX][8] = {{0}};
    for (int64_t i = 0; i < data->n; i++)
        rows[(int)data->state[i]][data->action[i]]++;
    for (int64_t i = 0; i < data->n; i++) {
        double all = 0;
        for (int a = 0; a < m->actions; a++)
            all += rows[(int)data->state[i]][a];
        mu[i] = rows[(int)data->state[i]][data->action[i]] / all;
    }
    return mu;
}

/* Every row an episode: all discounts are 1 and the log shows the process exactly. Without its
 * ridge dualdice is then the discounted distribution, to rounding. */
static void dualdice_solves_random_processes(void **state) {
    (void)state;
    const double gammas[] = {0, 0.5, 0.9, 0.99};
    for (int k = 0; k < 40; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(17, "random process", (uint64_t)k);
        mdp m = mdp_random(k % 2 ? MDP_DENSE : MDP_PERIODIC, &rng, arena);
        bf_dataset data = mdp_log(&m, 1, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        data.mu = tallied_mu(&m, &data);
        for (int g = 0; g < 4; g++) {
            double exact = mdp_value(&m, gammas[g], p0);
            bf_estimate out = estimate("dualdice", "ridge 0", &data, gammas[g]);
            assert_near(out.value, exact, 1e-8);
            assert_near(bf_estimate_get(&out, "mean_zeta"), 1, 1e-8);
            assert_near(value("dualdice", "ridge 0 ratio state", &data, gammas[g]), exact, 1e-8);
        }
        bf_arena_rewind(arena, mark);
    }
}

/* A process whose log is balanced, because the target's chain, times a constant, is what was
 * logged: pi = mu. And one of its logs weighed anew: ips is right up to its ridge. */
static void ips_solves_balanced_processes(void **state) {
    (void)state;
    enum { S = 6, A = 3 };
    for (int k = 0; k < 20; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(23, "balanced process", (uint64_t)k);
        mdp m = mdp_new(S, A, arena);
        /* Whole cycles of 100 rows: every state is left as often as it is entered. */
        for (int cycle = 0; cycle < 40; cycle++) {
            int first = (int)bf_rng_below(&rng, S), at = first;
            for (int i = 0; i < 50; i++) {
                int a = (int)bf_rng_below(&rng, A);
                int next = i == 49 ? first : (int)bf_rng_below(&rng, S);
                mdp_tally(&m, at, a)[next] += 100;
                at = next;
            }
        }
        for (int s = 0; s < S; s++) {
            double sum = 0;
            for (int a = 0; a < A; a++)
                sum += m.pi[s * A + a] = 0.1 + bf_rng_uniform(&rng);
            for (int a = 0; a < A; a++)
                m.pi[s * A + a] /= sum;
            for (int i = 0; i < A * S; i++)
                m.reward[s * A * S + i] = bf_rng_normal(&rng);
        }
        bf_dataset data = mdp_log(&m, 0, arena);
        data.mu = tallied_mu(&m, &data);
        bf_estimate out = estimate("ips", "", &data, 1);
        assert_near(out.value, mdp_value(&m, 1, NULL), 1e-6);
        assert_near(bf_estimate_get(&out, "imbalance"), 0, 1e-12);
        assert_int_equal(out.warning_count, 0);
        bf_arena_rewind(arena, mark);
    }
}

/* With --balance states and no discounts by place, ips too is exact for any log, up to its ridge,
 * which is 0.001 against (rows / 50)^2. */
static void ips_by_states_solves_random_processes(void **state) {
    (void)state;
    const double gammas[] = {1, 0.5, 0.9};
    for (int k = 0; k < 20; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(19, "random process", (uint64_t)k);
        mdp m = mdp_random(MDP_DENSE, &rng, arena);
        for (int i = 0; i < m.states * m.actions * m.states; i++)
            m.tally[i] *= 50;
        bf_dataset data = mdp_log(&m, 1, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        data.mu = tallied_mu(&m, &data);
        for (int g = 0; g < 3; g++)
            assert_near(value("ips", "balance states", &data, gammas[g]),
                        mdp_value(&m, gammas[g], p0), 1e-5);
        bf_arena_rewind(arena, mark);
    }
}

/* ---- Recipes */

static void both_agree_with_numpy(void **state) {
    (void)state;
    FILE *list = fopen(FIXTURES "/ratios.txt", "r");
    assert_non_null(list);
    char name[64], path[512];
    double gamma, ips, pairs, states;
    int count = 0;
    while (fscanf(list, "%63s %lf %lf %lf %lf", name, &gamma, &ips, &pairs, &states) == 5) {
        snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
        const char *paths[] = {path};
        bf_dataset data;
        assert_ok(bf__dataset_read(&data, paths, 1, NULL, NULL, arena, &err), err);
        assert_near(value("ips", "", &data, gamma), ips, 1e-7);
        assert_near(value("dualdice", "", &data, gamma), pairs, 1e-8);
        assert_near(value("dualdice", "ratio state", &data, gamma), states, 1e-8);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 18);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(ips_has_the_limits_of_theory),
        arena_test(dualdice_has_the_limits_of_theory),
        arena_test(bias_and_deviation_are_as_known),
        arena_test(dualdice_solves_random_processes),
        arena_test(ips_solves_balanced_processes),
        arena_test(ips_by_states_solves_random_processes),
        arena_test(both_agree_with_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
