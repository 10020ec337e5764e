/* neural.c - Black-box weights by a network, as in the paper.
 *
 * Estimates   sum_i w_i r_i,  w_i = W(x_i) / sum W,  W = softplus of a 30-20-10 sigmoid network on
 *             the standardised state and the action (one-hot, or its standardised vector)
 *             W = argmin log w'Kw
 * Source      paper, sections 4.2 and 5; appendix D for mini-batches
 * Shapes      n transitions; K (n, n) in tiles, or Psi (n, m) with K close to Psi Psi'
 * Cost        a step O(n^2) exact, O(n m) low rank, O(B^2) on a batch of B
 *
 * Several networks are fitted from different starts and their weights averaged. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/log.h"
#include "core/text.h"
#include "estimator/neural_fit.h"
#include "estimator/points.h"
#include "estimator/result.h"
#include "estimator/weights.h"
#include "flow/plan.h"

enum { OPTIMIZER_AUTO, OPTIMIZER_LBFGS, OPTIMIZER_ADAM };
enum { MOST_EXACT = 40000, REPORT_RANK = 500 };

typedef struct neural {
    bf__points points;
    bf__flow *flow;
    bf__flow_plan plan;
    bf__neural_loss loss;
    bf__neural_task task;
    double *w; /* (n): the mean of the fits */
    int fits, diverged, thin;
    double steps, worst_ess;
    bool interrupted;
} neural;

/* Weights that rest on fewer transitions are none: a network can pile them on near-fixed points of
 * the dynamics, where the flow balances whatever the policy. */
static double least_ess(int64_t n) {
    return fmin(fmax(20, 0.01 * (double)n), 0.1 * (double)n);
}

/* ---- The flow, and the network's inputs */

static bf_status make_flow(neural *v, const bf_problem *problem, const bf__blackbox_options *o,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_problem restarted = *problem;
    uint64_t seed = context ? context->seed : 1;
    /* Ends that absorb are fitted as restarts; report() takes the share of time after them. */
    if (problem->terminal == BF_TERMINAL_ABSORB)
        restarted.terminal = BF_TERMINAL_RESTART;
    BF_TRY(bf__points_make(&v->points, &restarted, o->periodic, o->scale, context, arena, err));
    bf__flow_input *f = &v->points.flow;
    const bf__kernel_kind *kind = bf__kernel_at(o->kernel - 1);
    BF_TRY(bf__kernel_make(&f->kernel, kind ? kind->name : "gaussian", o->bandwidth, f->z, f->n,
                           f->d, seed, arena, err));
    if (f->action_dim)
        BF_TRY(bf__kernel_make(&f->action_kernel, "gaussian", "median", f->u, f->n, f->action_dim,
                               seed, arena, err));
    f->action_share = 0;
    if (strcmp(o->action_share, "auto") != 0 &&
        (!bf__parse_real(o->action_share, &f->action_share) ||
         !(f->action_share >= 0 && f->action_share <= 1)))
        return bf_fail(err, BF_EUSAGE, "--action-share: '%s' is not auto or a number from 0 to 1",
                       o->action_share);
    return bf__flow_create(&v->flow, f, context, arena, err);
}

/* (d + A, n) or (d + k, n). */
static bf_status make_inputs(neural *v, bf_arena *arena, bf_error *err) {
    const bf__flow_input *f = &v->points.flow;
    int64_t n = f->n;
    float *x;
    BF_ZALLOC(x, arena, (f->d + f->actions + f->action_dim) * n, err);
    for (int64_t i = 0; i < f->d * n; i++)
        x[i] = (float)f->z[i];
    for (int64_t i = 0; i < n && f->actions; i++)
        x[(f->d + f->action[i]) * n + i] = 1;
    for (int64_t i = 0; i < f->action_dim * n; i++)
        x[f->d * n + i] = (float)f->u[i];
    v->task.inputs = x;
    return BF_OK;
}

/* ---- Fitting */

static void add_fit(neural *v, const bf__neural_fit *fit) {
    double sum = 0;
    for (int64_t i = 0; i < v->flow->n; i++)
        sum += (double)fit->weights[i];
    v->steps += (double)fit->steps;
    v->interrupted |= fit->interrupted;
    v->thin += fit->thin;
    if (!(sum > 0) || !isfinite(sum)) {
        v->diverged++;
        return;
    }
    v->diverged += fit->diverged;
    v->worst_ess = fmin(v->worst_ess, fit->ess);
    v->fits++;
    for (int64_t i = 0; i < v->flow->n; i++)
        v->w[i] += (double)fit->weights[i] / sum;
}

static bf_status fit_all(neural *v, const bf__blackbox_options *o, bool batches, bf_arena *arena,
                         bf_error *err) {
    int64_t n = v->flow->n;
    v->worst_ess = (double)n;
    for (int64_t r = 0; r < o->restarts && !v->interrupted; r++) {
        bf__neural_fit fit;
        bf_mark mark = bf_arena_mark(arena);
        v->task.replicate = (uint64_t)r;
        v->task.done = (double)(r * v->task.steps);
        BF_TRY(bf__neural_start(&fit, &v->task, arena, err));
        if (batches)
            BF_TRY(bf__neural_adam(&fit, &v->task, arena, err));
        else
            BF_TRY(bf__neural_lbfgs(&fit, &v->task, arena, err));
        bf__log(v->task.context, BF_LOG_DEBUG, "fit %d: %lld steps, log residual %.4f, ess %.1f",
                (int)r + 1, (long long)fit.steps, fit.loss, fit.ess);
        add_fit(v, &fit);
        bf_arena_rewind(arena, mark);
    }
    for (int64_t i = 0; i < n; i++)
        v->w[i] = v->fits ? v->w[i] / v->fits : 1 / (double)n;
    return BF_OK;
}

/* ---- What to say about it */

/* w'Kw in double; *guard is 0, or what a low-rank answer may be short by. */
static bf_status residual(double *out, double *guard, const neural *v, const double *w,
                          const bf__lowrank *lowrank, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    enum { ROWS = 1024 };
    int64_t n = v->flow->n, m = lowrank ? lowrank->m : 0;
    double *psi, *sum, *diagonal, short_by = 0;
    *guard = 0;
    if (!lowrank)
        return bf__flow_loss(out, v->flow, w, context, arena, err);
    BF_ALLOC(psi, arena, ROWS * m, err);
    BF_ZALLOC(sum, arena, m, err);
    BF_ALLOC(diagonal, arena, n, err);
    bf__flow_diagonal(diagonal, v->flow, context);
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(bf__lowrank_rows(NULL, psi, lowrank, first, count, context, err));
        for (int64_t i = 0; i < count; i++) {
            double norm = 0;
            for (int64_t c = 0; c < m; c++) {
                sum[c] += w[first + i] * psi[i * m + c];
                norm += psi[i * m + c] * psi[i * m + c];
            }
            short_by += w[first + i] * sqrt(fmax(diagonal[first + i] - norm, 0));
        }
    }
    *out = 0;
    for (int64_t c = 0; c < m; c++)
        *out += sum[c] * sum[c];
    *guard = short_by * short_by;
    return BF_OK;
}

static bf_status warn(bf_estimate *out, const neural *v, double before, double after, double ess,
                      bf_arena *arena, bf_error *err) {
    if (v->interrupted)
        BF_TRY(bf__warn(out, arena, err, true, "Let it run to the end, or lower --steps.",
                        "interrupted: the weights are the best found until then, after %.0f of "
                        "%.0f steps",
                        v->steps, v->task.all));
    if (v->diverged)
        BF_TRY(bf__warn(out, arena, err, v->fits == 0, "Lower --rate, or use --optimizer lbfgs.",
                        "%d of the fits diverged%s", v->diverged,
                        v->fits ? "" : "; the weights given are equal ones"));
    if (after >= before * (1 - 1e-9) && before > 1e-12)
        BF_TRY(bf__warn(out, arena, err, true, "Use more --steps, or other weights.",
                        "the weights balance the flow no better than equal ones"));
    if (v->thin)
        BF_TRY(bf__warn(out, arena, err, false, "Other weights, or more data, may do better.",
                        "%d of the fits piled weight on few transitions and were stopped there",
                        v->thin));
    if (ess < least_ess(v->flow->n))
        BF_TRY(bf__warn(out, arena, err, true, "Do not use this value without another method's.",
                        "the weights are degenerate: they rest on about %.3g transitions", ess));
    return BF_OK;
}

static bf_status report(bf_estimate *out, const bf_problem *problem, neural *v,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = v->flow->n;
    double before, after, guard, unused, *uniform;
    const bf__lowrank *lowrank = NULL;
    BF_ALLOC(uniform, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        uniform[i] = 1 / (double)n;
    if (n > MOST_EXACT) {
        bf__lowrank *made;
        bf__lowrank_options options = {.rank = REPORT_RANK, .seed = context ? context->seed : 1};
        BF_TRY(bf__lowrank_create(&made, v->flow, &options, context, arena, err));
        lowrank = made;
    }
    BF_TRY(residual(&before, &unused, v, uniform, lowrank, context, arena, err));
    BF_TRY(residual(&after, &guard, v, v->w, lowrank, context, arena, err));
    double ended = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        ended += problem->data->terminated && problem->data->terminated[i] ? v->w[i] : 0;
        square += v->w[i] * v->w[i];
    }
    if (problem->terminal == BF_TERMINAL_ABSORB && ended > 0) {
        double rest = 1 - problem->gamma, alive = rest / (rest + problem->gamma * ended);
        for (int64_t i = 0; i < n; i++)
            v->w[i] *= alive;
        bf__diagnose(out, "absorbed", "share of time after the end", 1 - alive);
    }
    bf__result_from_weights(out, problem, v->w);
    bf__diagnose(out, "flow_residual", "flow residual", after);
    bf__diagnose(out, "flow_residual_uniform", "flow residual of equal weights", before);
    if (lowrank)
        bf__diagnose(out, "flow_guard", "what the flow residual may be short by", guard);
    BF_TRY(bf__points_report(out, &v->points, arena, err));
    if (v->flow->kernel.kind->wide)
        bf__diagnose(out, "bandwidth", "width of the kernel, in standard deviations",
                     v->flow->kernel.width[0]);
    bf__diagnose(out, "steps", "steps of the optimiser, all fits together", v->steps);
    bf__diagnose(out, "fits", "networks that the weights are the mean of", v->fits);
    bf__diagnose(out, "least_ess", "least effective sample size of a fit", v->worst_ess);
    return warn(out, v, before, after, 1 / square, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf__blackbox_options *o,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    neural v = {.fits = 0};
    BF_TRY(make_flow(&v, problem, o, context, arena, err));
    int64_t n = v.flow->n;
    v.plan = bf__flow_choose(n, o->memory * 1e9, o->features, o->features > 0);
    bool batches = o->optimizer == OPTIMIZER_ADAM ||
                   (o->optimizer == OPTIMIZER_AUTO && v.plan.way == BF__WAY_STREAMED);
    v.task = (bf__neural_task){.flow = v.flow,
                               .steps = o->steps  ? o->steps
                                        : batches ? 5000
                                                  : 300,
                               .batch = o->batch,
                               .rate = o->rate,
                               .spread = o->spread,
                               .least_ess = least_ess(n),
                               .context = context};
    v.task.all = (double)(v.task.steps * o->restarts);
    const bf__flow_input *f = &v.points.flow;
    BF_TRY(bf__mlp_make(&v.task.net, f->d + f->actions + f->action_dim, o->hidden, 1,
                        (bf__activation)o->activation, BF__SOFTPLUS, err));
    BF_TRY(make_inputs(&v, arena, err));
    BF_ZALLOC(v.w, arena, n, err);
    if (!batches) {
        bf__log(context, BF_LOG_DEBUG, "%s", v.plan.text);
        if (v.plan.way == BF__WAY_STORED)
            BF_TRY(bf__neural_exact(&v.loss, v.flow, o->spread, context, arena, err));
        else
            BF_TRY(
                bf__neural_lowrank(&v.loss, v.flow, v.plan.rank, o->spread, context, arena, err));
        v.task.loss = &v.loss;
    }
    BF_TRY(fit_all(&v, o, batches, arena, err));
    return report(out, problem, &v, context, arena, err);
}

static int suits(const bf_dataset *data) {
    (void)data;
    return 0; /* only by name */
}

const bf__weights bf__weights_neural = {
    .name = "neural",
    .summary = "a small network, as in the paper; real-valued states",
    .suits = suits,
    .run = run,
};
