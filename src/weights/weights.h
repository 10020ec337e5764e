/* weights.h - What a model W(s, a) of the weights of the black-box method is made of. */
#ifndef BF_WEIGHTS_WEIGHTS_H
#define BF_WEIGHTS_WEIGHTS_H

#include "estimator/answer.h"

/* Options of the black-box method, of all models of the weights together. */
typedef struct bf__blackbox_options {
    int weights;
    int kernel; /* 0 auto; otherwise 1 + the kernel's place in kernels.def */
    const char *bandwidth;
    const char *periodic, *scale; /* points.h */

    /* Weights on features of real-valued states. */
    int64_t features; /* 0: by the model */
    bf_auto action_share, ridge;
    int64_t neighbours;       /* k of neighbours and corrected */
    double memory;            /* GB */
    const char *anchor_width; /* shares of the kernel's width, with commas */

    /* Weights by a network (neural.c). */
    const char *hidden; /* "30-20-10" */
    int activation;     /* bf__activation */
    int optimizer;      /* auto, lbfgs, adam */
    int64_t steps, batch, restarts;
    double rate, spread;
} bf__blackbox_options;

typedef struct bf__weights {
    const char *name, *summary;
    /* How well the model suits the log, for --weights auto: the largest wins, 0 is "not at all". */
    int (*suits)(const bf_dataset *data);
    /* Fills out->value, weights, diagnostics and warnings. */
    bf_status (*run)(bf_estimate *out, const bf_problem *problem,
                     const bf__blackbox_options *options, const bf_context *context,
                     bf_arena *arena, bf_error *err);
} bf__weights;

const bf__weights *bf__weights_at(int index);

bf_status bf__anchors_check(const bf_option *row, const char *text, bf_error *err);

#endif
