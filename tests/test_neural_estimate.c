/* test_neural_estimate.c - The answer of weights by a network: its truth, odd logs, threads,
 * memory. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "mdp.h"
#include "ration.h"
#include "weights/weights.h"

#include "neural_log.h" /* after the others, in which `arena` and `err` are parameters */

static const bf_context one = {.threads = 1, .seed = 3}, two = {.threads = 2, .seed = 3};

static bf_settings *with(const char *text, bf_arena *in) {
    bf_settings *settings;
    assert_ok(
        bf_estimator_settings(&settings, bf_estimator_find("blackbox"), "weights=neural", in, &err),
        err);
    assert_ok(bf_settings_set_text(settings, text, in, &err), err);
    return settings;
}

static bf_status estimate(bf_estimate *out, const bf_dataset *data, const char *text,
                          const bf_context *context) {
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    return bf__estimator_run(bf_estimator_find("blackbox"), out, &problem, with(text, arena),
                             context, arena, &err);
}

/* A finite process, its states put on a line: close to the tabular answer, which is exact. */
static void finite_process(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(21, "mdp", 0);
    static const char *const ways[] = {
        "bandwidth=0.3 optimizer=lbfgs steps=300 restarts=1 start=equal",
        "bandwidth=0.3 optimizer=lbfgs steps=300 restarts=1",
        "bandwidth=0.3 restarts=1 start=equal steps=30",
        "bandwidth=0.3 restarts=1",
        "bandwidth=0.3 optimizer=adam batch=64 restarts=1",
        "bandwidth=0.3 optimizer=adam batch=64 restarts=1 start=equal"};
    for (int round = 0; round < 2; round++) {
        mdp m = mdp_random(MDP_DENSE, &rng, arena);
        bf_dataset data = mdp_log(&m, 0, arena);
        data.real_state = true;
        double exact = mdp_value(&m, 1, NULL), naive = 0;
        for (int64_t i = 0; i < data.n; i++)
            naive += data.reward[i] / (double)data.n;
        for (int way = 0; way < 6; way++) {
            bf_estimate answer;
            assert_ok(estimate(&answer, &data, ways[way], &one), err);
            assert_near(answer.value, exact, fmax(0.05 * fabs(naive - exact), 2e-3));
            assert_true(bf_estimate_get(&answer, "flow_residual") <
                        0.02 * bf_estimate_get(&answer, "flow_residual_uniform"));
        }
    }
}

static void threads_and_ways(void **state) {
    (void)state;
    bf_dataset data = make_log(
        (shape){.n = 600, .d = 2, .actions = 2, .horizon = 50, .scale = 1, .terminated = true});
    for (int way = 0; way < 6; way++) {
        static const char *const o[] = {"steps=6",
                                        "start=equal steps=6",
                                        "features=100 steps=6",
                                        "optimizer=lbfgs steps=30",
                                        "optimizer=adam steps=200 batch=200",
                                        "optimizer=pairs steps=100 batch=200 rate=0.02"};
        bf_estimate first, second;
        assert_ok(estimate(&first, &data, o[way], &one), err);
        assert_ok(estimate(&second, &data, o[way], &two), err);
        assert_true(first.value == second.value);
        assert_memory_equal(first.weights, second.weights, 600 * sizeof *first.weights);
        assert_true(bf_estimate_get(&first, "flow_residual") <
                    0.5 * bf_estimate_get(&first, "flow_residual_uniform"));
    }
}

/* Without the residual the answer is the same, and says nothing about it. */
static void without_the_residual(void **state) {
    (void)state;
    bf_dataset data = make_log((shape){.n = 300, .d = 2, .actions = 2, .horizon = 50, .scale = 1});
    bf_estimate with, without;
    assert_ok(estimate(&with, &data, "steps=3", &one), err);
    assert_ok(estimate(&without, &data, "steps=3 residual=no", &one), err);
    assert_true(with.value == without.value);
    assert_memory_equal(with.weights, without.weights, 300 * sizeof *with.weights);
    assert_true(bf_estimate_get(&with, "flow_residual") > 0);
    assert_true(isnan(bf_estimate_get(&without, "flow_residual")));
    assert_true(isnan(bf_estimate_get(&without, "flow_residual_uniform")));
    assert_true(bf_estimate_get(&with, "ess") == bf_estimate_get(&without, "ess"));
}

/* An answer or an error, never NaN. */
static void odd_logs(void **state) {
    (void)state;
    const shape shapes[] = {
        {.n = 1, .d = 1, .actions = 1, .horizon = 1, .scale = 1},
        {.n = 2, .d = 1, .actions = 2, .horizon = 2, .scale = 1},
        {.n = 60, .d = 1, .actions = 2, .horizon = 20, .scale = 1e12},
        {.n = 60, .d = 2, .actions = 2, .horizon = 20, .scale = 1e-12},
        {.n = 60, .d = 2, .actions = 2, .horizon = 20, .scale = 1, .constant = true},
        {.n = 60, .d = 2, .actions = 2, .horizon = 20, .scale = 1, .duplicates = true},
        {.n = 60, .d = 100, .actions = 40, .horizon = 20, .scale = 1},
        {.n = 60, .d = 2, .actions = 3, .horizon = 20, .scale = 1, .terminated = true},
        {.n = 60, .d = 2, .actions = 0, .horizon = 20, .scale = 1},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int way = 0; way < 6; way++) {
            bf_dataset data = make_log(shapes[s]);
            static const char *const o[] = {"steps=5 restarts=1",
                                            "start=equal steps=5 restarts=1",
                                            "features=30 steps=5 restarts=1",
                                            "optimizer=lbfgs steps=30 restarts=1",
                                            "optimizer=adam steps=30 batch=16 restarts=1",
                                            "optimizer=pairs steps=30 batch=16 restarts=1"};
            bf_estimate answer;
            double sum = 0;
            assert_ok(estimate(&answer, &data, o[way], &one), err);
            for (int64_t i = 0; i < data.n; i++) {
                assert_true(answer.weights[i] >= 0);
                sum += answer.weights[i];
            }
            assert_near(sum, 1, 1e-6);
            for (int i = 0; i < answer.diagnostic_count; i++)
                assert_true(isfinite(answer.diagnostics[i].value));
        }
}

static bool stop_at_five(void *context, const bf_progress *progress) {
    if (strcmp(progress->task, "fitting the weights") != 0)
        return true;
    return ++*(int *)context < 5;
}

static void interrupted(void **state) {
    (void)state;
    bf_dataset data = make_log((shape){.n = 300, .d = 2, .actions = 2, .horizon = 50, .scale = 1});
    int calls = 0;
    bf_context context = {.callbacks = {NULL, stop_at_five, &calls}, .threads = 1, .seed = 1};
    bf_estimate answer;
    assert_ok(estimate(&answer, &data, "start=equal", &context), err);
    bool said = false;
    for (int i = 0; i < answer.warning_count; i++)
        said |= strstr(answer.warnings[i].text, "interrupted: ") && answer.warnings[i].distrust;
    assert_true(said);
    assert_true(bf_estimate_get(&answer, "flow_residual") <
                bf_estimate_get(&answer, "flow_residual_uniform"));
}

static void bad_options(void **state) {
    (void)state;
    bf_dataset data = make_log((shape){.n = 30, .d = 2, .actions = 2, .horizon = 10, .scale = 1});
    bf_estimate answer;
    bf_settings *settings = with("", arena);
    assert_int_equal(bf_settings_set(settings, "hidden", "30-x", &err), BF_EUSAGE);
    assert_int_equal(estimate(&answer, &data, "rate=0.1", &one), BF_EUSAGE);
    assert_string_equal(err.message, "rate: is read by the optimizer adam and pairs, not by gauss");
    assert_int_equal(estimate(&answer, &data, "optimizer=pairs features=9", &one), BF_EUSAGE);
    assert_string_equal(err.message,
                        "features: is read by the optimizer gauss, lbfgs and adam, not by pairs");
    assert_int_equal(estimate(&answer, &data, "optimizer=gauss spread=1", &one), BF_EUSAGE);
    assert_non_null(strstr(err.message, "spread: is read by the optimizer lbfgs and pairs"));
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    bf_dataset data = make_log(
        (shape){.n = 40, .d = 2, .actions = 2, .horizon = 10, .scale = 1, .terminated = true});
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    for (int way = 0; way < 4; way++) {
        static const char *const o[] = {"steps=2 restarts=1", "features=10 steps=2 restarts=1",
                                        "optimizer=adam steps=2 batch=16 restarts=1",
                                        "optimizer=pairs steps=2 batch=16 restarts=1"};
        bf_settings *settings = with(o[way], arena);
        long failures = 0;
        for (bf_status status = BF_ENOMEM; status != BF_OK; failures++) {
            ration r = {.left = failures};
            bf_allocator allocator = ration_allocator(&r);
            bf_arena *small;
            bf_estimate answer;
            status = bf_arena_create(&small, &allocator, &err);
            if (status == BF_OK)
                status = bf__estimator_run(bf_estimator_find("blackbox"), &answer, &problem,
                                           settings, &one, small, &err);
            bf_arena_destroy(small);
            assert_int_equal(r.live, 0);
            assert_true(status == BF_OK || status == BF_ENOMEM);
        }
        assert_true(failures > 30);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(finite_process),
        arena_test(threads_and_ways),
        arena_test(without_the_residual),
        arena_test(odd_logs),
        arena_test(interrupted),
        arena_test(bad_options),
        arena_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
