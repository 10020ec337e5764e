/* neighbours_chain.h - Weights from a Markov chain on the logged pairs. */
#ifndef BF_WEIGHTS_NEIGHBOURS_CHAIN_H
#define BF_WEIGHTS_NEIGHBOURS_CHAIN_H

#include "problem/points.h"
#include "solver/visits.h"

typedef struct bf__neighbours {
    const double *u; /* (n), not negative */
    double sum;      /* of u: 1, or less where mass is absorbed */
    int64_t nodes;   /* of the chain */
    int64_t rows;    /* transitions that the chain is made of */
    double off_hull; /* mean distance of next states from the hull of their neighbours */
    double left;     /* of the mass, each step: goes on anywhere in the log */
    int64_t steps;   /* of the iteration */
    bool settled;    /* it ended by itself, not at the cap on its steps */
    double change;   /* of the value in its last steps, in standard deviations of the reward */
    bool ends;       /* steps end and stay ended */
} bf__neighbours;

/* The standard deviation of x (n), or, if there is none but rounding, what is far above rounding.
 */
double bf__reward_scale(const double *x, int64_t n);

/* The weights; k neighbours, at most `most` nodes (0: by the dimension). */
bf_status bf__neighbours_solve(bf__neighbours *out, const bf_problem *problem,
                               const bf__points *points, int k, int64_t most,
                               const bf_context *context, bf_arena *arena, bf_error *err);

/* The chain itself, on all rows as far as the above goes: out's edges, start, restart, leave,
 * away and reward.
 * In `arena`. `points` have start states. */
bf_status bf__neighbours_chain(bf__visits *out, const bf_problem *problem, const bf__points *points,
                               int k, const bf_context *context, bf_arena *arena, bf_error *err);

#endif
