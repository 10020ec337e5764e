/* simplex_l1.c - min |A x|_1 over the simplex, with a certificate of optimality.
 *
 * Primal       min 1'u + 1'v,   A x - u + v = 0,   1'x = 1,   x, u, v >= 0
 * Dual         max nu,   s = A'y - nu >= 0,   p = 1 - y >= 0,   q = 1 + y >= 0
 * Certificate  Every y with |y_e| <= 1 gives |A x|_1 >= y'A x >= min_c (A'y)_c. The method has such
 *              a y at every step; the gap is the distance to the best of these bounds.
 *
 * A linear program by a predictor-corrector interior point method [1], from a feasible start, so
 * that x stays in the simplex and y within its bounds. Eliminating all but x leaves, per step,
 *
 *     (A' H A + S / X) dx = dnu 1 + b,   H = 1 / (u / p + v / q).
 *
 * Shapes  A (m, n)
 * Cost    O(m n^2 + n^3) a step, about 20 steps
 *
 * [1] Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2
 *     (1992). */
#include "solver/simplex_l1.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"

enum { STEPS = 60 };

/* A point, or a direction. */
typedef struct point {
    double *x, *s;             /* (n) */
    double *u, *v, *y, *p, *q; /* (m) */
    double nu;
} point;

typedef struct work {
    const double *columns; /* (n, m) */
    int64_t n, m;
    point at, step;
    double *cx;            /* (n): what x s should change by; likewise */
    double *cu, *cv;       /* (m) */
    double *h, *g, *along; /* (m) */
    double *matrix;        /* (n, n) */
    double *scaled;        /* (n, m) */
    double *both;          /* (2, n): what 1 and b are solved to */
    const bf_context *context;
} work;

static bf_status make_point(point *out, int64_t n, int64_t m, bf_arena *arena, bf_error *err) {
    double **const of[] = {&out->u, &out->v, &out->y, &out->p, &out->q};
    BF_ALLOC(out->x, arena, n, err);
    BF_ALLOC(out->s, arena, n, err);
    for (int k = 0; k < 5; k++)
        BF_ALLOC(*of[k], arena, m, err);
    return BF_OK;
}

/* out (m) = A x */
static void apply(const work *w, const double *x, double *out) {
    memset(out, 0, (size_t)w->m * sizeof *out);
    for (int64_t c = 0; c < w->n; c++)
        for (int64_t e = 0; e < w->m; e++)
            out[e] += x[c] * w->columns[c * w->m + e];
}

/* (A'y)_c */
static double pull(const work *w, const double *y, int64_t c) {
    double sum = 0;
    for (int64_t e = 0; e < w->m; e++)
        sum += w->columns[c * w->m + e] * y[e];
    return sum;
}

/* Even weights; u and v a little more than A x needs; y = 0. */
static void start(work *w) {
    point *at = &w->at;
    double size = 0;
    for (int64_t c = 0; c < w->n; c++)
        at->x[c] = 1 / (double)w->n;
    apply(w, at->x, w->along);
    for (int64_t e = 0; e < w->m; e++)
        size += fabs(w->along[e]) / (double)w->m;
    size = size > 0 ? size : 1;
    for (int64_t e = 0; e < w->m; e++) {
        at->u[e] = fmax(w->along[e], 0) + size;
        at->v[e] = at->u[e] - w->along[e];
        at->y[e] = 0;
        at->p[e] = at->q[e] = 1;
    }
    for (int64_t c = 0; c < w->n; c++)
        at->s[c] = size;
    at->nu = -size;
}

static bf_status factor(work *w, bf_arena *arena, bf_error *err) {
    const point *at = &w->at;
    double jitter;
    for (int64_t e = 0; e < w->m; e++)
        w->h[e] = 1 / (at->u[e] / at->p[e] + at->v[e] / at->q[e]);
    for (int64_t c = 0; c < w->n; c++)
        for (int64_t e = 0; e < w->m; e++)
            w->scaled[c * w->m + e] = w->columns[c * w->m + e] * sqrt(w->h[e]);
    BF_TRY(bf__matmul(w->matrix, w->scaled, false, w->scaled, true, w->n, w->n, w->m, w->context,
                      err));
    for (int64_t c = 0; c < w->n; c++)
        w->matrix[c * w->n + c] += at->s[c] / at->x[c];
    return bf__cholesky(w->matrix, w->n, &jitter, arena, err);
}

/* The direction in which x s changes by cx, u p by cu and v q by cv, to first order. */
static bf_status direct(work *w, bf_error *err) {
    const point *at = &w->at;
    point *d = &w->step;
    double *one = w->both, *b = w->both + w->n, ones = 0, bs = 0;
    for (int64_t e = 0; e < w->m; e++)
        w->g[e] = w->h[e] * (w->cu[e] / at->p[e] - w->cv[e] / at->q[e]);
    for (int64_t c = 0; c < w->n; c++) {
        one[c] = 1;
        b[c] = w->cx[c] / at->x[c] + pull(w, w->g, c);
    }
    BF_TRY(bf__cholesky_solve(w->both, 2, w->matrix, w->n, w->context, err));
    for (int64_t c = 0; c < w->n; c++) {
        ones += one[c];
        bs += b[c];
    }
    d->nu = -bs / ones; /* the sum of dx is 0 */
    for (int64_t c = 0; c < w->n; c++)
        d->x[c] = d->nu * one[c] + b[c];
    apply(w, d->x, w->along);
    for (int64_t e = 0; e < w->m; e++) {
        d->y[e] = w->h[e] * w->along[e] - w->g[e];
        d->p[e] = -d->y[e];
        d->q[e] = d->y[e];
        d->u[e] = (w->cu[e] + at->u[e] * d->y[e]) / at->p[e];
        d->v[e] = (w->cv[e] - at->v[e] * d->y[e]) / at->q[e];
    }
    for (int64_t c = 0; c < w->n; c++)
        d->s[c] = pull(w, d->y, c) - d->nu;
    return BF_OK;
}

/* How far `from` can go along `by` before an entry is 0, at most 1. */
static double reach(const double *from, const double *by, int64_t n, double most) {
    for (int64_t i = 0; i < n; i++)
        if (by[i] < 0)
            most = fmin(most, -from[i] / by[i]);
    return most;
}

static void reaches(const work *w, double *primal, double *dual) {
    const point *at = &w->at, *d = &w->step;
    *primal = reach(at->x, d->x, w->n, 1);
    *primal = reach(at->u, d->u, w->m, *primal);
    *primal = reach(at->v, d->v, w->m, *primal);
    *dual = reach(at->s, d->s, w->n, 1);
    *dual = reach(at->p, d->p, w->m, *dual);
    *dual = reach(at->q, d->q, w->m, *dual);
}

/* The mean of all products after steps of these lengths. */
static double products(const work *w, double primal, double dual) {
    const point *at = &w->at, *d = &w->step;
    double sum = 0;
    for (int64_t c = 0; c < w->n; c++)
        sum += (at->x[c] + primal * d->x[c]) * (at->s[c] + dual * d->s[c]);
    for (int64_t e = 0; e < w->m; e++)
        sum += (at->u[e] + primal * d->u[e]) * (at->p[e] + dual * d->p[e]) +
               (at->v[e] + primal * d->v[e]) * (at->q[e] + dual * d->q[e]);
    return sum / (double)(w->n + 2 * w->m);
}

/* Products should become `to`; with `second`, what the last direction leaves of them is taken into
 * account. */
static void aim(work *w, double to, double second) {
    const point *at = &w->at, *d = &w->step;
    for (int64_t c = 0; c < w->n; c++)
        w->cx[c] = to - at->x[c] * at->s[c] - second * d->x[c] * d->s[c];
    for (int64_t e = 0; e < w->m; e++) {
        w->cu[e] = to - at->u[e] * at->p[e] - second * d->u[e] * d->p[e];
        w->cv[e] = to - at->v[e] * at->q[e] - second * d->v[e] * d->q[e];
    }
}

static void move(work *w, double primal, double dual) {
    point *at = &w->at, *d = &w->step;
    double sum = 0;
    for (int64_t c = 0; c < w->n; c++) {
        sum += at->x[c] += primal * d->x[c];
        at->s[c] += dual * d->s[c];
    }
    for (int64_t c = 0; c < w->n; c++) /* rounding */
        at->x[c] /= sum;
    for (int64_t e = 0; e < w->m; e++) {
        at->u[e] += primal * d->u[e];
        at->v[e] += primal * d->v[e];
        at->y[e] += dual * d->y[e];
        at->p[e] += dual * d->p[e];
        at->q[e] += dual * d->q[e];
    }
    at->nu += dual * d->nu;
}

/* Keeps x if it is the best so far, and the bound if it is. */
static void judge(work *w, double *x, bf__l1_result *best, double *bound) {
    double sum = 0, least = INFINITY, largest = 1;
    apply(w, w->at.x, w->along);
    for (int64_t e = 0; e < w->m; e++) {
        sum += fabs(w->along[e]);
        largest = fmax(largest, fabs(w->at.y[e])); /* rounding */
    }
    for (int64_t c = 0; c < w->n; c++)
        least = fmin(least, pull(w, w->at.y, c));
    *bound = fmax(*bound, least / largest);
    if (sum < best->objective) {
        best->objective = sum;
        memcpy(x, w->at.x, (size_t)w->n * sizeof *x);
    }
    best->gap = best->objective - *bound;
}

static bf_status make_work(work *w, bf_arena *arena, bf_error *err) {
    int64_t n = w->n, m = w->m;
    double **const of[] = {&w->cu, &w->cv, &w->h, &w->g, &w->along};
    BF_TRY(make_point(&w->at, n, m, arena, err));
    BF_TRY(make_point(&w->step, n, m, arena, err));
    BF_ALLOC(w->cx, arena, n, err);
    for (int k = 0; k < 5; k++)
        BF_ALLOC(*of[k], arena, m, err);
    BF_ALLOC(w->matrix, arena, n * n, err);
    BF_ALLOC(w->scaled, arena, n * m, err);
    BF_ALLOC(w->both, arena, 2 * n, err);
    return BF_OK;
}

bf_status bf__simplex_l1(double *x, bf__l1_result *result, const double *columns, int64_t n,
                         int64_t m, const bf_context *context, bf_arena *arena, bf_error *err) {
    work w = {.columns = columns, .n = n, .m = m, .context = context};
    double bound = 0, primal, dual;
    BF_TRY(make_work(&w, arena, err));
    *result = (bf__l1_result){.objective = INFINITY};
    start(&w);
    for (; result->steps < STEPS; result->steps++) {
        judge(&w, x, result, &bound);
        if (result->gap <= 1e-9 * result->objective)
            break;
        bf_mark mark = bf_arena_mark(arena);
        double mean = products(&w, 0, 0);
        bf_error why;
        bf_status status = factor(&w, arena, &why);
        if (status == BF_ENUMERIC)
            break; /* at the end of what rounding allows; the gap says how far it came */
        if (status != BF_OK) {
            if (err)
                *err = why;
            return status;
        }
        aim(&w, 0, 0);
        BF_TRY(direct(&w, err));
        reaches(&w, &primal, &dual);
        double share = products(&w, primal, dual) / mean;
        aim(&w, mean * share * share * share, 1);
        BF_TRY(direct(&w, err));
        reaches(&w, &primal, &dual);
        if (!(primal > 1e-12) || !(dual > 1e-12))
            break;
        move(&w, fmin(1, 0.995 * primal), fmin(1, 0.995 * dual));
        bf_arena_rewind(arena, mark);
        if (!bf__progress(context, "least discrepancy", result->steps + 1, STEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}
