/* exact_sum.h - Sums of any finite doubles, without rounding and without a bound that has to be
 * known before (total.h needs one).
 *
 * A double is a whole number of 53 bits times 2^(e - 1075), e from 1 to 2046. A sum has a counter
 * of 128 bits for every 32 values of e, in units of the least of them: an addend has at most 84
 * bits there, so that 2^43 of them fit. Adding whole numbers is the same in any order.
 *
 * Cost   one addition of 128 bits per addend; 1 kB per sum */
#ifndef BF_CORE_EXACT_SUM_H
#define BF_CORE_EXACT_SUM_H

#include "core/total.h"

enum { BF__EXACT_BINS = 68 }; /* 64, and room for what sums carry over */

typedef struct bf__exact_sum {
    bf__total bin[BF__EXACT_BINS];
} bf__exact_sum;

/* A number of about 106 bits: high + low. */
typedef struct bf__wide {
    double high, low;
} bf__wide;

static inline void bf__exact_sum_add(bf__exact_sum *sum, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff);
    bf__total units = (bf__total)((bits & 0xfffffffffffff) | (uint64_t)(e > 0) << 52);
    e += e == 0;
    units *= (bf__total)1 << (e & 31);
    bf__total *bin = &sum->bin[e >> 5];
    *bin = bf__total_join(*bin, bits >> 63 ? -units : units);
}

/* Adds the square of x, which has to be a finite number. */
static inline void bf__exact_sum_add_square(bf__exact_sum *sum, double x) {
    double square = x * x;
    bf__exact_sum_add(sum, square);
    bf__exact_sum_add(sum, fma(x, x, -square)); /* what rounding took off */
}

static inline void bf__exact_sum_join(bf__exact_sum *sum, const bf__exact_sum *other) {
    for (int k = 0; k < BF__EXACT_BINS; k++)
        sum->bin[k] = bf__total_join(sum->bin[k], other->bin[k]);
}

/* Carries over what a counter has beyond 32 bits. All are then below 2^32 and not negative, but for
 * the last, which has the sign: the same sum has the same counters. */
void bf__exact_sum_settle(bf__exact_sum *sum);

/* The sum, settled or not. */
bf__wide bf__exact_sum_value(const bf__exact_sum *sum);

/* Mean and standard deviation of n numbers whose sum and sum of squares these are. */
void bf__exact_sum_moments(double *mean, double *sd, const bf__exact_sum *sum,
                           const bf__exact_sum *squares, int64_t n);

#endif
