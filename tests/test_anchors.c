/* test_anchors.c - Weights around anchors against tabular ones, and their certificates. */
#include "models.h"

TEST_ARENA;

static const char *const anchors[] = {"weights", "anchors", NULL};

/* On a finite process, given as numbers on a line, bumps that are narrower than the gaps between
 * states leave one free weight per pair, and all pairs are anchors: the tabular problem. */
static void finite_processes(void **state) {
    (void)state;
    const char *options[] = {"weights",      "anchors", "bandwidth", "0.3",
                             "anchor_width", "0.1,0.2", NULL};
    models_tabular(options, arena);
}

/* Equal weights are not among the bumps, but what is found should beat them, and be optimal. */
static void loss_is_below_that_of_equal_weights(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        bf_dataset data = models_walk(300, 1 + (int)k % 3, 2, 20, k, arena);
        bf_estimate out =
            models_run(&data, k % 2 ? 1 : 0.9, BF_TERMINAL_RESTART, 1, anchors, arena);
        double loss = bf_estimate_get(&out, "flow_residual"), sum = 0;
        assert_true(loss <= bf_estimate_get(&out, "flow_residual_uniform"));
        assert_true(bf_estimate_get(&out, "duality_gap") <= 1e-9);
        for (int64_t i = 0; i < data.n; i++)
            sum += out.weights[i] * data.reward[i];
        assert_near(out.value, sum, 1e-12);
    }
}

static void hard_logs(void **state) {
    (void)state;
    models_survive("anchors", arena);
}

static void threads_and_blocks(void **state) {
    (void)state;
    bf_dataset data = models_walk(1200, 2, 3, 50, 2, arena);
    const char *held[] = {"weights", "anchors", "features", "60", NULL};
    const char *blocks[] = {"weights", "anchors", "features", "60", "memory", "0.01", NULL};
    bf_estimate one = models_run(&data, 1, BF_TERMINAL_RESTART, 1, held, arena);
    bf_estimate two = models_run(&data, 1, BF_TERMINAL_RESTART, 2, held, arena);
    assert_true(one.value == two.value);
    assert_memory_equal(one.weights, two.weights, (size_t)data.n * sizeof *one.weights);
    bf_estimate cut = models_run(&data, 1, BF_TERMINAL_RESTART, 2, blocks, arena);
    assert_near(cut.value, one.value, 1e-6);
}

static void bad_options_and_stopping(void **state) {
    (void)state;
    bf_dataset data = models_walk(50, 2, 2, 10, 2, arena);
    bf_estimate out;
    bf_context stop = {.threads = 1, .callbacks = {.progress = models_stop}};
    const char *wrong[] = {"weights", "anchors", "anchor_width", "0.1,-1", NULL};
    assert_int_equal(models_try(&out, &data, 1, 0, NULL, wrong, arena, &err), BF_EUSAGE);
    assert_string_equal(err.message, "anchor_width: '-1' is not a number from 1e-6 to 1e6");
    assert_int_equal(models_try(&out, &data, 1, 0, &stop, anchors, arena, &err), BF_ECANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(finite_processes),
        arena_test(loss_is_below_that_of_equal_weights),
        arena_test(hard_logs),
        arena_test(threads_and_blocks),
        arena_test(bad_options_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
