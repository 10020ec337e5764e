/* cells_qp.h - The flow residual of a finite model as a quadratic form in the mass on its cells. */
#ifndef BF_FINITE_CELLS_QP_H
#define BF_FINITE_CELLS_QP_H

#include "problem/cells.h"
#include "solver/simplex_qp.h"

/* l(x) = |x - B x|^2 for the delta kernel on (s, a), B the backward flow: what flows into pairs
 * that the log never shows counts as residual. `q` solves where the states are few enough for a
 * direct method; above that it can only be applied (q->factor is NULL). */
bf_status bf__cells_quadratic(bf__quadratic *q, const bf__cells *model, bf_arena *arena,
                              bf_error *err);

/* l(x) itself, as a sum of squares: exact to rounding where it is near 0, which x'Qx is not.
 * `y` (S) is scratch. */
double bf__cells_loss(const bf__cells *model, const double *x, double *y);

/* y (S) = mass that flows into each state per step from mass x (C) on the cells. */
void bf__cells_inflow(const bf__cells *model, const double *x, double *y);

/* miss (S): the probability of the actions that pi takes in a state and the log never shows. */
void bf__cells_missing(const bf__cells *model, double *miss);

#endif
