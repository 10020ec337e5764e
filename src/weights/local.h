/* local.h - The process as the neighbours of a pair show it: a step from states that the log does
 * not have. */
#ifndef BF_WEIGHTS_LOCAL_H
#define BF_WEIGHTS_LOCAL_H

#include "problem/nodes.h"
#include "solver/hull.h"

/* What the log shows of the process, whatever the policy. Nodes are all distinct pairs. */
typedef struct bf__local {
    bf__nodes nodes;
    int d, k;            /* coordinates of a state; neighbours of a pair */
    const double *next;  /* (nodes, d): the mean next state of the rows that go on */
    const double *ended; /* (nodes): the share of rows that end */
    bf__kdtree ahead;    /* the next states of rows that go on */
    const int64_t *row;  /* (going_on): which rows these are */
    int64_t going_on;    /* 0: there is no step to take */
} bf__local;

/* Where a pair (x, action) leads. */
typedef struct bf__local_step {
    int count; /* the pair as a convex combination of nodes */
    int32_t node[BF__HULL_MOST];
    double weight[BF__HULL_MOST];
    double ended;                    /* how often it ends */
    double next[BF__FEW_DIMENSIONS]; /* (d): where it goes on to; not filled if it always ends */
    double gram[BF__HULL_MOST * BF__HULL_MOST];   /* scratch */
    double square[BF__HULL_MOST];                 /* distances of the nodes, the nearest first */
    double z[BF__HULL_MOST * BF__FEW_DIMENSIONS]; /* (count, d): nodes less x */
} bf__local_step;

/* Of points whose actions are numbers, in at most BF__FEW_DIMENSIONS coordinates. In the share of
 * the points, or in `arena`. */
bf_status bf__local_make(const bf__local **out, const bf__points *points, int k, bf_arena *arena,
                         bf_error *err);

/* `action` has nodes. */
void bf__local_take(bf__local_step *out, const bf__local *local, const double *x, int action);

/* Two steps at once, digit for digit, in less time than one after the other. */
void bf__local_take_two(bf__local_step *const out[2], const bf__local *local,
                        const double *const x[2], const int action[2]);

/* The row whose next state is nearest to x (d). */
int64_t bf__local_row(const bf__local *local, const double *x);

#endif
