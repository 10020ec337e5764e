/* adam.h - Adam: gradient steps scaled by running moments, for noisy gradients. */
#ifndef BF_SOLVER_ADAM_H
#define BF_SOLVER_ADAM_H

#include <stdint.h>

#include "backflow/memory.h"

typedef struct bf__adam {
    int64_t count, moves;
    double rate, beta1, beta2, epsilon; /* may be changed between moves */
    double *mean, *square;              /* (count): moments of the gradient */
} bf__adam;

/* beta1 0.9, beta2 0.999, epsilon 1e-8 as in the paper [1] of adam.c. */
bf_status bf__adam_make(bf__adam *out, int64_t count, double rate, bf_arena *arena, bf_error *err);
void bf__adam_reset(bf__adam *adam);
/* One move downhill along `gradient`, an unbiased estimate of the gradient. */
void bf__adam_move(bf__adam *adam, const double *gradient, double *parameters);

#endif
