/* minibatch.c - Rows of a log in mini-batches, and the weights that a network gives them.
 *
 * A batch is the beginning of a shuffle that goes on from batch to batch: its rows are swapped with
 * any of those behind them, and it does not matter in which order those stand.
 * Cost  O(B parameters) a batch of B rows; O(n parameters) for all rows, in blocks that fit the
 *       work space of a batch */
#include "neural/minibatch.h"

#include <string.h>

#include "core/context.h"
#include "core/fail.h"

bf_status bf__minibatch_make(bf__minibatch *out, const bf__neural_task *task, bf_arena *arena,
                             bf_error *err) {
    int64_t n = task->flow->n, size = task->batch < n ? task->batch : n;
    *out = (bf__minibatch){.task = task, .n = n, .size = size};
    out->rng = bf_rng_make(task->context ? task->context->seed : 1, "batches", task->replicate);
    BF_TRY(bf__mlp_prepare(&out->work, &task->net, size, bf__threads(task->context), arena, err));
    BF_ALLOC(out->order, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        out->order[i] = i;
    BF_ALLOC(out->inputs, arena, task->net.size[0] * size, err);
    BF_ALLOC(out->weights, arena, size, err);
    return BF_OK;
}

void bf__minibatch_next(bf__minibatch *b, const double *parameters) {
    for (int64_t i = 0; i < b->size; i++) {
        int64_t j = i + bf_rng_below(&b->rng, b->n - i), swap = b->order[i];
        b->order[i] = b->order[j];
        b->order[j] = swap;
    }
    for (int c = 0; c < b->task->net.size[0]; c++)
        for (int64_t i = 0; i < b->size; i++)
            b->inputs[c * b->size + i] = b->task->inputs[c * b->n + b->order[i]];
    bf__mlp_forward(b->work, parameters, b->inputs, b->size, b->weights);
}

void bf__minibatch_all(bf__minibatch *b, const double *parameters, float *weights) {
    for (int64_t first = 0; first < b->n; first += b->size) {
        int64_t rows = b->n - first < b->size ? b->n - first : b->size;
        for (int c = 0; c < b->task->net.size[0]; c++)
            memcpy(b->inputs + c * rows, b->task->inputs + c * b->n + first,
                   (size_t)rows * sizeof *b->inputs);
        bf__mlp_forward(b->work, parameters, b->inputs, rows, weights + first);
    }
}
