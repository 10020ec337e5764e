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
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "neural/fit.h"
#include "solver/adam.h"

typedef struct sampler {
    int64_t n, *order; /* the first `size` of a shuffle that goes on from batch to batch */
    bf_rng rng;
} sampler;

static void draw(sampler *s, int64_t size) {
    for (int64_t i = 0; i < size; i++) {
        int64_t j = i + bf_rng_below(&s->rng, s->n - i), swap = s->order[i];
        s->order[i] = s->order[j];
        s->order[j] = swap;
    }
}

typedef struct batches {
    bf__batch *batch;
    bf__mlp_work *work;
    float *inputs, *weights, *slope, *diagonal; /* of one batch */
    double *all_diagonal, *gradient;
    sampler sample;
} batches;

static bf_status prepare(batches *b, const bf__neural_task *task, int64_t size, bf_arena *arena,
                         bf_error *err) {
    const bf__flow *flow = task->flow;
    uint64_t seed = task->context ? task->context->seed : 1;
    BF_TRY(bf__batch_create(&b->batch, flow, size, arena, err));
    BF_TRY(bf__mlp_prepare(&b->work, &task->net, size, bf__threads(task->context), arena, err));
    BF_ALLOC(b->inputs, arena, task->net.size[0] * size, err);
    BF_ALLOC(b->weights, arena, size, err);
    BF_ALLOC(b->slope, arena, size, err);
    BF_ALLOC(b->diagonal, arena, size, err);
    BF_ALLOC(b->all_diagonal, arena, flow->n, err);
    BF_ALLOC(b->gradient, arena, bf__mlp_parameters(&task->net), err);
    BF_ALLOC(b->sample.order, arena, flow->n, err);
    for (int64_t i = 0; i < flow->n; i++)
        b->sample.order[i] = i;
    b->sample.n = flow->n;
    b->sample.rng = bf_rng_make(seed, "batches", task->replicate);
    bf__flow_diagonal(b->all_diagonal, flow, task->context);
    return BF_OK;
}

/* *value and the gradient of the loss on a new batch. */
static bf_status one_batch(batches *b, double *value, const double *parameters,
                           const bf__neural_task *task, int64_t size, bf_arena *arena,
                           bf_error *err) {
    int64_t n = task->flow->n;
    const int64_t *index = b->sample.order;
    draw(&b->sample, size);
    bf__batch_gather(b->batch, task->flow, index, size);
    for (int c = 0; c < task->net.size[0]; c++)
        for (int64_t i = 0; i < size; i++)
            b->inputs[c * size + i] = task->inputs[c * n + index[i]];
    for (int64_t i = 0; i < size; i++)
        b->diagonal[i] = (float)b->all_diagonal[index[i]];
    bf__mlp_forward(b->work, parameters, b->inputs, size, b->weights);
    BF_TRY(bf__neural_batch(b->slope, value, b->batch, n, b->diagonal, b->weights, task->spread,
                            task->context, arena, err));
    bf__mlp_backward(b->work, b->slope, b->gradient);
    return BF_OK;
}

/* W of all transitions, in blocks that fit the batch's work space. */
static void all_weights(bf__neural_fit *fit, batches *b, const bf__neural_task *task,
                        int64_t size) {
    int64_t n = task->flow->n;
    for (int64_t first = 0; first < n; first += size) {
        int64_t count = n - first < size ? n - first : size;
        for (int c = 0; c < task->net.size[0]; c++)
            memcpy(b->inputs + c * count, task->inputs + c * n + first,
                   (size_t)count * sizeof *b->inputs);
        bf__mlp_forward(b->work, fit->parameters, b->inputs, count, fit->weights + first);
    }
}

bf_status bf__neural_pairs(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    int64_t n = task->flow->n, size = task->batch < n ? task->batch : n;
    int64_t count = bf__mlp_parameters(&task->net);
    batches b;
    bf__adam adam;
    double level = 0, value;
    BF_TRY(prepare(&b, task, size, arena, err));
    BF_TRY(bf__adam_make(&adam, count, task->rate, arena, err));
    double *x = fit->parameters;
    for (int64_t step = 0; step < task->steps && !fit->interrupted; step++) {
        adam.rate =
            task->rate * 0.5 * (1 + cos(3.141592653589793 * (double)step / (double)task->steps));
        BF_TRY(one_batch(&b, &value, x, task, size, arena, err));
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
    all_weights(fit, &b, task, size);
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
