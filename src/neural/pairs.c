/* pairs.c - Fitting the network of the weights by the paper's mini-batches: pairs of their rows.
 *
 * Adam. The batch gives N without bias for w'Kw, but a small or even negative one by chance: log N
 * would be a poor thing to follow. Its gradient, grad N / N, is taken with a running mean of |N|
 * below the line instead.
 *
 * The noise of N stays as large as it is while w'Kw falls, so that the fit ends where the two are
 * alike. adam.c keeps the residual of all rows instead, and goes on.
 *
 * Source  paper, appendix D
 * Cost    a move: O(B^2 + B parameters) on a batch of B rows */
#include <math.h>

#include "core/fail.h"
#include "neural/minibatch.h"
#include "solver/adam.h"

typedef struct batches {
    bf__minibatch rows;
    bf__batch *batch;
    float *slope, *diagonal; /* of one batch */
    double *all_diagonal, *gradient;
} batches;

static bf_status prepare(batches *b, const bf__neural_task *task, bf_arena *arena, bf_error *err) {
    const bf__flow *flow = task->flow;
    BF_TRY(bf__minibatch_make(&b->rows, task, arena, err));
    BF_TRY(bf__batch_create(&b->batch, flow, b->rows.size, arena, err));
    BF_ALLOC(b->slope, arena, b->rows.size, err);
    BF_ALLOC(b->diagonal, arena, b->rows.size, err);
    BF_ALLOC(b->all_diagonal, arena, flow->n, err);
    BF_ALLOC(b->gradient, arena, bf__mlp_parameters(&task->net), err);
    bf__flow_diagonal(b->all_diagonal, flow, task->context);
    return BF_OK;
}

/* *value and the gradient of the loss on a new batch. */
static bf_status one_batch(batches *b, double *value, const double *parameters,
                           const bf__neural_task *task, bf_arena *arena, bf_error *err) {
    bf__minibatch *rows = &b->rows;
    bf__minibatch_next(rows, parameters);
    bf__batch_gather(b->batch, task->flow, rows->order, rows->size);
    for (int64_t i = 0; i < rows->size; i++)
        b->diagonal[i] = (float)b->all_diagonal[rows->order[i]];
    BF_TRY(bf__neural_batch(b->slope, value, b->batch, rows->n, b->diagonal, rows->weights,
                            task->spread, task->context, arena, err));
    bf__mlp_backward(rows->work, b->slope, b->gradient);
    return BF_OK;
}

bf_status bf__neural_pairs(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    int64_t n = task->flow->n, count = bf__mlp_parameters(&task->net);
    batches b;
    bf__adam adam;
    double level = 0, value;
    BF_TRY(prepare(&b, task, arena, err));
    BF_TRY(bf__adam_make(&adam, count, task->rate, arena, err));
    double *x = fit->parameters;
    for (int64_t step = 0; step < task->steps && !fit->interrupted; step++) {
        adam.rate =
            task->rate * 0.5 * (1 + cos(3.141592653589793 * (double)step / (double)task->steps));
        BF_TRY(one_batch(&b, &value, x, task, arena, err));
        double keep = fmin(0.98, (double)step / (double)(step + 1));
        level = keep * level + (1 - keep) * fabs(value);
        if (!isfinite(value)) {
            fit->diverged = true;
            break;
        }
        for (int64_t i = 0; i < count; i++)
            b.gradient[i] /= fmax(level, 1e-30);
        bf__adam_move(&adam, b.gradient, x);
        fit->steps = step + 1;
        fit->loss = log(fmax(level, 1e-30));
        fit->interrupted = !bf__neural_report(task, (double)fit->steps, fit->loss, 0);
    }
    bf__minibatch_all(&b.rows, x, fit->weights);
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)fit->weights[i];
        square += (double)fit->weights[i] * (double)fit->weights[i];
    }
    fit->diverged |= !(sum > 0) || !isfinite(sum);
    fit->ess = sum * sum / square;
    fit->thin = fit->ess < task->least_ess;
    return BF_OK;
}
