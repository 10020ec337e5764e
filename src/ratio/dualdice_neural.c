/* dualdice_neural.c - Ratios from two networks at a saddle point.
 *
 *     min_nu max_zeta  E_u[(nu(s, a) - gamma E_pi nu(s', a')) zeta(s, a) - f*(zeta)]
 *                      - (1 - gamma) E nu(s0, a0),       f(x) = |x|^1.5 / 1.5,  f*(x) = |x|^3 / 3
 *
 * Rows are drawn with probability ~ u = gamma^t. nu and zeta have one hidden layer of 64 tanh units
 * each, Glorot, linear outputs; Adam, 1e-4 for nu and 1e-3 for zeta, batches of 512. The answer is
 * the mean of the last four, one every 500 steps. Next and first actions are summed over, not
 * drawn as in the authors' code: the same gradient with less noise. A row that restarts leads to
 * the mean over the batch's start states.
 *
 * Source      Nachum et al. 2019, section 5 and the authors' code
 * Cost        a step O((1 + 2A) batch units); 20,000 steps. The nearer gamma is to 1 the smaller
 *             the only term that sets the scale, and the slower this is: see mean_zeta. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "problem/network_inputs.h"
#include "ratio/dualdice.h"
#include "ratio/sampler.h"
#include "solver/adam.h"
#include "solver/mlp.h"

enum { EVERY = 500, KEPT = 4 };

typedef struct neural_options {
    const char *periodic, *scale; /* points.h */
    const char *hidden;
    int64_t steps, batch;
    double rate_nu, rate_zeta;
} neural_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(neural_options, ),
    BF_OPTION_CHECKED(neural_options, hidden, "64", bf__mlp_check,
                      "UNITS: Hidden layers, as 64-64."),
    BF_OPTION_RANGE(neural_options, steps, "20000", 1, 1e9, "Adam steps."),
    BF_OPTION_RANGE(neural_options, batch, "512", 1, 65536, "Transitions in a step."),
    BF_OPTION_RANGE(neural_options, rate_nu, "0.0001", 1e-9, 1, "Size of a step of nu."),
    BF_OPTION_RANGE(neural_options, rate_zeta, "0.001", 1e-9, 1, "Size of a step of zeta."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of dualdice, neural", neural_options, rows);

const bf_model bf__dice_model_neural = {"neural", "two networks, at a saddle point", &table, 0};

double bf__dice_loss(float *d_nu, float *d_zeta, const float *nu, const float *zeta,
                     const double *next_p, const double *start_p, const uint8_t *ends, int64_t b,
                     int k, double gamma) {
    const float *next = nu + b, *start = nu + b + k * b;
    float *d_next = d_nu + b, *d_start = d_nu + b + k * b;
    double v0 = 0, loss = 0, each = 1 / (double)b;
    for (int64_t j = 0; j < k * b; j++)
        v0 += each * start_p[j] * (double)start[j];
    double d_v0 = -(1 - gamma);
    for (int64_t j = 0; j < b; j++) {
        double z = (double)zeta[j], v = ends[j] == BF__DICE_RESTARTS ? v0 : 0;
        bool on = ends[j] == BF__DICE_ON;
        for (int c = 0; c < k; c++) {
            if (on)
                v += next_p[c * b + j] * (double)next[c * b + j];
            d_next[c * b + j] = on ? (float)(-gamma * each * next_p[c * b + j] * z) : 0;
        }
        if (ends[j] == BF__DICE_RESTARTS)
            d_v0 -= gamma * each * z;
        double delta = (double)nu[j] - gamma * v;
        loss += each * (delta * z - fabs(z * z * z) / 3);
        d_nu[j] = (float)(each * z);
        d_zeta[j] = (float)(-each * (delta - z * fabs(z)));
    }
    for (int64_t j = 0; j < k * b; j++)
        d_start[j] = (float)(d_v0 * each * start_p[j]);
    return loss - (1 - gamma) * v0;
}

typedef struct network {
    bf__mlp net;
    bf__mlp_work *work;
    bf__adam adam;
    double *parameters, *gradient;
    float *outputs, *d_outputs;
} network;

static bf_status make_network(network *out, const bf__dice *dice, int inputs, int64_t batch,
                              double rate, const char *purpose, const bf_context *context,
                              bf_arena *arena, bf_error *err) {
    const neural_options *o = bf_settings_of(dice->settings, &table);
    BF_TRY(bf__mlp_make(&out->net, inputs, o->hidden, 1, BF__TANH, BF__IDENTITY, err));
    int64_t count = bf__mlp_parameters(&out->net);
    BF_TRY(bf__mlp_prepare(&out->work, &out->net, batch, 1, arena, err));
    BF_TRY(bf__adam_make(&out->adam, count, rate, arena, err));
    BF_ALLOC(out->parameters, arena, count, err);
    BF_ALLOC(out->gradient, arena, count, err);
    BF_ALLOC(out->outputs, arena, batch, err);
    BF_ALLOC(out->d_outputs, arena, batch, err);
    bf_rng rng = bf_rng_make(context ? context->seed : 1, purpose, 0);
    bf__mlp_init(&out->net, out->parameters, &rng);
    return BF_OK;
}

static void move(network *a) {
    bf__mlp_backward(a->work, a->d_outputs, a->gradient);
    bf__adam_move(&a->adam, a->gradient, a->parameters);
}

typedef struct trainer {
    const bf__dice *dice;
    const bf__pairs *pairs;
    network nu, zeta;
    int64_t batch, columns;     /* columns: (1 + 2K) batch */
    float *inputs, *own;        /* (inputs, columns), (inputs, batch) */
    double *next_p, *start_p;   /* (K, batch) */
    uint8_t *ends;              /* (batch) */
    int64_t *rows, *which;      /* (batch) */
    double *sums;               /* (n) */
    float *all, *narrow, *seen; /* (inputs, n), parameters, (n): for zeta at every row */
    double *kept[KEPT];         /* (n) each: the last zetas */
    int taken;
} trainer;

static bf_status make_trainer(trainer *t, const bf_context *context, bf_arena *arena,
                              bf_error *err) {
    const neural_options *o = bf_settings_of(t->dice->settings, &table);
    int64_t b = o->batch, k = t->pairs->choices, n = t->pairs->n;
    int inputs = t->pairs->inputs;
    t->batch = b;
    t->columns = (1 + 2 * k) * b;
    BF_TRY(make_network(&t->nu, t->dice, inputs, t->columns, o->rate_nu, "dualdice nu", context,
                        arena, err));
    BF_TRY(make_network(&t->zeta, t->dice, inputs, b, o->rate_zeta, "dualdice zeta", context, arena,
                        err));
    BF_ALLOC(t->inputs, arena, inputs * t->columns, err);
    BF_ALLOC(t->own, arena, inputs * b, err);
    BF_ALLOC(t->next_p, arena, k * b, err);
    BF_ALLOC(t->start_p, arena, k * b, err);
    BF_ALLOC(t->ends, arena, b, err);
    BF_ALLOC(t->rows, arena, b, err);
    BF_ALLOC(t->which, arena, b, err);
    BF_TRY(bf__sample_sums(&t->sums, t->dice->u, n, arena, err));
    BF_ALLOC(t->all, arena, inputs * n, err);
    BF_ALLOC(t->narrow, arena, bf__mlp_parameters(&t->zeta.net), err);
    BF_ALLOC(t->seen, arena, n, err);
    for (int i = 0; i < KEPT; i++)
        BF_ALLOC(t->kept[i], arena, n, err);
    bf__pairs_logged(t->all, n, 0, t->pairs, NULL, n);
    return BF_OK;
}

static void step(trainer *t, bf_rng *rng) {
    const bf__pairs *p = t->pairs;
    const bf__steps *steps = &p->points.steps;
    int64_t b = t->batch;
    for (int64_t j = 0; j < b; j++) {
        int64_t i = t->rows[j] = bf__sample(t->sums, p->n, rng);
        t->which[j] = bf_rng_below(rng, p->starts);
        t->ends[j] = !bf__step_ended(steps, i) ? BF__DICE_ON
                     : steps->restarts         ? BF__DICE_RESTARTS
                                               : BF__DICE_ENDS;
    }
    bf__pairs_logged(t->inputs, t->columns, 0, p, t->rows, b);
    bf__pairs_next(t->inputs, t->columns, b, t->next_p, p, t->rows, b);
    bf__pairs_start(t->inputs, t->columns, b + p->choices * b, t->start_p, p, t->which, b);
    for (int c = 0; c < p->inputs; c++)
        memcpy(t->own + c * b, t->inputs + c * t->columns, (size_t)b * sizeof *t->own);
    bf__mlp_forward(t->nu.work, t->nu.parameters, t->inputs, t->columns, t->nu.outputs);
    bf__mlp_forward(t->zeta.work, t->zeta.parameters, t->own, b, t->zeta.outputs);
    bf__dice_loss(t->nu.d_outputs, t->zeta.d_outputs, t->nu.outputs, t->zeta.outputs, t->next_p,
                  t->start_p, t->ends, b, p->choices, t->dice->problem->gamma);
    move(&t->nu);
    move(&t->zeta);
}

/* zeta at every row, kept; the answer that it gives. */
static double look(trainer *t) {
    const bf_dataset *data = t->dice->problem->data;
    double *zeta = t->kept[t->taken++ % KEPT], sum = 0, value = 0;
    for (int64_t i = 0; i < bf__mlp_parameters(&t->zeta.net); i++)
        t->narrow[i] = (float)t->zeta.parameters[i];
    bf__mlp_predict(&t->zeta.net, t->narrow, t->all, data->n, t->seen);
    for (int64_t i = 0; i < data->n; i++) {
        zeta[i] = (double)t->seen[i];
        sum += zeta[i] * t->dice->u[i];
        value += zeta[i] * t->dice->u[i] * data->reward[i];
    }
    return value / sum;
}

bf_status bf__dice_neural(bf_estimate *out, const bf__dice *dice, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const neural_options *o = bf_settings_of(dice->settings, &table);
    bf__pairs pairs;
    BF_TRY(bf__pairs_check(dice->problem, dice->settings, err));
    BF_TRY(bf__pairs_make(&pairs, dice->problem, o->periodic, o->scale, context, arena, err));
    trainer t = {.dice = dice, .pairs = &pairs};
    BF_TRY(make_trainer(&t, context, arena, err));
    bf_rng rng = bf_rng_make(context ? context->seed : 1, "dualdice batches", 0);
    double values[KEPT], low = INFINITY, high = -INFINITY, *zeta;
    for (int64_t s = 1; s <= o->steps; s++) {
        char detail[64];
        step(&t, &rng);
        if (s % EVERY != 0 && s != o->steps)
            continue;
        double now = values[t.taken % KEPT] = look(&t);
        bf__format(detail, sizeof detail, "value %.6g", now);
        if (!bf__progress(context, "training ratios", (double)s, (double)o->steps, detail))
            return bf_fail(err, BF_ECANCELLED, "stopped at step %lld of %lld", (long long)s,
                           (long long)o->steps);
    }
    int kept = t.taken < KEPT ? t.taken : KEPT;
    BF_ZALLOC(zeta, arena, pairs.n, err);
    for (int k = 0; k < kept; k++) {
        for (int64_t i = 0; i < pairs.n; i++)
            zeta[i] += t.kept[k][i] / kept;
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    BF_TRY(bf__dice_result(out, dice, zeta, arena, err));
    bf__diagnose(out, BF__D_VALUE_SPREAD, high - low);
    return bf__remark_points(out, &pairs.points, arena, err);
}
