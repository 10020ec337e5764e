/* dualdice_neural.c - Ratios from two networks at a saddle point.
 *
 *     min_nu,lambda max_zeta  L(nu, zeta, lambda)      of dualdice_loss.c, over batches
 *
 * Rows are drawn with probability ~ u = gamma^t. nu and zeta have one hidden layer of 64 tanh units
 * each; nu, zeta and lambda have an Adam each, whose step falls to 0 over the last half. zeta
 * begins at about 1 everywhere, which is the log itself. The answer is the mean of the last four,
 * one every fortieth of the steps. Next and first actions are summed over, not drawn as in the
 * authors' first code: the same gradient with less noise. If there are no more start states than
 * rows in a batch, all of them are in every batch. A row that restarts leads to their mean. Rewards
 * enter standardised.
 *
 * Source      Nachum et al. 2019, section 5; Yang et al. 2020; the authors' code of both
 * Cost        a step O((1 + A) batch units), and A starts units */
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

enum { LOOKS = 40, KEPT = 4 };

typedef struct neural_options {
    const char *periodic, *scale; /* points.h */
    const char *hidden;
    int64_t steps, batch;
    double rate_nu, rate_zeta, rate_lambda, momentum;
    double normalize, primal, dual, exponent;
    int positive;
    bool rewards;
} neural_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(neural_options, ),
    BF_OPTION_CHECKED(neural_options, hidden, "64", bf__mlp_check,
                      "UNITS: Hidden layers, as 64-64."),
    BF_OPTION_RANGE(neural_options, steps, "4000", 1, 1e9, "Adam steps."),
    BF_OPTION_RANGE(neural_options, batch, "512", 1, 65536, "Transitions in a step."),
    BF_OPTION_RANGE(neural_options, rate_nu, "0.003", 1e-9, 1, "Size of a step of nu."),
    BF_OPTION_RANGE(neural_options, rate_zeta, "0.003", 1e-9, 1, "Size of a step of zeta."),
    BF_OPTION_RANGE(neural_options, rate_lambda, "0.003", 1e-9, 1,
                    "Size of a step of the multiplier that holds the mean of zeta at 1."),
    BF_OPTION_RANGE(neural_options, momentum, "0", 0, 0.999,
                    "Share of the last direction that a step keeps, Adam's beta1."),
    BF_OPTION_RANGE(neural_options, normalize, "1", 0, 1e6,
                    "K: Weight of the constraint that the mean of zeta is 1; 0 is none. It does "
                    "not apply if ends absorb."),
    BF_OPTION_RANGE(neural_options, primal, "0", 0, 1e6, "A: Weight of |nu|^P / P."),
    BF_OPTION_RANGE(neural_options, dual, "1", 0, 1e6, "A: Weight of |zeta|^Q / Q."),
    BF_OPTION_RANGE(neural_options, exponent, "2", 1.01, 100,
                    "P of f(x) = |x|^P / P; Q is that of its conjugate, P / (P - 1)."),
    BF_OPTION_CHOICE(neural_options, positive, "softplus", "none|square|softplus",
                     "What makes the ratios zeta positive."),
    BF_OPTION(neural_options, rewards, "yes", "Have the rewards in the Lagrangian."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of dualdice, neural", neural_options, rows);

const bf_model bf__dice_model_neural = {"neural", "two networks, at a saddle point", &table, 0};

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
    out->adam.beta1 = o->momentum;
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
    bf__dice_terms terms;
    network nu, zeta;
    bf__adam adam; /* of lambda */
    double lambda;
    int64_t batch, starts, columns; /* columns: (1 + K) batch + K starts */
    float *inputs, *own;            /* (inputs, columns), (inputs, batch) */
    double *next_p, *start_p;       /* (K, batch), (K, starts) */
    double *reward, *all_rewards;   /* (batch), (n): standardised */
    uint8_t *ends;                  /* (batch) */
    int64_t *rows, *which;          /* (batch), (starts) */
    double *sums;                   /* (n) */
    float *all, *narrow, *seen;     /* (inputs, n), parameters, (n): for zeta at every row */
    double *kept[KEPT];             /* (n) each: the last zetas */
    int taken;
} trainer;

static void standardise(double *out, const double *reward, int64_t n) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        mean += reward[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        square += (reward[i] - mean) * (reward[i] - mean) / (double)n;
    for (int64_t i = 0; i < n; i++)
        out[i] = square > 0 ? (reward[i] - mean) / sqrt(square) : 0;
}

static bf_status make_trainer(trainer *t, const bf_context *context, bf_arena *arena,
                              bf_error *err) {
    const neural_options *o = bf_settings_of(t->dice->settings, &table);
    const bf_problem *problem = t->dice->problem;
    int64_t b = o->batch, k = t->pairs->choices, n = t->pairs->n;
    int inputs = t->pairs->inputs;
    t->terms = (bf__dice_terms){.gamma = problem->gamma,
                                .normal = bf__steps_of(problem).absorbs ? 0 : o->normalize,
                                .reward = o->rewards,
                                .primal = o->primal,
                                .dual = o->dual,
                                .exponent = o->exponent,
                                .output = o->positive};
    t->batch = b;
    t->starts = t->pairs->starts < b ? t->pairs->starts : b;
    t->columns = (1 + k) * b + k * t->starts;
    BF_TRY(make_network(&t->nu, t->dice, inputs, t->columns, o->rate_nu, "dualdice nu", context,
                        arena, err));
    BF_TRY(make_network(&t->zeta, t->dice, inputs, b, o->rate_zeta, "dualdice zeta", context, arena,
                        err));
    BF_TRY(bf__adam_make(&t->adam, 1, o->rate_lambda, arena, err));
    t->adam.beta1 = o->momentum;
    /* The last parameter is the bias of the output: zeta is 1 there. */
    t->zeta.parameters[bf__mlp_parameters(&t->zeta.net) - 1] =
        o->positive == BF__DICE_SOFTPLUS ? log(expm1(1)) : 1;
    BF_ALLOC(t->inputs, arena, inputs * t->columns, err);
    BF_ALLOC(t->own, arena, inputs * b, err);
    BF_ALLOC(t->next_p, arena, k * b, err);
    BF_ALLOC(t->start_p, arena, k * t->starts, err);
    BF_ALLOC(t->reward, arena, b, err);
    BF_ALLOC(t->all_rewards, arena, n, err);
    BF_ALLOC(t->ends, arena, b, err);
    BF_ALLOC(t->rows, arena, b, err);
    BF_ALLOC(t->which, arena, t->starts, err);
    BF_TRY(bf__sample_sums(&t->sums, t->dice->u, n, arena, err));
    BF_ALLOC(t->all, arena, inputs * n, err);
    BF_ALLOC(t->narrow, arena, bf__mlp_parameters(&t->zeta.net), err);
    BF_ALLOC(t->seen, arena, n, err);
    for (int i = 0; i < KEPT; i++)
        BF_ALLOC(t->kept[i], arena, n, err);
    standardise(t->all_rewards, problem->data->reward, n);
    bf__pairs_logged(t->all, n, 0, t->pairs, NULL, n);
    return BF_OK;
}

static void draw(trainer *t, bf_rng *rng) {
    const bf__pairs *p = t->pairs;
    const bf__steps *steps = &p->points.steps;
    int64_t b = t->batch, stride = t->columns;
    for (int64_t j = 0; j < b; j++) {
        int64_t i = t->rows[j] = bf__sample(t->sums, p->n, rng);
        t->reward[j] = t->all_rewards[i];
        t->ends[j] = !bf__step_ended(steps, i) ? BF__DICE_ON
                     : steps->restarts         ? BF__DICE_RESTARTS
                                               : BF__DICE_ENDS;
    }
    for (int64_t j = 0; j < t->starts; j++)
        t->which[j] = t->starts == p->starts ? j : bf_rng_below(rng, p->starts);
    bf__pairs_logged(t->inputs, stride, 0, p, t->rows, b);
    bf__pairs_next(t->inputs, stride, b, t->next_p, p, t->rows, b);
    bf__pairs_start(t->inputs, stride, b + p->choices * b, t->start_p, p, t->which, t->starts);
    for (int c = 0; c < p->inputs; c++)
        memcpy(t->own + c * b, t->inputs + c * stride, (size_t)b * sizeof *t->own);
}

/* One step, its size times `share`. */
static void step(trainer *t, double share, bf_rng *rng) {
    const neural_options *o = bf_settings_of(t->dice->settings, &table);
    double d_lambda;
    draw(t, rng);
    bf__mlp_forward(t->nu.work, t->nu.parameters, t->inputs, t->columns, t->nu.outputs);
    bf__mlp_forward(t->zeta.work, t->zeta.parameters, t->own, t->batch, t->zeta.outputs);
    bf__dice_batch batch = {.b = t->batch,
                            .starts = t->starts,
                            .choices = t->pairs->choices,
                            .nu = t->nu.outputs,
                            .z = t->zeta.outputs,
                            .lambda = t->lambda,
                            .next_p = t->next_p,
                            .start_p = t->start_p,
                            .reward = t->reward,
                            .ends = t->ends};
    bf__dice_loss(t->nu.d_outputs, t->zeta.d_outputs, &d_lambda, &t->terms, &batch);
    t->nu.adam.rate = share * o->rate_nu;
    t->zeta.adam.rate = share * o->rate_zeta;
    t->adam.rate = share * o->rate_lambda;
    move(&t->nu);
    move(&t->zeta);
    bf__adam_move(&t->adam, &d_lambda, &t->lambda);
}

/* zeta at every row, kept; the answer that it gives. */
static double look(trainer *t) {
    const bf_dataset *data = t->dice->problem->data;
    double *zeta = t->kept[t->taken++ % KEPT], sum = 0, value = 0, slope;
    for (int64_t i = 0; i < bf__mlp_parameters(&t->zeta.net); i++)
        t->narrow[i] = (float)t->zeta.parameters[i];
    bf__mlp_predict(&t->zeta.net, t->narrow, t->all, data->n, t->seen);
    for (int64_t i = 0; i < data->n; i++) {
        zeta[i] = bf__dice_positive((double)t->seen[i], t->terms.output, &slope);
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
    int64_t every = o->steps > LOOKS ? o->steps / LOOKS : 1;
    for (int64_t s = 1; s <= o->steps; s++) {
        char detail[64];
        step(&t, fmin(1, 2 * (1 - (double)(s - 1) / (double)o->steps)), &rng);
        if (s % every != 0 && s != o->steps)
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
