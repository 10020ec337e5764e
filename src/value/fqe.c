/* fqe.c - Fitted Q evaluation: the target's action values, by regression on their own targets.
 *
 * Estimates   gamma < 1: (1 - gamma) E Q(s0, a0);  gamma = 1: the average reward rho of the
 *             differential equation  q = r - rho + E_pi q'
 * Source      Le, Voloshin, Yue, Batch policy learning under constraints, ICML 2019, algorithm 3;
 *             for gamma = 1 relative value iteration (White 1963) in the place of value iteration
 *
 * Both are one iteration. With h = Q - c / (1 - gamma),
 *
 *     y_i = r_i - c + gamma V(s'_i),   V(s) = E_pi h(s, .),   c such that mean y = 0
 *     h <- the network, moved by Adam towards y in squared error
 *     value = mean (r + gamma V' - h) + (1 - gamma) mean V(s0)
 *
 * which is Q evaluation for gamma < 1 without its slowest mode, the constant, and the differential
 * form at gamma = 1. h stays of the size of differences between states, whatever gamma; the last
 * layer is rescaled as the targets grow (their deviation is what it outputs 1 for), so that one
 * step size serves all rewards. The last quarter of the rounds has a falling step size, and the
 * value is the mean over the last tenth.
 *
 * A terminated step leads to the mean over start states, or (absorb) to Q = 0.
 *
 * Cost        rounds x (n A forward passes + 32 steps of 512 pairs)
 *
 * Nothing here weighs the log: Q is only as good as the network's reach to pairs that the target
 * takes and the log does not show, and with a network the iteration need not converge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "dataset/row_weights.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "problem/network_inputs.h"
#include "solver/adam.h"
#include "solver/mlp.h"

enum { STEPS = 32 };

typedef struct fqe_options {
    const char *periodic, *scale;
    const char *hidden;
    int64_t rounds, batch;
    double rate;
} fqe_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(fqe_options, ),
    BF_OPTION_CHECKED(fqe_options, hidden, "32-32", bf__mlp_check,
                      "UNITS: Hidden layers of Q(s, a), tanh."),
    BF_OPTION_RANGE(fqe_options, rounds, "400", 1, 1e7,
                    "Times that the targets are made anew; after each, 32 Adam steps."),
    BF_OPTION_RANGE(fqe_options, batch, "512", 1, 65536, "Transitions in a step."),
    BF_OPTION_RANGE(fqe_options, rate, "0.003", 1e-9, 1, "Size of a step."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of fqe", fqe_options, rows);

typedef struct fit {
    const bf_problem *problem;
    const fqe_options *options;
    const bf__pairs *pairs;
    bf__mlp net;
    bf__mlp_work *work;
    bf__adam adam;
    double *parameters, *gradient;
    float *narrow;
    double scale;                       /* h = scale times the output */
    float *logged, *next, *start;       /* inputs: n, K n, K starts columns */
    double *next_p, *start_p;           /* (K, n), (K, starts) */
    float *h, *h_next, *h_start;        /* outputs there */
    double *v, *y;                      /* (n) */
    float *inputs, *outputs, *d_output; /* of a batch */
    float *counts;                      /* how much its rows count */
    double value, bellman;              /* bellman: root mean square of y - h */
} fit;

static bf_status make_fit(fit *f, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__pairs *p = f->pairs;
    int64_t k = p->choices, n = p->n, b = f->options->batch;
    BF_TRY(bf__mlp_make(&f->net, p->inputs, f->options->hidden, 1, BF__TANH, BF__IDENTITY, err));
    int64_t count = bf__mlp_parameters(&f->net);
    BF_TRY(bf__mlp_prepare(&f->work, &f->net, b, 1, arena, err));
    BF_TRY(bf__adam_make(&f->adam, count, f->options->rate, arena, err));
    BF_ALLOC(f->parameters, arena, count, err);
    BF_ALLOC(f->gradient, arena, count, err);
    BF_ALLOC(f->narrow, arena, count, err);
    BF_ALLOC(f->logged, arena, p->inputs * n, err);
    BF_ALLOC(f->next, arena, p->inputs * k * n, err);
    BF_ALLOC(f->start, arena, p->inputs * k * p->starts, err);
    BF_ALLOC(f->next_p, arena, k * n, err);
    BF_ALLOC(f->start_p, arena, k * p->starts, err);
    BF_ALLOC(f->h, arena, n, err);
    BF_ALLOC(f->h_next, arena, k * n, err);
    BF_ALLOC(f->h_start, arena, k * p->starts, err);
    BF_ALLOC(f->v, arena, n, err);
    BF_ALLOC(f->y, arena, n, err);
    BF_ALLOC(f->inputs, arena, p->inputs * b, err);
    BF_ALLOC(f->outputs, arena, b, err);
    BF_ALLOC(f->d_output, arena, b, err);
    BF_ALLOC(f->counts, arena, b, err);
    bf__pairs_logged(f->logged, n, 0, p, NULL, n);
    bf__pairs_next(f->next, k * n, 0, f->next_p, p, NULL, n);
    if (p->starts > 0)
        bf__pairs_start(f->start, k * p->starts, 0, f->start_p, p, NULL, p->starts);
    bf_rng rng = bf_rng_make(context ? context->seed : 1, "fqe network", 0);
    bf__mlp_init(&f->net, f->parameters, &rng);
    return BF_OK;
}

/* Outputs of many pairs, tile by tile on all threads. */
static void predict(float *out, const fit *f, const float *inputs, int64_t n, int threads) {
    enum { TILE = 16384 };
    int64_t tiles = (n + TILE - 1) / TILE;
#pragma omp parallel for num_threads(threads) if (tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = t * TILE, count = n - first < TILE ? n - first : TILE;
        float tile[BF__MLP_MAX_WIDTH * 64]; /* columns of the inputs, 64 pairs at a time */
        for (int64_t at = 0; at < count; at += 64) {
            int64_t width = count - at < 64 ? count - at : 64;
            for (int c = 0; c < f->net.size[0]; c++)
                memcpy(tile + c * width, inputs + c * n + first + at, (size_t)width * sizeof *tile);
            bf__mlp_predict(&f->net, f->narrow, tile, width, out + first + at);
        }
    }
}

/* out (n) = E_pi h from outputs (K, n). */
static void expect(double *out, const fit *f, const float *h, const double *p, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        out[i] = 0;
    for (int k = 0; k < f->pairs->choices; k++)
        for (int64_t i = 0; i < n; i++)
            out[i] += f->scale * p[k * n + i] * (double)h[k * n + i];
}

/* The targets y, and the value as it stands. `v0` (starts) is scratch. */
static void targets(fit *f, double *v0, int threads) {
    const bf__pairs *p = f->pairs;
    const bf__steps *steps = &p->points.steps;
    const double *r = f->problem->data->reward;
    double gamma = steps->gamma, n = (double)p->n, start = 0, c = 0, mean = 0;
    for (int64_t i = 0; i < bf__mlp_parameters(&f->net); i++)
        f->narrow[i] = (float)f->parameters[i];
    predict(f->h, f, f->logged, p->n, threads);
    predict(f->h_next, f, f->next, p->choices * p->n, threads);
    predict(f->h_start, f, f->start, p->choices * p->starts, threads);
    expect(f->v, f, f->h_next, f->next_p, p->n);
    expect(v0, f, f->h_start, f->start_p, p->starts);
    for (int64_t e = 0; e < p->starts; e++)
        start += (p->points.weight0 ? p->points.weight0[e] : 1) * v0[e] / (double)p->starts;
    /* Where a row ends for good, Q = 0 is h = -c / (1 - gamma): c is on both sides. */
    double ended = 0;
    for (int64_t i = 0; i < p->n; i++) {
        bool end = steps->absorbs && steps->ended[i];
        f->v[i] = end ? 0 : bf__step_ended(steps, i) ? start : f->v[i];
        double counts = bf__point_weight(&p->points, i);
        ended += end ? counts : 0;
        mean += counts * (r[i] + gamma * f->v[i]) / n;
        c += counts * (r[i] + gamma * f->v[i] - f->scale * (double)f->h[i]) / n;
    }
    double share = 1 + (ended > 0 ? gamma / (1 - gamma) * ended / n : 0);
    c /= share;
    mean /= share;
    f->value = c + (1 - gamma) * start;
    f->bellman = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double end = steps->absorbs && steps->ended[i] ? gamma / (1 - gamma) : 0;
        double gap = r[i] + gamma * f->v[i] - c * (1 + end) - f->scale * (double)f->h[i];
        f->bellman += bf__point_weight(&p->points, i) * gap * gap / n;
        f->y[i] = r[i] + gamma * f->v[i] - mean * (1 + end);
    }
    f->bellman = sqrt(f->bellman);
}

/* The output layer in new units, so that targets have deviation 1; h itself does not change. */
static void rescale(fit *f) {
    double squares = 0, factor;
    for (int64_t i = 0; i < f->pairs->n; i++)
        squares += bf__point_weight(&f->pairs->points, i) * f->y[i] * f->y[i] / (double)f->pairs->n;
    double deviation = sqrt(squares);
    if (f->scale > 0 && !(deviation > 1.2 * f->scale))
        return;
    factor = f->scale > 0 ? f->scale / deviation : 1;
    f->scale = deviation > 0 ? deviation : 1;
    int64_t count = bf__mlp_parameters(&f->net), last = f->net.size[f->net.layers - 1] + 1;
    for (int64_t i = count - last; i < count; i++)
        f->parameters[i] *= factor;
}

static void move(fit *f, bf_rng *rng) {
    const bf__pairs *p = f->pairs;
    int64_t b = f->options->batch;
    for (int step = 0; step < STEPS; step++) {
        for (int64_t j = 0; j < b; j++) {
            int64_t i = bf_rng_below(rng, p->n);
            f->d_output[j] = (float)(f->y[i] / f->scale);
            f->counts[j] = (float)bf__point_weight(&p->points, i);
            for (int c = 0; c < p->inputs; c++)
                f->inputs[c * b + j] = f->logged[c * p->n + i];
        }
        bf__mlp_forward(f->work, f->parameters, f->inputs, b, f->outputs);
        for (int64_t j = 0; j < b; j++)
            f->d_output[j] = f->counts[j] * (f->outputs[j] - f->d_output[j]) / (float)b;
        bf__mlp_backward(f->work, f->d_output, f->gradient);
        bf__adam_move(&f->adam, f->gradient, f->parameters);
    }
}

static bf_status train(double *value, double *drift, fit *f, const bf_context *context,
                       bf_arena *arena, bf_error *err) {
    int64_t rounds = f->options->rounds, tenth = (rounds + 9) / 10;
    double *v0, sum[2] = {0}; /* of the values of the last two tenths */
    int64_t count[2] = {0};
    BF_ALLOC(v0, arena, f->pairs->starts, err);
    bf_rng rng = bf_rng_make(context ? context->seed : 1, "fqe batches", 0);
    for (int64_t round = 0; round < rounds; round++) {
        char detail[64];
        double left = (double)(rounds - round) / (double)rounds;
        f->adam.rate = f->options->rate * fmin(1, 4 * left);
        targets(f, v0, bf__threads(context));
        rescale(f);
        move(f, &rng);
        int64_t from_end = (rounds - 1 - round) / tenth;
        if (from_end < 2) {
            sum[from_end] += f->value;
            count[from_end]++;
        }
        bf__format(detail, sizeof detail, "value %.6g", f->value);
        if (!bf__progress(context, "fitting Q", (double)round, (double)rounds, detail))
            return bf_fail(err, BF_ECANCELLED, "stopped at round %lld of %lld", (long long)round,
                           (long long)rounds);
    }
    *value = sum[0] / (double)count[0];
    *drift = count[1] > 0 ? fabs(*value - sum[1] / (double)count[1]) : 0;
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const fqe_options *o = bf_settings_of(settings, &table);
    (void)model;
    const bf_dataset *data = problem->data;
    bf__pairs pairs;
    fit f = {.problem = problem, .options = o, .pairs = &pairs};
    double drift = 0;
    BF_TRY(bf__steps_last(problem, err));
    BF_TRY(bf__pairs_check(problem, settings, err));
    BF_TRY(bf__pairs_make(&pairs, problem, o->periodic, o->scale, context, arena, err));
    BF_TRY(make_fit(&f, context, arena, err));
    BF_TRY(train(&out->value, &drift, &f, context, arena, err));
    double deviation = bf__reward_deviation(data, bf__reward_mean(data));
    bf__diagnose(out, BF__D_BELLMAN_ERROR, f.bellman);
    bf__diagnose(out, BF__D_VALUE_SCALE, f.scale);
    bf__diagnose(out, BF__D_DRIFT, drift);
    if (drift > 0.02 * deviation)
        BF_TRY(bf__warn(out, arena, err, BF__W_FIT_DRIFTS, drift > 0.1 * deviation,
                        "the fit has not settled: the value moved by %.3g over the last tenth of "
                        "the rounds",
                        drift));
    return bf__remark_points(out, &pairs.points, arena, err);
}

const bf_estimator bf__estimator_fqe = {
    .name = "fqe",
    .summary = "fitted Q evaluation with a network; needs no behaviour policy",
    .needs = BF_NEEDS_TARGET,
    .traits = BF_FIXED_COST,
    .options = &table,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
