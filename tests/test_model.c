/* test_model.c - The count model, q and the doubly robust value against plain linear algebra;
 * kernel regression against two plain loops; the rollout against a process it can learn. */
#include "mdp.h"

#include "model/regression.h"
#include "problem/count_model.h"
#include "value/q.h"

TEST_ARENA;

static bf_estimate run(const char *method, const bf_problem *problem, const bf_settings *options) {
    bf_estimate out;
    bf_context context = {.threads = 1, .seed = 1};
    assert_ok(
        bf__estimator_run(bf_estimator_find(method), &out, problem, options, &context, arena, &err),
        err);
    return out;
}

static bf_settings *settings_of(const char *method, const char *text) {
    bf_settings *settings;
    assert_ok(bf_estimator_settings(&settings, bf_estimator_find(method), text, arena, &err), err);
    return settings;
}

/* ---- Finite states */

/* Exact frequencies in, exact value out, for every gamma and each of the methods. */
static void random_processes_are_solved_exactly(void **state) {
    (void)state;
    const double gammas[] = {1, 0, 0.5, 0.9, 0.99};
    const char *const methods[] = {"model", "lstdq", "dr"};
    for (int k = 0; k < 120; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(17, "random process", (uint64_t)k);
        mdp m = mdp_random((mdp_kind)(k % 4), &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++)
            for (int method = 0; method < 3; method++) {
                bf_problem problem = {&data, gammas[g], BF_TERMINAL_RESTART};
                bf_estimate out = run(methods[method], &problem, NULL);
                assert_near(out.value, mdp_value(&m, gammas[g], p0), 1e-8);
                assert_int_equal(out.warning_count, 0);
            }
        bf_arena_rewind(arena, mark);
    }
}

/* The weights that the count model hands out give its value. */
static void weights_of_the_count_model_are_its_value(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(18, "random process", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 7, arena);
    bf_problem problem = {&data, 0.9, BF_TERMINAL_RESTART};
    bf_estimate out = run("model", &problem, NULL);
    double sum = 0, value = 0;
    for (int64_t i = 0; i < data.n; i++) {
        sum += out.weights[i];
        value += out.weights[i] * data.reward[i];
    }
    assert_near(sum, 1, 1e-12);
    assert_near(value, out.value, 1e-12);
}

/* q against its own equation, by a plain solve: v = r - rho + P v, v(0) = 0. */
static void q_solves_the_equation(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(19, "random process", (uint64_t)k);
        mdp m = mdp_random(MDP_DENSE, &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena);
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf__q q;
        assert_ok(bf__q_cells(&q, &problem, NULL, arena, &err), err);
        double rho = mdp_value(&m, 1, NULL), mean = 0;
        /* Rows of one cell are together in the log: the mean reward of a cell less its gap is rho.
         */
        for (int64_t i = 0, from = 0; i <= data.n; i++) {
            if (i < data.n && data.state[i] == data.state[from] &&
                data.action[i] == data.action[from]) {
                mean += data.reward[i];
                continue;
            }
            assert_near(mean / (double)(i - from) - q.gap[from], rho, 1e-9);
            from = i;
            mean = i < data.n ? data.reward[i] : 0;
        }
        bf_arena_rewind(arena, mark);
    }
}

/* Right weights forgive any q, and the right q any weights. */
static void either_is_enough(void **state) {
    (void)state;
    const double gammas[] = {1, 0.9};
    for (int k = 0; k < 20; k++)
        for (int g = 0; g < 2; g++) {
            bf_mark mark = bf_arena_mark(arena);
            bf_rng rng = bf_rng_make(20, "random process", (uint64_t)k);
            mdp m = mdp_random(MDP_DENSE, &rng, arena);
            bf_dataset data = mdp_log(&m, 7, arena);
            double p0[MDP_MAX], total = 0;
            mdp_starts(&data, m.states, p0);
            double truth = mdp_value(&m, gammas[g], p0);
            bf_problem problem = {&data, gammas[g], BF_TERMINAL_RESTART};
            bf__cells cells;
            bf__count_model count;
            bf__q right, wrong = {0};
            assert_ok(bf__cells_build(&cells, &problem, arena, &err), err);
            assert_ok(bf__count_model_solve(&count, &cells, NULL, arena, &err), err);
            assert_ok(bf__q_cells(&right, &problem, NULL, arena, &err), err);
            double *guess = bf_arena_alloc(arena, cells.cells, sizeof *guess, &err);
            double *part = bf_arena_alloc(arena, cells.cells, sizeof *part, &err);
            double *cell_gap = bf_arena_alloc(arena, cells.cells, sizeof *cell_gap, &err);
            double *gap = bf_arena_alloc(arena, data.n, sizeof *gap, &err);
            double *w = bf_arena_alloc(arena, data.n, sizeof *w, &err);
            for (int64_t c = 0; c < cells.cells; c++) {
                guess[c] = 10 * bf_rng_normal(&rng);
                part[c] = bf_rng_uniform(&rng);
                total += part[c];
            }
            assert_ok(bf__count_model_gap(cell_gap, &count, guess, arena, &err), err);
            for (int64_t i = 0; i < data.n; i++) {
                int64_t c = cells.row_cell[i];
                gap[i] = cell_gap[c];
                w[i] = part[c] / total / (double)cells.count[c];
            }
            wrong.gap = gap;
            bf_estimate blackbox = run("blackbox", &problem, NULL);
            assert_near(bf__dr_value(blackbox.weights, &wrong, &problem), truth, 1e-8);
            assert_near(bf__dr_value(w, &right, &problem), truth, 1e-8);
            double both = bf__dr_value(w, &wrong, &problem);
            assert_true(fabs(both - truth) > 1e-3); /* neither: no reason to be right */
            bf_arena_rewind(arena, mark);
        }
}

/* Two halves that never meet: the start states decide, and q has a gain per half. */
static void classes_are_mixed_by_the_start(void **state) {
    (void)state;
    mdp m = mdp_new(4, 1, arena);
    for (int s = 0; s < 4; s++) {
        m.pi[s] = 1;
        mdp_tally(&m, s, 0)[s ^ 1] = 3;
        for (int t = 0; t < 4; t++)
            m.reward[s * 4 + t] = s < 2 ? 1 : 5;
    }
    bf_dataset data = mdp_log(&m, 4, arena); /* 12 rows: starts in states 0, 1, 2 */
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    const char *const methods[] = {"model", "lstdq", "dr"};
    for (int k = 0; k < 3; k++) {
        bf_estimate out = run(methods[k], &problem, NULL);
        assert_near(out.value, (1 + 1 + 5) / 3.0, 1e-10);
        assert_true(out.warning_count > 0 && out.warnings[0].distrust);
    }
}

/* An action that the log never shows in a state is left out, and said. */
static void gaps_are_said(void **state) {
    (void)state;
    double s[] = {0, 0, 1}, ns[] = {0, 1, 0}, r[] = {1, 3, 5}, npi[] = {.5, .5, .5, .5, .5, .5};
    int32_t a[] = {0, 0, 1};
    bf_dataset data = {.n = 3,
                       .state_dim = 1,
                       .actions = 2,
                       .states = 2,
                       .state = s,
                       .next_state = ns,
                       .action = a,
                       .reward = r,
                       .npi = npi};
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    const char *const methods[] = {"model", "lstdq"};
    /* Half of the target was never seen; 0.3 / (rows + 0.3) of that goes on as rows are: 2 to 1. */
    double leave[] = {0.5 * 0.3 / 2.3, 0.5 * 0.3 / 1.3}, visits[2] = {1};
    visits[1] = (0.5 * (1 - leave[0]) + leave[0] / 3) / (1 - leave[1] / 3);
    double time[] = {visits[0] * (1 - leave[0]), visits[1] * (1 - leave[1])};
    for (int k = 0; k < 2; k++) {
        bf_estimate out = run(methods[k], &problem, NULL);
        assert_near(out.value, (2 * time[0] + 5 * time[1]) / (time[0] + time[1]), 1e-12);
        assert_near(bf_estimate_get(&out, "coverage_model"), 0.5, 1e-12);
        assert_true(out.warning_count == 1 && out.warnings[0].distrust);
    }
}

/* Ends that absorb: a step of reward 1 ends with probability 1/2, discounted. */
static void ends_absorb(void **state) {
    (void)state;
    double s[] = {0, 0}, ns[] = {0, 1}, r[] = {1, 1}, one[] = {1, 1};
    int32_t a[] = {0, 0};
    uint8_t ends[] = {0, 1};
    int64_t begin[] = {0, 2}, order[] = {0, 1};
    bf_dataset data = {.n = 2,
                       .state_dim = 1,
                       .actions = 1,
                       .states = 2,
                       .state = s,
                       .next_state = ns,
                       .action = a,
                       .reward = r,
                       .terminated = ends,
                       .pi = one,
                       .npi = one,
                       .episodes = 1,
                       .begin = begin,
                       .order = order};
    const char *const methods[] = {"model", "lstdq", "dr"};
    for (int k = 0; k < 3; k++) {
        bf_problem problem = {&data, 0.9, BF_TERMINAL_ABSORB};
        assert_near(run(methods[k], &problem, NULL).value, 0.1 / (1 - 0.45), 1e-12);
        problem.gamma = 1;
        assert_near(run(methods[k], &problem, NULL).value, 0, 1e-12);
        problem.terminal = BF_TERMINAL_RESTART;
        assert_near(run(methods[k], &problem, NULL).value, 1, 1e-12);
    }
}

/* ---- Kernel regression */

/* Up to a dozen targets, two of which are 0 and 1 everywhere. */
static void regression_is_the_plain_sum(void **state) {
    (void)state;
    enum { N = 1901, D = 3, MOST = 12, G = 3 };
    static double z[D * N], y[MOST * N], x[D], mean[MOST], scratch[N];
    static int32_t group[N];
    bf_rng rng = bf_rng_make(5, "regression", 0);
    for (int i = 0; i < N; i++) {
        group[i] = i < 1300 ? 0 : 1 + (int32_t)bf_rng_below(&rng, G - 1);
        for (int c = 0; c < D; c++)
            z[c * N + i] = bf_rng_normal(&rng);
        for (int t = 0; t < MOST; t++)
            y[t * N + i] = t == 1 ? 0 : t == 2 ? 1 : bf_rng_normal(&rng);
    }
    const double widths[] = {0.05, 0.7, 3};
    for (int w = 0; w < 3; w++)
        for (int targets = 1; targets <= MOST; targets++) {
            bf__kernel kernel;
            bf__regression regression;
            assert_ok(bf__kernel_set(&kernel, bf__kernel_find("gaussian"), &widths[w], 1, &err),
                      err);
            assert_ok(bf__regression_make(&regression, &kernel, z, D, y, targets, group, G, N,
                                          arena, &err),
                      err);
            for (int q = 0; q < 6; q++) {
                int g = q % G;
                for (int c = 0; c < D; c++)
                    x[c] = bf_rng_normal(&rng);
                double rows = bf__regression_at(mean, &regression, g, x, scratch);
                for (int t = 0; t < targets; t++) {
                    double top = 0, bottom = 0, squares = 0;
                    for (int i = 0; i < N; i++) {
                        double r2 = 0;
                        for (int c = 0; c < D; c++)
                            r2 += pow(x[c] - z[c * N + i], 2);
                        double k = group[i] == g ? exp(-r2 / (2 * widths[w] * widths[w])) : 0;
                        top += k * y[t * N + i];
                        bottom += k;
                        squares += k * k;
                    }
                    if (bottom > 1e-200) {
                        assert_near(mean[t], top / bottom, 1e-10);
                        assert_near(rows, bottom * bottom / squares, 1e-6);
                    }
                }
            }
        }
}

/* Too far for any kernel value to be above 0: the nearest row, and never NaN. */
static void far_away_the_nearest_row_answers(void **state) {
    (void)state;
    double z[] = {0, 1, 2}, y[] = {10, 20, 30, 1, 1, 1}, x = 1e4, mean[2], scratch[3], width = 0.1;
    bf__kernel kernel;
    bf__regression regression;
    assert_ok(bf__kernel_set(&kernel, bf__kernel_find("gaussian"), &width, 1, &err), err);
    assert_ok(bf__regression_make(&regression, &kernel, z, 1, y, 2, NULL, 1, 3, arena, &err), err);
    bf__regression_at(mean, &regression, 0, &x, scratch);
    assert_near(mean[0], 30, 0);
    assert_near(mean[1], 1, 0);
    x = -1e4;
    bf__regression_at(mean, &regression, 0, &x, scratch);
    assert_near(mean[0], 10, 0);
}

/* ---- Real-valued states: s' = 0.5 s + (a ? 1 : -1), r = s + a; pi(1) = p everywhere. The average
 * of s is 2 (2p - 1), so the value is 4p - 2 + p; discounted from s = 0 by the plain recursion. */
enum { ROWS = 2000 };

static bf_dataset linear_log(double p, bool columns) {
    bf_rng rng = bf_rng_make(3, "linear", 0);
    int64_t length = 40;
    double *s = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * ROWS, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, ROWS, sizeof *a, &err);
    int64_t *begin = bf_arena_alloc(arena, ROWS / length + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, ROWS, sizeof *order, &err);
    for (int64_t i = 0; i < ROWS; i++) {
        s[i] = i % length == 0 ? 0 : ns[i - 1];
        a[i] = (int32_t)bf_rng_below(&rng, 2);
        ns[i] = 0.5 * s[i] + (a[i] ? 1 : -1);
        r[i] = s[i] + a[i];
        pi[i] = 1 - p;
        pi[ROWS + i] = p;
        order[i] = i;
    }
    for (int64_t e = 0; e <= ROWS / length; e++)
        begin[e] = e * length;
    return (bf_dataset){.n = ROWS,
                        .state_dim = 1,
                        .actions = 2,
                        .real_state = true,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .pi = columns ? pi : NULL,
                        .npi = pi,
                        .episodes = ROWS / length,
                        .begin = begin,
                        .order = order};
}

static double linear_truth(double p, double gamma) {
    double mean = 0, sum = 0, discount = 1 - gamma;
    if (gamma == 1)
        return 2 * (2 * p - 1) + p;
    for (int t = 0; t < 3000; t++, discount *= gamma) {
        sum += discount * (mean + p);
        mean = 0.5 * mean + 2 * p - 1;
    }
    return sum;
}

static void real_states_are_close(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double gamma = k % 2 ? 0.9 : 1, p = k < 2 ? 0.8 : 0.3;
        bf_dataset data = linear_log(p, gamma < 1);
        bf_problem problem = {&data, gamma, BF_TERMINAL_RESTART};
        double truth = linear_truth(p, gamma);
        bf_estimate direct = run("lstdq", &problem, settings_of("lstdq", "features=100"));
        assert_near(direct.value, truth, 0.02);
        const char *const ways[] = {"bandwidth=0.05 rollout=10000 predict=state",
                                    "bandwidth=0.05 rollout=10000 predict=change"};
        for (int way = 0; way < 2; way++) {
            bf_estimate model = run("model", &problem, settings_of("model", ways[way]));
            double error = bf_estimate_get(&model, "rollout_error");
            assert_true(error > 0 && error < 0.1);
            assert_near(model.value, truth, 0.02 + 4 * error);
            assert_int_equal(model.warning_count, 1); /* the policy is only known in the log */
        }
    }
}

/* lstdq and linear weights are one estimate: with the same features they give one number. The lots
 * of the pivots are the same, so nothing but rounding may differ. */
static void values_and_linear_weights_are_one(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double gamma = k % 2 ? 0.9 : 1;
        bf_dataset data = linear_log(k < 2 ? 0.8 : 0.3, gamma < 1);
        bf_problem problem = {&data, gamma, BF_TERMINAL_RESTART};
        bf_estimate value = run("lstdq", &problem, settings_of("lstdq", "features=60 ridge=1e-6"));
        bf_estimate weights = run("blackbox", &problem,
                                  settings_of("blackbox", "weights=linear kernel=gaussian "
                                                          "action-share=0 features=60 ridge=1e-6"));
        assert_near(value.value, weights.value, 1e-9);
    }
}

/* The policy itself in place of columns: asked at the states visited, and no warning. */
static void the_policy_is_asked_where_there_is_one(void **state) {
    (void)state;
    bf_dataset data = linear_log(0.8, false);
    const bf_policy *policy;
    double table[] = {0.2, 0.8};
    assert_ok(bf_policy_from_table(&policy, "table", bf_view_of(table, 1, 2), arena, &err), err);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, policy};
    bf_estimate out;
    bf_context context = {.seed = 1};
    bf_status status =
        bf__estimator_run(bf_estimator_find("model"), &out, &problem, NULL, &context, arena, &err);
    assert_int_equal(status, BF_EPOLICY); /* a table knows no real-valued states: it was asked */
}

static bool stop_at_once(void *context, const bf_progress *progress) {
    (void)context;
    (void)progress;
    return false;
}

static void work_can_be_cancelled(void **state) {
    (void)state;
    bf_dataset data = linear_log(0.8, true);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_context context = {.callbacks = {.progress = stop_at_once}};
    bf_estimate out;
    const char *const methods[] = {"model", "lstdq"};
    for (int k = 0; k < 2; k++)
        assert_int_equal(bf__estimator_run(bf_estimator_find(methods[k]), &out, &problem, NULL,
                                           &context, arena, &err),
                         BF_ECANCELLED);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    bf_dataset data = linear_log(0.8, true);
    bf_problem problem = {&data, 0.9, BF_TERMINAL_RESTART};
    const char *const methods[] = {"model", "lstdq"};
    for (int k = 0; k < 2; k++) {
        bf_estimate one, two;
        bf_context context = {.threads = 1, .seed = 4};
        const bf_estimator *e = bf_estimator_find(methods[k]);
        bf_settings *options = k == 0 ? settings_of("model", "rollout=1000") : NULL;
        assert_ok(bf__estimator_run(e, &one, &problem, options, &context, arena, &err), err);
        context.threads = 2;
        assert_ok(bf__estimator_run(e, &two, &problem, options, &context, arena, &err), err);
        assert_near(one.value, two.value, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(random_processes_are_solved_exactly),
        arena_test(weights_of_the_count_model_are_its_value),
        arena_test(q_solves_the_equation),
        arena_test(either_is_enough),
        arena_test(classes_are_mixed_by_the_start),
        arena_test(gaps_are_said),
        arena_test(ends_absorb),
        arena_test(regression_is_the_plain_sum),
        arena_test(far_away_the_nearest_row_answers),
        arena_test(real_states_are_close),
        arena_test(values_and_linear_weights_are_one),
        arena_test(the_policy_is_asked_where_there_is_one),
        arena_test(work_can_be_cancelled),
        arena_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
