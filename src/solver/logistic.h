/* logistic.h - Multinomial logistic regression with a ridge. */
#ifndef BF_SOLVER_LOGISTIC_H
#define BF_SOLVER_LOGISTIC_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

/* The model is p(k | x) ~ exp(beta_k' x), k < classes. x (n, m) is row-major, y (n) are the
 * observed classes. beta (classes, m) holds the start and takes the minimiser of
 *
 *     -mean_i log p(y_i | x_i) + ridge / 2 sum_k |beta_k|^2
 *
 * The first `free_columns` columns of x (a constant) count only 1e-3 of the ridge. *gradient, which
 * may be NULL, takes the largest entry of the remaining gradient. */
bf_status bf__logistic_fit(double *beta, double *gradient, const double *x, const int32_t *y,
                           int64_t n, int64_t m, int classes, int64_t free_columns, double ridge,
                           const bf_context *context, bf_arena *arena, bf_error *err);

/* p (n, classes), row-major. */
bf_status bf__logistic_predict(double *p, const double *beta, const double *x, int64_t n, int64_t m,
                               int classes, const bf_context *context, bf_error *err);

#endif
