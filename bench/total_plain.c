/* total_plain.c - bench/total.c with sums in double, whose digits depend on the order. The sums of
 * core/total.h are replaced before anybody includes them. */
#define BF_CORE_TOTAL_H

#include <math.h>
#include <stdint.h>

typedef double bf__total;

static inline double bf__total_scale(int e) {
    return ldexp(1, -e);
}

static inline bf__total bf__total_join(bf__total a, bf__total b) {
    return a + b;
}

static inline void bf__total_add(bf__total *sum, double x, double scale) {
    (void)scale;
    *sum += x;
}

static inline void bf__total_add_all(bf__total *sum, const double *x, int64_t n, double scale) {
    (void)scale;
    for (int64_t i = 0; i < n; i++)
        *sum += x[i];
}

static inline double bf__total_value(bf__total sum, double scale) {
    (void)scale;
    return sum;
}

#include "problem/tally.c"
#include "total.c" /* after it, so that the pass is the one above, not the library's */
