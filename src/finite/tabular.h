/* tabular.h - Black-box weights with one free number per visited (s, a), from the counts of a log.
 */
#ifndef BF_FINITE_TABULAR_H
#define BF_FINITE_TABULAR_H

#include "estimator/answer.h"
#include "problem/cells.h"

/* The answer, but for the weights of rows, and *mass (C) on the cells. `settings` are those of
 * blackbox. */
bf_status bf__tabular_estimate(bf_estimate *out, double **mass, const bf__cells *cells,
                               const bf_settings *settings, const bf_context *context,
                               bf_arena *arena, bf_error *err);

#endif
