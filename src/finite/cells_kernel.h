/* cells_kernel.h - The flow residual of a finite model under a kernel on the states. */
#ifndef BF_FINITE_CELLS_KERNEL_H
#define BF_FINITE_CELLS_KERNEL_H

#include "problem/cells.h"
#include "solver/simplex_qp.h"

/* A kernel k((s, a), (t, b)) = k_s(s, t) 1{a = b}, as its matrix over the states. */
typedef struct bf__cells_kernel {
    const bf__cells *model;
    const double *k; /* (S, S) */
    double width;    /* the bandwidth in force, in standard deviations; 0: the kernel has none */
} bf__cells_kernel;

/* `name` of the list of kernels, `bandwidth` as there; on the standardised coordinates of the
 * states. Refuses models whose matrices do not fit into about 1 GB. */
bf_status bf__cells_kernel_make(bf__cells_kernel *out, const bf__cells *m, const char *name,
                                const char *bandwidth, const bf_context *context, bf_arena *arena,
                                bf_error *err);

/* l(x) = r'Kr, r the residual of x over all pairs; `r` (S, A) is scratch. */
double bf__cells_kernel_loss(const bf__cells_kernel *kernel, const double *x, double *r);

/* The same as a form that can be solved with. */
bf_status bf__cells_kernel_quadratic(bf__quadratic *q, const bf__cells_kernel *kernel,
                                     const bf_context *context, bf_arena *arena, bf_error *err);

#endif
