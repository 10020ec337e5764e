/* neural.c - Black-box weights by a network, as in the paper.
 *
 * Estimates   sum_i w_i r_i,  w_i = W(x_i) / sum W,  W = exp of a 30-20-10 network on the
 *             standardised state and the action (one-hot, or its standardised vector),
 *             W = argmin log w'Kw
 * Source      paper, sections 4.2 and 5; appendix D for mini-batches
 * Shapes      n transitions, P parameters; Psi (n, m) with K close to Psi Psi', or K (n, n)
 * Cost        the chain once, Psi O(n m^2) once; a step 2 n m P (gauss), O(n (P + m)) (lbfgs),
 *             O(B (P + m)) on a batch of B (adam), O(B (P + B)) (pairs)
 *
 * Its units are tanh by default: tanh(z) = 2 sigmoid(2 z) - 1, so that the functions are those of
 * the paper's sigmoids. What differs is where a random network starts, and which move of the
 * parameters counts as small.
 *
 * The start is ours: w'Kw has more than one valley, so the network is first fitted to the weights
 * of a chain on the logged pairs (neighbours_chain.h).
 *
 * A network can lower w'Kw by piling all weight on near-fixed points of the dynamics (a pendulum
 * that hangs), where the flow balances whatever the policy. Nothing in the residual says so; the
 * effective sample size does. So networks are fitted from several starts, one whose effective
 * sample size falls below a floor is given up and another start is tried, and the answer is the
 * mean of those that stand. How far they are apart is reported. */
#include <math.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "neural/fit.h"
#include "weights/balance.h"
#include "weights/neighbours_chain.h"

enum { OPTIMIZER_AUTO, OPTIMIZER_GAUSS, OPTIMIZER_LBFGS, OPTIMIZER_ADAM, OPTIMIZER_PAIRS };
static const char *const optimizers[] = {"auto", "gauss", "lbfgs", "adam", "pairs"};
enum { START_CHAIN, START_EQUAL };
enum { NEIGHBOURS = 16, FIRST_STEPS = 100, FIRST_BATCHES = 1000 };
#define BEGUN_ANEW 0.99
#define SHARE      0.7
#define ADAM_RATE  1e-3
#define PAIRS_RATE 0.01
enum { MOST_STORED = 2000, FEATURES = 300 };
enum { MOST_EXACT = 20000, REPORT_RANK = 500, GAUSS_STEPS = 12, LBFGS_STEPS = 1000 };
enum { ADAM_STEPS = 2000, PAIRS_STEPS = 10000 };
enum { LEAST_RANK = 64, BYTES = 12 }; /* of a number of Psi: a double, then a float */

typedef struct neural {
    bf__balance balance;
    const bf__flow *flow;
    bf__neural_loss loss;
    bf__neural_task task;
    int optimizer;          /* OPTIMIZER_GAUSS, ... */
    double *w, *thin;       /* (n): sums of the fits that stand, and of those given up */
    int fits, fell, failed; /* how many: stand, given up, diverged */
    double steps, low, high;
    bool interrupted;
} neural;

/* ---- Fitting */

/* (d + A, n) or (d + k, n). */
static bf_status make_inputs(neural *v, bf_arena *arena, bf_error *err) {
    const bf__points *f = &v->balance.points;
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

static void add_fit(neural *v, const bf__neural_fit *fit, const double *reward) {
    int64_t n = v->flow->n;
    double sum = 0, value = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)fit->weights[i];
    v->steps += (double)fit->steps;
    v->interrupted |= fit->interrupted;
    if (fit->diverged || !(sum > 0) || !isfinite(sum)) {
        v->failed++;
        return;
    }
    double *into = fit->thin ? v->thin : v->w;
    for (int64_t i = 0; i < n; i++) {
        into[i] += (double)fit->weights[i] / sum;
        value += (double)fit->weights[i] / sum * reward[i];
    }
    if (fit->thin) {
        v->fell++;
        return;
    }
    v->fits++;
    v->low = fmin(v->low, value);
    v->high = fmax(v->high, value);
}

static bf_status fit_one(bf__neural_fit *fit, const neural *v, bf_arena *arena, bf_error *err) {
    const bf__neural_task *task = &v->task;
    if (v->optimizer == OPTIMIZER_PAIRS)
        return bf__neural_pairs(fit, task, arena, err);
    if (v->optimizer == OPTIMIZER_ADAM)
        return bf__neural_adam(fit, task, arena, err);
    if (task->near)
        BF_TRY(bf__neural_begin(fit, task, arena, err));
    if (fit->interrupted || fit->diverged)
        return BF_OK;
    return v->optimizer == OPTIMIZER_GAUSS ? bf__neural_gauss(fit, task, arena, err)
                                           : bf__neural_lbfgs(fit, task, arena, err);
}

/* `restarts` fits that stand, of at most twice as many that are tried. */
static bf_status fit_all(neural *v, int64_t restarts, const double *reward, bf_arena *arena,
                         bf_error *err) {
    int64_t n = v->flow->n;
    v->low = INFINITY;
    v->high = -INFINITY;
    for (int64_t r = 0; r < 2 * restarts && v->fits < restarts && !v->interrupted; r++) {
        bf__neural_fit fit;
        bf_mark mark = bf_arena_mark(arena);
        v->task.replicate = (uint64_t)r;
        v->task.done = (double)(v->fits * v->task.steps);
        BF_TRY(bf__neural_start(&fit, &v->task, arena, err));
        BF_TRY(fit_one(&fit, v, arena, err));
        bf__message(v->task.context, BF_MESSAGE_DEBUG,
                    "fit %d: %lld steps, log residual %.4f, ess %.1f", (int)r + 1,
                    (long long)fit.steps, fit.loss, fit.ess);
        add_fit(v, &fit, reward);
        bf_arena_rewind(arena, mark);
    }
    for (int64_t i = 0; i < n; i++)
        v->w[i] = v->fits ? v->w[i] / v->fits : v->fell ? v->thin[i] / v->fell : 1 / (double)n;
    return BF_OK;
}

/* ---- What to say about it */

static bf_status warn(bf_estimate *out, const neural *v, const bf_problem *problem, bf_arena *arena,
                      bf_error *err) {
    const bf_dataset *data = problem->data;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < data->n; i++) {
        mean += data->reward[i] / (double)data->n;
        square += data->reward[i] * data->reward[i] / (double)data->n;
    }
    double deviation = sqrt(fmax(square - mean * mean, 0)), apart = v->high - v->low;
    if (v->interrupted)
        BF_TRY(bf__warn(out, arena, err, BF__W_INTERRUPTED, true,
                        "interrupted: the weights are the best found until then, after %.0f of "
                        "%.0f steps",
                        v->steps, v->task.all));
    if (v->failed)
        BF_TRY(bf__warn(out, arena, err, BF__W_FITS_DIVERGED, v->fits == 0,
                        "%d of the fits diverged%s", v->failed,
                        v->fits || v->fell ? "" : "; the weights given are equal ones"));
    if (v->fell)
        BF_TRY(bf__warn(out, arena, err, BF__W_FITS_COLLAPSED, v->fits == 0,
                        "%d of the fits piled all weight on few transitions and %s", v->fell,
                        v->fits ? "were given up"
                                : "no other was found: the weights are "
                                  "degenerate"));
    if (v->fits > 1 && apart > 0.5 * fabs(out->value - mean) && apart > 0.05 * deviation)
        BF_TRY(bf__warn(out, arena, err, BF__W_FITS_DISAGREE, true,
                        "networks from different starts disagree: they give from %.6g to %.6g",
                        v->low, v->high));
    return BF_OK;
}

static bf_status report(bf_estimate *out, const bf_problem *problem, neural *v,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__lowrank *lowrank = NULL;
    bf_context quiet = {.threads = bf__threads(context), .seed = context ? context->seed : 1};
    const bf_context *used = v->interrupted ? &quiet : context; /* what there is, is still told */
    if (v->flow->n > MOST_EXACT && !v->balance.unmeasured) {
        bf__lowrank_options options = {.rank = REPORT_RANK, .seed = quiet.seed};
        BF_TRY(bf__lowrank_create(&lowrank, v->flow, &options, used, arena, err));
    }
    BF_TRY(bf__balance_report(out, problem, &v->balance, v->w, lowrank, NULL, used, arena, err));
    bf__diagnose(out, BF__D_FIT_STEPS, v->steps);
    bf__diagnose(out, BF__D_FITS, v->fits);
    if (v->fits > 0) {
        bf__diagnose(out, BF__D_FIT_VALUE_LOW, v->low);
        bf__diagnose(out, BF__D_FIT_VALUE_HIGH, v->high);
    }
    return warn(out, v, problem, arena, err);
}

typedef struct neural_options {
    bf__pointwise at;
    double memory;      /* GB */
    const char *hidden; /* "30-20-10" */
    int activation;     /* bf__activation */
    int link;           /* 0: softplus, 1: exp */
    int start;          /* START_CHAIN, ... */
    int optimizer;      /* OPTIMIZER_AUTO, ... */
    int64_t steps, batch, restarts;
    double rate, spread;
    bool residual;
} neural_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(neural_options, at.),
    BF__MEMORY_ROW(neural_options),
    BF_OPTION_CHECKED(neural_options, hidden, "30-20-10", bf__mlp_check,
                      "SIZES: Hidden layers of the network."),
    BF_OPTION_CHOICE(neural_options, activation, "tanh", BF__MLP_ACTIVATIONS,
                     "Of its hidden units."),
    BF_OPTION_CHOICE(neural_options, link, "exp", "softplus|exp",
                     "What makes its last number z a weight: log(1 + exp(z)), or exp(z)."),
    BF_OPTION_CHOICE(neural_options, start, "chain", "chain|equal",
                     "Weights that the network is fitted to before it minimises the flow residual: "
                     "those of a chain on the logged pairs, as of neighbours, or none, so that it "
                     "starts at equal ones."),
    BF_OPTION_CHOICE(
        neural_options, optimizer, "auto", "auto|gauss|lbfgs|adam|pairs",
        "How it is fitted: by Gauss-Newton steps (gauss) or lbfgs on all transitions, by "
        "adam on batches and the residual of all, or on pairs of a batch alone, as in "
        "the paper; auto is gauss, if the features fit the memory."),
    BF_OPTION_RANGE(neural_options, steps, "0", 0, 1e8,
                    "N: Steps of the optimiser; 0: as many as it takes by itself."),
    BF_OPTION_RANGE(neural_options, batch, "1024", 2, 1e6, "B: Transitions in a batch."),
    BF_OPTION_RANGE(neural_options, rate, "0", 0, 10,
                    "R: First step size of adam or pairs; 0: by itself."),
    BF_OPTION_RANGE(neural_options, restarts, "2", 1, 1000,
                    "N: Networks fitted from different starts; the weights are their mean."),
    BF_OPTION_RANGE(neural_options, spread, "0", 0, 1e6,
                    "S: Adds S / (effective sample size) to the flow residual that is minimised."),
    BF_OPTION(neural_options, residual, "yes",
              "Compute the flow residual of the answer, for diagnostics. It takes every pair of "
              "transitions if there are up to 20,000, and 500 features of its own beyond."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights neural", neural_options, rows);

static bool stands(const bf__neighbours *chain, const neural *v) {
    double square = 0;
    for (int64_t i = 0; i < v->flow->n; i++)
        square += chain->u[i] * chain->u[i];
    return chain->sum > 0 && chain->sum * chain->sum >= v->task.least_ess * square;
}

/* The weights to begin at: those of the chain. If they rest on so few rows that a fit near them
 * would be given up, the chain has run into a corner that the log shows no way out of; begun anew
 * every hundred steps it has no time to. Equal ones if that does not help either, or if the log
 * does not say where it would begin. */
static bf_status make_start(neural *v, const neural_options *o, const bf_problem *problem,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__neighbours chain;
    bf_error why;
    if (o->start == START_EQUAL)
        return BF_OK;
    BF_TRY(bf__neighbours_solve(&chain, problem, &v->balance.points, NEIGHBOURS, 0, context, arena,
                                err));
    bf_problem renewed = *problem;
    bf__points points;
    renewed.gamma = BEGUN_ANEW;
    if (!stands(&chain, v) && problem->gamma > BEGUN_ANEW &&
        bf__points_make(&points, &renewed, o->at.periodic, o->at.scale, context, arena, &why) ==
            BF_OK)
        BF_TRY(bf__neighbours_solve(&chain, &renewed, &points, NEIGHBOURS, 0, context, arena, err));
    v->task.near = stands(&chain, v) ? chain.u : NULL;
    return BF_OK;
}

/* Columns of Psi: as many as asked for, if they fit. */
static int64_t columns(const neural_options *o, int64_t n) {
    double wanted = (double)(o->at.features > 0 ? o->at.features : FEATURES);
    return (int64_t)fmax(fmin(fmin(wanted, (double)n), 0.8e9 * o->memory / (BYTES * (double)n)), 1);
}

/* `auto`: pairs if too few columns of Psi fit, lbfgs if the loss is not that of a residual alone.
 * An option that the optimiser does not read is refused. */
static bf_status choose_optimizer(neural *v, const neural_options *o, const bf_settings *settings,
                                  bf_error *err) {
    static const struct {
        const char *name;
        unsigned readers; /* bits of optimisers */
        const char *who;
    } rows_of[] = {
        {"features", ~(1u << OPTIMIZER_PAIRS), "gauss, lbfgs and adam"},
        {"start", ~(1u << OPTIMIZER_PAIRS), "gauss, lbfgs and adam"},
        {"batch", 1u << OPTIMIZER_ADAM | 1u << OPTIMIZER_PAIRS, "adam and pairs"},
        {"rate", 1u << OPTIMIZER_ADAM | 1u << OPTIMIZER_PAIRS, "adam and pairs"},
        {"spread", 1u << OPTIMIZER_LBFGS | 1u << OPTIMIZER_PAIRS, "lbfgs and pairs"},
    };
    int64_t least = o->at.features > 0 ? o->at.features : LEAST_RANK, n = v->flow->n;
    least = least < LEAST_RANK ? least : LEAST_RANK;
    bool few = columns(o, n) < (least < n ? least : n);
    v->optimizer = o->optimizer != OPTIMIZER_AUTO ? o->optimizer
                   : few                          ? OPTIMIZER_PAIRS
                   : o->spread > 0                ? OPTIMIZER_LBFGS
                                                  : OPTIMIZER_GAUSS;
    for (size_t k = 0; k < sizeof rows_of / sizeof *rows_of; k++)
        if (!(rows_of[k].readers >> v->optimizer & 1u) &&
            bf_settings_given(settings, rows_of[k].name))
            return bf_fail(
                err, BF_EUSAGE, "%s: is read by the optimizer %s, not by %s%s", rows_of[k].name,
                rows_of[k].who, optimizers[v->optimizer],
                o->optimizer == OPTIMIZER_AUTO && few ? ", and there is no memory for others" : "");
    return BF_OK;
}

/* The loss of all transitions: L-BFGS can take K itself, if it is small. */
static bf_status make_loss(neural *v, const neural_options *o, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    int64_t n = v->flow->n, rank = columns(o, n);
    v->task.loss = &v->loss;
    if (v->optimizer == OPTIMIZER_LBFGS && n <= MOST_STORED && o->at.features == 0)
        return bf__neural_exact(&v->loss, v->flow, o->spread, context, arena, err);
    if (rank < o->at.features && rank < n)
        bf__message(context, BF_MESSAGE_NOTE, "%lld of %lld features fit `memory` %g",
                    (long long)rank, (long long)o->at.features, o->memory);
    return bf__neural_lowrank(&v->loss, v->flow, rank, o->spread, context, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const neural_options *o = bf_settings_of(settings, &table);
    neural v = {.fits = 0};
    bool ended;
    BF_TRY(bf__balance_ended(&ended, out, problem, arena, err));
    if (ended)
        return BF_OK;
    BF_TRY(bf__balance_make(&v.balance, problem, &o->at, "gaussian", SHARE, context, arena, err));
    v.balance.unmeasured = !o->residual;
    v.flow = v.balance.flow;
    const bf__points *f = &v.balance.points;
    v.task = (bf__neural_task){.flow = v.flow,
                               .batch = o->batch,
                               .spread = o->spread,
                               .least_ess = bf__least_rows_of_fit((double)f->n),
                               .context = context};
    BF_TRY(bf__mlp_make(&v.task.net, f->d + f->actions + f->action_dim, o->hidden, 1,
                        (bf__activation)o->activation, o->link ? BF__EXPONENTIAL : BF__SOFTPLUS,
                        err));
    BF_TRY(make_inputs(&v, arena, err));
    BF_ZALLOC(v.w, arena, f->n, err);
    BF_ZALLOC(v.thin, arena, f->n, err);
    BF_TRY(choose_optimizer(&v, o, settings, err));
    if (v.optimizer != OPTIMIZER_PAIRS) {
        BF_TRY(make_start(&v, o, problem, context, arena, err));
        BF_TRY(make_loss(&v, o, context, arena, err));
    }
    static const int64_t steps[] = {0, GAUSS_STEPS, LBFGS_STEPS, ADAM_STEPS, PAIRS_STEPS};
    v.task.steps = o->steps ? o->steps : steps[v.optimizer];
    v.task.rate = o->rate > 0 ? o->rate : v.optimizer == OPTIMIZER_ADAM ? ADAM_RATE : PAIRS_RATE;
    v.task.first_steps = v.optimizer == OPTIMIZER_ADAM ? FIRST_BATCHES : FIRST_STEPS;
    v.task.all = (double)((v.task.steps + (v.task.near ? v.task.first_steps : 0)) * o->restarts);
    BF_TRY(fit_all(&v, o->restarts, problem->data->reward, arena, err));
    return report(out, problem, &v, context, arena, err);
}

static int suits(const bf_dataset *data) {
    (void)data;
    return 0; /* only by name */
}

const bf__weights bf__weights_neural = {
    .model = {"neural", "a small network, as in the paper; real-valued states", &table, 0},
    .suits = suits,
    .run = run,
};
