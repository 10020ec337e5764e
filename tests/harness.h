/* harness.h - What every test program includes: cmocka, and a check of a status. */
#ifndef BF_TESTS_HARNESS_H
#define BF_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backflow/backflow.h"

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

#endif
