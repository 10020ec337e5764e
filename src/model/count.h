/* count.h - The count model of a finite log under the target policy, solved. */
#ifndef BF_MODEL_COUNT_H
#define BF_MODEL_COUNT_H

#include "estimator/answer.h"
#include "problem/cells.h"
#include "solver/chain.h"

/* Nodes 0 .. S-1 are the states; node S is START, which takes no time and no reward: a restart goes
 * through it to a start state of the log (of a log without episodes, to one of its states). */
typedef struct bf__count {
    const bf__cells *cells;
    const double *pi;     /* (C): the target's choice among the actions that the log shows */
    const double *reward; /* (S + 1): of a step */
    bf__chain chain;
    bf__classes classes;

    int closed;         /* closed classes */
    const double *gain; /* (classes): reward per step in each closed one */
    const double *mass; /* (S): long-run share of time, from START */
    double value;       /* sum of mass times reward */
    double low, high;   /* of the gains */
    double covered;     /* share of what the target does, in the long run, that the log shows */
    double residual;    /* of the stationary distributions */
} bf__count;

bf_status bf__count_solve(bf__count *out, const bf__cells *cells, const bf_context *context,
                          bf_arena *arena, bf_error *err);

/* gap (C): q(c) - E q(x') for any q (C), x' the next pair of the model under the target. */
bf_status bf__count_gap(double *gap, const bf__count *count, const double *q, bf_arena *arena,
                        bf_error *err);

/* Coverage, closed classes and what they are a warning of. */
bf_status bf__count_report(bf_estimate *out, const bf__count *count, bf_arena *arena,
                           bf_error *err);

#endif
