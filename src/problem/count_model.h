/* count_model.h - The count model of a finite log under the target policy, solved. */
#ifndef BF_PROBLEM_COUNT_MODEL_H
#define BF_PROBLEM_COUNT_MODEL_H

#include "problem/cells.h"
#include "solver/chain.h"

/* Nodes 0 .. S-1 are the states; node S is START, which takes no time and no reward: a restart goes
 * through it to a start state of the log (of a log without episodes, to one of its states). Node
 * S + 1, LOG, is there where the log has gaps: it leads to a state of the log as often as the log
 * was there, and takes no time either. */
typedef struct bf__count_model {
    const bf__cells *cells;
    const double *pi;     /* (C): what the target does, on the actions that the log shows, ... */
    const double *leave;  /* (S): ... and how often it leaves for LOG; they sum to 1 in a state */
    const double *miss;   /* (S): the share of what the target does that was never seen */
    const double *reward; /* (nodes): of a step, times the share of time that a node takes */
    bf__chain chain;
    bf__classes classes;

    int closed;         /* closed classes */
    const double *gain; /* (classes): reward per step in each closed one */
    const double *mass; /* (S): long-run visits per step, from START; mass times pi sums to 1 */
    double value;       /* sum of mass times reward */
    double low, high;   /* of the gains; per unit of time if steps have durations */
    double covered;     /* share of what the target does, in the long run, that the log shows */
    double left;        /* visits of LOG per step */
    double residual;    /* of the stationary distributions */
} bf__count_model;

/* The model itself, up to its classes. */
bf_status bf__count_model_build(bf__count_model *out, const bf__cells *cells, bf_arena *arena,
                                bf_error *err);

/* The same, and its long run. */
bf_status bf__count_model_solve(bf__count_model *out, const bf__cells *cells,
                                const bf_context *context, bf_arena *arena, bf_error *err);

/* gap (C): q(c) - E q(x') for any q (C), x' the next pair of the model under the target. */
bf_status bf__count_model_gap(double *gap, const bf__count_model *count, const double *q,
                              bf_arena *arena, bf_error *err);

#endif
