/* simplex_qp.h - min x'Qx over the simplex, with a certificate of optimality. */
#ifndef BF_SOLVER_SIMPLEX_QP_H
#define BF_SOLVER_SIMPLEX_QP_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

/* Q is symmetric and positive semidefinite. It is given by the operations below. */
typedef struct bf__quadratic {
    int64_t n;
    void *self;
    /* out = Q x */
    void (*apply)(void *self, const double *x, double *out);
    /* Prepares solves with Q + diag(d). d_i = INFINITY takes variable i out (it is 0). The function
     * is NULL if Q can only be applied. */
    bf_status (*factor)(void *self, const double *d, bf_error *err);
    /* Solves (Q + diag(d)) u = b for the d of the last factor. */
    void (*solve)(void *self, const double *b, double *u);
} bf__quadratic;

typedef struct bf__qp_result {
    double objective; /* x'Qx */
    double gap;       /* objective - gap is a lower bound on the minimum */
    int steps;
} bf__qp_result;

/* Fills x (n). `result` says how good it is; a gap that did not close is no error. */
bf_status bf__simplex_qp(double *x, bf__qp_result *result, const bf__quadratic *q,
                         const bf_context *context, bf_arena *arena, bf_error *err);

/* A dense Q (n, n), which is borrowed; for bf__simplex_qp. */
bf_status bf__quadratic_dense(bf__quadratic *out, const double *q, int64_t n, bf_arena *arena,
                              bf_error *err);

#endif
