/* weighted.h - Quantiles and tail means of numbers with weights. */
#ifndef BF_DETAIL_WEIGHTED_H
#define BF_DETAIL_WEIGHTED_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

/* Numbers in ascending order with the mass up to and including each, which ends at 1. */
typedef struct bf__ordered {
    int64_t n;
    const double *x, *upto; /* (n) */
} bf__ordered;

/* From x (n) and weights w (n), not negative, whose sum is above 0. What is missing to a sum of 1
 * is mass at x = 0, if `rest` is true; otherwise the weights are scaled. */
bf_status bf__order(bf__ordered *out, const double *x, const double *w, int64_t n, bool rest,
                    bf_arena *arena, bf_error *err);

/* The least x with a mass of at least q up to it. */
double bf__quantile(const bf__ordered *ordered, double q);

/* The mean of the lowest share q of the mass, 0 < q <= 1 (CVaR, expected shortfall). */
double bf__tail_mean(const bf__ordered *ordered, double q);

#endif
