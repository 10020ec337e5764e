/* rebalance.h - Base weights, corrected so that the flow balances on features. */
#ifndef BF_WEIGHTS_REBALANCE_H
#define BF_WEIGHTS_REBALANCE_H

#include "weights/features.h"
#include "weights/neighbours_chain.h"

/* What all ridges have in common. `base` and `lowrank` have to stay. The moments are summed over
 * the rows of `some`, whose features are `part`; NULL for both: over all rows. `leave_own`: a row
 * has no part in its own instruments, for noisy steps. */
typedef struct bf__correction bf__correction;
bf_status bf__correction_make(bf__correction **out, const bf__neighbours *base,
                              const bf__lowrank *lowrank, const bf__sample *some,
                              const bf__lowrank *part, bool leave_own, double gamma,
                              const bf_context *context, bf_arena *arena, bf_error *err);

/* The least ridge that makes sense: 0, or, if rows have no part in their own instruments, what
 * makes the moments positive. Below it, y is mostly noise. */
double bf__correction_least(const bf__correction *correction);

/* w (ridges, n): the base weights, corrected, for each ridge; with signs. */
bf_status bf__correct(double *w, const bf__correction *correction, const double *ridge, int ridges,
                      const bf_context *context, bf_arena *arena, bf_error *err);

#endif
