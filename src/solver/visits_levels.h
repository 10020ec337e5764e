/* visits_levels.h - Coarser copies of a chain, to move mass over long distances at once. */
#ifndef BF_SOLVER_VISITS_LEVELS_H
#define BF_SOLVER_VISITS_LEVELS_H

#include "backflow/context.h"
#include "backflow/memory.h"
#include "solver/visits_chain.h"

typedef struct bf__levels bf__levels;

/* For a closed chain whose nodes lead to similar places where their numbers are near. *out is NULL
 * where the chain is too small to need any. A cycle overwrites `spare` (n). */
bf_status bf__levels_make(bf__levels **out, const bf__visits *visits, double *spare,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* One cycle: x (n), which sums to 1, moves towards the long-run visits. */
void bf__levels_cycle(bf__levels *levels, double *x);

#endif
