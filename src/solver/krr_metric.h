/* krr_metric.h - Kernel ridge regression in one metric, and the next metric: the inside of krr.c.
 */
#ifndef BF_SOLVER_KRR_METRIC_H
#define BF_SOLVER_KRR_METRIC_H

#include "backflow/context.h"
#include "backflow/memory.h"

typedef struct bf__krr_task {
    int64_t n;
    int inputs, outputs, members;
    const double *x;     /* (n, inputs), row after row; columns of deviation 1 or 0 */
    const double *y;     /* (n, outputs) */
    const int32_t *fold; /* (n): 0 .. members - 1 */
    int64_t features;    /* the most */
    int rounds;          /* times that the metric is learned anew */
    const char *what;    /* for progress and for the random streams: "fitting the rewards" */
} bf__krr_task;

enum { BF__KRR_BLOCK = 1024 }; /* rows whose features are made at once */

typedef struct bf__krr_sums { /* of one fold */
    double *gram, *product;   /* (m, m), (q, m) */
    double *square;           /* (q) */
    double rows;
} bf__krr_sums;

typedef struct bf__krr_in {
    const bf__krr_task *task;
    const bf_context *context;
    int64_t n, m, stride;       /* rows used: every stride-th */
    const double *rest;         /* (task n, q): what the linear part leaves, in deviations */
    const double *deviation;    /* (q) */
    const int64_t *pivots;      /* (m): rows of the centres */
    double *turn;               /* (p, p) */
    double *centres, *square;   /* (m, p), (m) */
    double *inner;              /* (m, m): K_c */
    bf__krr_sums *fold;         /* (E) */
    double *alpha;              /* (E, q, m) */
    double *error;              /* (q): held-out, of 1 */
    double *block, *turned, *y; /* (BF__KRR_BLOCK, m), (BF__KRR_BLOCK, p), (BF__KRR_BLOCK, q) */
    double width;               /* squared, in units of the median squared distance of two rows */
} bf__krr_in;

/* Fills f->alpha and f->error in the metric f->turn, with the width, from f->width on, halved as
 * long as that helps. *total is the mean error over the outputs. */
bf_status bf__krr_fit_width(double *total, bf__krr_in *f, bf_arena *arena, bf_error *err);

/* next (p, p): the root of the mean outer product of the slopes, by the members together. */
bf_status bf__krr_learn(double *next, bf__krr_in *f, bf_arena *arena, bf_error *err);

#endif
