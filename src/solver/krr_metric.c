/* krr_metric.c - Kernel ridge regression in one metric, for every member at once, and the metric
 * that its slopes give.
 *
 * Computes    alpha   of each member without the rows of its fold, for each lambda; lambda is
 * chosen for each output by the error on the folds, and alpha shrunk by the slope of the held-out
 * residual on the fit T T' = the mean outer product of the slopes of alpha' k Cost        n m (m +
 * p) + LAMBDAS E (m^3 / 3 + m^2 q)
 *
 * All members share one pass over the rows, and held-out errors come from the sums of the folds. */
#include "solver/krr_metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"
#include "solver/krr_kernel.h"

enum { LAMBDAS = 4, SLOPES = 1000, PAIRS = 1000 };
static const double LEAST_WIDTH = 1.0 / 64, WORTH = 0.98; /* an error that is worth a halving */
static const double lambdas[LAMBDAS] = {1e-7, 1e-6, 1e-5, 1e-3};

/* ---- One metric */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The centres in the metric `turn`, scaled so that the median squared distance of rows is 1 /
 * width.
 */
static bf_status place(bf__krr_in *f, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs;
    double distance[PAIRS];
    bf_rng rng = bf_rng_make(f->context ? f->context->seed : 1, t->what, 1);
    for (int j = 0; j < PAIRS; j++) {
        const double *a = t->x + bf_rng_below(&rng, t->n) * p;
        const double *b = t->x + bf_rng_below(&rng, t->n) * p;
        distance[j] = 0;
        for (int c = 0; c < p; c++) {
            double gap = 0;
            for (int k = 0; k < p; k++)
                gap += (a[k] - b[k]) * f->turn[k * p + c];
            distance[j] += gap * gap;
        }
    }
    qsort(distance, PAIRS, sizeof *distance, by_size);
    double median = distance[PAIRS / 2];
    for (int c = 0; c < p * p; c++)
        f->turn[c] /= median > 0 ? sqrt(median * f->width) : 1;
    for (int64_t j = 0; j < f->m; j++)
        memcpy(f->block + j * p, t->x + f->pivots[j] * p, (size_t)p * sizeof *f->block);
    BF_TRY(bf__matmul(f->centres, f->block, false, f->turn, false, f->m, p, p, f->context, err));
    for (int64_t j = 0; j < f->m; j++) {
        f->square[j] = 0;
        for (int c = 0; c < p; c++)
            f->square[j] += f->centres[j * p + c] * f->centres[j * p + c];
    }
    BF_TRY(
        bf__matmul(f->inner, f->centres, false, f->centres, true, f->m, f->m, p, f->context, err));
    bf__krr_fill(f->inner, f->centres, f->square, f->m, f->m, p, bf__threads(f->context));
    return BF_OK;
}

static bf_status add_up(bf__krr_in *f, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs, q = t->outputs;
    double *x = f->turned + (int64_t)BF__KRR_BLOCK * p;
    for (int e = 0; e < t->members; e++) {
        bf__krr_sums *s = &f->fold[e];
        memset(s->gram, 0, (size_t)(f->m * f->m) * sizeof *s->gram);
        memset(s->product, 0, (size_t)(f->m * q) * sizeof *s->product);
        memset(s->square, 0, (size_t)q * sizeof *s->square);
        s->rows = 0;
        int64_t filled = 0;
        for (int64_t i = 0;; i += f->stride) {
            if (filled == BF__KRR_BLOCK || i >= t->n) {
                BF_TRY(bf__krr_features(f->block, f->turned, x, f->turn, f->centres, f->square,
                                        filled, f->m, p, f->context, err));
                BF_TRY(
                    bf__gram(s->gram, f->block, f->m, f->block, f->m, filled, 1, f->context, err));
                BF_TRY(bf__gram(s->product, f->y, q, f->block, f->m, filled, 1, f->context, err));
                filled = 0;
            }
            if (i >= t->n)
                break;
            if (t->fold[i] != e)
                continue;
            memcpy(x + filled * p, t->x + i * p, (size_t)p * sizeof *x);
            for (int o = 0; o < q; o++) {
                double y = f->rest[i * q + o];
                f->y[filled * q + o] = y;
                s->square[o] += y * y;
            }
            s->rows++;
            filled++;
        }
    }
    return BF_OK;
}

/* alpha of member e with one lambda: into `alpha` (q, m). `work` (m, m). */
static bf_status solve(double *alpha, double *work, const bf__krr_in *f, int e, double lambda,
                       bf_arena *arena, bf_error *err) {
    int q = f->task->outputs, members = f->task->members;
    double rows = 0;
    memset(alpha, 0, (size_t)(q * f->m) * sizeof *alpha);
    memset(work, 0, (size_t)(f->m * f->m) * sizeof *work);
    for (int k = 0; k < members; k++) {
        if (k == e && members > 1)
            continue;
        for (int64_t j = 0; j < f->m * f->m; j++)
            work[j] += f->fold[k].gram[j];
        for (int64_t j = 0; j < q * f->m; j++)
            alpha[j] += f->fold[k].product[j];
        rows += f->fold[k].rows;
    }
    for (int64_t j = 0; j < f->m * f->m; j++)
        work[j] += lambda * rows * f->inner[j];
    for (int64_t j = 0; j < f->m; j++)
        work[j * f->m + j] += 1e-8 * rows + 1e-12;
    BF_TRY(bf__cholesky(work, f->m, NULL, arena, err));
    return bf__cholesky_solve(alpha, q, work, f->m, f->context, err);
}

/* On the fold: <fit, y> and <fit, fit> of every output. `work` (q, m). */
static bf_status judge(double *cross, double *square, const double *alpha, double *work,
                       const bf__krr_in *f, int e, bf_error *err) {
    int q = f->task->outputs;
    BF_TRY(bf__matmul(work, alpha, false, f->fold[e].gram, false, q, f->m, f->m, f->context, err));
    for (int o = 0; o < q; o++) {
        cross[o] = square[o] = 0;
        for (int64_t j = 0; j < f->m; j++) {
            cross[o] += alpha[o * f->m + j] * f->fold[e].product[o * f->m + j];
            square[o] += alpha[o * f->m + j] * work[o * f->m + j];
        }
    }
    return BF_OK;
}

/* f->alpha and f->error in the metric f->turn; *total is the mean error over the outputs. */
static bf_status fit_metric(double *total, bf__krr_in *f, bf_arena *arena, bf_error *err) {
    const bf__krr_task *t = f->task;
    int q = t->outputs, members = t->members;
    int64_t size = q * f->m;
    bf_mark mark = bf_arena_mark(arena);
    double *all, *work, *cross, *square, *product;
    BF_ALLOC(all, arena, LAMBDAS * members * size, err);
    BF_ALLOC(work, arena, f->m * f->m, err);
    BF_ALLOC(product, arena, size, err);
    BF_ALLOC(cross, arena, (int64_t)LAMBDAS * members * q, err);
    BF_ALLOC(square, arena, (int64_t)LAMBDAS * members * q, err);
    BF_TRY(place(f, err));
    BF_TRY(add_up(f, err));
    for (int l = 0; l < LAMBDAS; l++)
        for (int e = 0; e < members; e++) {
            int at = l * members + e;
            BF_TRY(solve(all + at * size, work, f, e, lambdas[l], arena, err));
            BF_TRY(judge(cross + at * q, square + at * q, all + at * size, product, f, e, err));
        }
    *total = 0;
    for (int o = 0; o < q; o++) {
        double least = INFINITY, rows = 0;
        int best = 0;
        for (int l = 0; l < LAMBDAS; l++) {
            double sum = 0;
            for (int e = 0; e < members; e++) {
                int at = (l * members + e) * q + o;
                sum += f->fold[e].square[o] - 2 * cross[at] + square[at];
            }
            if (sum < least) {
                least = sum;
                best = l;
            }
        }
        f->error[o] = 0;
        for (int e = 0; e < members; e++) {
            int at = (best * members + e) * q + o;
            double share = square[at] > 0 ? fmin(fmax(cross[at] / square[at], 0), 1) : 0;
            f->error[o] +=
                f->fold[e].square[o] - 2 * share * cross[at] + share * share * square[at];
            rows += f->fold[e].rows;
            for (int64_t j = 0; j < f->m; j++)
                f->alpha[(e * q + o) * f->m + j] =
                    share * all[(best * members + e) * size + o * f->m + j];
        }
        f->error[o] = fmax(f->error[o] / fmax(rows, 1), 0);
        *total += f->error[o] / q;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* What a fit leaves, put aside or taken back. */
typedef struct result {
    double *turn, *centres, *square, *alpha, *error;
} result;

static void copy(double *to, const double *from, int64_t count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

static void keep_result(bf__krr_in *f, result *with, bool back) {
    int64_t p = f->task->inputs, q = f->task->outputs;
    double *mine[] = {f->turn, f->centres, f->square, f->alpha, f->error};
    double *other[] = {with->turn, with->centres, with->square, with->alpha, with->error};
    int64_t count[] = {p * p, f->m * p, f->m, f->task->members * q * f->m, q};
    for (int k = 0; k < 5; k++)
        copy(back ? mine[k] : other[k], back ? other[k] : mine[k], count[k]);
}

bf_status bf__krr_fit_width(double *total, bf__krr_in *f, bf_arena *arena, bf_error *err) {
    int64_t p = f->task->inputs, q = f->task->outputs;
    bf_mark mark = bf_arena_mark(arena);
    result best;
    double other;
    BF_ALLOC(best.turn, arena, p * p, err);
    BF_ALLOC(best.centres, arena, f->m * p, err);
    BF_ALLOC(best.square, arena, f->m, err);
    BF_ALLOC(best.alpha, arena, f->task->members * q * f->m, err);
    BF_ALLOC(best.error, arena, q, err);
    BF_TRY(fit_metric(total, f, arena, err));
    while (f->width > LEAST_WIDTH) {
        keep_result(f, &best, false);
        f->width /= 2;
        BF_TRY(fit_metric(&other, f, arena, err));
        if (!(other < WORTH * *total)) {
            f->width *= 2;
            keep_result(f, &best, true);
            break;
        }
        *total = other;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- The next metric */

bf_status bf__krr_learn(double *next, bf__krr_in *f, bf_arena *arena, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs, q = t->outputs;
    bf_mark mark = bf_arena_mark(arena);
    int64_t rows = t->n < SLOPES ? t->n : SLOPES;
    double *k, *u, *x, *w, *wc, *slopes, *outer, *values;
    BF_ALLOC(k, arena, rows * f->m, err);
    BF_ALLOC(w, arena, rows * f->m, err);
    BF_ALLOC(u, arena, rows * p, err);
    BF_ALLOC(x, arena, rows * p, err);
    BF_ALLOC(wc, arena, rows * p, err);
    BF_ALLOC(slopes, arena, rows * p, err);
    BF_ZALLOC(outer, arena, (int64_t)p * p, err);
    BF_ALLOC(values, arena, p, err);
    for (int64_t i = 0; i < rows; i++)
        memcpy(x + i * p, t->x + i * t->n / rows * p, (size_t)p * sizeof *x);
    BF_TRY(
        bf__krr_features(k, u, x, f->turn, f->centres, f->square, rows, f->m, p, f->context, err));
    for (int o = 0; o < q; o++) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < f->m; j++)
                w[i * f->m + j] = 0;
        for (int e = 0; e < t->members; e++)
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < f->m; j++)
                    w[i * f->m + j] += k[i * f->m + j] * f->alpha[(e * q + o) * f->m + j];
        BF_TRY(bf__matmul(wc, w, false, f->centres, false, rows, p, f->m, f->context, err));
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int64_t j = 0; j < f->m; j++)
                sum += w[i * f->m + j];
            for (int c = 0; c < p; c++)
                wc[i * p + c] -= sum * u[i * p + c];
        }
        BF_TRY(bf__matmul(slopes, wc, false, f->turn, true, rows, p, p, f->context, err));
        BF_TRY(bf__gram(outer, slopes, p, slopes, p, rows, 1, f->context, err));
    }
    BF_TRY(bf__eigen(values, outer, p, arena, err));
    memset(next, 0, (size_t)(p * p) * sizeof *next);
    for (int v = 0; v < p; v++)
        for (int a = 0; a < p; a++)
            for (int b = 0; b < p; b++)
                next[a * p + b] += sqrt(fmax(values[v], 0)) * outer[v * p + a] * outer[v * p + b];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
