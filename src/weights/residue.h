/* residue.h - What weights leave unbalanced, as networks of fitted Q evaluation see it. */
#ifndef BF_WEIGHTS_RESIDUE_H
#define BF_WEIGHTS_RESIDUE_H

#include "backflow/context.h"
#include "problem/points.h"

enum { BF__RESIDUE_NETWORKS = 2 };

/* Whether it is worth the time on this log, and says something. */
bool bf__residue_suit(const bf__points *points);

/* gap (BF__RESIDUE_NETWORKS, n): <psi_i, q> by each network. *count takes how many there are: one
 * that does not come to an end has none. */
bf_status bf__residue_find(double *gap, int *count, const bf_problem *problem,
                           const bf__points *points, const bf_context *context, bf_arena *arena,
                           bf_error *err);

/* out (n): weights w with signs, moved along u, which are not negative and sum to 1, so that the
 * flow balances on each of the gaps (count, n): sum_i out_i gap_i = 0. Their sum stays. Gaps that
 * cannot be squared change nothing. */
bf_status bf__residue_balance(double *out, const double *w, const double *u, const double *gap,
                              int count, int64_t n, bf_arena *arena, bf_error *err);

#endif
