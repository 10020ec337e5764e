/* cells_l1.h - Discrepancies of a finite model that are sums of absolute values. */
#ifndef BF_FINITE_CELLS_L1_H
#define BF_FINITE_CELLS_L1_H

#include "problem/cells.h"

typedef enum bf__l1_kind {
    BF__L1_VARIATION,   /* half the sum of |r| over all pairs: total variation */
    BF__L1_WASSERSTEIN, /* mass times distance: states on a line, in standard deviations, plus 1 if
                           the actions differ */
} bf__l1_kind;

/* l(x) = |A x|_1 = sum_e |sum_c edges[c][e] x_c|, the discrepancy between mass x on the cells and
 * where the target leads from there. */
typedef struct bf__cells_l1 {
    int64_t cells, count; /* C; E */
    const double *edges;  /* (C, E): row c is column c of A */
} bf__cells_l1;

/* Wasserstein wants states of one number, and no end that absorbs. Refuses models whose matrices do
 * not fit into about 1 GB. */
bf_status bf__cells_l1_make(bf__cells_l1 *out, const bf__cells *m, bf__l1_kind kind,
                            bf_arena *arena, bf_error *err);

/* l(x); r (E) takes the sums. */
double bf__cells_l1_loss(const bf__cells_l1 *l1, const double *x, double *r);

#endif
