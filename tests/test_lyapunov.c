/* test_lyapunov.c - The default in many dimensions. */
#include "lyapunov.h"

static void the_default_finds_the_value_of_a_linear_process(void **state) {
    (void)state;
    process p = read_process();
    bf_dataset data = make_log(&p);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_context context = {.threads = 1, .seed = 3};
    bf_estimate out;
    double mean = mean_reward(&data), share;
    const char *method;
    assert_near(mean, p.logged.value, 0.03); /* the log is the one that numpy speaks of */
    assert_ok(
        bf__estimator_run(bf_estimator_find("auto"), &out, &problem, NULL, &context, arena, &err),
        err);
    assert_true(bf_estimate_part(&out, 2, &method, NULL, NULL, &share, NULL));
    assert_string_equal(method, "simulator");
    assert_near(share, 1, 0);
    assert_near(bf_estimate_get(&out, "replay_value"), p.logged.value, 0.05);
    double off = fabs(out.value - p.target.value), naive = fabs(mean - p.target.value);
    if (!(off < 0.1 * naive))
        fail_msg("%g, not %g (naive %g)", out.value, p.target.value, mean);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(the_default_finds_the_value_of_a_linear_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
