/* weights.h - What a model W(s, a) of the weights of the black-box method is made of. */
#ifndef BF_ESTIMATOR_WEIGHTS_H
#define BF_ESTIMATOR_WEIGHTS_H

#include "backflow/estimator.h"

typedef struct bf__blackbox_options {
    int weights;
    int kernel; /* 0 auto; otherwise 1 + the kernel's place in kernels.def */
    const char *bandwidth;
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

#endif
