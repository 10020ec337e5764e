/* test_locale.c - In a host with decimal commas, files, messages and reports still have points.
 *
 * The locale is made here, by localedef (part of the C library's tools), from the one category that
 * matters. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static bf_arena *arena;
static bf_error err;
static char folder[] = "/tmp/backflow-locale-XXXXXX", path[128];

static int setup(void **state) {
    (void)state;
    char command[512];
    if (!mkdtemp(folder))
        return 1;
    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\\ndecimal_point \"<U002C>\"\\nthousands_sep \"\"\\n"
             "grouping -1\\nEND LC_NUMERIC\\n' >source && localedef -c -i source ./comma "
             ">said 2>&1",
             folder);
    if (system(command) > 256) /* 1 only warns that the other categories are missing */
        return 1;
    setenv("LOCPATH", folder, 1);
    char text[16];
    if (!setlocale(LC_NUMERIC, "comma"))
        return 1;
    snprintf(text, sizeof text, "%g", 0.5);
    if (strcmp(text, "0,5") != 0) /* otherwise this test would test nothing */
        return 1;
    return bf_arena_create(&arena, NULL, &err) != BF_OK;
}

static int teardown(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    bf_arena_destroy(arena);
    return system(command) != 0;
}

static const char *at(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const bf_dataset *simulated(void) {
    const bf_env *env = bf_env_find("pendulum");
    const bf_policy *uniform;
    const bf_dataset *data = NULL;
    assert_ok(bf_policy_uniform(&uniform, env->actions, arena, &err), err);
    bf_simulation simulation = {.env = env,
                                .behaviors = &uniform,
                                .behavior_count = 1,
                                .target = uniform,
                                .trajectories = 4,
                                .steps = 50};
    assert_ok(bf_simulate(&data, &simulation, NULL, arena, &err), err);
    return data;
}

static void logs_are_read_back(void **state) {
    (void)state;
    const bf_dataset *data = simulated(), *again;
    const char *const names[] = {"log.csv", "log.npz"};
    for (int f = 0; f < 2; f++) {
        const char *file = at(names[f]);
        assert_ok(bf_dataset_write(data, file, NULL, arena, &err), err);
        assert_ok(bf_dataset_read(&again, &file, 1, NULL, NULL, arena, &err), err);
        bf_array s, t;
        assert_true(bf_dataset_column(&s, data, "s") && bf_dataset_column(&t, again, "s"));
        for (int64_t i = 0; i < bf_dataset_rows(data); i++)
            assert_true(bf_array_double(&s, i, 0) == bf_array_double(&t, i, 0));
    }
}

static void policies_are_read_back(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("mountaincar");
    bf_option_table table;
    bf_train_options options;
    bf_train_result result;
    const bf_policy *again;
    assert_ok(bf_train_table(&table, env, arena, &err), err);
    assert_ok(bf_options_init(&table, &options, &err), err);
    options.iterations = 1;
    options.epochs = 2;
    options.random = 50;
    options.visited = 50;
    options.fresh = 10;
    options.trials = options.episodes = 1;
    options.hidden = "3";
    assert_ok(bf_train(&result, env, &options, NULL, arena, &err), err);
    assert_ok(bf_train_write(&result, "command", at("car.policy"), &err), err);
    assert_ok(bf_policy_read(&again, path, arena, &err), err);
    double states[2] = {-0.43, 0.01}, p[3], q[3];
    assert_ok(bf_policy_probabilities(result.policy, states, 2, 1, p, &err), err);
    assert_ok(bf_policy_probabilities(again, states, 2, 1, q, &err), err);
    assert_memory_equal(p, q, sizeof p);
}

static void text_has_points(void **state) {
    (void)state;
    bf_problem problem = {.data = simulated(), .gamma = 0.5};
    bf_answer answer = {.problem = &problem, .estimator = bf_estimator_find("naive")};
    const char *text, *json;
    assert_ok(
        bf_estimator_run(&answer.estimate, answer.estimator, &problem, NULL, NULL, arena, &err),
        err);
    assert_ok(bf_report_text(&text, &answer, arena, &err), err);
    assert_non_null(strstr(text, "gamma 0.5"));
    assert_ok(bf_report_json(&json, &answer, arena, &err), err);
    assert_non_null(strstr(json, "\"gamma\": 0.5"));
    assert_ok(bf_report_log_text(&text, problem.data, arena, &err), err);
    assert_null(strstr(text, "0,"));
    problem.gamma = 1.5;
    assert_int_equal(
        bf_estimator_run(&answer.estimate, answer.estimator, &problem, NULL, NULL, arena, &err),
        BF_EUSAGE);
    assert_non_null(strstr(err.message, "1.5"));
    assert_string_equal(setlocale(LC_NUMERIC, NULL), "comma"); /* the host's own is as it was */
    char still[16];
    snprintf(still, sizeof still, "%g", 0.5);
    assert_string_equal(still, "0,5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_read_back),
        cmocka_unit_test(policies_are_read_back),
        cmocka_unit_test(text_has_points),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
