/* harness.h - What every test program includes: cmocka, a check of a status, and an arena. */
#ifndef BF_TESTS_HARNESS_H
#define BF_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backflow/backflow.h"
#include "estimator/answer.h"

/* `expression` must be BF_OK; otherwise the test fails with the message of `err`. */
#define assert_ok(expression, err)                                                                 \
    do {                                                                                           \
        if ((expression) != BF_OK)                                                                 \
            fail_msg("%s: %s", #expression, (err).message);                                        \
    } while (0)

/* |a - b| <= tolerance; says both. NaN never passes. */
#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double bf_a = (a), bf_b = (b), bf_t = (tolerance);                                         \
        double bf_gap = bf_a > bf_b ? bf_a - bf_b : bf_b - bf_a;                                   \
        if (!(bf_gap <= bf_t))                                                                     \
            fail_msg("%s = %.17g, %s = %.17g: apart by %.3g, allowed %.3g", #a, bf_a, #b, bf_b,    \
                     bf_gap, bf_t);                                                                \
    } while (0)

/* TEST_ARENA; after the includes of a test program gives it `arena` and `err`, for arena_test(f) in
 * the list of tests, where every test has an arena of its own, or for
 * cmocka_run_group_tests(tests, make_arena, drop_arena), where all share one. A macro, for the
 * names are those of parameters in the other headers. */
#define TEST_ARENA                                                                                 \
    static bf_arena *arena;                                                                        \
    static int make_arena(void **state) {                                                          \
        (void)state;                                                                               \
        return bf_arena_create(&arena, NULL, NULL) == BF_OK ? 0 : -1;                              \
    }                                                                                              \
    static int drop_arena(void **state) {                                                          \
        (void)state;                                                                               \
        bf_arena_destroy(arena);                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    static bf_error err

#define arena_test(f) cmocka_unit_test_setup_teardown(f, make_arena, drop_arena)

#endif
