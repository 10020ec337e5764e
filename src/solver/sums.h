/* sums.h - Sums over long vectors, whose digits do not depend on the number of threads. */
#ifndef BF_SOLVER_SUMS_H
#define BF_SOLVER_SUMS_H

#include <stdint.h>

/* How many of the threads a loop over n numbers is worth starting. */
static inline int bf__threads_over(int64_t n, int threads) {
    return n < 100000 ? 1 : threads;
}

/* sum_i a_i b_i, and sum_i a_i. */
double bf__sum_products(const double *a, const double *b, int64_t n, int threads);
double bf__sum(const double *a, int64_t n, int threads);

/* x_i / sum_i x_i; x stays if that is 0. */
void bf__scale_to_one(double *x, int64_t n, int threads);

#endif
