/* test_roundtrip.c - What simulate writes is what the readers read, and the estimators answer it.
 */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataset/write.h"
#include "env/exact.h"
#include "env/simulate.h"

TEST_ARENA;
static const bf_context context = {.threads = 2, .seed = 21};
static char path[64];

static int clean_up(void **state) {
    unlink(path);
    return drop_arena(state);
}

static const bf_policy *parse(const bf_env *env, const char *spec) {
    const bf_policy *policy;
    assert_ok(bf_env_policy_parse(&policy, env, spec, 1, arena, &err), err);
    return policy;
}

static bf_dataset simulate(const bf_env *env, const char *behavior, const char *target,
                           int64_t trajectories, int64_t steps) {
    const bf_policy *policies[] = {parse(env, behavior)};
    bf_simulation simulation = {.env = env,
                                .behaviors = policies,
                                .behavior_count = 1,
                                .target = parse(env, target),
                                .trajectories = trajectories,
                                .steps = steps};
    bf_dataset data;
    assert_ok(bf__simulate(&data, &simulation, &context, arena, &err), err);
    return data;
}

static bf_dataset reread(const bf_dataset *data, const char *suffix) {
    snprintf(path, sizeof path, "/tmp/backflow_roundtrip_%ld.%s", (long)getpid(), suffix);
    assert_ok(bf_dataset_write(data, path, &context, arena, &err), err);
    bf_read_options options;
    bf_dataset again;
    const char *paths[] = {path};
    assert_ok(bf_options_init(&bf_read_table, &options, &err), err);
    assert_ok(bf__dataset_read(&again, paths, 1, &options, &context, arena, &err), err);
    unlink(path);
    return again;
}

#define assert_same(field, count)                                                                  \
    do {                                                                                           \
        assert_non_null(again.field);                                                              \
        assert_memory_equal(data.field, again.field, (size_t)(count) * sizeof *data.field);        \
    } while (0)

static void logs_read_back_bit_by_bit(void **state) {
    (void)state;
    for (int e = 0; bf_env_at(e); e++)
        for (int npz = 0; npz < 2; npz++) {
            const bf_env *env = bf_env_at(e);
            bf_mark mark = bf_arena_mark(arena);
            const char *target = env->policies ? env->policies[0].name : "uniform";
            bf_dataset data = simulate(env, "uniform", target, 70, 50);
            bf_dataset again = reread(&data, npz ? "npz" : "csv");
            int64_t n = data.n;
            assert_int_equal(again.n, n);
            assert_int_equal(again.state_dim, env->state_dim);
            assert_int_equal(again.actions, env->actions);
            assert_int_equal(again.states, env->states);
            assert_same(state, n * env->state_dim);
            assert_same(next_state, n * env->state_dim);
            assert_same(action, n);
            assert_same(reward, n);
            assert_same(terminated, n);
            assert_same(truncated, n);
            assert_same(mu, n);
            assert_same(pi, n * env->actions);
            assert_same(npi, n * env->actions);
            assert_int_equal(again.episodes, data.episodes);
            assert_same(begin, data.episodes + 1);
            assert_same(order, n);
            bf_arena_rewind(arena, mark);
        }
}

/* The black-box method on logs of another policy, against the exact value: the whole way, with no
 * number from the estimators' own code. */
static void estimates_of_finite_logs_are_near_the_exact_values(void **state) {
    (void)state;
    static const struct {
        const char *env, *behavior, *target;
        double allowed; /* four standard deviations over 30 seeds; gridwalk moves without chance */
    } cases[] = {
        {"modelwin", "behavior", "target", 0.0092},
        {"gridwalk", "greedy@0.5", "greedy@0.9", 1e-9},
        {"boyan", "uniform", "uniform", 0.0106},
    };
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    assert_non_null(blackbox);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bf_env *env = bf_env_find(cases[i].env);
        bf_dataset data = simulate(env, cases[i].behavior, cases[i].target, 500, 200);
        bf_dataset again = reread(&data, "npz");
        bf_problem problem = {&again, 1, BF_TERMINAL_RESTART};
        bf_estimate estimate;
        assert_ok(bf__estimator_run(blackbox, &estimate, &problem, NULL, &context, arena, &err),
                  err);
        double exact;
        assert_ok(bf__exact_value(&exact, env, parse(env, cases[i].target), 1, NULL, arena, &err),
                  err);
        assert_near(estimate.value, exact, cases[i].allowed);
    }
}

/* A table in a file is a policy for a finite environment; one that is too short is not. */
static void tables_act_in_environments(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("modelwin");
    double value;
    snprintf(path, sizeof path, "/tmp/backflow_roundtrip_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("pi0,pi1\n0.9,0.1\n0.5,0.5\n0.5,0.5\n", file);
    fclose(file);
    assert_ok(bf__exact_value(&value, env, parse(env, path), 1, NULL, arena, &err), err);
    assert_near(value, -0.08, 1e-14);
    char spec[80], message[256];
    snprintf(spec, sizeof spec, "%s@0.5", path);
    assert_ok(bf__exact_value(&value, env, parse(env, spec), 1, NULL, arena, &err), err);
    assert_near(value, -0.04, 1e-14); /* half of the way to even, whose value is 0 */

    const bf_policy *policy;
    assert_int_equal(bf_env_policy_parse(&policy, bf_env_find("boyan"), path, 1, arena, &err),
                     BF_EPOLICY);
    snprintf(message, sizeof message, "%s: has 3 states; boyan has 13", path);
    assert_string_equal(err.message, message);
    assert_int_equal(bf_env_policy_parse(&policy, bf_env_find("gridwalk"), path, 1, arena, &err),
                     BF_EPOLICY);
    snprintf(message, sizeof message, "%s: has 2 actions; gridwalk has 4", path);
    assert_string_equal(err.message, message);
    assert_int_equal(bf_env_policy_parse(&policy, bf_env_find("cartpole"), path, 1, arena, &err),
                     BF_EPOLICY);
    snprintf(message, sizeof message, "%s: is for states of 1 number; cartpole has 4", path);
    assert_string_equal(err.message, message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_read_back_bit_by_bit),
        cmocka_unit_test(estimates_of_finite_logs_are_near_the_exact_values),
        cmocka_unit_test(tables_act_in_environments),
    };
    return cmocka_run_group_tests_name("roundtrip", tests, make_arena, clean_up);
}
