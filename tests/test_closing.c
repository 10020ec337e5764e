/* test_closing.c - The last layer by a linear solve, against exact answers of finite processes and
 * against finite differences; and what it does not believe. */
#include "mdp.h"

#include "neural/closing.h"
#include "neural/critic.h"
#include "problem/folds.h"

TEST_ARENA;

/* Closes the equation in the features of a network that was never trained: units many enough span
 * every function of a few (state, action) pairs. gap (n) takes the gaps of rows; it may be NULL. */
static bf__closed close_with_gaps(double *gap, const bf_problem *problem, const int32_t *fold,
                                  const char *hidden) {
    bf__pairs pairs;
    bf__mlp net;
    bf__closing *closing;
    bf__closed out;
    bf_rng rng = bf_rng_make(4, "closing", 0);
    bf_context context = {.threads = 1};
    assert_ok(bf__pairs_make(&pairs, problem, "none", "none", &context, arena, &err), err);
    assert_ok(bf__mlp_make(&net, pairs.inputs, hidden, 1, BF__TANH, BF__IDENTITY, &err), err);
    int64_t count = bf__mlp_parameters(&net);
    double *wide = bf_arena_alloc(arena, count, sizeof *wide, &err);
    float *parameters = bf_arena_alloc(arena, count, sizeof *parameters, &err);
    bf__mlp_init(&net, wide, &rng);
    for (int64_t i = 0; i < count; i++)
        parameters[i] = (float)(4 * wide[i]);
    assert_ok(bf__closing_make(&closing, &pairs, problem->data->reward, &net, arena, &err), err);
    assert_ok(bf__closing_sum(closing, parameters, fold, 0, &err), err);
    assert_ok(bf__closing_solve(&out, closing, arena, &err), err);
    if (gap)
        bf__closing_gap(gap, closing);
    return out;
}

static bf__closed close_on(const bf_problem *problem, const int32_t *fold, const char *hidden) {
    return close_with_gaps(NULL, problem, fold, hidden);
}

static double exact(const bf_problem *problem) {
    const bf_estimator *tabular = bf_estimator_find("lstdq");
    bf_context context = {.threads = 1};
    bf_estimate out;
    assert_ok(bf__estimator_run(tabular, &out, problem, NULL, &context, arena, &err), err);
    return out.value;
}

/* Processes that are dense, that go to and fro, and that change sides once in two thousand steps.
 */
static void it_is_exact_where_features_are_enough(void **state) {
    (void)state;
    const mdp_kind kinds[] = {MDP_DENSE, MDP_PERIODIC, MDP_NEARLY};
    for (int k = 0; k < 9; k++) {
        bf_rng rng = bf_rng_make((uint64_t)k, "closing", 1);
        mdp m = mdp_random(kinds[k % 3], &rng, arena);
        bf_dataset data = mdp_log(&m, 40, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        bf__closed average = close_on(&(bf_problem){&data, 1, BF_TERMINAL_RESTART}, NULL, "96");
        bf__closed soon = close_on(&(bf_problem){&data, 0.9, BF_TERMINAL_RESTART}, NULL, "96");
        assert_true(average.believed && soon.believed);
        assert_near(average.lambda, 0, 0);
        assert_near(average.value, mdp_value(&m, 1, p0), 1e-4);
        assert_near(soon.value, mdp_value(&m, 0.9, p0), 1e-4);
    }
}

/* A log with steps that end, rows that count differently, and starts. */
static bf_dataset ragged_log(uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "closing", 2);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 7, arena);
    uint8_t *ended = bf_arena_zalloc(arena, data.n, sizeof *ended, &err);
    double *weight = bf_arena_alloc(arena, data.n, sizeof *weight, &err);
    for (int64_t i = 0; i < data.n; i++) {
        ended[i] = i % 7 == 6 && i % 3 == 0;
        weight[i] = 0.5 + bf_rng_uniform(&rng);
    }
    data.terminated = ended;
    data.weight = weight;
    return data;
}

/* Whatever a step that ended leads to, and however rows count: what lstdq says, which is exact on
 * the frequencies of a finite log and shares no code with this. */
static void ends_and_weights_are_what_they_are_elsewhere(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        bf_dataset data = ragged_log(seed);
        bf_problem problems[] = {{&data, 1, BF_TERMINAL_RESTART},
                                 {&data, 1, BF_TERMINAL_IGNORE},
                                 {&data, 0.9, BF_TERMINAL_RESTART},
                                 {&data, 0.9, BF_TERMINAL_ABSORB}};
        for (int k = 0; k < 4; k++) {
            bf__closed out = close_on(&problems[k], NULL, "96");
            assert_true(out.believed);
            assert_near(out.value, exact(&problems[k]), 1e-4);
        }
    }
}

/* What a row earns less its gap is the value, in the mean over the rows of a pair: that is the
 * equation, pair by pair. */
static void gaps_are_what_rows_earn_beyond_the_value(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        bf_dataset data = ragged_log(seed);
        double *gap = bf_arena_zalloc(arena, data.n, sizeof *gap, &err);
        bf_problem problem = {&data, seed % 2 ? 0.9 : 1, BF_TERMINAL_RESTART};
        assert_true(close_with_gaps(gap, &problem, NULL, "96").believed);
        double sum[MDP_MAX] = {0}, all[MDP_MAX] = {0};
        for (int64_t i = 0; i < data.n; i++) {
            int pair = (int)data.state[i] * data.actions + data.action[i];
            sum[pair] += data.weight[i] * (data.reward[i] - gap[i]);
            all[pair] += data.weight[i];
        }
        for (int pair = 0; pair < data.states * data.actions; pair++)
            if (all[pair] > 0)
                assert_near(sum[pair] / all[pair], exact(&problem), 1e-3);
    }
}

/* The value is linear in the rewards. Its slopes, by differences, are the weights of the rows, and
 * say how many of them it rests on. */
static void the_effective_share_is_that_of_the_slopes(void **state) {
    (void)state;
    mdp m = mdp_new(6, 2, arena);
    bf_rng rng = bf_rng_make(9, "closing", 3);
    for (int i = 0; i < 6 * 2 * 6; i++) {
        m.tally[i] = 1 + (i % 5 == 0);
        m.reward[i] = bf_rng_normal(&rng);
    }
    for (int i = 0; i < 12; i++)
        m.pi[i] = i % 2 ? 0.8 : 0.2;
    bf_dataset log = mdp_log(&m, 7, arena);
    uint8_t *ended = bf_arena_zalloc(arena, log.n, sizeof *ended, &err);
    double *weight = bf_arena_alloc(arena, log.n, sizeof *weight, &err), all = 0;
    double *reward = bf_arena_alloc(arena, log.n, sizeof *reward, &err);
    for (int64_t i = 0; i < log.n; i++) {
        ended[i] = i % 14 == 6;
        weight[i] = 0.5 + (double)(i % 3);
        reward[i] = log.reward[i];
        all += weight[i];
    }
    log.terminated = ended;
    log.weight = weight;
    log.reward = reward;
    bf_problem problems[] = {{&log, 1, BF_TERMINAL_RESTART},
                             {&log, 0.9, BF_TERMINAL_RESTART},
                             {&log, 0.9, BF_TERMINAL_ABSORB}};
    for (int k = 0; k < 3; k++) {
        bf__closed out = close_on(&problems[k], NULL, "12");
        double sum = 0, square = 0, value = 0;
        assert_true(out.believed);
        for (int64_t i = 0; i < log.n; i++) {
            double was = reward[i];
            reward[i] += 1;
            double slope = close_on(&problems[k], NULL, "12").value - out.value;
            reward[i] = was;
            sum += slope;
            square += slope * slope * all / weight[i];
            value += slope * was;
        }
        assert_near(value, out.value, 1e-9);
        assert_near(sum * sum / square, out.effective, 1e-9);
    }
}

/* Without the rows of a fold in the equation, but with them in the value. In enough features the
 * other rows decide h, and with it the residuals are the same everywhere. */
static void a_fold_may_stay_apart(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(2, "closing", 4);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 0, arena);
    int32_t *fold = bf_arena_alloc(arena, data.n, sizeof *fold, &err);
    for (int64_t i = 0; i < data.n; i++)
        fold[i] = 1;
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    double all = close_on(&problem, NULL, "96").value;
    assert_near(close_on(&problem, fold, "96").value, all, 1e-12); /* fold 0 is empty */
    for (int64_t i = 0; i < data.n; i++)
        fold[i] = i % 4 ? 1 : 0;
    double apart = close_on(&problem, fold, "96").value;
    assert_true(fabs(apart - all) > 1e-6);
    assert_near(apart, all, 0.2);
}

/* One step in a hundred leads to where the process stays, of which few rows tell. To the end the
 * value is 1, by one row in twenty; so it looks less far, and says by how much. */
static void it_looks_as_far_as_rows_allow(void **state) {
    (void)state;
    mdp m = mdp_new(2, 2, arena);
    for (int a = 0; a < 2; a++) {
        mdp_tally(&m, 0, a)[0] = 495;
        mdp_tally(&m, 0, a)[1] = 5;
        mdp_tally(&m, 1, a)[1] = 25;
        for (int s = 0; s < 2; s++) {
            m.pi[s * 2 + a] = 0.5;
            m.reward[(s * 2 + a) * 2] = m.reward[(s * 2 + a) * 2 + 1] = s;
        }
    }
    bf_dataset data = mdp_log(&m, 0, arena);
    bf__closed out = close_on(&(bf_problem){&data, 1, BF_TERMINAL_RESTART}, NULL, "16");
    assert_true(out.believed && out.lambda > 0);
    assert_in_range((int)(1000 * out.effective), 150, 300);
    /* The share of the time in state 1, if the process begins anew as the log with lambda / (1 +
     * lambda): p = (1 - stop) (p + (1 - p) / 100) + stop / 21. */
    double stop = out.lambda / (1 + out.lambda);
    assert_near(out.value, ((1 - stop) / 100 + stop / 21) / (1 - (1 - stop) * 0.99), 1e-4);
}

/* The target does what one row in fifty shows. */
static void few_rows_are_not_believed(void **state) {
    (void)state;
    mdp m = mdp_new(2, 2, arena);
    for (int s = 0; s < 2; s++)
        for (int a = 0; a < 2; a++)
            for (int t = 0; t < 2; t++) {
                mdp_tally(&m, s, a)[t] = a == 0 ? 490 : 10;
                m.reward[(s * 2 + a) * 2 + t] = a;
                m.pi[s * 2 + a] = a;
            }
    bf_dataset data = mdp_log(&m, 0, arena);
    assert_false(close_on(&(bf_problem){&data, 1, BF_TERMINAL_RESTART}, NULL, "16").believed);
}

/* Sides are changed once in two thousand steps, so that thirty rounds know next to nothing of it.
 */
static void the_solve_ends_where_rounds_stop_short(void **state) {
    (void)state;
    const bf_estimator *fqe = bf_estimator_find("fqe");
    bf_context context = {.threads = 2, .seed = 1};
    mdp m = mdp_new(4, 2, arena);
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < 2; a++) {
            int half = s / 2 * 2;
            m.pi[s * 2 + a] = a ? 0.9 : 0.1;
            for (int t = 0; t < 2; t++)
                mdp_tally(&m, s, a)[half + t] = 200;
            /* Action 1 leads out of the first half ten times as often as out of the second. */
            mdp_tally(&m, s, a)[2 - half + a] = a == 1 && half == 0 ? 10 : 1;
            for (int t = 0; t < 4; t++)
                m.reward[(s * 2 + a) * 4 + t] = half ? 1 : 0;
        }
    bf_dataset data = mdp_log(&m, 0, arena);
    double off[2], truth = mdp_value(&m, 1, NULL);
    for (int close = 0; close < 2; close++) {
        bf_settings *settings;
        bf_estimate out;
        assert_ok(bf_estimator_settings(&settings, fqe,
                                        close ? "members=1 rounds=30 hidden=24"
                                              : "members=1 rounds=30 hidden=24 close=no",
                                        arena, &err),
                  err);
        assert_ok(bf__estimator_run(fqe, &out, &(bf_problem){&data, 1, BF_TERMINAL_RESTART},
                                    settings, &context, arena, &err),
                  err);
        off[close] = fabs(out.value - truth);
        assert_true(isnan(bf_estimate_get(&out, "solve_discount")) == !close);
    }
    assert_true(off[0] > 0.1);
    assert_near(off[1], 0, 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(it_is_exact_where_features_are_enough),
        arena_test(ends_and_weights_are_what_they_are_elsewhere),
        arena_test(gaps_are_what_rows_earn_beyond_the_value),
        arena_test(the_effective_share_is_that_of_the_slopes),
        arena_test(a_fold_may_stay_apart),
        arena_test(it_looks_as_far_as_rows_allow),
        arena_test(few_rows_are_not_believed),
        arena_test(the_solve_ends_where_rounds_stop_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
