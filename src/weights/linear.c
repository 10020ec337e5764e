/* linear.c - Black-box weights, linear in kernel features, in closed form.
 *
 * Estimates   sum_i w_i r_i,  n w_i = W(x_i) = 1 + (phi(x_i) - f)' alpha,   f the mean of phi
 *             alpha = argmin |sum_i w_i psi_i|^2 + lambda |alpha|^2
 *                   = -(M'M + lambda I)^-1 M'p,   M = mean psi_i (phi_i - f)',  p = mean psi_i
 * Source      paper, eq. (9)-(11), with W linear; docs/notes/linear-weights.md: trials
 * Shapes      n transitions, m features; phi, psi (n, m)
 * Cost        O(n m^2) once, O(m^3) for the eigenvalues of M'M, O(n m) per lambda;
 *             memory 16 n m bytes, or blocks of rows where that is too much
 *
 * The constant 1 is a feature that costs nothing: weights sum to 1 by themselves, lambda = infinity
 * gives equal weights, and the residual is never above theirs.
 *
 * The other side. b = mean (phi_i - f) r_i: the value is mean r + b'alpha = mean r - p'theta with
 * theta = M (M'M + lambda I)^-1 b, the ridge solution of M' theta = b. That is least-squares
 * temporal differences for the differential value q = phi' theta: weights and q, primal and dual,
 * give one and the same number, so that their agreement can not be used to find lambda.
 *
 * lambda. W can not be negative, but nothing here forces that: ridge.h chooses by it.
 *
 * Where W is negative all the same, the value is that of the W found (cut to the range of the
 * rewards), whose balance it is. The weights handed out are max(W, 0), made to sum to 1. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/log.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "flow/plan.h"
#include "linalg/dense.h"
#include "weights/balance.h"
#include "weights/ridge.h"

enum { ROWS = 4096, FEATURES = 500 };

typedef struct model {
    const bf__lowrank *lowrank;
    double *phi, *psi; /* (n, m), or (rows, m) where `streamed` */
    bool streamed;
    int64_t rows;      /* of a block */
    double *m, *f, *p; /* (m, m), (m), (m): as above */
    bf__ridges ridges;
    double *w; /* (n, ridges): W */
} model;

/* Rows first .. first + count - 1; made, or at hand. */
static bf_status rows_at(const double **phi, const double **psi, const model *s, int64_t first,
                         int64_t count, const bf_context *context, bf_error *err) {
    int64_t at = s->streamed ? 0 : first * s->lowrank->m;
    *phi = s->phi + at;
    if (psi)
        *psi = s->psi + at;
    return s->streamed ? bf__lowrank_rows(s->phi, psi ? s->psi : NULL, s->lowrank, first, count,
                                          context, err)
                       : BF_OK;
}

static bf_status step(const bf_context *context, int64_t done, int64_t total, bf_error *err) {
    if (!bf__progress(context, "linear weights", (double)done, (double)total, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped at transition %lld of %lld of the features",
                       (long long)done, (long long)total);
    return BF_OK;
}

/* M, f, p over all rows. */
static bf_status moments(model *s, const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = s->lowrank->flow->n, m = s->lowrank->m;
    double *one;
    BF_ALLOC(one, arena, s->rows, err);
    BF_ZALLOC(s->m, arena, m * m, err);
    BF_ZALLOC(s->f, arena, m, err);
    BF_ZALLOC(s->p, arena, m, err);
    for (int64_t i = 0; i < s->rows; i++)
        one[i] = 1;
    if (!s->streamed)
        BF_TRY(bf__lowrank_rows(s->phi, s->psi, s->lowrank, 0, n, context, err));
    for (int64_t first = 0; first < n; first += s->rows) {
        int64_t count = n - first < s->rows ? n - first : s->rows;
        const double *phi, *psi;
        BF_TRY(step(context, first, 2 * n, err));
        BF_TRY(rows_at(&phi, &psi, s, first, count, context, err));
        BF_TRY(bf__gram(s->m, psi, m, phi, m, count, 1, context, err));
        BF_TRY(bf__gram(s->f, phi, m, one, 1, count, 1, context, err));
        BF_TRY(bf__gram(s->p, psi, m, one, 1, count, 1, context, err));
    }
    for (int64_t i = 0; i < m; i++) {
        s->f[i] /= (double)n;
        s->p[i] /= (double)n;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            s->m[i * m + j] = s->m[i * m + j] / (double)n - s->p[i] * s->f[j];
    return BF_OK;
}

/* alpha (m, ridges), by the eigenvectors of M'M. */
static bf_status solve(double *alpha, const model *s, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    int64_t m = s->lowrank->m;
    int ridges = s->ridges.count;
    double *v, *value, *g, *c;
    BF_ALLOC(v, arena, m * m, err);
    BF_ALLOC(value, arena, m, err);
    BF_ALLOC(g, arena, m, err);
    BF_ALLOC(c, arena, m * ridges, err);
    BF_TRY(bf__gram(v, s->m, m, s->m, m, m, 0, context, err));
    BF_TRY(bf__eigen(value, v, m, arena, err));
    BF_TRY(bf__matvec(g, s->m, true, s->p, m, m, context, err));
    BF_TRY(bf__matmul(c, v, false, g, false, m, 1, m, context, err)); /* V M'p in c[0 .. m-1] */
    memcpy(g, c, (size_t)m * sizeof *g);
    for (int64_t k = 0; k < m; k++)
        for (int l = 0; l < ridges; l++)
            c[k * ridges + l] = -g[k] / (fmax(value[k], 0) + s->ridges.lambda[l]);
    return bf__matmul(alpha, v, true, c, false, m, ridges, m, context, err);
}

/* W (n, ridges), of mean 1 each, and how much of it is negative. */
static bf_status weigh(model *s, const double *alpha, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    int64_t n = s->lowrank->flow->n, m = s->lowrank->m;
    int ridges = s->ridges.count;
    double constant[BF__RIDGES];
    BF_ALLOC(s->w, arena, n * ridges, err);
    BF_TRY(bf__gram(constant, s->f, 1, alpha, ridges, m, 0, context, err));
    for (int64_t first = 0; first < n; first += s->rows) {
        int64_t count = n - first < s->rows ? n - first : s->rows;
        const double *phi;
        double *w = s->w + first * ridges;
        BF_TRY(step(context, n + first, 2 * n, err));
        BF_TRY(rows_at(&phi, NULL, s, first, count, context, err));
        BF_TRY(bf__matmul(w, phi, false, alpha, false, count, ridges, m, context, err));
        for (int64_t i = 0; i < count; i++)
            for (int l = 0; l < ridges; l++) {
                w[i * ridges + l] += 1 - constant[l];
                s->ridges.negative[l] += fmax(-w[i * ridges + l], 0) / (double)n;
            }
    }
    return BF_OK;
}

/* ---- What to say about it */

static bf_status report(bf_estimate *out, const bf_problem *problem, const bf__balance *balance,
                        const model *s, int chosen, const bf_context *context, bf_arena *arena,
                        bf_error *err) {
    int64_t n = problem->data->n;
    double *w, *kept, sum = 0, total = 0;
    BF_ALLOC(w, arena, n, err);
    BF_ALLOC(kept, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        w[i] = s->w[i * s->ridges.count + chosen] / (double)n;
    BF_TRY(bf__balance_report(out, problem, balance, w, s->lowrank, s->streamed ? NULL : s->psi,
                              context, arena, err));
    for (int64_t i = 0; i < n; i++) {
        total += w[i];
        sum += kept[i] = fmax(w[i], 0);
    }
    for (int64_t i = 0; i < n; i++)
        kept[i] *= total / sum;
    bf__diagnose(out, BF__D_NEGATIVE_MASS, s->ridges.negative[chosen]);
    bf__diagnose(out, BF__D_RIDGE, s->ridges.lambda[chosen]);
    return bf__hand_out(out, problem, kept, w, total, arena, err);
}

static bf_status make_room(model *s, const bf__flow_plan *plan, bf_arena *arena, bf_error *err) {
    int64_t n = s->lowrank->flow->n, m = s->lowrank->m;
    s->rows = n < ROWS ? n : ROWS;
    s->streamed = plan->way == BF__WAY_STREAMED;
    BF_ALLOC(s->phi, arena, (s->streamed ? s->rows : n) * m, err);
    BF_ALLOC(s->psi, arena, (s->streamed ? s->rows : n) * m, err);
    return BF_OK;
}

typedef struct linear_options {
    bf__pointwise at;
    bf_auto ridge;
    double memory; /* GB */
} linear_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(linear_options, at.),
    BF__LAMBDA_ROW(linear_options),
    BF__MEMORY_ROW(linear_options),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights linear", linear_options, rows);

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const linear_options *options = bf_settings_of(settings, &table);
    bf__balance balance;
    bf__lowrank *lowrank;
    model s = {.streamed = false};
    bool ended;
    double *alpha;
    s.ridges = bf__ridges_make(options->ridge);
    BF_TRY(bf__balance_ended(&ended, out, problem, arena, err));
    if (ended)
        return BF_OK;
    BF_TRY(bf__balance_make(&balance, problem, &options->at, "matern", 0.5, context, arena, err));
    bf__flow_plan plan =
        bf__flow_choose(problem->data->n, 1e9 * options->memory,
                        options->at.features > 0 ? options->at.features : FEATURES, true);
    bf__lowrank_options cut = {
        .rank = plan.rank, .candidates = plan.candidates, .seed = balance.points.seed};
    BF_TRY(step(context, 0, 1, err));
    BF_TRY(bf__lowrank_create(&lowrank, balance.flow, &cut, context, arena, err));
    s.lowrank = lowrank;
    BF_TRY(make_room(&s, &plan, arena, err));
    BF_TRY(moments(&s, context, arena, err));
    BF_ALLOC(alpha, arena, lowrank->m * s.ridges.count, err);
    BF_TRY(solve(alpha, &s, context, arena, err));
    BF_TRY(weigh(&s, alpha, context, arena, err));
    return report(out, problem, &balance, &s, bf__ridges_choose(&s.ridges), context, arena, err);
}

/* The one that can do with any log; others suit some logs better. */
static int suits(const bf_dataset *data) {
    (void)data;
    return 1;
}

const bf__weights bf__weights_linear = {
    .model = {"linear", "linear in kernel features, in closed form", &table},
    .suits = suits,
    .run = run,
};
