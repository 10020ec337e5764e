/* sampler.h - Drawing rows with given probabilities. */
#ifndef BF_RATIO_SAMPLER_H
#define BF_RATIO_SAMPLER_H

#include "backflow/rng.h"
#include "core/fail.h"

/* sums (n): running totals of u >= 0. */
static inline bf_status bf__sample_sums(double **out, const double *u, int64_t n, bf_arena *arena,
                                        bf_error *err) {
    double *sums, total = 0;
    BF_ALLOC(sums, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        sums[i] = total += u[i];
    *out = sums;
    return BF_OK;
}

/* Row i with probability u_i / sum u. */
static inline int64_t bf__sample(const double *sums, int64_t n, bf_rng *rng) {
    double share = bf_rng_uniform(rng), at = share * sums[n - 1];
    int64_t low = 0, high = n - 1; /* the first whose total is above `at` */
    /* Where all rows are alike it is about there: two looks then save the search. */
    int64_t guess = (int64_t)(share * (double)n), reach = 2;
    if (guess + reach < n && sums[guess + reach] > at)
        high = guess + reach;
    if (guess - reach > 0 && guess - reach < high && sums[guess - reach] <= at)
        low = guess - reach + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sums[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#endif
