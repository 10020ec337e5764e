/* correction.c - Base weights, corrected so that the flow balances on features.
 *
 * Solves      w_i = u_i (1 - (phi_i - phibar)' alpha),
 *             alpha = G^-1 C (C' G^-1 C + lambda)^-1 psibar
 *             G = sum u (phi - phibar)(phi - phibar)' + 1e-7,  C = sum u (phi - phibar) psi',
 *             psibar = sum u psi, phibar = sum u phi
 * Shapes      m features; phi_i, psi_i (m) of pair and transition i; u (n) the base weights
 *
 * w is a function of (s, a) because u and phi are. Multiplying out, sum w psi = psibar - C' alpha,
 * which is 0 but for lambda: the flow of the corrected weights balances on the features. It is also
 * two-stage least squares with weights u for the differential value q = phi'theta, which solves
 * r_i - rho = psi_i'theta in the mean given (s, a): sum w r is then sum u r - psibar'theta. What is
 * left of the base weights' error is the product of their flow residual with the part of q that no
 * theta reaches: two small things.
 *
 * Where ends stay ended (absorb, gamma < 1) weights need not sum to 1: then q is the value itself
 * and not a difference, nothing is centred, and (1 - gamma) S0 has to flow in from outside.
 *
 * Cost  O(n m^2), rows in blocks; O(m^3). Memory O(m^2 + 4096 m). */
#include "estimator/correction.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/log.h"
#include "core/text.h"
#include "flow/lowrank_sums.h"
#include "linalg/dense.h"

enum { ROWS = 4096 };
static const double floor_of_g = 1e-7, default_share = 0.7;

/* ---- Features */

static bf_status read_share(double *out, const char *text, bf_error *err) {
    *out = default_share;
    if (!text || strcmp(text, "auto") == 0)
        return BF_OK;
    if (!bf__parse_real(text, out) || !(*out >= 0 && *out <= 1))
        return bf_fail(err, BF_EUSAGE, "--action-share: '%s' should be auto or a number 0 to 1",
                       text);
    return BF_OK;
}

static bf_status make_kernel(bf__kernel *out, const bf__blackbox_options *options, double factor,
                             const double *z, int64_t n, int d, uint64_t seed, bf_arena *arena,
                             bf_error *err) {
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    double width[BF__MAX_WIDTHS];
    bf__kernel plain;
    BF_TRY(bf__kernel_make(&plain, kind ? kind->name : "matern", options->bandwidth, z, n, d, seed,
                           arena, err));
    for (int w = 0; w < plain.widths; w++)
        width[w] = factor * plain.width[w];
    return bf__kernel_set(out, plain.kind, width, plain.widths, err);
}

bf_status bf__features_make(bf__lowrank **out, const bf__points *points,
                            const bf__blackbox_options *options, double factor, int64_t rank,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__flow_input input = points->flow;
    bf__flow *flow;
    BF_TRY(read_share(&input.action_share, options->action_share, err));
    BF_TRY(make_kernel(&input.kernel, options, factor, input.z, input.n, input.d, input.seed, arena,
                       err));
    if (!input.actions)
        BF_TRY(make_kernel(&input.action_kernel, options, factor, input.u, input.n,
                           input.action_dim, input.seed, arena, err));
    BF_TRY(bf__flow_create(&flow, &input, context, arena, err));
    bf__lowrank_options choice = {.rank = rank, .seed = input.seed};
    return bf__lowrank_create(out, flow, &choice, context, arena, err);
}

/* ---- Moments */

typedef struct moments {
    int64_t m;
    double *g, *ct;    /* (m, m): G and C' */
    double *phi, *psi; /* (m): phibar, psibar */
    double *rows[2];   /* (ROWS, m): phi, psi of a block, times sqrt(u) */
    double *root;      /* (ROWS): sqrt(u) */
    double *v, *sum;   /* (m) */
    double *xx;        /* (m, m) */
} moments;

static bf_status make_moments(moments *out, int64_t m, int64_t n, bf_arena *arena, bf_error *err) {
    int64_t rows = n < ROWS ? n : ROWS;
    out->m = m;
    BF_ZALLOC(out->g, arena, m * m, err);
    BF_ZALLOC(out->ct, arena, m * m, err);
    BF_ALLOC(out->xx, arena, m * m, err);
    BF_ZALLOC(out->phi, arena, m, err);
    BF_ZALLOC(out->psi, arena, m, err);
    BF_ALLOC(out->v, arena, m, err);
    BF_ALLOC(out->sum, arena, m, err);
    BF_ALLOC(out->rows[0], arena, rows * m, err);
    BF_ALLOC(out->rows[1], arena, rows * m, err);
    BF_ALLOC(out->root, arena, rows, err);
    return BF_OK;
}

static bf_status add_block(moments *q, const bf__lowrank *lowrank, const double *u, int64_t first,
                           int64_t count, const bf_context *context, bf_error *err) {
    double *mean[2] = {q->phi, q->psi};
    int64_t m = q->m;
    BF_TRY(bf__lowrank_rows(q->rows[0], q->rows[1], lowrank, first, count, context, err));
    for (int64_t i = 0; i < count; i++)
        q->root[i] = sqrt(u[first + i]);
    for (int s = 0; s < 2; s++) {
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
        for (int64_t i = 0; i < count; i++)
            for (int64_t p = 0; p < m; p++)
                q->rows[s][i * m + p] *= q->root[i];
        BF_TRY(bf__matvec(q->sum, q->rows[s], true, q->root, count, m, context, err));
        for (int64_t p = 0; p < m; p++)
            mean[s][p] += q->sum[p];
    }
    BF_TRY(bf__gram(q->g, q->rows[0], m, q->rows[0], m, count, 1, context, err));
    return bf__gram(q->ct, q->rows[1], m, q->rows[0], m, count, 1, context, err);
}

/* Takes the means out; or, where ends stay ended, puts what flows in from outside where it
 * belongs. */
static bf_status centre(moments *q, const bf__neighbours *base, const bf__lowrank *lowrank,
                        double gamma, const bf_context *context, bf_error *err) {
    int64_t m = q->m;
    if (base->ends)
        BF_TRY(bf__lowrank_start(q->v, lowrank, context, err));
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++) {
            if (base->ends) {
                q->ct[a * m + b] += (1 - gamma) * q->v[a] * q->phi[b];
            } else {
                q->g[a * m + b] -= q->phi[a] * q->phi[b];
                q->ct[a * m + b] -= q->psi[a] * q->phi[b];
            }
        }
        q->g[a * m + a] += floor_of_g;
    }
    for (int64_t a = 0; a < m && base->ends; a++)
        q->psi[a] -= (1 - base->sum) * (1 - gamma) * q->v[a];
    return BF_OK;
}

/* alpha (ridges, m). */
static bf_status solve(double *alpha, moments *q, const double *ridge, int ridges,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = q->m;
    double *x = q->ct, *a; /* X' = (L^-1 C)' */
    BF_ALLOC(a, arena, m * m, err);
    BF_TRY(bf__cholesky(q->g, m, NULL, arena, err));
    BF_TRY(bf__lower_solve(x, m, q->g, m, false, context, err));
    BF_TRY(bf__matmul(q->xx, x, false, x, true, m, m, m, context, err));
    for (int s = 0; s < ridges; s++) {
        memcpy(a, q->xx, (size_t)(m * m) * sizeof *a);
        for (int64_t p = 0; p < m; p++)
            a[p * m + p] += ridge[s];
        BF_TRY(bf__cholesky(a, m, NULL, arena, err));
        memcpy(q->v, q->psi, (size_t)m * sizeof *a);
        BF_TRY(bf__cholesky_solve(q->v, 1, a, m, context, err));
        BF_TRY(bf__matvec(alpha + s * m, x, true, q->v, m, m, context, err));
    }
    return bf__lower_solve(alpha, ridges, q->g, m, true, context, err);
}

bf_status bf__correct(double *w, const bf__neighbours *base, const bf__lowrank *lowrank,
                      double gamma, const double *ridge, int ridges, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    int64_t n = lowrank->flow->n, m = lowrank->m;
    bf_mark mark = bf_arena_mark(arena);
    moments q;
    double *alpha, *middle; /* (ridges): phibar'alpha */
    BF_TRY(make_moments(&q, m, n, arena, err));
    BF_ALLOC(alpha, arena, ridges * m, err);
    BF_ZALLOC(middle, arena, ridges, err);
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(add_block(&q, lowrank, base->u, first, count, context, err));
        if (!bf__progress(context, "correcting the weights", (double)(first + count), (double)n,
                          NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    BF_TRY(centre(&q, base, lowrank, gamma, context, err));
    BF_TRY(solve(alpha, &q, ridge, ridges, context, arena, err));
    for (int s = 0; s < ridges && !base->ends; s++)
        for (int64_t p = 0; p < m; p++)
            middle[s] += q.phi[p] * alpha[s * m + p];
    BF_TRY(bf__lowrank_apply(w, lowrank, alpha, ridges, context, err));
    for (int s = 0; s < ridges; s++)
        for (int64_t i = 0; i < n; i++)
            w[s * n + i] = base->u[i] * (1 - (w[s * n + i] - middle[s]));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__features_residual(double *residual, const bf__lowrank *lowrank, const double *w,
                                int sets, bool ends, double gamma, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    int64_t n = lowrank->flow->n, m = lowrank->m;
    bf_mark mark = bf_arena_mark(arena);
    double *sum, *start;
    BF_ALLOC(sum, arena, sets * m, err);
    BF_ALLOC(start, arena, m, err);
    BF_TRY(bf__lowrank_sum(sum, lowrank, w, sets, context, arena, err));
    BF_TRY(bf__lowrank_start(start, lowrank, context, err));
    for (int s = 0; s < sets; s++) {
        double total = 0;
        for (int64_t i = 0; i < n; i++)
            total += w[s * n + i];
        residual[s] = 0;
        for (int64_t p = 0; p < m; p++) {
            double gap = sum[s * m + p] - (ends ? (1 - total) * (1 - gamma) * start[p] : 0);
            residual[s] += gap * gap;
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
