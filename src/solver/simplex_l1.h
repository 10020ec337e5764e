/* simplex_l1.h - min |A x|_1 over the simplex, with a certificate of optimality. */
#ifndef BF_SOLVER_SIMPLEX_L1_H
#define BF_SOLVER_SIMPLEX_L1_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

typedef struct bf__l1_result {
    double objective; /* |A x|_1 */
    double gap;       /* objective - gap is a lower bound on the minimum */
    int steps;
} bf__l1_result;

/* Fills x (n), n >= 1. Row c of `columns` (n, m) is column c of A. A gap that did not close is no
 * error. */
bf_status bf__simplex_l1(double *x, bf__l1_result *result, const double *columns, int64_t n,
                         int64_t m, const bf_context *context, bf_arena *arena, bf_error *err);

#endif
