/* ips_neural.c - State ratios from a small network, as their authors trained them.
 *
 *     x_i = w(s_i) beta_i / mean w - w(s'_i) / mean w',    loss = x'Kx / sum K   over a batch
 *
 * K a Gaussian kernel between the batch's next states, scaled to [0, 1] by least and greatest; its
 * width the median distance. w has one hidden layer of 30 tanh units and a softplus output; Adam,
 * 1e-3, batches of 512, 3,001 steps; beta smoothed by (pi + 0.1) / (mu + 0.1) in training alone.
 * Gradients go through both means.
 *
 * gamma < 1: rows are drawn with probability ~ gamma^t, and a share 1 - gamma of the batch are
 * start states, x_i = 1 - w(s0) / mean w'.
 *
 * Source      Liu et al. 2018, section 3.3 and the authors' code
 * Cost        a step O(batch^2 d) exponentials and O(batch units) products, on one thread: a
 *             batch is too small to share out */
#include <math.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "kernel/bandwidth.h"
#include "kernel/kernel.h"
#include "linalg/clones.h"
#include "problem/points.h"
#include "ratio/ips.h"
#include "ratio/ratio.h"
#include "ratio/sampler.h"
#include "solver/adam.h"
#include "solver/mlp.h"

typedef struct neural_options {
    const char *bandwidth;
    const char *periodic, *scale; /* points.h */
    const char *hidden;
    int64_t steps, batch;
    double rate, smoothing;
} neural_options;

static const bf_option option_rows[] = {
    BF__IPS_BANDWIDTH_ROW(neural_options),
    BF__POINTS_ROWS(neural_options, ),
    BF_OPTION_CHECKED(neural_options, hidden, "30", bf__mlp_check,
                      "UNITS: Hidden layers, as 30-20."),
    BF_OPTION_RANGE(neural_options, steps, "3001", 1, 1e8, "Adam steps."),
    BF_OPTION_RANGE(neural_options, batch, "512", 2, 65536, "Transitions in a step."),
    BF_OPTION_RANGE(neural_options, rate, "0.001", 1e-9, 1, "Size of a step."),
    BF_OPTION_RANGE(neural_options, smoothing, "0.1", 0, 100,
                    "Training takes (pi + C) / (mu + C) for the ratio of actions, the answer C = "
                    "0."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of ips, neural", neural_options, option_rows);

const bf_model bf__ips_model_neural = {"neural", "the authors' network", &table, 0};

typedef struct batch {
    int64_t size;
    float *inputs;      /* (d, 2 size): states, then next states */
    float *w, *d_w;     /* (2 size) */
    float *scaled;      /* (d, size): next states in [0, 1] */
    float *k;           /* (size, size) */
    double *beta, *d;   /* (size), (2 size) */
    double *x, *y;      /* (size) */
    uint8_t *start;     /* (size) */
    double *low, *span; /* (d): of the next states */
    /* The log as batches need it, a row after the other: rows are drawn at random, and one should
     * be one piece of memory. */
    const float *row;       /* (n, 3 d): state, next state, next state in [0, 1] */
    const float *new_start; /* (starts, 2 d): state, state in [0, 1] */
} batch;

/* y = K x; returns the sum of K. */
BF_CLONES static double ips_products(double *y, const float *k, const double *x, int64_t b) {
    double sum = 0;
    for (int64_t i = 0; i < b; i++) {
        double product = 0, row = 0;
        const float *ki = k + i * b;
#pragma omp simd reduction(+ : product, row)
        for (int64_t j = 0; j < b; j++) {
            product += (double)ki[j] * x[j];
            row += (double)ki[j];
        }
        y[i] = product;
        sum += row;
    }
    return sum;
}

double bf__ips_loss(double *d_w, double *d_next, const float *w, const float *next,
                    const double *beta, const uint8_t *start, const float *k, int64_t b, double *x,
                    double *y) {
    double mean = 0, mean_next = 0, rows = 0, loss = 0, pull = 0, pull_next = 0;
    for (int64_t i = 0; i < b; i++) {
        mean += start[i] ? 0 : (double)w[i];
        rows += start[i] ? 0 : 1;
        mean_next += (double)next[i] / (double)b;
    }
    mean /= rows > 0 ? rows : 1;
    for (int64_t i = 0; i < b; i++)
        x[i] = (start[i] ? 1 : (double)w[i] * beta[i] / mean) - (double)next[i] / mean_next;
    double sum = ips_products(y, k, x, b);
    for (int64_t i = 0; i < b; i++) {
        loss += x[i] * y[i];
        y[i] *= 2 / sum; /* d loss / d x_i */
        pull += start[i] ? 0 : y[i] * (double)w[i] * beta[i];
        pull_next += y[i] * (double)next[i];
    }
    for (int64_t i = 0; i < b; i++) {
        d_w[i] = start[i] ? 0 : y[i] * beta[i] / mean - pull / (mean * mean * rows);
        d_next[i] = -y[i] / mean_next + pull_next / (mean_next * mean_next * (double)b);
    }
    return loss / sum;
}

static float in_span(const batch *b, int c, double z) {
    return (float)((z - b->low[c]) / b->span[c]);
}

static bf_status make_rows(batch *out, const bf__points *in, bf_arena *arena, bf_error *err) {
    int64_t n = in->n, starts = in->starts, d = in->d;
    float *row, *new_start;
    BF_ALLOC(row, arena, n * 3 * d, err);
    BF_ALLOC(new_start, arena, starts * 2 * d, err);
    for (int c = 0; c < d; c++) {
        for (int64_t i = 0; i < n; i++) {
            float *to = row + i * 3 * d + c;
            to[0] = (float)in->z[c * n + i];
            to[d] = (float)in->nz[c * n + i];
            to[2 * d] = in_span(out, c, in->nz[c * n + i]);
        }
        for (int64_t e = 0; e < starts; e++) {
            new_start[e * 2 * d + c] = (float)in->z0[c * starts + e];
            new_start[e * 2 * d + d + c] = in_span(out, c, in->z0[c * starts + e]);
        }
    }
    out->row = row;
    out->new_start = new_start;
    return BF_OK;
}

static bf_status make_batch(batch *out, const bf__points *in, int64_t size, bf_arena *arena,
                            bf_error *err) {
    *out = (batch){.size = size};
    BF_ALLOC(out->inputs, arena, in->d * 2 * size, err);
    BF_ALLOC(out->w, arena, 2 * size, err);
    BF_ALLOC(out->d_w, arena, 2 * size, err);
    BF_ALLOC(out->scaled, arena, in->d * size, err);
    BF_ALLOC(out->k, arena, size * size, err);
    BF_ALLOC(out->beta, arena, size, err);
    BF_ALLOC(out->d, arena, 2 * size, err);
    BF_ALLOC(out->x, arena, size, err);
    BF_ALLOC(out->y, arena, size, err);
    BF_ALLOC(out->start, arena, size, err);
    BF_ALLOC(out->low, arena, in->d, err);
    BF_ALLOC(out->span, arena, in->d, err);
    for (int c = 0; c < in->d; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < in->n; i++) {
            low = fmin(low, in->nz[c * in->n + i]);
            high = fmax(high, in->nz[c * in->n + i]);
        }
        out->low[c] = low;
        out->span[c] = high > low ? high - low : 1;
    }
    return make_rows(out, in, arena, err);
}

/* Draws a batch: rows, their next states (start states after an end), and start states. */
static void draw(batch *b, const bf__points *in, const bf__ips *ips, const double *sums,
                 bf_rng *rng) {
    double gamma = ips->problem->gamma;
    for (int64_t j = 0; j < b->size; j++) {
        /* The first two are rows, so that there is a mean to divide by. */
        b->start[j] = gamma < 1 && j > 1 && bf_rng_uniform(rng) >= gamma;
        int64_t i = bf__sample(sums, in->n, rng), e = -1;
        if (b->start[j] || bf__step_ended(&ips->steps, i))
            e = bf_rng_below(rng, in->starts);
        b->beta[j] = ips->smooth[i];
        const float *row = b->row + i * 3 * in->d;
        const float *next = e >= 0 ? b->new_start + e * 2 * in->d : row + in->d;
        for (int c = 0; c < in->d; c++) {
            b->inputs[c * 2 * b->size + j] = row[c];
            b->inputs[c * 2 * b->size + b->size + j] = next[c];
            b->scaled[c * b->size + j] = next[in->d + c];
        }
    }
}

/* The kernel on scaled next states, its width from the log. */
static bf_status make_kernel(bf__kernel *out, const batch *b, const bf__points *in,
                             const char *bandwidth, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *scaled;
    BF_ALLOC(scaled, arena, in->d * in->n, err);
    for (int c = 0; c < in->d; c++)
        for (int64_t i = 0; i < in->n; i++)
            scaled[c * in->n + i] = (in->nz[c * in->n + i] - b->low[c]) / b->span[c];
    BF_TRY(bf__kernel_make(out, "gaussian", bandwidth, scaled, in->n, in->d, in->seed, arena, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* Returns the mean loss of the last tenth of the steps. */
static bf_status train(double *parameters, double *loss, const bf__mlp *net, const bf__points *in,
                       const bf__ips *ips, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    const neural_options *o = bf_settings_of(ips->settings, &table);
    batch b;
    bf__kernel kernel;
    bf__mlp_work *work;
    bf__adam adam;
    double *gradient, *sums, last = 0, recent = 0;
    BF_TRY(make_batch(&b, in, o->batch, arena, err));
    BF_TRY(make_kernel(&kernel, &b, in, o->bandwidth, arena, err));
    BF_TRY(bf__mlp_prepare(&work, net, 2 * o->batch, 1, arena, err));
    BF_TRY(bf__adam_make(&adam, bf__mlp_parameters(net), o->rate, arena, err));
    BF_ALLOC(gradient, arena, bf__mlp_parameters(net), err);
    BF_TRY(bf__sample_sums(&sums, ips->u, in->n, arena, err));
    bf_rng rng = bf_rng_make(in->seed, "ips batches", 0);
    for (int64_t step = 0; step < o->steps; step++) {
        draw(&b, in, ips, sums, &rng);
        bf__mlp_forward(work, parameters, b.inputs, 2 * b.size, b.w);
        bf__kernel_block_f(b.k, &kernel, b.scaled, b.size, b.scaled, b.size, in->d, 1);
        double now = bf__ips_loss(b.d, b.d + b.size, b.w, b.w + b.size, b.beta, b.start, b.k,
                                  b.size, b.x, b.y);
        if (step >= o->steps - o->steps / 10) {
            last += now;
            recent++;
        }
        for (int64_t i = 0; i < 2 * b.size; i++)
            b.d_w[i] = (float)b.d[i];
        bf__mlp_backward(work, b.d_w, gradient);
        bf__adam_move(&adam, gradient, parameters);
        if (step % 50 == 0 &&
            !bf__progress(context, "training ratios", (double)step, (double)o->steps, NULL))
            return bf_fail(err, BF_ECANCELLED, "stopped at step %lld of %lld", (long long)step,
                           (long long)o->steps);
    }
    *loss = recent > 0 ? last / recent : NAN;
    return BF_OK;
}

bf_status bf__ips_neural(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                         bf_arena *arena, bf_error *err) {
    const neural_options *o = bf_settings_of(ips->settings, &table);
    bf__points points;
    bf__mlp net;
    double *parameters, *w, *smooth, loss = NAN;
    float *inputs, *outputs, *narrow;
    bf__ips mine = *ips;
    BF_ALLOC(smooth, arena, ips->problem->data->n, err);
    BF_TRY(bf__ratio_actions(smooth, ips->problem->data, o->smoothing, err));
    mine.smooth = smooth;
    BF_TRY(bf__points_make(&points, ips->problem, o->periodic, o->scale, context, arena, err));
    const bf__points *in = &points;
    BF_TRY(bf__mlp_takes(in->d, err));
    BF_TRY(bf__mlp_make(&net, in->d, o->hidden, 1, BF__TANH, BF__SOFTPLUS, err));
    int64_t count = bf__mlp_parameters(&net);
    BF_ALLOC(parameters, arena, count, err);
    BF_ALLOC(narrow, arena, count, err);
    BF_ALLOC(inputs, arena, in->d * in->n, err);
    BF_ALLOC(outputs, arena, in->n, err);
    BF_ALLOC(w, arena, in->n, err);
    bf_rng rng = bf_rng_make(in->seed, "ips network", 0);
    bf__mlp_init(&net, parameters, &rng);
    BF_TRY(train(parameters, &loss, &net, in, &mine, context, arena, err));
    for (int64_t i = 0; i < count; i++)
        narrow[i] = (float)parameters[i];
    for (int64_t i = 0; i < in->d * in->n; i++)
        inputs[i] = (float)in->z[i];
    bf__mlp_predict(&net, narrow, inputs, in->n, outputs);
    for (int64_t i = 0; i < in->n; i++)
        w[i] = (double)outputs[i];
    BF_TRY(bf__ips_result(out, ips, w, arena, err));
    bf__diagnose(out, BF__D_LOSS, loss);
    return BF_OK;
}
