/* minibatch.h - Rows of a log in mini-batches, and the weights that a network gives them. */
#ifndef BF_NEURAL_MINIBATCH_H
#define BF_NEURAL_MINIBATCH_H

#include "neural/fit.h"

typedef struct bf__minibatch {
    const bf__neural_task *task;
    bf__mlp_work *work;
    int64_t n, size; /* rows of the log, and of a batch */
    int64_t *order;  /* (n): the first `size` are the batch */
    float *weights;  /* (size): W of the batch */
    float *inputs;   /* (size[0], size) */
    bf_rng rng;
} bf__minibatch;

/* For batches of task->batch rows, or of all if there are fewer. */
bf_status bf__minibatch_make(bf__minibatch *out, const bf__neural_task *task, bf_arena *arena,
                             bf_error *err);

/* A new batch, and its weights. Rows are drawn without replacement within a batch, and anew for the
 * next. `work` can go backward from here. */
void bf__minibatch_next(bf__minibatch *batch, const double *parameters);

/* W of all rows into `weights` (n). The batch keeps its rows, but not its weights. */
void bf__minibatch_all(bf__minibatch *batch, const double *parameters, float *weights);

#endif
