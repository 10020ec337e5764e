/* krr.c - Kernel ridge regression in a metric that it learns from its own slopes.
 *
 * Computes    f(x) = B [x; 1] + alpha' k(x),    k_j(x) = exp(-|(x - c_j) T|^2)
 *             B       least squares on all rows
 *             alpha   argmin |y - B [x; 1] - K alpha|^2 + lambda N alpha' K_c alpha, for each
 * member without the rows of its fold; lambda is chosen for each output by the error on the folds,
 * and alpha shrunk by the slope of the held-out residual on the fit T       T T' = the mean outer
 * product of the slopes of alpha' k over the rows and the outputs, each in units of its deviation:
 * directions in which nothing changes stop counting for the distance. From T = 1, a few rounds; the
 * one whose held-out error is least is kept. Widths go by the median distance. Source      the
 * metric: Radhakrishnan, Beaglehole, Pandit, Belkin, Mechanism for feature learning in neural
 * networks and backpropagation-free machine learning models, Science 2024 Shapes      n rows, p
 * inputs, q outputs, m centres drawn from the rows, E members Cost        a round: n m (m + p) +
 * LAMBDAS E (m^3 / 3 + m^2 q); memory (E + 3) m^2
 *
 * In many dimensions neighbours say nothing, and a kernel of fixed shape needs more rows than there
 * are; but processes change along few directions, and these can be learned. Everything is in closed
 * form: all members share one pass over the rows, and held-out errors come from the sums of the
 * folds. The linear part carries on beyond the log, where the kernel is 0. */
#include "solver/krr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"
#include "linalg/clones.h"
#include "linalg/dense.h"
#include "linalg/exp.h"

enum { BLOCK = 1024, LAMBDAS = 4, SLOPES = 1000, PAIRS = 1000 };
enum { ROUND_ROWS = 20000, ROUND_FEATURES = 400 };        /* the most while the metric is learned */
static const double LEAST_WIDTH = 1.0 / 64, WORTH = 0.98; /* an error that is worth a halving */
static const double lambdas[LAMBDAS] = {1e-7, 1e-6, 1e-5, 1e-3};

typedef struct sums {       /* of one fold */
    double *gram, *product; /* (m, m), (q, m) */
    double *square;         /* (q) */
    double rows;
} sums;

typedef struct fit {
    const bf__krr_task *task;
    const bf_context *context;
    int64_t n, m, stride;       /* rows used: every stride-th */
    const double *rest;         /* (task n, q): what the linear part leaves, in deviations */
    const double *deviation;    /* (q) */
    const int64_t *pivots;      /* (m): rows of the centres */
    double *turn;               /* (p, p) */
    double *centres, *square;   /* (m, p), (m) */
    double *inner;              /* (m, m): K_c */
    sums *fold;                 /* (E) */
    double *alpha;              /* (E, q, m) */
    double *error;              /* (q): held-out, of 1 */
    double *block, *turned, *y; /* (BLOCK, m), (BLOCK, p), (BLOCK, q) */
    double width;               /* squared, in units of the median squared distance of two rows */
} fit;

/* ---- Features */

/* k (n, m) from u c' (n, m). */
BF_CLONES static void krr_kernel(double *k, const double *u, const double *square, int64_t n,
                                 int64_t m, int p) {
    for (int64_t i = 0; i < n; i++) {
        double own = 0, *row = k + i * m;
        for (int c = 0; c < p; c++)
            own += u[i * p + c] * u[i * p + c];
#pragma omp simd
        for (int64_t j = 0; j < m; j++) {
            double power = 2 * row[j] - own - square[j];
            row[j] = bf__exp_inline(power < 0 ? power : 0); /* fmin would be a call */
        }
    }
}

static void fill_kernel(double *k, const double *u, const double *square, int64_t n, int64_t m,
                        int p, int threads) {
    enum { TILE = 128 };
    int64_t tiles = (n + TILE - 1) / TILE;
#pragma omp parallel for num_threads(threads) if (threads > 1 && tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = t * TILE, rows = n - first < TILE ? n - first : TILE;
        krr_kernel(k + first * m, u + first * p, square, rows, m, p);
    }
}

/* k (n, m) and u (n, p) of the rows x (n, p). */
static bf_status features(double *k, double *u, const double *x, const double *turn,
                          const double *centres, const double *square, int64_t n, int64_t m, int p,
                          const bf_context *context, bf_error *err) {
    BF_TRY(bf__matmul(u, x, false, turn, false, n, p, p, context, err));
    BF_TRY(bf__matmul(k, u, false, centres, true, n, m, p, context, err));
    fill_kernel(k, u, square, n, m, p, bf__threads(context));
    return BF_OK;
}

/* ---- The linear part */

static double linear_at(const double *b, const double *x, int inputs) {
    double sum = b[inputs];
    for (int c = 0; c < inputs; c++)
        sum += b[c] * x[c];
    return sum;
}

static bf_status fit_linear(double *linear, double *rest, double *deviation, const bf__krr_task *t,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    int p = t->inputs + 1, q = t->outputs;
    bf_mark mark = bf_arena_mark(arena);
    double *gram, *a;
    BF_ZALLOC(gram, arena, (int64_t)p * p, err);
    BF_ALLOC(a, arena, (int64_t)BLOCK * p, err);
    memset(linear, 0, (size_t)(q * p) * sizeof *linear);
    for (int64_t first = 0; first < t->n; first += BLOCK) {
        int64_t rows = t->n - first < BLOCK ? t->n - first : BLOCK;
        for (int64_t i = 0; i < rows; i++) {
            memcpy(a + i * p, t->x + (first + i) * t->inputs, (size_t)t->inputs * sizeof *a);
            a[i * p + t->inputs] = 1;
        }
        BF_TRY(bf__gram(gram, a, p, a, p, rows, 1, context, err));
        BF_TRY(bf__gram(linear, t->y + first * q, q, a, p, rows, 1, context, err));
    }
    for (int c = 0; c < t->inputs; c++) /* not the constant */
        gram[c * p + c] += 1e-6 * (double)t->n;
    BF_TRY(bf__cholesky(gram, p, NULL, arena, err));
    BF_TRY(bf__cholesky_solve(linear, q, gram, p, context, err));
    bf_arena_rewind(arena, mark);
    for (int o = 0; o < q; o++) {
        double sum = 0;
        for (int64_t i = 0; i < t->n; i++) {
            double gap = t->y[i * q + o] -
                         linear_at(linear + (int64_t)o * p, t->x + i * t->inputs, t->inputs);
            rest[i * q + o] = gap;
            sum += gap * gap / (double)t->n;
        }
        deviation[o] = sqrt(sum);
        for (int64_t i = 0; i < t->n; i++)
            rest[i * q + o] = deviation[o] > 0 ? rest[i * q + o] / deviation[o] : 0;
    }
    return BF_OK;
}

/* ---- One metric */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The centres in the metric `turn`, scaled so that the median squared distance of rows is 1 /
 * width.
 */
static bf_status place(fit *f, bf_error *err) {
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
    fill_kernel(f->inner, f->centres, f->square, f->m, f->m, p, bf__threads(f->context));
    return BF_OK;
}

static bf_status add_up(fit *f, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs, q = t->outputs;
    double *x = f->turned + (int64_t)BLOCK * p;
    for (int e = 0; e < t->members; e++) {
        sums *s = &f->fold[e];
        memset(s->gram, 0, (size_t)(f->m * f->m) * sizeof *s->gram);
        memset(s->product, 0, (size_t)(f->m * q) * sizeof *s->product);
        memset(s->square, 0, (size_t)q * sizeof *s->square);
        s->rows = 0;
        int64_t filled = 0;
        for (int64_t i = 0;; i += f->stride) {
            if (filled == BLOCK || i >= t->n) {
                BF_TRY(features(f->block, f->turned, x, f->turn, f->centres, f->square, filled,
                                f->m, p, f->context, err));
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
static bf_status solve(double *alpha, double *work, const fit *f, int e, double lambda,
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
                       const fit *f, int e, bf_error *err) {
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
static bf_status fit_metric(double *total, fit *f, bf_arena *arena, bf_error *err) {
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

static void keep_result(fit *f, result *with, bool back) {
    int64_t p = f->task->inputs, q = f->task->outputs;
    double *mine[] = {f->turn, f->centres, f->square, f->alpha, f->error};
    double *other[] = {with->turn, with->centres, with->square, with->alpha, with->error};
    int64_t count[] = {p * p, f->m * p, f->m, f->task->members * q * f->m, q};
    for (int k = 0; k < 5; k++)
        copy(back ? mine[k] : other[k], back ? other[k] : mine[k], count[k]);
}

/* As fit_metric, with the width, from f->width on, halved as long as that helps. */
static bf_status fit_width(double *total, fit *f, bf_arena *arena, bf_error *err) {
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

/* turn = root of the mean outer product of the slopes, by the members together. */
static bf_status learn(double *next, fit *f, bf_arena *arena, bf_error *err) {
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
    BF_TRY(features(k, u, x, f->turn, f->centres, f->square, rows, f->m, p, f->context, err));
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

/* ---- All of it */

static bf_status choose_pivots(int64_t *pivots, const bf__krr_task *t, int64_t m,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t *order;
    bf_rng rng = bf_rng_make(context ? context->seed : 1, t->what, 0);
    BF_ALLOC(order, arena, t->n, err);
    for (int64_t i = 0; i < t->n; i++)
        order[i] = i;
    for (int64_t j = 0; j < m; j++) {
        int64_t k = j + bf_rng_below(&rng, t->n - j);
        pivots[j] = order[k];
        order[k] = order[j];
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status make_fit(fit *f, bf_arena *arena, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs, q = t->outputs;
    int64_t m = f->m, room = m > BLOCK ? m : BLOCK;
    int64_t *pivots;
    BF_ALLOC(pivots, arena, m, err);
    BF_TRY(choose_pivots(pivots, t, m, f->context, arena, err));
    f->pivots = pivots;
    BF_ZALLOC(f->turn, arena, (int64_t)p * p, err);
    BF_ALLOC(f->centres, arena, m * p, err);
    BF_ALLOC(f->square, arena, m, err);
    BF_ALLOC(f->inner, arena, m * m, err);
    BF_ALLOC(f->alpha, arena, t->members * q * m, err);
    BF_ALLOC(f->error, arena, q, err);
    BF_ALLOC(f->block, arena, room * (m > p ? m : p), err);
    BF_ALLOC(f->turned, arena, (int64_t)2 * BLOCK * p, err);
    BF_ALLOC(f->y, arena, (int64_t)BLOCK * q, err);
    BF_ALLOC(f->fold, arena, t->members, err);
    for (int e = 0; e < t->members; e++) {
        BF_ALLOC(f->fold[e].gram, arena, m * m, err);
        BF_ALLOC(f->fold[e].product, arena, q * m, err);
        BF_ALLOC(f->fold[e].square, arena, q, err);
    }
    for (int c = 0; c < p; c++)
        f->turn[c * p + c] = 1;
    return BF_OK;
}

static bool go_on(const fit *f, int round) {
    return bf__progress(f->context, f->task->what, round, f->task->rounds + 1, NULL);
}

bf_status bf__krr_fit(bf__krr *out, const bf__krr_task *t, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    int p = t->inputs, q = t->outputs;
    int64_t m = t->features < t->n ? t->features : t->n;
    double *linear, *rest, *deviation, *best, *alpha, *missed, least = INFINITY, error, width = 1;
    BF_ALLOC(linear, arena, (int64_t)q * (p + 1), err);
    BF_ALLOC(alpha, arena, t->members * m * q, err);
    BF_ALLOC(missed, arena, q, err);
    BF_ALLOC(rest, arena, t->n * q, err);
    BF_ALLOC(deviation, arena, q, err);
    BF_ALLOC(best, arena, (int64_t)p * p, err);
    BF_TRY(fit_linear(linear, rest, deviation, t, context, arena, err));
    fit f = {
        .task = t, .context = context, .n = t->n, .m = m, .rest = rest, .deviation = deviation};
    BF_TRY(make_fit(&f, arena, err));
    f.stride = 1 + (t->n - 1) / ROUND_ROWS;
    f.m = m < ROUND_FEATURES ? m : ROUND_FEATURES;
    for (int round = 0; round <= t->rounds; round++) {
        if (!go_on(&f, round))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
        f.width = 1;
        BF_TRY(fit_width(&error, &f, arena, err));
        if (!(error < least))
            break;
        least = error;
        width = f.width;
        memcpy(best, f.turn, (size_t)(p * p) * sizeof *best);
        if (round < t->rounds)
            BF_TRY(learn(f.turn, &f, arena, err));
    }
    memcpy(f.turn, best, (size_t)(p * p) * sizeof *best);
    f.stride = 1;
    f.m = m;
    f.width = width;
    BF_TRY(fit_width(&error, &f, arena, err));
    for (int o = 0; o < q; o++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < t->n; i++)
            mean += t->y[i * q + o] / (double)t->n;
        for (int64_t i = 0; i < t->n; i++)
            variance += pow(t->y[i * q + o] - mean, 2) / (double)t->n;
        missed[o] = variance > 0 ? f.error[o] * deviation[o] * deviation[o] / variance : 0;
        for (int e = 0; e < t->members; e++)
            for (int64_t j = 0; j < m; j++)
                alpha[(e * m + j) * q + o] = deviation[o] * f.alpha[(e * q + o) * m + j];
    }
    *out = (bf__krr){.inputs = p,
                     .outputs = q,
                     .members = t->members,
                     .features = m,
                     .turn = f.turn,
                     .centres = f.centres,
                     .square = f.square,
                     .linear = linear,
                     .alpha = alpha,
                     .missed = missed};
    return BF_OK;
}

int64_t bf__krr_room(const bf__krr *krr, int64_t n) {
    return n * (krr->inputs + krr->features);
}

bf_status bf__krr_predict(double *y, const bf__krr *krr, int member, const double *x, int64_t n,
                          double *scratch, bf_error *err) {
    static const bf_context alone = {.threads = 1};
    int p = krr->inputs, q = krr->outputs;
    double *k = scratch + n * p;
    BF_TRY(features(k, scratch, x, krr->turn, krr->centres, krr->square, n, krr->features, p,
                    &alone, err));
    BF_TRY(bf__matmul(y, k, false, krr->alpha + member * krr->features * q, false, n, q,
                      krr->features, &alone, err));
    for (int64_t i = 0; i < n; i++)
        for (int o = 0; o < q; o++)
            y[i * q + o] += linear_at(krr->linear + (int64_t)o * (p + 1), x + i * p, p);
    return BF_OK;
}

bf_status bf__krr_held_out(double *y, const bf__krr *krr, const bf__krr_task *t, bf_arena *arena,
                           bf_error *err) {
    enum { ROWS = 256 };
    int p = krr->inputs, q = krr->outputs;
    int64_t rows[ROWS];
    bf_mark mark = bf_arena_mark(arena);
    double *x, *fitted, *scratch;
    BF_ALLOC(x, arena, (int64_t)ROWS * p, err);
    BF_ALLOC(fitted, arena, (int64_t)ROWS * q, err);
    BF_ALLOC(scratch, arena, bf__krr_room(krr, ROWS), err);
    for (int e = 0; e < krr->members; e++) {
        int64_t filled = 0;
        for (int64_t i = 0; i <= t->n; i++) {
            if (filled == ROWS || i == t->n) {
                BF_TRY(bf__krr_predict(fitted, krr, e, x, filled, scratch, err));
                for (int64_t j = 0; j < filled; j++)
                    memcpy(y + rows[j] * q, fitted + j * q, (size_t)q * sizeof *y);
                filled = 0;
            }
            if (i == t->n || t->fold[i] != e)
                continue;
            memcpy(x + filled * p, t->x + i * p, (size_t)p * sizeof *x);
            rows[filled++] = i;
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
