/* krr.c - Kernel ridge regression in a metric that it learns from its own slopes.
 *
 * Computes    f(x) = B [x; 1] + alpha' k(x),    k_j(x) = exp(-|(x - c_j) T|^2)
 *             B       least squares on all rows
 *             alpha   argmin |y - B [x; 1] - K alpha|^2 + lambda N alpha' K_c alpha, for each
 *                     member without the rows of its fold (krr_metric.c); above 200,000 rows
 *                     it is on every second, third, ... of them
 *             T       from the slopes of the fit itself: directions in which nothing changes stop
 *                     counting for the distance
 *             We begin with T = 1 and learn it in a few rounds. The metric whose held-out error is
 *             least is kept. Widths go by the median distance.
 * Source      the metric: Radhakrishnan, Beaglehole, Pandit, Belkin, Mechanism for feature learning
 *             in neural networks and backpropagation-free machine learning models, Science 2024
 * Shapes      n rows, p inputs, q outputs, m centres drawn from the rows, E members
 * Cost        that of a metric, for each round; memory (E + 3) m^2
 *
 * In many dimensions neighbours say nothing, and a kernel of fixed shape needs more rows than there
 * are; but processes change along few directions, and these can be learned. Everything is in closed
 * form. The linear part carries on beyond the log, where the kernel is 0. */
#include "solver/krr.h"

#include <math.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"
#include "solver/krr_kernel.h"

enum { ROUND_ROWS = 20000, ROUND_FEATURES = 400 }; /* the most while the metric is learned */
enum { MOST_ROWS = 200000 };                       /* and afterwards, for the kernel part */

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
    BF_ALLOC(a, arena, (int64_t)BF__KRR_BLOCK * p, err);
    memset(linear, 0, (size_t)(q * p) * sizeof *linear);
    for (int64_t first = 0; first < t->n; first += BF__KRR_BLOCK) {
        int64_t rows = t->n - first < BF__KRR_BLOCK ? t->n - first : BF__KRR_BLOCK;
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

static bf_status make_fit(bf__krr_in *f, bf_arena *arena, bf_error *err) {
    const bf__krr_task *t = f->task;
    int p = t->inputs, q = t->outputs;
    int64_t m = f->m, room = m > BF__KRR_BLOCK ? m : BF__KRR_BLOCK;
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
    BF_ALLOC(f->turned, arena, (int64_t)2 * BF__KRR_BLOCK * p, err);
    BF_ALLOC(f->y, arena, (int64_t)BF__KRR_BLOCK * q, err);
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

static bool go_on(const bf__krr_in *f, int round) {
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
    bf__krr_in f = {
        .task = t, .context = context, .n = t->n, .m = m, .rest = rest, .deviation = deviation};
    BF_TRY(make_fit(&f, arena, err));
    f.stride = 1 + (t->n - 1) / ROUND_ROWS;
    f.m = m < ROUND_FEATURES ? m : ROUND_FEATURES;
    for (int round = 0; round <= t->rounds; round++) {
        if (!go_on(&f, round))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
        f.width = 1;
        BF_TRY(bf__krr_fit_width(&error, &f, arena, err));
        if (!(error < least))
            break;
        least = error;
        width = f.width;
        memcpy(best, f.turn, (size_t)(p * p) * sizeof *best);
        if (round < t->rounds)
            BF_TRY(bf__krr_learn(f.turn, &f, arena, err));
    }
    memcpy(f.turn, best, (size_t)(p * p) * sizeof *best);
    f.stride = 1 + (t->n - 1) / MOST_ROWS;
    f.m = m;
    f.width = width;
    BF_TRY(bf__krr_fit_width(&error, &f, arena, err));
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
    BF_TRY(bf__krr_features(k, scratch, x, krr->turn, krr->centres, krr->square, n, krr->features,
                            p, &alone, err));
    BF_TRY(bf__matmul(y, k, false, krr->alpha + member * krr->features * q, false, n, q,
                      krr->features, &alone, err));
    for (int64_t i = 0; i < n; i++)
        for (int o = 0; o < q; o++)
            y[i * q + o] += linear_at(krr->linear + (int64_t)o * (p + 1), x + i * p, p);
    return BF_OK;
}

double bf__krr_distance(const bf__krr *krr, const double *scratch, int64_t n, int64_t j,
                        bool others) {
    const double *k = scratch + n * krr->inputs + j * krr->features;
    double most = 0, same = others ? 1 - 1e-12 : 2;
    for (int64_t c = 0; c < krr->features; c++)
        most = k[c] > most && k[c] < same ? k[c] : most;
    return -log(most);
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
