/* dynamics.h - What follows an action, fitted to a log: the reward, the change of the state, and
 * the chance that the step ends the episode. */
#ifndef BF_MODEL_DYNAMICS_H
#define BF_MODEL_DYNAMICS_H

#include "problem/points.h"
#include "solver/krr.h"

typedef struct bf__dynamics {
    const bf_problem *problem;
    const bf__points *points;
    int d; /* numbers of a state */
    int members;
    int inputs;              /* coordinates of a state, and of an action behind them */
    bf__coordinates actions; /* of vectors */
    bf__krr step;            /* of a step that goes on: the reward, and the change of the state */
    bf__krr end, last;       /* a score for the end, and the reward of a step that ends */
    bool ends;               /* some steps of the log end and do not go on */
    double chance[2];        /* of the end: 1 / (1 + exp(-(chance[0] + chance[1] score))) */
    const double *missed;    /* (missed_rows, 1 + d): the reward and the change that the held-out
                                fit did not explain, the change as far as it is taken for noise */
    int64_t missed_rows;     /* rows that go on */
    double far;   /* distance to the nearest centre of `step` that few rows of the log are beyond */
    double noise; /* the share of what is missed that is noise; mean over the columns */
    const double *low, *high, *period; /* (d): the range of the log; 0 if the column is no angle */
    const int *sine;    /* (d): the column of the sine to this one's cosine; -1: there is none */
    double least, most; /* rewards of the log */
} bf__dynamics;

typedef struct bf__dynamics_task {
    const bf_problem *problem;
    const bf__points *points;
    const int32_t *fold; /* (n): 0 .. members - 1 */
    int members, rounds;
    int64_t features;
} bf__dynamics_task;

bf_status bf__dynamics_fit(bf__dynamics *out, const bf__dynamics_task *task,
                           const bf_context *context, bf_arena *arena, bf_error *err);

/* x (n, inputs) of the states' coordinates z (d, n) and actions u (n, action): one-hot, or vectors
 * as they are in the log. `scratch` has 2 n times the length of an action. */
void bf__dynamics_inputs(double *x, const bf__dynamics *dynamics, const double *z, const double *u,
                         int64_t n, double *scratch);

#endif
