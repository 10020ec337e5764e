/* fit.c - Fitting the network of the weights.
 *
 * The start: a network that is fitted to weights u at hand, by L-BFGS on KL(u, w), stands in the
 * valley of the loss that these weights lie in. From equal weights another one may be nearer. The
 * weights of a chain have noise that the network should not learn, so half of the rows are fitted
 * and the other half tells when to end.
 *
 * All transitions: L-BFGS (liblbfgs) on L = log w'Kw. Its moves always lower L, so the best so far
 * is where it stands; it ends after `steps` moves, where L stops falling, where the effective
 * sample size falls below a floor, or when asked to.
 *
 * Mini-batches: Adam. The batch gives N without bias for w'Kw, but a small or even negative one by
 * chance: log N would be a poor thing to follow. Its gradient, grad N / N, is taken with a running
 * mean of |N| below the line instead.
 *
 * Cost  a move: the network forward and backward, O(n parameters), and a product with K */
#include "neural/fit.h"

#include <lbfgs.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "solver/adam.h"

enum { MEMORY = 20, STALL = 20, PADDING = 16, LEAST_ROWS = 200 };

/* liblbfgs may be built to work on whole vectors: rounded up, the rest stay 0. */
static int64_t padded(const bf__neural_task *task) {
    return (bf__mlp_parameters(&task->net) + PADDING - 1) / PADDING * PADDING;
}

bf_status bf__neural_start(bf__neural_fit *out, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    const bf__mlp *net = &task->net;
    bf_rng rng = bf_rng_make(task->context ? task->context->seed : 1, "network", task->replicate);
    *out = (bf__neural_fit){.loss = INFINITY, .ess = (double)task->flow->n};
    BF_ZALLOC(out->parameters, arena, padded(task), err);
    BF_ALLOC(out->weights, arena, task->flow->n, err);
    bf__mlp_init(net, out->parameters, &rng);
    int64_t count = bf__mlp_parameters(net), last = net->size[net->layers - 1];
    /* A sigmoid's slope is 1/4 at most: four times Glorot's range keeps signals alive through the
     * layers. Without it the fit sits on a plateau for hundreds of steps. */
    double gain = net->activation == BF__SIGMOID ? 4 : 1;
    for (int64_t i = 0; i < count; i++)
        out->parameters[i] *= i < count - last - 1 ? gain : 0.1 * gain;
    return BF_OK;
}

static bool report(const bf__neural_task *task, double step, double loss, double ess) {
    char detail[80];
    if (isnan(loss))
        bf__format(detail, sizeof detail, "towards the chain");
    else if (ess > 0)
        bf__format(detail, sizeof detail, "flow residual %.3g, ess %.0f", exp(loss), ess);
    else
        bf__format(detail, sizeof detail, "flow residual %.3g", exp(loss));
    return bf__progress(task->context, "fitting the weights", task->done + step, task->all, detail);
}

/* ---- All transitions */

typedef struct descent {
    const bf__neural_task *task;
    bf__neural_fit *fit;
    const double *near; /* go there; NULL: down the loss */
    int64_t seen;       /* rows of `near` that are fitted; the others tell when to end */
    bf__mlp_work *work;
    float *weights, *slope;
    double ess, stalled;
    int64_t before; /* steps of earlier descents */
    int stalls;
} descent;

static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *gradient,
                                const int count, const lbfgsfloatval_t step) {
    descent *d = instance;
    const bf__neural_task *task = d->task;
    (void)step;
    memset(gradient, 0, (size_t)count * sizeof *gradient);
    bf__mlp_forward(d->work, x, task->inputs, task->flow->n, d->weights);
    double loss = d->near
                      ? bf__neural_apart(d->slope, d->near, d->weights, d->seen)
                      : bf__neural_value(d->slope, &d->ess, task->loss, d->weights, task->context);
    if (d->near)
        memset(d->slope + d->seen, 0, (size_t)(task->flow->n - d->seen) * sizeof *d->slope);
    bf__mlp_backward(d->work, d->slope, gradient);
    return loss;
}

static void keep(descent *d, const double *x, int count, double loss, int moves) {
    bf__neural_fit *fit = d->fit;
    memcpy(fit->parameters, x, (size_t)count * sizeof *x);
    memcpy(fit->weights, d->weights, (size_t)d->task->flow->n * sizeof *fit->weights);
    fit->ess = d->ess;
    fit->steps = d->before + moves;
    fit->loss = loss;
}

/* On the way to given weights: a move is kept if it is better on the rows that are not fitted. */
static int neared(descent *d, const double *x, int count, int moves) {
    bf__neural_fit *fit = d->fit;
    int64_t rest = d->task->flow->n - d->seen;
    double apart =
        bf__neural_apart(d->slope + d->seen, d->near + d->seen, d->weights + d->seen, rest);
    if (rest == 0 || apart < d->stalled) {
        keep(d, x, count, apart, moves);
        d->stalled = apart;
        d->stalls = 0;
    } else {
        d->stalls++;
    }
    fit->interrupted = !report(d->task, (double)(d->before + moves), NAN, 0);
    return fit->interrupted || d->stalls >= STALL;
}

/* After a move: keeps it, or says that it is time to end. */
static int moved(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient,
                 const lbfgsfloatval_t loss, const lbfgsfloatval_t norm,
                 const lbfgsfloatval_t slope, const lbfgsfloatval_t step, int count, int moves,
                 int tries) {
    descent *d = instance;
    bf__neural_fit *fit = d->fit;
    (void)gradient, (void)norm, (void)slope, (void)step, (void)tries;
    if (!isfinite(loss) || loss >= BF__NEURAL_LOST) {
        fit->diverged = true;
        return 1;
    }
    if (d->near)
        return neared(d, x, count, moves);
    if (d->ess < d->task->least_ess) {
        fit->thin = true;
        return 1;
    }
    keep(d, x, count, loss, moves);
    d->stalls = loss < d->stalled - 1e-3 ? 0 : d->stalls + 1;
    d->stalled = d->stalls == 0 ? loss : d->stalled;
    fit->interrupted = !report(d->task, (double)fit->steps, loss, d->ess);
    return fit->interrupted || d->stalls >= STALL;
}

/* At most `steps` moves down, from where the fit is. */
static bf_status descend(bf__neural_fit *fit, const bf__neural_task *task, const double *near,
                         int64_t steps, bf_arena *arena, bf_error *err) {
    int64_t n = task->flow->n, count = padded(task);
    descent d = {.task = task, .fit = fit, .near = near, .stalled = INFINITY};
    d.seen = n < LEAST_ROWS ? n : n / 2;
    bf_mark mark = bf_arena_mark(arena);
    double *x;
    d.before = fit->steps;
    BF_TRY(bf__mlp_prepare(&d.work, &task->net, n, bf__threads(task->context), arena, err));
    BF_ALLOC(d.weights, arena, n, err);
    BF_ALLOC(d.slope, arena, n, err);
    BF_ALLOC(x, arena, 2 * count, err);
    memcpy(x, fit->parameters, (size_t)count * sizeof *x);
    fit->loss = evaluate(&d, x, x + count, (int)count, 0);
    memcpy(fit->weights, d.weights, (size_t)n * sizeof *fit->weights);
    fit->ess = d.ess;
    lbfgs_parameter_t settings;
    lbfgs_parameter_init(&settings);
    settings.m = MEMORY;
    settings.max_iterations = (int)steps;
    settings.epsilon = 1e-9;
    settings.max_linesearch = 30;
    if (lbfgs((int)count, x, NULL, evaluate, moved, &d, &settings) == LBFGSERR_OUTOFMEMORY)
        return bf_fail(err, BF_ENOMEM, "out of memory: L-BFGS of %lld parameters",
                       (long long)count);
    /* Any other end, a line search at the limits of float32 among them, leaves the last move. */
    fit->diverged |= !isfinite(fit->loss);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__neural_begin(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    return descend(fit, task, task->near, task->first_steps, arena, err);
}

bf_status bf__neural_lbfgs(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    return descend(fit, task, NULL, task->steps, arena, err);
}

/* ---- Mini-batches */

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
    BF_ALLOC(b->gradient, arena, padded(task), err);
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

bf_status bf__neural_adam(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
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
        fit->interrupted = !report(task, (double)fit->steps, fit->loss, 0);
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
