/* simplex_qp.c - min x'Qx over the simplex, with a certificate of optimality.
 *
 * Optimality   g = Qx, nu = x'g:   g_i = nu if x_i > 0,   g_i >= nu if x_i = 0.
 * Certificate  f(x) = x'Qx is convex, so for every y in the simplex
 *              f(y) >= f(x) + 2 g'(y - x) >= f(x) - 2 (x'g - min_i g_i):  the gap.
 *
 * There are three methods, on one interface to Q:
 *
 * 1. Primal-dual active set [1]. For a set F of free variables the optimum is u / sum(u) with
 *    Q_FF u = 1. A variable that comes out negative leaves F; a variable with g_i < nu enters. If
 *    the method ends, it ends in a handful of steps and is exact to rounding. It can cycle.
 * 2. Predictor-corrector interior point [2], used if 1 does not end. It always converges, to about
 *    half the digits. Method 1, started from its guess of F, then gives the rest.
 * 3. Accelerated projected gradient with restarts [3], used if Q can only be applied. It takes as
 *    many steps as it needs to close the gap to 1e-9 of the objective, at most FIRST_ORDER_STEPS.
 *
 * The answer is the point with the smallest gap.
 *
 * Cost: a factorisation per step; 5 to 10 steps of the first kind, about 25 of the second.
 *
 * [1] Kunisch, Rendl, An infeasible active set method for quadratic problems with simple bounds,
 *     SIAM J. Optim. 14 (2003).
 * [2] Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2
 *     (1992).
 * [3] O'Donoghue, Candes, Adaptive restart for accelerated gradient schemes, Found. Comput. Math.
 *     15 (2015). */
#include "solver/simplex_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"

enum { ACTIVE_SET_STEPS = 40, INTERIOR_STEPS = 80, FIRST_ORDER_STEPS = 20000 };

typedef struct work {
    const bf__quadratic *q;
    int64_t n;
    double *g, *d, *b, *u, *v, *r; /* (n) each */
    double *z, *dx, *dz, *best;    /* (n) each */
    unsigned char *free_now;       /* (n): variable is in F */
    bf__qp_result *result;         /* of `best` */
} work;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Keeps x, a point of the simplex, if its gap is the smallest so far. Sets w->g = Qx. */
static double judge(work *w, const double *x) {
    w->q->apply(w->q->self, x, w->g);
    double objective = dot(x, w->g, w->n), least = INFINITY;
    for (int64_t i = 0; i < w->n; i++)
        least = w->g[i] < least ? w->g[i] : least;
    double gap = 2 * (objective - least);
    gap = gap > 0 ? gap : 0;
    if (gap < w->result->gap) {
        w->result->objective = objective;
        w->result->gap = gap;
        memcpy(w->best, x, (size_t)w->n * sizeof *x);
    }
    return gap;
}

/* Solves (Q + D) u = b for the D that was factored last, with one step of refinement. Entries
 * outside F are 0. */
static void solve_refined(work *w, const double *b, double *u) {
    w->q->solve(w->q->self, b, u);
    w->q->apply(w->q->self, u, w->r);
    for (int64_t i = 0; i < w->n; i++)
        w->r[i] = isinf(w->d[i]) ? 0 : b[i] - w->r[i] - w->d[i] * u[i];
    w->q->solve(w->q->self, w->r, w->dz);
    for (int64_t i = 0; i < w->n; i++)
        u[i] += w->dz[i];
}

/* ---- 1. Active set, from w->free_now on. Sets *ended if F no longer changes. */
static bf_status active_set(work *w, bool *ended, const bf_context *context, bf_error *err) {
    *ended = false;
    for (int step = 0; step < ACTIVE_SET_STEPS; step++) {
        int64_t count = 0;
        for (int64_t i = 0; i < w->n; i++) {
            w->d[i] = w->free_now[i] ? 0 : INFINITY;
            w->b[i] = 1;
            count += w->free_now[i];
        }
        if (count == 0 || w->q->factor(w->q->self, w->d, err) != BF_OK)
            return BF_OK; /* this F has no answer; the other method takes over */
        solve_refined(w, w->b, w->u);
        double sum = 0, positive = 0;
        for (int64_t i = 0; i < w->n; i++)
            sum += w->u[i];
        if (!(fabs(sum) > 0) || !isfinite(sum))
            return BF_OK;
        for (int64_t i = 0; i < w->n; i++) {
            w->u[i] /= sum;
            w->v[i] = w->u[i] > 0 ? w->u[i] : 0;
            positive += w->v[i];
        }
        for (int64_t i = 0; i < w->n; i++)
            w->v[i] /= positive;
        judge(w, w->v); /* the projection is feasible, whatever F is */
        w->q->apply(w->q->self, w->u, w->g);
        double nu = dot(w->u, w->g, w->n), scale = fabs(nu);
        for (int64_t i = 0; i < w->n; i++)
            scale = fabs(w->g[i]) > scale ? fabs(w->g[i]) : scale;
        int64_t moved = 0;
        for (int64_t i = 0; i < w->n; i++) {
            bool now = w->free_now[i] ? w->u[i] > 0 : w->g[i] < nu - 1e-13 * scale;
            moved += now != w->free_now[i];
            w->free_now[i] = now;
        }
        w->result->steps++;
        if (moved == 0) {
            *ended = true;
            return BF_OK;
        }
        if (!bf__progress(context, "solving for the weights", step, ACTIVE_SET_STEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

/* ---- 2. Interior point */

/* The longest step along `move` that keeps x + step * move above 0, at most 1. */
static double longest_step(const double *x, const double *move, int64_t n) {
    double step = 1;
    for (int64_t i = 0; i < n; i++)
        if (move[i] < 0 && -x[i] / move[i] < step)
            step = -x[i] / move[i];
    return step;
}

/* Solves (Q + Z/X) dx - dnu 1 = b, sum dx = primal, with v = (Q + Z/X)^-1 1. Returns dnu and leaves
 * dx in w->u. */
static double newton(work *w, const double *v, double primal) {
    w->q->solve(w->q->self, w->b, w->u);
    double su = 0, sv = 0;
    for (int64_t i = 0; i < w->n; i++) {
        su += w->u[i];
        sv += v[i];
    }
    double dnu = (primal - su) / sv;
    for (int64_t i = 0; i < w->n; i++)
        w->u[i] += dnu * v[i];
    return dnu;
}

static bf_status interior_point(work *w, double *x, const bf_context *context, bf_error *err) {
    int64_t n = w->n;
    double least = INFINITY, size = 0;
    for (int64_t i = 0; i < n; i++)
        x[i] = 1.0 / (double)n;
    w->q->apply(w->q->self, x, w->g);
    for (int64_t i = 0; i < n; i++) {
        least = w->g[i] < least ? w->g[i] : least;
        size += fabs(w->g[i]) / (double)n;
    }
    double nu = least - size - 1e-300;
    for (int64_t i = 0; i < n; i++)
        w->z[i] = w->g[i] - nu;
    for (int step = 0; step < INTERIOR_STEPS; step++) {
        w->result->steps++;
        if (!bf__progress(context, "solving for the weights", step, INTERIOR_STEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
        w->q->apply(w->q->self, x, w->g);
        double mu = dot(x, w->z, n) / (double)n, primal = 1;
        for (int64_t i = 0; i < n; i++) {
            primal -= x[i];
            w->d[i] = w->z[i] / x[i];
        }
        if (w->q->factor(w->q->self, w->d, err) != BF_OK)
            break; /* as far as the digits go */
        for (int64_t i = 0; i < n; i++)
            w->b[i] = 1;
        w->q->solve(w->q->self, w->b, w->v);
        /* Predictor: go straight to the boundary. */
        for (int64_t i = 0; i < n; i++)
            w->b[i] = nu - w->g[i];
        double dnu = newton(w, w->v, primal);
        for (int64_t i = 0; i < n; i++) {
            w->dx[i] = w->u[i];
            w->dz[i] = -w->z[i] - w->d[i] * w->u[i];
        }
        double ap = longest_step(x, w->dx, n), ad = longest_step(w->z, w->dz, n), ahead = 0;
        for (int64_t i = 0; i < n; i++)
            ahead += (x[i] + ap * w->dx[i]) * (w->z[i] + ad * w->dz[i]);
        double sigma = pow(ahead / (double)n / mu, 3);
        /* Corrector: go towards the centre, and subtract the predictor's second-order error. */
        for (int64_t i = 0; i < n; i++) {
            w->r[i] = (sigma * mu - w->dx[i] * w->dz[i]) / x[i];
            w->b[i] = nu - w->g[i] + w->r[i];
        }
        dnu = newton(w, w->v, primal);
        for (int64_t i = 0; i < n; i++) {
            w->dx[i] = w->u[i];
            w->dz[i] = -w->z[i] + w->r[i] - w->d[i] * w->u[i];
        }
        ap = fmin(1, 0.995 * longest_step(x, w->dx, n));
        ad = fmin(1, 0.995 * longest_step(w->z, w->dz, n));
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            x[i] += ap * w->dx[i];
            w->z[i] += ad * w->dz[i];
            sum += x[i];
        }
        nu += ad * dnu;
        if (!isfinite(sum))
            break;
        for (int64_t i = 0; i < n; i++) {
            w->v[i] = x[i] / sum;
            w->free_now[i] = x[i] * size > w->z[i] / (double)n;
        }
        if (judge(w, w->v) <= 1e-13 * w->result->objective)
            break;
    }
    return BF_OK;
}

/* ---- 3. First order */

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The point of the simplex nearest to v, in place; `sorted` (n) is scratch. */
static void project(double *v, double *sorted, int64_t n) {
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    double sum = 0, shift = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += sorted[i];
        double candidate = (sum - 1) / (double)(i + 1);
        if (sorted[i] <= candidate)
            break;
        shift = candidate;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = v[i] > shift ? v[i] - shift : 0;
}

/* The largest eigenvalue of Q, approached from below by power iteration. w->u is scratch. */
static double largest_eigenvalue(work *w) {
    double norm = 0;
    for (int64_t i = 0; i < w->n; i++)
        w->u[i] = 1 + 0.1 * cos((double)i);
    for (int step = 0; step < 60; step++) {
        double length = sqrt(dot(w->u, w->u, w->n));
        for (int64_t i = 0; i < w->n; i++)
            w->u[i] /= length;
        w->q->apply(w->q->self, w->u, w->g);
        norm = sqrt(dot(w->g, w->g, w->n));
        memcpy(w->u, w->g, (size_t)w->n * sizeof *w->g);
        if (!(norm > 0))
            return 1;
    }
    return norm;
}

static bf_status first_order(work *w, double *x, const bf_context *context, bf_error *err) {
    int64_t n = w->n;
    double step_size = 0.5 / largest_eigenvalue(w), t = 1;
    for (int64_t i = 0; i < n; i++)
        x[i] = w->v[i] = 1.0 / (double)n;
    for (int step = 0; step < FIRST_ORDER_STEPS; step++) {
        w->result->steps++;
        w->q->apply(w->q->self, w->v, w->g);
        for (int64_t i = 0; i < n; i++)
            w->u[i] = w->v[i] - 2 * step_size * w->g[i];
        project(w->u, w->r, n);
        double uphill = 0, next_t = (1 + sqrt(1 + 4 * t * t)) / 2;
        for (int64_t i = 0; i < n; i++)
            uphill += w->g[i] * (w->u[i] - x[i]);
        double momentum = uphill > 0 ? 0 : (t - 1) / next_t;
        t = uphill > 0 ? 1 : next_t;
        for (int64_t i = 0; i < n; i++) {
            w->v[i] = w->u[i] + momentum * (w->u[i] - x[i]);
            x[i] = w->u[i];
        }
        if (step % 20 == 0 && judge(w, x) <= 1e-9 * w->result->objective)
            break;
        if (step % 20 == 0 &&
            !bf__progress(context, "solving for the weights", step, FIRST_ORDER_STEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

bf_status bf__simplex_qp(double *x, bf__qp_result *result, const bf__quadratic *q,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = q->n;
    *result = (bf__qp_result){.objective = INFINITY, .gap = INFINITY};
    work w = {.q = q, .n = n, .result = result};
    double **vectors[] = {&w.g, &w.d, &w.b, &w.u, &w.v, &w.r, &w.z, &w.dx, &w.dz};
    bf_mark mark = bf_arena_mark(arena);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        BF_ZALLOC(*vectors[i], arena, n, err);
    BF_ALLOC(w.best, arena, n, err);
    BF_ALLOC(w.free_now, arena, n, err);
    memset(w.free_now, 1, (size_t)n);
    bool ended = true;
    if (q->factor)
        BF_TRY(active_set(&w, &ended, context, err));
    else
        BF_TRY(first_order(&w, x, context, err));
    /* If it is infinite, the first factorisation failed and no point was judged. */
    if (!ended && !(isfinite(result->gap) && result->gap <= 1e-12 * result->objective)) {
        BF_TRY(interior_point(&w, x, context, err));
        BF_TRY(active_set(&w, &ended, context, err));
    }
    if (!isfinite(result->gap))
        return bf_fail(err, BF_ENUMERIC, "the quadratic program of the weights broke down");
    memcpy(x, w.best, (size_t)n * sizeof *x);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- A dense Q */

typedef struct dense {
    const bf__blas *blas;
    const double *q;
    double *l;      /* (m, m): Cholesky factor of the free part */
    double *packed; /* (n) */
    int64_t *free_index;
    int64_t n, m;
} dense;

static void dense_apply(void *self, const double *x, double *out) {
    const dense *s = self;
    s->blas->dgemv(BF__ROW_MAJOR, BF__NO_TRANS, (int)s->n, (int)s->n, 1, s->q, (int)s->n, x, 1, 0,
                   out, 1);
}

static bf_status dense_factor(void *self, const double *d, bf_error *err) {
    dense *s = self;
    s->m = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (!isinf(d[i]))
            s->free_index[s->m++] = i;
    double trace = 0;
    for (int64_t i = 0; i < s->m; i++) {
        const double *row = s->q + s->free_index[i] * s->n;
        for (int64_t j = 0; j < s->m; j++)
            s->l[i * s->m + j] = row[s->free_index[j]];
        s->l[i * s->m + i] += d[s->free_index[i]];
        trace += row[s->free_index[i]];
    }
    for (int64_t i = 0; i < s->m; i++) /* below the rounding of Q itself */
        s->l[i * s->m + i] += 1e-15 * trace / (double)s->m;
    int m = (int)s->m, info = 0;
    s->blas->dpotrf("U", &m, s->l, &m, &info); /* column-major upper is row-major lower */
    if (info != 0)
        return bf_fail(err, BF_ENUMERIC, "the quadratic form is not positive definite");
    return BF_OK;
}

static void dense_solve(void *self, const double *b, double *u) {
    const dense *s = self;
    for (int64_t i = 0; i < s->m; i++)
        s->packed[i] = b[s->free_index[i]];
    int m = (int)s->m;
    s->blas->dtrsv(BF__ROW_MAJOR, BF__LOWER, BF__NO_TRANS, BF__NON_UNIT, m, s->l, m, s->packed, 1);
    s->blas->dtrsv(BF__ROW_MAJOR, BF__LOWER, BF__TRANS, BF__NON_UNIT, m, s->l, m, s->packed, 1);
    memset(u, 0, (size_t)s->n * sizeof *u);
    for (int64_t i = 0; i < s->m; i++)
        u[s->free_index[i]] = s->packed[i];
}

bf_status bf__quadratic_dense(bf__quadratic *out, const double *q, int64_t n, bf_arena *arena,
                              bf_error *err) {
    dense *s;
    BF_ZALLOC(s, arena, 1, err);
    BF_TRY(bf__blas_load(&s->blas, 1, err));
    s->q = q;
    s->n = n;
    BF_ALLOC(s->l, arena, n * n, err);
    BF_ALLOC(s->packed, arena, n, err);
    BF_ALLOC(s->free_index, arena, n, err);
    *out = (bf__quadratic){n, s, dense_apply, dense_factor, dense_solve};
    return BF_OK;
}
