/* lowrank_sums.h - Sums over all transitions in low-rank coordinates, without making their rows.
 *
 * Coordinates are L^-1 times inner products with the pivots. A sum over transitions, or a product
 * with a fixed vector, needs that solve once and not per row: O(n m) and not O(n m^2). */
#ifndef BF_FLOW_LOWRANK_SUMS_H
#define BF_FLOW_LOWRANK_SUMS_H

#include "flow/lowrank.h"

/* out (sets, n): phi(x_i)' alpha_s for alpha (sets, m), which is overwritten. */
bf_status bf__lowrank_apply(double *out, const bf__lowrank *lowrank, double *alpha, int sets,
                            const bf_context *context, bf_error *err);

/* out (sets, m): sum_i w_si psi_i for w (sets, n). */
bf_status bf__lowrank_sum(double *out, const bf__lowrank *lowrank, const double *w, int sets,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* out (m): the coordinates of S0, the mean feature of the start states; 0 where there are none. */
bf_status bf__lowrank_start(double *out, const bf__lowrank *lowrank, const bf_context *context,
                            bf_error *err);

#endif
