/* test_memory.c - Out of memory at every allocation in turn: a clean error each time.
 *
 * Every piece of memory of the library comes through an arena's allocator, so one that fails at
 * the k-th call, for k = 1, 2, ... until nothing fails any more, visits every failure there is. */
#include "policy/kind.h"
#include "ration.h"

#include <stdio.h>
#include <string.h>

#include "report/report.h"

typedef struct job {
    const char *log, *policy, *method;
    double gamma;
} job;

/* Everything `backflow estimate --json --report` does, in one arena. */
static bf_status work(const job *j, bf_arena *arena, double *value, bf_error *err) {
    const char *paths[] = {j->log};
    bf_dataset data;
    bf_estimate estimate;
    bf_status status = bf__dataset_read(&data, paths, 1, NULL, NULL, arena, err);
    if (status == BF_OK && j->policy) {
        const bf_policy *policy;
        status = bf_policy_read(&policy, j->policy, arena, err);
        if (status == BF_OK)
            status = bf__policy_apply(policy, &data, arena, err);
    }
    if (status != BF_OK)
        return status;
    bf_problem problem = {&data, j->gamma, BF_TERMINAL_RESTART};
    const bf_estimator *estimator = bf_estimator_find(j->method);
    status = bf__estimator_run(estimator, &estimate, &problem, NULL, NULL, arena, err);
    if (status != BF_OK)
        return status;
    *value = estimate.value;
    bf_answer answer = {.problem = &problem, .estimator = estimator, .estimate = &estimate};
    const char *text;
    status = bf_report_json(&text, &answer, arena, err);
    if (status == BF_OK)
        status = bf_report_text(&text, &answer, arena, err);
    return status == BF_OK ? bf_report_html(&text, &answer, NULL, arena, err) : status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    const job jobs[] = {
        {FIXTURES "/uncovered-0.csv", NULL, "blackbox", 1},
        {FIXTURES "/uncovered-4.csv", NULL, "blackbox", 0.95},
        {FIXTURES "/uncovered-2.csv", NULL, "naive", 1},
        {FIXTURES "/memory.npz", FIXTURES "/memory-policy.npy", "blackbox", 1},
    };
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        double expected = 0, value = 0;
        bf_error err;
        bf_arena *arena;
        assert_ok(bf_arena_create(&arena, NULL, &err), err);
        assert_ok(work(&jobs[k], arena, &expected, &err), err);
        bf_arena_destroy(arena);
        long failures = 0;
        for (bool done = false; !done; failures += !done) {
            ration r = {.left = failures};
            bf_allocator allocator = ration_allocator(&r);
            err = (bf_error){BF_OK, ""};
            bf_status status = bf_arena_create(&arena, &allocator, &err);
            if (status == BF_OK)
                status = work(&jobs[k], arena, &value, &err);
            bf_arena_destroy(arena);
            assert_int_equal(r.live, 0);
            done = status == BF_OK;
            if (done)
                continue;
            assert_int_equal(status, BF_ENOMEM);
            assert_int_equal(err.status, BF_ENOMEM);
            assert_int_equal(strncmp(err.message, "out of memory", 13), 0);
        }
        assert_true(failures >= (k == 2 ? 20 : 60)); /* piece by piece */
        assert_true(value == expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
