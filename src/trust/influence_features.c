/* influence_features.c - The influence of clusters where q is linear in kernel features.
 *
 * Fits        q = phi' theta by two-stage least squares, as rebalance.c does: theta minimises
 *             |L^-1 (b - C theta)|^2 + lambda |theta|^2 with L L' = G,
 *             G = sum u (phi - f)(phi - f)', C = sum u (phi - f) psi', b = sum u (phi - f) r
 * Folds       clusters are dealt to 5 folds; the theta of a fold is fitted to all the others.
 *             The moments of the others are those of all less those of the fold.
 * Ridge       of a ladder, the one with the least |L^-1 (b - C theta)|^2 summed over the folds, b
 *             and C those of the fold that theta was not fitted to. The square of r - psi'theta
 *             itself would not do: it counts the noise of the next value, and prefers a flat q.
 * Shapes      m features; K quantities; theta (folds, ridges, K, m)
 * Cost        O(n m^2) once, O(folds m^3); memory O(folds m^2)
 *
 * q fitted to a cluster itself would explain away part of its surprise, and the standard error
 * would be too small. u is the weights with a tenth of equal weights mixed in: q is wanted where
 * the target goes, but a fold may hold nearly all of the weight. Where ends stay ended (absorb)
 * nothing is centred: then q is the value itself. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/lowrank_sums.h"
#include "linalg/dense.h"
#include "trust/influence.h"
#include "weights/features.h"

enum { FOLDS = 5, RIDGES = 5, ROWS = 2048, FEATURES = 300, FEATURES_LARGE = 150, LARGE = 50000 };
static const double ladder[RIDGES] = {1e-9, 1e-7, 1e-5, 1e-3, 1e-1};
static const double floor_of_g = 1e-7, mixed_in = 0.1;

typedef struct moments {
    double *g, *c;     /* (m, m): sum u phi phi', sum u psi phi' */
    double *b;         /* (K, m): sum u phi r */
    double *phi, *psi; /* (m) */
    double *r;         /* (K) */
    double mass;
} moments;

typedef struct task {
    const bf_problem *problem;
    const bf__clusters *clusters;
    const double *rewards, *w;
    int count; /* K */
    bool ends; /* steps end and stay ended */
    int folds;
    int32_t *fold; /* (J) */
    double *u;     /* (n) */
    bf__lowrank *lowrank;
    const bf__points *points;
    int64_t m;
    moments total, part[FOLDS];
    double *start;                           /* (m): S0 */
    double *theta;                           /* (folds, RIDGES, K, m) */
    double error[RIDGES * BF__MOST_REWARDS]; /* of every ridge and quantity, on held-out folds */
    double *phi, *psi;                       /* (ROWS, m) */
    const bf_context *context;
    bf_arena *arena;
} task;

static bf_status make_moments(moments *out, int64_t m, int count, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(out->g, arena, m * m, err);
    BF_ZALLOC(out->c, arena, m * m, err);
    BF_ZALLOC(out->b, arena, count * m, err);
    BF_ZALLOC(out->phi, arena, m, err);
    BF_ZALLOC(out->psi, arena, m, err);
    BF_ZALLOC(out->r, arena, count, err);
    out->mass = 0;
    return BF_OK;
}

/* Rows of one fold, packed: phi and psi times the root of u. */
typedef struct packed {
    double *phi, *psi; /* (ROWS, m) */
    double *right;     /* (ROWS, K + 1): the rewards and 1, times the root of u */
    double *sum;       /* (m, K + 1) */
    int64_t count;
} packed;

static bf_status add_packed(moments *out, packed *p, const task *t, bf_error *err) {
    int64_t m = t->m;
    int wide = t->count + 1;
    if (p->count == 0)
        return BF_OK;
    BF_TRY(bf__gram(out->g, p->phi, m, p->phi, m, p->count, 1, t->context, err));
    BF_TRY(bf__gram(out->c, p->psi, m, p->phi, m, p->count, 1, t->context, err));
    BF_TRY(bf__gram(p->sum, p->phi, m, p->right, wide, p->count, 0, t->context, err));
    for (int64_t a = 0; a < m; a++) {
        for (int k = 0; k < t->count; k++)
            out->b[k * m + a] += p->sum[a * wide + k];
        out->phi[a] += p->sum[a * wide + t->count];
    }
    BF_TRY(bf__gram(p->sum, p->psi, m, p->right, wide, p->count, 0, t->context, err));
    for (int64_t a = 0; a < m; a++)
        out->psi[a] += p->sum[a * wide + t->count];
    for (int64_t i = 0; i < p->count; i++) {
        double root = p->right[i * wide + t->count];
        for (int k = 0; k < t->count; k++)
            out->r[k] += root * p->right[i * wide + k];
        out->mass += root * root;
    }
    p->count = 0;
    return BF_OK;
}

/* The rows of fold f among first .. first + count - 1, which are in t->phi and t->psi. */
static void pack(packed *p, const task *t, int f, int64_t first, int64_t count) {
    int64_t m = t->m, n = t->problem->data->n;
    int wide = t->count + 1;
    p->count = 0;
    for (int64_t i = 0; i < count; i++) {
        if (t->fold[t->clusters->of[first + i]] != f)
            continue;
        double root = sqrt(t->u[first + i]), *right = p->right + p->count * wide;
        for (int64_t a = 0; a < m; a++) {
            p->phi[p->count * m + a] = root * t->phi[i * m + a];
            p->psi[p->count * m + a] = root * t->psi[i * m + a];
        }
        for (int k = 0; k < t->count; k++)
            right[k] = root * t->rewards[k * n + first + i];
        right[t->count] = root;
        p->count++;
    }
}

static bf_status gather(task *t, bf_error *err) {
    int64_t n = t->problem->data->n, m = t->m, most = n < ROWS ? n : ROWS;
    bf_mark mark = bf_arena_mark(t->arena);
    packed p = {.count = 0};
    BF_ALLOC(p.phi, t->arena, most * m, err);
    BF_ALLOC(p.psi, t->arena, most * m, err);
    BF_ALLOC(p.right, t->arena, most * (t->count + 1), err);
    BF_ALLOC(p.sum, t->arena, m * (t->count + 1), err);
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(bf__lowrank_rows(t->phi, t->psi, t->lowrank, first, count, t->context, err));
        for (int f = 0; f < t->folds; f++) {
            pack(&p, t, f, first, count);
            BF_TRY(add_packed(&t->part[f], &p, t, err));
        }
        if (!bf__progress(t->context, "measuring what episodes contribute", (double)(first + count),
                          (double)n, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    bf_arena_rewind(t->arena, mark);
    return BF_OK;
}

static void add(double *to, const double *from, int64_t count, double sign) {
    for (int64_t i = 0; i < count; i++)
        to[i] += sign * from[i];
}

/* to += sign * from. */
static void combine(moments *to, const moments *from, double sign, const task *t) {
    add(to->g, from->g, t->m * t->m, sign);
    add(to->c, from->c, t->m * t->m, sign);
    add(to->b, from->b, t->count * t->m, sign);
    add(to->phi, from->phi, t->m, sign);
    add(to->psi, from->psi, t->m, sign);
    add(to->r, from->r, t->count, sign);
    to->mass += sign * from->mass;
}

/* Means in place of sums; the means taken out, or, where ends stay ended, the start flow that psi
 * has in it. */
static void centre(moments *s, const task *t) {
    int64_t m = t->m;
    double gamma = t->problem->gamma, scale = 1 / s->mass;
    for (int64_t a = 0; a < m; a++) {
        s->phi[a] *= scale;
        s->psi[a] *= scale;
    }
    for (int k = 0; k < t->count; k++)
        s->r[k] *= scale;
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++) {
            double *g = &s->g[a * m + b], *c = &s->c[a * m + b];
            *g *= scale;
            *c *= scale;
            if (t->ends) {
                *c += (1 - gamma) * t->start[a] * s->phi[b];
            } else {
                *g -= s->phi[a] * s->phi[b];
                *c -= s->psi[a] * s->phi[b];
            }
        }
        s->g[a * m + a] += floor_of_g;
        for (int k = 0; k < t->count; k++)
            s->b[k * m + a] = scale * s->b[k * m + a] - (t->ends ? 0 : s->r[k] * s->phi[a]);
    }
}

/* theta (RIDGES, K, m) of centred moments, which are used up: g becomes L. */
static bf_status fit(double *theta, moments *s, const task *t, bf_error *err) {
    int64_t m = t->m;
    bf_mark mark = bf_arena_mark(t->arena);
    double *xx, *a, *right;
    BF_ALLOC(xx, t->arena, m * m, err);
    BF_ALLOC(a, t->arena, m * m, err);
    BF_ALLOC(right, t->arena, t->count * m, err);
    BF_TRY(bf__cholesky(s->g, m, NULL, t->arena, err));
    BF_TRY(bf__lower_solve(s->c, m, s->g, m, false, t->context, err));        /* X' by rows */
    BF_TRY(bf__lower_solve(s->b, t->count, s->g, m, false, t->context, err)); /* L^-1 b */
    BF_TRY(bf__matmul(xx, s->c, false, s->c, true, m, m, m, t->context, err));
    BF_TRY(bf__matmul(right, s->b, false, s->c, true, t->count, m, m, t->context, err));
    for (int l = 0; l < RIDGES; l++) {
        double *out = theta + (int64_t)l * t->count * m;
        memcpy(a, xx, (size_t)(m * m) * sizeof *a);
        for (int64_t p = 0; p < m; p++)
            a[p * m + p] += ladder[l];
        BF_TRY(bf__cholesky(a, m, NULL, t->arena, err));
        memcpy(out, right, (size_t)(t->count * m) * sizeof *out);
        BF_TRY(bf__cholesky_solve(out, t->count, a, m, t->context, err));
    }
    bf_arena_rewind(t->arena, mark);
    return BF_OK;
}

/* Adds to t->error what theta (RIDGES, K, m) leaves of a fold, whose moments are centred; l is the
 * factor of G. */
static bf_status judge_fold(task *t, const moments *fold, const double *theta, const double *l,
                            bf_error *err) {
    int64_t m = t->m;
    int sets = RIDGES * t->count;
    bf_mark mark = bf_arena_mark(t->arena);
    double *left;
    BF_ALLOC(left, t->arena, sets * m, err);
    BF_TRY(bf__matmul(left, theta, false, fold->c, false, sets, m, m, t->context, err));
    for (int s = 0; s < sets; s++)
        for (int64_t a = 0; a < m; a++)
            left[s * m + a] -= fold->b[s % t->count * m + a];
    BF_TRY(bf__lower_solve(left, sets, l, m, false, t->context, err));
    for (int s = 0; s < sets; s++)
        for (int64_t a = 0; a < m; a++)
            t->error[s] += left[s * m + a] * left[s * m + a];
    bf_arena_rewind(t->arena, mark);
    return BF_OK;
}

static bf_status fit_folds(task *t, bf_error *err) {
    moments rest;
    for (int f = 0; f < t->folds; f++)
        combine(&t->total, &t->part[f], 1, t);
    for (int f = 0; f < t->folds; f++) {
        bf_mark own = bf_arena_mark(t->arena);
        BF_TRY(make_moments(&rest, t->m, t->count, t->arena, err));
        combine(&rest, &t->total, 1, t);
        combine(&rest, &t->part[f], -1, t);
        centre(&rest, t);
        double *theta = t->theta + (int64_t)f * RIDGES * t->count * t->m;
        BF_TRY(fit(theta, &rest, t, err));
        centre(&t->part[f], t);
        BF_TRY(judge_fold(t, &t->part[f], theta, rest.g, err));
        bf_arena_rewind(t->arena, own);
    }
    return BF_OK;
}

/* The theta of a fold and a quantity, of the chosen ridge. */
static const double *theta_of(const task *t, const int *chosen, int f, int k) {
    return t->theta + (((int64_t)f * RIDGES + chosen[k]) * t->count + k) * t->m;
}

/* Adds the surprise of every transition to c (K, J). */
static bf_status look_at_rows(double *c, const task *t, const int *chosen, const double *mean,
                              bf_error *err) {
    int64_t n = t->problem->data->n, m = t->m, j = t->clusters->count;
    int all = t->folds * t->count;
    double *gap, *lift, *theta, gamma = t->problem->gamma;
    bf_mark mark = bf_arena_mark(t->arena);
    BF_ALLOC(gap, t->arena, (n < ROWS ? n : ROWS) * all, err);
    BF_ALLOC(theta, t->arena, all * m, err);
    BF_ZALLOC(lift, t->arena, all, err); /* (1 - gamma) S0'theta, where psi has it and q not */
    for (int s = 0; s < all; s++) {
        memcpy(theta + s * m, theta_of(t, chosen, s / t->count, s % t->count),
               (size_t)m * sizeof *theta);
        for (int64_t a = 0; a < m && t->ends; a++)
            lift[s] += (1 - gamma) * t->start[a] * theta[s * m + a];
    }
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(bf__lowrank_rows(NULL, t->psi, t->lowrank, first, count, t->context, err));
        BF_TRY(bf__matmul(gap, t->psi, false, theta, true, count, all, m, t->context, err));
        for (int64_t i = 0; i < count; i++) {
            int32_t cluster = t->clusters->of[first + i];
            for (int k = 0; k < t->count; k++) {
                int s = t->fold[cluster] * t->count + k;
                double e = t->rewards[k * n + first + i] - (t->ends ? 0 : mean[k]) -
                           gap[i * all + s] - lift[s];
                c[k * j + cluster] += t->w[first + i] * e;
            }
        }
    }
    bf_arena_rewind(t->arena, mark);
    return BF_OK;
}

/* Adds F (V(s0) - mean V) / starts to c (K, J) for the chosen ridges. */
static bf_status look_at_starts(double *c, const task *t, const int *chosen, bf_error *err) {
    const bf__points *f = t->points;
    const bf_dataset *data = t->problem->data;
    int64_t m = t->m, starts = f->starts;
    double flow = 0, mass = 0, gamma = t->problem->gamma, *one, *place;
    if (starts == 0)
        return BF_OK;
    for (int64_t i = 0; i < data->n; i++) {
        flow += t->w[i] * bf__step_h(&f->steps, i);
        mass += t->w[i];
    }
    if (t->ends)
        flow += (1 - mass) * (1 - gamma);
    bf_mark mark = bf_arena_mark(t->arena);
    BF_ALLOC(one, t->arena, starts, err);
    BF_ALLOC(place, t->arena, starts * m, err);
    for (int64_t e = 0; e < starts; e++)
        one[e] = 1;
    bf__next_d set;
    BF_TRY(bf__next_make(&set, t->lowrank->flow, f->z0, f->pi0, f->u0, one, starts, t->arena, err));
    BF_TRY(bf__lowrank_next(place, t->lowrank, &set, t->context, err));
    for (int64_t e = 0; e < starts; e++) {
        int32_t cluster = t->clusters->of[data->order[data->begin[e]]];
        for (int k = 0; k < t->count; k++) {
            const double *theta = theta_of(t, chosen, t->fold[cluster], k);
            double gap = 0;
            for (int64_t a = 0; a < m; a++)
                gap += (place[e * m + a] - t->start[a]) * theta[a];
            c[k * t->clusters->count + cluster] +=
                flow * (f->weight0 ? f->weight0[e] : 1) * gap / (double)starts;
        }
    }
    bf_arena_rewind(t->arena, mark);
    return BF_OK;
}

static bf_status prepare(task *t, bf__points *points, const char *periodic, const char *scale,
                         bf_error *err) {
    int64_t n = t->problem->data->n, most = n > LARGE ? FEATURES_LARGE : FEATURES;
    int64_t rank = n / 8 < 20 ? 20 : n / 8 < most ? n / 8 : most;
    double mass = 0;
    bf__pair_kernel kernel;
    bf__pointwise options = {.bandwidth = "median"};
    BF_TRY(bf__points_make(points, t->problem, periodic, scale, t->context, t->arena, err));
    BF_TRY(bf__features_read(&kernel, points, &options, t->arena, err));
    BF_TRY(
        bf__features_make(&t->lowrank, points, &kernel, 2, rank, NULL, t->context, t->arena, err));
    t->points = points;
    t->m = t->lowrank->m;
    t->ends = points->steps.absorbs;
    t->folds = t->clusters->count < FOLDS ? (int)t->clusters->count : FOLDS;
    BF_ALLOC(t->fold, t->arena, t->clusters->count, err);
    bf__clusters_deal(t->fold, t->clusters->count, t->folds, t->context ? t->context->seed : 1,
                      "folds", 0);
    BF_ALLOC(t->u, t->arena, n, err);
    for (int64_t i = 0; i < n; i++)
        mass += fmax(t->w[i], 0);
    for (int64_t i = 0; i < n; i++)
        t->u[i] = (1 - mixed_in) * fmax(t->w[i], 0) / (mass > 0 ? mass : 1) +
                  mixed_in * bf__point_weight(points, i) / (double)n;
    BF_TRY(make_moments(&t->total, t->m, t->count, t->arena, err));
    for (int f = 0; f < t->folds; f++)
        BF_TRY(make_moments(&t->part[f], t->m, t->count, t->arena, err));
    BF_ALLOC(t->start, t->arena, t->m, err);
    BF_ALLOC(t->theta, t->arena, (int64_t)t->folds * RIDGES * t->count * t->m, err);
    BF_ALLOC(t->phi, t->arena, (n < ROWS ? n : ROWS) * t->m, err);
    BF_ALLOC(t->psi, t->arena, (n < ROWS ? n : ROWS) * t->m, err);
    return bf__lowrank_start(t->start, t->lowrank, t->context, err);
}

bf_status bf__influence_features(bf__influence *out, const bf_problem *problem,
                                 const double *rewards, int count, const double *w,
                                 const bf__clusters *clusters, const char *periodic,
                                 const char *scale, const bf_context *context, bf_arena *arena,
                                 bf_error *err) {
    int64_t n = problem->data->n, j = clusters->count;
    task t = {problem, clusters, rewards, w, count, .context = context, .arena = arena};
    bf__points points;
    double mean[BF__MOST_REWARDS] = {0}, mass = 0;
    int chosen[BF__MOST_REWARDS] = {0};
    *out = (bf__influence){.rewards = count};
    BF_ZALLOC(out->c, arena, count * j, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(prepare(&t, &points, periodic, scale, err));
    BF_TRY(gather(&t, err));
    BF_TRY(fit_folds(&t, err));
    for (int64_t i = 0; i < n; i++)
        mass += w[i];
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            mean[k] += w[i] * rewards[k * n + i] / (mass > 0 ? mass : 1);
    for (int k = 0; k < count; k++)
        for (int l = 1; l < RIDGES; l++)
            if (t.error[l * count + k] < t.error[chosen[k] * count + k])
                chosen[k] = l;
    BF_TRY(look_at_rows(out->c, &t, chosen, mean, err));
    BF_TRY(look_at_starts(out->c, &t, chosen, err));
    out->features = t.m;
    out->ridge = ladder[chosen[0]];
    bf_arena_rewind(arena, mark);
    bf__influence_finish(out, j);
    return BF_OK;
}
