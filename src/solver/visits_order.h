/* visits_order.h - A chain with its nodes in another order. */
#ifndef BF_SOLVER_VISITS_ORDER_H
#define BF_SOLVER_VISITS_ORDER_H

#include "backflow/memory.h"
#include "solver/visits_chain.h"

/* The chain of `visits` with node visits->order[k] as its node k. What does not depend on nodes is
 * shared. */
bf_status bf__visits_reorder(bf__visits *out, const bf__visits *visits, bf_arena *arena,
                             bf_error *err);

/* x (n): x[order[k]] becomes x[k], and back. `spare` (n) is overwritten. */
void bf__visits_gather(double *x, double *spare, const int32_t *order, int64_t n);
void bf__visits_scatter(double *x, double *spare, const int32_t *order, int64_t n);

#endif
