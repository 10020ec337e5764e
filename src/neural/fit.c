/* fit.c - Fitting the network of the weights: its start, and L-BFGS.
 *
 * The start: a network that is fitted to weights u at hand, by L-BFGS on KL(u, w), stands in the
 * valley of the loss that these weights lie in. From equal weights another one may be nearer. The
 * weights of a chain have noise that the network should not learn, so the steps are few.
 *
 * All transitions: L-BFGS (liblbfgs) on L = log w'Kw. Its moves always lower L, so the best so far
 * is where it stands; it ends after `steps` moves, where L stops falling, where the effective
 * sample size falls below a floor, or when asked to. gauss.c takes fewer and larger steps.
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

enum { MEMORY = 20, STALL = 20, PADDING = 16 };

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

bool bf__neural_report(const bf__neural_task *task, double step, double loss, double ess) {
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
                      ? bf__neural_apart(d->slope, d->near, d->weights, task->flow->n)
                      : bf__neural_value(d->slope, &d->ess, task->loss, d->weights, task->context);
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
    if (!d->near && d->ess < d->task->least_ess) {
        fit->thin = true;
        return 1;
    }
    keep(d, x, count, loss, moves);
    d->stalls = loss < d->stalled - 1e-3 ? 0 : d->stalls + 1;
    d->stalled = d->stalls == 0 ? loss : d->stalled;
    fit->interrupted =
        !bf__neural_report(d->task, (double)fit->steps, d->near ? NAN : loss, d->ess);
    return fit->interrupted || d->stalls >= STALL;
}

/* At most `steps` moves down, from where the fit is. */
static bf_status descend(bf__neural_fit *fit, const bf__neural_task *task, const double *near,
                         int64_t steps, bf_arena *arena, bf_error *err) {
    int64_t n = task->flow->n, count = padded(task);
    descent d = {.task = task, .fit = fit, .near = near, .stalled = INFINITY};
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
