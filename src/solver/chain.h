/* chain.h - Finite Markov chains: closed classes, stationary distributions, absorption. */
#ifndef BF_SOLVER_CHAIN_H
#define BF_SOLVER_CHAIN_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

/* Row i goes to index[j] with probability prob[j], begin[i] <= j < begin[i + 1]. Rows sum to 1. An
 * edge of probability 0 counts as no edge. */
typedef struct bf__chain {
    int64_t n;
    const int64_t *begin;
    const int32_t *index;
    const double *prob;
} bf__chain;

typedef struct bf__classes {
    int32_t count;           /* strongly connected classes */
    const int32_t *class_of; /* (n) */
    const uint8_t *closed;   /* (count): true if there is no way out */
} bf__classes;

bf_status bf__chain_classes(bf__classes *out, const bf__chain *chain, bf_arena *arena,
                            bf_error *err);

/* The stationary distribution of one closed class; it is 0 outside the class. `residual` is |xP -
 * x|_1. If the class is small enough for the direct method, that is rounding error. */
bf_status bf__chain_stationary(double *x, double *residual, const bf__chain *chain,
                               const bf__classes *classes, int32_t which, const bf_context *context,
                               bf_arena *arena, bf_error *err);

/* out (count): the probability of ending in each closed class from the distribution `start`. */
bf_status bf__chain_absorption(double *out, const bf__chain *chain, const bf__classes *classes,
                               const double *start, const bf_context *context, bf_arena *arena,
                               bf_error *err);

#endif
