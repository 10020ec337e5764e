/* test_theory.c - The paper's theorem on generalization: its ingredients and the loss it is about.
 *
 * Complexities are compared with all signs that there are, one after the other. The loss with true
 * transition probabilities is compared with the flow residual of the log of expected steps, which
 * the library computes from rows. What the finite class finds is compared with a chain that is
 * walked until it settles. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/exact.h"
#include "env/simulate.h"
#include "estimator/diagnostics.h"
#include "experiment/experiment.h"
#include "experiment/generalization.h"
#include "flow/flow.h"
#include "problem/points.h"
#include "solver/rademacher.h"
#include "stats/slope.h"
#include "weights/theorem.h"

TEST_ARENA;

/* ---- Signs */

static int sign(unsigned signs, int i) {
    return signs >> i & 1 ? 1 : -1;
}

static void mean_of_signs(void **state) {
    (void)state;
    assert_near(bf__signs_mean(0), 0, 0);
    for (int m = 1; m <= 16; m++) {
        double sum = 0;
        for (unsigned signs = 0; signs < 1u << m; signs++) {
            int total = 0;
            for (int i = 0; i < m; i++)
                total += sign(signs, i);
            sum += abs(total);
        }
        assert_near(bf__signs_mean(m), sum / (1u << m), 1e-12);
    }
    for (int64_t m = 3; m < 2000; m += 2) /* E |S_m+2| = E |S_m| (m + 2) / (m + 1), odd m */
        assert_near(bf__signs_mean(m + 2) / bf__signs_mean(m), (double)(m + 2) / (double)(m + 1),
                    1e-11);
    assert_near(bf__signs_mean(1000000001) / sqrt(2e9 / acos(-1)), 1, 1e-8);
}

/* Nine rows at four points; W takes its best value at each, by trying both ends. */
static void complexity_of_a_box(void **state) {
    (void)state;
    static const int at[] = {0, 1, 0, 2, 0, 1, 3, 2, 0};
    const double low = -0.5, high = 3;
    double sum = 0, signs = 0;
    for (unsigned s = 0; s < 1u << 9; s++)
        for (int point = 0; point < 4; point++) {
            double total = 0;
            for (int i = 0; i < 9; i++)
                total += at[i] == point ? sign(s, i) : 0;
            sum += fmax(low * total, high * total) / 9 / (1u << 9);
        }
    for (int point = 0; point < 4; point++) {
        int count = 0;
        for (int i = 0; i < 9; i++)
            count += at[i] == point;
        signs += bf__signs_mean(count);
    }
    assert_near(bf__rademacher_box(low, high, signs, 9), sum, 1e-12);
}

static void complexity_of_a_ball(void **state) {
    (void)state;
    enum { N = 12, M = 3 };
    bf_rng rng = bf_rng_make(1, "ball", 0);
    double phi[N][M], squares = 0, mean = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < M; k++) {
            phi[i][k] = bf_rng_normal(&rng);
            squares += phi[i][k] * phi[i][k] / N;
        }
    for (unsigned s = 0; s < 1u << N; s++) {
        double v[M] = {0};
        for (int i = 0; i < N; i++)
            for (int k = 0; k < M; k++)
                v[k] += sign(s, i) * phi[i][k] / N;
        mean += 2.5 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / (1u << N);
    }
    double bound = bf__rademacher_ball(2.5, squares, N);
    assert_true(bound >= mean && bound <= sqrt(2) * mean);
    /* One feature of size 1: the length of v is that of a sum of signs. */
    assert_true(bf__rademacher_ball(1, 1, N) >= bf__signs_mean(N) / N);
    assert_near(bf__rademacher_ball(1, 1, 100000) / bf__signs_mean(100000) * 100000,
                sqrt(acos(-1) / 2), 1e-4);
}

static void bound_by_hand(void **state) {
    (void)state;
    /* 16 * 2 * 0.1 + (16 * 4 + 4 sqrt(8 ln 20)) / 20 */
    assert_near(bf__generalization_bound(2, 0.1, 400, 0.05), 7.379099, 1e-6);
}

static void slopes(void **state) {
    (void)state;
    const double x[] = {100, 200, 400};
    bf_mean y[3];
    for (int i = 0; i < 3; i++)
        y[i] = (bf_mean){7 * pow(x[i], -0.5), 0.1 * (i + 1) * 7 * pow(x[i], -0.5)};
    assert_near(bf__log_slope(x, y, 3).value, -0.5, 1e-12);
    assert_near(bf__log_slope(x, y, 2).error, hypot(0.1, 0.2) / log(2), 1e-12);
    assert_true(isnan(bf__log_slope(x, y, 1).value));
}

/* ---- Logs */

typedef struct world {
    const bf_env *env;
    const bf_policy *behavior, *target;
    double visits[100]; /* of the behaviour */
    bf_dataset log;
} world;

static world make_world(const char *name, const char *behavior, const char *target, int64_t n) {
    world w = {.env = bf_env_find(name)};
    double value;
    assert_ok(bf_env_policy_parse(&w.behavior, w.env, behavior, 1, arena, &err), err);
    assert_ok(bf_env_policy_parse(&w.target, w.env, target, 1, arena, &err), err);
    assert_ok(bf__exact_value(&value, w.env, w.behavior, 1, w.visits, arena, &err), err);
    bf_simulation simulation = {.env = w.env,
                                .behaviors = &w.behavior,
                                .behavior_count = 1,
                                .target = w.target,
                                .trajectories = n,
                                .steps = 1};
    bf_context context = {.seed = 3, .threads = 1};
    assert_ok(bf__simulate_from(&w.log, &simulation, w.visits, &context, arena, &err), err);
    return w;
}

/* States and next states are distributed as the long run is: chi-squared over 12 rungs. */
static void stationary_logs(void **state) {
    (void)state;
    enum { N = 20000 };
    world w = make_world("ladder", "climber", "uniform", N);
    const double *columns[] = {w.log.state, w.log.next_state};
    for (int k = 0; k < 2; k++) {
        double count[12] = {0}, chi = 0;
        for (int64_t i = 0; i < N; i++)
            count[(int)columns[k][i]]++;
        for (int s = 0; s < 12; s++)
            chi += pow(count[s] - N * w.visits[s], 2) / (N * w.visits[s]);
        assert_true(chi < 31.3); /* 11 degrees of freedom: 0.001 */
        assert_true(chi > 1);
    }
}

static void pairs_that_repeat(void **state) {
    (void)state;
    world w = make_world("ladder", "uniform", "climber", 500);
    int64_t count[24] = {0};
    double signs = 0, got;
    for (int64_t i = 0; i < w.log.n; i++)
        count[(int)w.log.state[i] * 2 + w.log.action[i]]++;
    for (int c = 0; c < 24; c++)
        signs += bf__signs_mean(count[c]);
    assert_ok(bf__theorem_signs(&got, &w.log, arena, &err), err);
    assert_near(got, signs, 1e-9);
    /* Vectors as actions; -0 is 0, and the last pair is alone. */
    double s[] = {0, 1, -0.0, 0}, u[] = {2, 2, 2, 3};
    bf_dataset few = {.n = 4, .state_dim = 1, .action_dim = 1, .state = s, .action_vector = u};
    assert_ok(bf__theorem_signs(&got, &few, arena, &err), err);
    assert_near(got, 1 + 1 + 1, 1e-15); /* of two signs: 1 */
}

/* What an answer says of itself. */
static void diagnostics_of_answers(void **state) {
    (void)state;
    world w = make_world("ladder", "uniform", "climber", 500);
    bf_problem problem = {&w.log, 1, BF_TERMINAL_RESTART, w.target};
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    double signs;
    assert_ok(bf__theorem_signs(&signs, &w.log, arena, &err), err);
    static const char *const models[] = {"weights=tabular", "weights=linear", "weights=corrected",
                                         "weights=anchors"};
    for (int k = 0; k < 4; k++) {
        bf_settings *settings;
        bf_estimate e;
        assert_ok(bf_estimator_settings(&settings, blackbox, models[k], arena, &err), err);
        assert_ok(bf__estimator_run(blackbox, &e, &problem, settings, NULL, arena, &err), err);
        double low = 0, high = 0, square = 0;
        for (int64_t i = 0; i < 500; i++) {
            low = fmin(low, 500 * e.signed_weights[i]);
            high = fmax(high, 500 * e.signed_weights[i]);
            square += pow(500 * e.signed_weights[i] - 1, 2) / 500;
        }
        double box = (high - low) / 2 * signs / 500, r = bf__diagnosed(&e, BF__D_R_MAX);
        double own = bf__diagnosed(&e, BF__D_RADEMACHER);
        assert_near(r, fmax(high, -low), 1e-12);
        if (k == 1) /* a ball holds W: its length can not be less than how far W goes from 1 */
            assert_true(own < box && own >= sqrt(square / 500) * (1 - 1e-9));
        else
            assert_near(own, box, 1e-12);
        assert_near(bf__diagnosed(&e, BF__D_LOSS_BOUND),
                    16 * r * own + r * r * (16 + sqrt(8 * log(20))) / sqrt(500), 1e-9);
    }
    double *weight = bf_arena_zalloc(arena, 500, sizeof *weight, &err);
    for (int64_t i = 0; i < 500; i++)
        weight[i] = 1 + (double)(i % 2);
    bf_dataset weighted = w.log;
    weighted.weight = weight;
    problem.data = &weighted;
    bf_estimate e;
    assert_ok(bf__estimator_run(blackbox, &e, &problem, NULL, NULL, arena, &err), err);
    assert_true(isnan(bf__diagnosed(&e, BF__D_LOSS_BOUND)));
}

/* ---- The loss with true transition probabilities */

static void expected_steps(void **state) {
    (void)state;
    static const struct {
        const char *name, *behavior, *target;
        int64_t copies;
    } cases[] = {{"ladder", "uniform", "climber", 2},
                 {"modelwin", "behavior", "target", 5},
                 {"gridwalk", "greedy@0.3", "greedy@0.9", 1}};
    for (int k = 0; k < 3; k++) {
        world w = make_world(cases[k].name, cases[k].behavior, cases[k].target, 150);
        bf_dataset expected;
        assert_ok(bf__expected_log(&expected, &w.log, w.env, w.target, arena, &err), err);
        assert_int_equal(expected.n, 150 * cases[k].copies);
        /* Any weights of the rows; copies share them. */
        bf_rng rng = bf_rng_make(1, "weights", 0);
        double mass[400] = {0}, *rows, loss, square;
        rows = bf_arena_zalloc(arena, expected.n, sizeof *rows, &err);
        for (int64_t i = 0; i < w.log.n; i++) {
            double weight = bf_rng_uniform(&rng) / 75;
            mass[(int)w.log.state[i] * w.env->actions + w.log.action[i]] += weight;
            for (int64_t c = 0; c < cases[k].copies; c++)
                rows[i * cases[k].copies + c] = weight / (double)cases[k].copies;
        }
        assert_ok(bf__expected_loss(&loss, mass, &w.log, w.env, w.target, arena, &err), err);
        bf_problem problem = {&expected, 1, BF_TERMINAL_RESTART, w.target};
        bf__points points;
        bf__pair_kernel kernel = {.share = 0};
        bf__flow *flow;
        double width = 1;
        assert_ok(bf__points_make(&points, &problem, NULL, NULL, NULL, arena, &err), err);
        assert_ok(bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &width, 1, &err), err);
        assert_ok(bf__flow_create(&flow, &points, &kernel, NULL, arena, &err), err);
        assert_ok(bf__flow_loss(&square, flow, rows, NULL, arena, &err), err);
        assert_near(loss * loss, square, 1e-9 * square);
    }
    world w = make_world("boyan", "uniform", "uniform", 10);
    bf_dataset expected;
    assert_int_equal(bf__expected_log(&expected, &w.log, w.env, w.target, arena, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "boyan: its transition probabilities"));
}

/* The chain that the counts of a log give, walked from anywhere until it settles. */
static void walk(double *mass, const world *w) {
    double count[24][12] = {{0}}, d[12], next[12];
    for (int64_t i = 0; i < w->log.n; i++)
        count[(int)w->log.state[i] * 2 + w->log.action[i]][(int)w->log.next_state[i]]++;
    for (int s = 0; s < 12; s++)
        d[s] = 1.0 / 12;
    for (int step = 0; step < 20000; step++) {
        memset(next, 0, sizeof next);
        for (int c = 0; c < 24; c++) {
            double rows = 0;
            for (int to = 0; to < 12; to++)
                rows += count[c][to];
            mass[c] = d[c / 2] * (c % 2 ? 0.6 : 0.4);
            for (int to = 0; to < 12; to++)
                next[to] += mass[c] * count[c][to] / rows;
        }
        memcpy(d, next, sizeof d);
    }
}

/* The excess of the finite class is the loss of the log's own chain: nothing of it is left with the
 * true probabilities. Other classes come near. */
static void excess(void **state) {
    (void)state;
    const bf__experiment *e = bf__experiment_find("generalization");
    void *options = bf_arena_zalloc(arena, 1, e->options->size, &err);
    assert_ok(bf_options_init(e->options, options, &err), err);
    bf__study study = {.experiment = e, .options = options, .seed = 1, .arena = arena};
    assert_ok(e->plan(&study, options, &err), err);
    world w = make_world("ladder", "uniform", "climber", 600);
    bf_problem problem = {&w.log, 1, BF_TERMINAL_RESTART, w.target};
    double mass[24], loss, got, bound;
    walk(mass, &w);
    assert_ok(bf__expected_loss(&loss, mass, &w.log, w.env, w.target, arena, &err), err);
    for (int g = 0; g < 3; g++) {
        const bf__run_group *group = &study.groups[g];
        assert_ok(group->setting.measure->run(&got, &bound, &group->setting, group->method,
                                              &problem, NULL, arena, &err),
                  err);
        if (g == 0)
            assert_near(got, loss, 1e-9);
        assert_true(got > 0.1 * loss && got < 1.5 * loss && bound > 100 * got);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(mean_of_signs),
        arena_test(complexity_of_a_box),
        arena_test(complexity_of_a_ball),
        arena_test(bound_by_hand),
        arena_test(slopes),
        arena_test(stationary_logs),
        arena_test(pairs_that_repeat),
        arena_test(diagnostics_of_answers),
        arena_test(expected_steps),
        arena_test(excess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
