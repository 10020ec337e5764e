/* krr_kernel.h - The features of kernel ridge regression. */
#ifndef BF_SOLVER_KRR_KERNEL_H
#define BF_SOLVER_KRR_KERNEL_H

#include "backflow/context.h"

/* k (n, m) and u (n, p) of the rows x (n, p). */
bf_status bf__krr_features(double *k, double *u, const double *x, const double *turn,
                           const double *centres, const double *square, int64_t n, int64_t m, int p,
                           const bf_context *context, bf_error *err);

/* k (n, m) of its own inner products u c' (n, m). */
void bf__krr_fill(double *k, const double *u, const double *square, int64_t n, int64_t m, int p,
                  int threads);

#endif
