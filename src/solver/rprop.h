/* rprop.h - Resilient propagation: every parameter has a step of its own, which depends on signs
 * alone. */
#ifndef BF_SOLVER_RPROP_H
#define BF_SOLVER_RPROP_H

#include <stdint.h>

#include "backflow/memory.h"

typedef struct bf__rprop {
    int64_t count;
    double initial;          /* step of every parameter at a reset */
    double *step, *previous; /* (count): steps, and gradients of the last move */
} bf__rprop;

bf_status bf__rprop_make(bf__rprop *out, int64_t count, double initial, bf_arena *arena,
                         bf_error *err);
/* Forgets the steps, for a new objective. */
void bf__rprop_reset(bf__rprop *rprop);
/* One move downhill along `gradient`, which must be that of the whole objective at `parameters`. */
void bf__rprop_move(bf__rprop *rprop, const double *gradient, double *parameters);

#endif
