/* dynamics.c - What follows an action, fitted to a log.
 *
 * Computes    r and s' - s given (s, a) by kernel ridge regression in a learned metric (krr.c), on
 *             the rows that go on; an angle changes by the shorter way round
 *             r by another one, on the rows that end: a fall or a goal earns what nothing else does
 *             the chance of an end: a score by the same regression on 0 and 1, and a logistic curve
 *             through the held-out scores. Least squares alone would be below 0 here and there, and
 *             cutting it off would let episodes end too often where ends are rare.
 *
 * Noise. What the held-out fit misses is either noise of the process, which a simulation has to
 * draw, or a mistake of the fit, which it must not: drawn at random, mistakes at the contacts of a
 * robot's feet make it stumble everywhere. The two differ in one thing. Noise at one row says
 * nothing about its neighbour; mistakes of neighbours are alike. With c the correlation of what is
 * missed at a row and at the row nearest to it in the metric of the fit, all of it is taken for
 * noise if c is below CHANCE, which chance can give, none if it is above ALIKE, and a share between
 * them, column by column. Numbers beyond OUTLIERS times the median size count as that much: few
 * rows of great mistakes must not decide it.
 *
 * Angles. Two columns that are the cosine and the sine of an angle in every row stay so in a
 * simulation (`sine`): mistakes in them would add up to states that no angle has, about which the
 * log says nothing.
 *
 * Cost        that of the fits; for the noise ROWS x AMONG distances */
#include "model/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"

enum { ROWS = 2000, AMONG = 20000 }; /* rows whose neighbours are looked for, and among how many */
static const double ALIKE = 0.12, CHANCE = 0.05, OUTLIERS = 3;
static const double FEW = 0.01;
static const double ROUND = 1e-5; /* cosines and sines in single precision are rounder than this */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double shorter(double change, double period) {
    return period > 0 ? change - period * round(change / period) : change;
}

/* ---- Angles that are given as two columns */

static bool on_circle(const double *x, const double *y, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i] * x[i] + y[i] * y[i] - 1) < ROUND))
            return false;
    return n > 0;
}

/* sine[c] = k if columns c and k are the cosine and the sine of an angle in every row; otherwise
 * -1. Next states of steps that end may be anything. */
static bf_status find_circles(bf__dynamics *out, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = out->problem->data;
    int64_t n = data->n;
    int *sine;
    BF_ALLOC(sine, arena, out->d, err);
    for (int c = 0; c < out->d; c++)
        sine[c] = -1;
    for (int c = 0; c < out->d; c++)
        for (int k = c + 1; k < out->d && sine[c] < 0; k++)
            if (sine[k] < 0 && on_circle(data->state + c * n, data->state + k * n, n))
                sine[c] = k;
    out->sine = sine;
    return BF_OK;
}

/* ---- Ranges */

static bf_status ranges(bf__dynamics *out, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = out->problem->data;
    const bf__coordinates *of = &out->points->coordinates;
    double *low, *high, *period;
    BF_ALLOC(low, arena, out->d, err);
    BF_ALLOC(high, arena, out->d, err);
    BF_ZALLOC(period, arena, out->d, err);
    for (int k = 0; k < of->out; k++)
        period[of->list[k].column] = of->list[k].period;
    for (int c = 0; c < out->d; c++) {
        const double *s = data->state + c * data->n, *ns = data->next_state + c * data->n;
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int64_t i = 0; i < data->n; i++) {
            double next = bf__step_ended(&out->points->steps, i) ? s[i] : ns[i];
            low[c] = fmin(low[c], fmin(s[i], next));
            high[c] = fmax(high[c], fmax(s[i], next));
        }
    }
    out->least = INFINITY;
    out->most = -INFINITY;
    for (int64_t i = 0; i < data->n; i++) {
        out->least = fmin(out->least, data->reward[i]);
        out->most = fmax(out->most, data->reward[i]);
    }
    out->low = low;
    out->high = high;
    out->period = period;
    return find_circles(out, arena, err);
}

/* ---- Ends */

/* The logistic curve of y (0 or 1) on the scores by Newton's method, with a trace of a ridge on the
 * slope: scores that tell all ends apart have no best slope. */
static void calibrate(double *curve, const double *score, int64_t stride, const uint8_t *y,
                      int64_t n) {
    double ended = 0, ridge = 1e-3;
    for (int64_t i = 0; i < n; i++)
        ended += y[i];
    curve[0] = log((ended + 0.5) / ((double)n - ended + 0.5));
    curve[1] = 0;
    for (int turn = 0; turn < 100; turn++) {
        double g0 = 0, g1 = -ridge * curve[1], h00 = 1e-9, h01 = 0, h11 = ridge;
        for (int64_t i = 0; i < n; i++) {
            double x = score[i * stride], p = 1 / (1 + exp(-(curve[0] + curve[1] * x)));
            double gap = y[i] - p, w = p * (1 - p);
            g0 += gap;
            g1 += gap * x;
            h00 += w;
            h01 += w * x;
            h11 += w * x * x;
        }
        double det = h00 * h11 - h01 * h01;
        double d0 = (h11 * g0 - h01 * g1) / det, d1 = (h00 * g1 - h01 * g0) / det;
        double size = fmax(fabs(d0), fabs(d1)), cut = size > 2 ? 2 / size : 1;
        if (!isfinite(size))
            return;
        curve[0] += cut * d0;
        curve[1] += cut * d1;
        if (size < 1e-9)
            return;
    }
}

static bf__krr_task krr_task(const bf__dynamics *m, const bf__dynamics_task *t, int64_t n,
                             int outputs, const double *x, const double *y, const int32_t *fold,
                             const char *what) {
    return (bf__krr_task){.n = n,
                          .inputs = m->inputs,
                          .outputs = outputs,
                          .members = t->members,
                          .x = x,
                          .y = y,
                          .fold = fold,
                          .features = t->features,
                          .rounds = t->rounds,
                          .what = what};
}

/* The rows of x (n, inputs) that end, or those that do not, with their folds and numbers. */
typedef struct part {
    int64_t n, *row;
    double *x;
    int32_t *fold;
} part;

static bf_status take_part(part *out, const bf__dynamics *m, const bf__dynamics_task *t,
                           const double *x, bool ended, bf_arena *arena, bf_error *err) {
    int64_t n = t->problem->data->n;
    *out = (part){.n = 0};
    for (int64_t i = 0; i < n; i++)
        out->n += bf__step_ended(&t->points->steps, i) == ended;
    BF_ALLOC(out->x, arena, out->n * m->inputs, err);
    BF_ALLOC(out->fold, arena, out->n, err);
    BF_ALLOC(out->row, arena, out->n, err);
    for (int64_t i = 0, at = 0; i < n; i++) {
        if (bf__step_ended(&t->points->steps, i) != ended)
            continue;
        memcpy(out->x + at * m->inputs, x + i * m->inputs, (size_t)m->inputs * sizeof *x);
        out->fold[at] = t->fold[i];
        out->row[at++] = i;
    }
    return BF_OK;
}

/* When a step ends, and what it earns then. */
static bf_status fit_ends(bf__dynamics *out, const bf__dynamics_task *t, const double *x,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = t->problem->data;
    const uint8_t *ended = t->points->steps.ended;
    part last;
    double *y, *held, *reward;
    BF_ALLOC(y, arena, data->n, err);
    BF_ALLOC(held, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        y[i] = ended[i];
    bf__krr_task task = krr_task(out, t, data->n, 1, x, y, t->fold, "fitting the ends");
    BF_TRY(bf__krr_fit(&out->end, &task, context, arena, err));
    BF_TRY(bf__krr_held_out(held, &out->end, &task, arena, err));
    calibrate(out->chance, held, 1, ended, data->n);
    BF_TRY(take_part(&last, out, t, x, true, arena, err));
    BF_ALLOC(reward, arena, last.n, err);
    for (int64_t i = 0; i < last.n; i++)
        reward[i] = data->reward[last.row[i]];
    task = krr_task(out, t, last.n, 1, last.x, reward, last.fold, "fitting the last rewards");
    if (task.features > last.n / 4 + 1)
        task.features = last.n / 4 + 1;
    return bf__krr_fit(&out->last, &task, context, arena, err);
}

/* ---- Noise */

/* For each of `rows` rows, spread over u (n, p), the nearest other one. */
static void nearest(int64_t *out, const double *u, int64_t n, int64_t rows, int p, int threads) {
#pragma omp parallel for num_threads(threads) if (threads > 1 && rows > 100)
    for (int64_t k = 0; k < rows; k++) {
        int64_t i = k * n / rows;
        double least = INFINITY;
        out[k] = i;
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int c = 0; c < p; c++)
                sum += (u[i * p + c] - u[j * p + c]) * (u[i * p + c] - u[j * p + c]);
            if (j != i && sum < least) {
                least = sum;
                out[k] = j;
            }
        }
    }
}

/* Scales each column of `missed` (n, d) but the first, the reward, to the part of it that is noise.
 * The noise of rewards has mean 0 and needs no drawing. */
static bf_status keep_noise(double *share, double *missed, const bf__krr_task *t,
                            const bf__krr *fit, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    int p = t->inputs, d = t->outputs;
    int64_t among = t->n < AMONG ? t->n : AMONG, rows = among < ROWS ? among : ROWS, *near;
    bf_mark mark = bf_arena_mark(arena);
    double *u, *x, *size;
    BF_ALLOC(x, arena, among * p, err);
    BF_ALLOC(u, arena, among * p, err);
    BF_ALLOC(near, arena, rows, err);
    BF_ALLOC(size, arena, rows, err);
    for (int64_t j = 0; j < among; j++)
        memcpy(x + j * p, t->x + j * t->n / among * p, (size_t)p * sizeof *x);
    BF_TRY(bf__matmul(u, x, false, fit->turn, false, among, p, p, context, err));
    nearest(near, u, among, rows, p, bf__threads(context));
    *share = 0;
    for (int c = 1; c < d; c++) {
        double both = 0, one = 0, other = 0;
        for (int64_t k = 0; k < rows; k++)
            size[k] = fabs(missed[k * among / rows * t->n / among * d + c]);
        qsort(size, (size_t)rows, sizeof *size, by_size);
        double most = OUTLIERS * size[rows / 2];
        for (int64_t k = 0; k < rows; k++) {
            double a = missed[k * among / rows * t->n / among * d + c];
            double b = missed[near[k] * t->n / among * d + c];
            a = fmin(fmax(a, -most), most);
            b = fmin(fmax(b, -most), most);
            both += a * b;
            one += a * a;
            other += b * b;
        }
        double alike = one > 0 && other > 0 ? both / sqrt(one) / sqrt(other) : 1;
        double kept = fmin(fmax((ALIKE - alike) / (ALIKE - CHANCE), 0), 1);
        *share += kept / (d - 1);
        for (int64_t i = 0; i < t->n; i++)
            missed[i * d + c] *= sqrt(kept);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* The distance to the nearest other centre that FEW of the rows of the log are beyond. */
static bf_status how_far(double *far, const bf__krr_task *t, const bf__krr *fit, bf_arena *arena,
                         bf_error *err) {
    int64_t rows = t->n < ROWS ? t->n : ROWS;
    bf_mark mark = bf_arena_mark(arena);
    double *y, *distance, *scratch;
    BF_ALLOC(y, arena, t->outputs, err);
    BF_ALLOC(distance, arena, rows, err);
    BF_ALLOC(scratch, arena, bf__krr_room(fit, 1), err);
    for (int64_t k = 0; k < rows; k++) {
        const double *x = t->x + k * t->n / rows * t->inputs;
        BF_TRY(bf__krr_predict(y, fit, 0, x, 1, scratch, err));
        distance[k] = bf__krr_distance(fit, scratch, 1, 0, true);
    }
    qsort(distance, (size_t)rows, sizeof *distance, by_size);
    *far = distance[(int64_t)((1 - FEW) * (double)(rows - 1))];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Rewards and changes, on the rows that go on */

static bf_status fit_steps(bf__dynamics *out, const bf__dynamics_task *t, const double *x,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = t->problem->data;
    int64_t n = data->n;
    int q = 1 + out->d;
    part on;
    double *y, *missed;
    BF_TRY(take_part(&on, out, t, x, false, arena, err));
    out->missed_rows = on.n;
    if (on.n == 0)
        return BF_OK;
    BF_ALLOC(y, arena, on.n * q, err);
    BF_ALLOC(missed, arena, on.n * q, err);
    for (int64_t j = 0; j < on.n; j++) {
        int64_t i = on.row[j];
        y[j * q] = data->reward[i];
        for (int c = 0; c < out->d; c++)
            y[j * q + 1 + c] =
                shorter(data->next_state[c * n + i] - data->state[c * n + i], out->period[c]);
    }
    bf__krr_task task = krr_task(out, t, on.n, q, on.x, y, on.fold, "fitting the steps");
    BF_TRY(bf__krr_fit(&out->step, &task, context, arena, err));
    BF_TRY(bf__krr_held_out(missed, &out->step, &task, arena, err));
    for (int64_t i = 0; i < on.n * q; i++)
        missed[i] = y[i] - missed[i];
    out->missed = missed;
    BF_TRY(how_far(&out->far, &task, &out->step, arena, err));
    return keep_noise(&out->noise, missed, &task, &out->step, context, arena, err);
}

bf_status bf__dynamics_fit(bf__dynamics *out, const bf__dynamics_task *t, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    const bf_dataset *data = t->problem->data;
    const bf__points *f = t->points;
    int64_t n = data->n;
    *out = (bf__dynamics){
        .problem = t->problem, .points = f, .d = data->state_dim, .members = t->members};
    out->ends = f->steps.restarts || f->steps.absorbs;
    out->inputs = f->d + (f->actions ? f->actions : f->action_dim);
    if (f->actions == 0)
        BF_TRY(bf__coordinates_fit(&out->actions, data->action_vector, n, f->action_dim, NULL, NULL,
                                   arena, err));
    BF_TRY(ranges(out, arena, err));
    double *x;
    BF_ALLOC(x, arena, n * out->inputs, err);
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < f->d; c++)
            x[i * out->inputs + c] = f->z[c * n + i];
        for (int c = f->d; c < out->inputs; c++)
            x[i * out->inputs + c] =
                f->actions ? f->action[i] == c - f->d : f->u[(c - f->d) * n + i];
    }
    if (out->ends)
        BF_TRY(fit_ends(out, t, x, context, arena, err));
    return fit_steps(out, t, x, context, arena, err);
}

void bf__dynamics_inputs(double *x, const bf__dynamics *m, const double *z, const double *u,
                         int64_t n, double *scratch) {
    int d = m->points->d, k = m->inputs - d;
    double *columns = scratch, *scaled = scratch + n * k;
    for (int64_t j = 0; j < n; j++)
        for (int c = 0; c < k; c++)
            columns[c * n + j] = u[j * k + c];
    if (m->points->actions == 0)
        bf__coordinates_apply(scaled, &m->actions, columns, n);
    else
        scaled = columns;
    for (int64_t j = 0; j < n; j++) {
        for (int c = 0; c < d; c++)
            x[j * m->inputs + c] = z[c * n + j];
        for (int c = 0; c < k; c++)
            x[j * m->inputs + d + c] = scaled[c * n + j];
    }
}
