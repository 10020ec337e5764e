/* rebalance.c - Base weights, corrected so that the flow balances on features.
 *
 * Solves      w_i = u_i (1 - (phi_i - phibar)' alpha),
 *             alpha = G^-1 C (C' G^-1 C + lambda)^-1 psibar
 *             G = sum u (phi - phibar)(phi - phibar)' + 1e-7,  C = sum u (phi - phibar) psi',
 *             psibar = sum u psi, phibar = sum u phi
 * Shapes      m features; phi_i, psi_i (m) of pair and transition i; u (n) the base weights
 *
 * w is a function of (s, a) because u and phi are. Multiplying out gives sum w psi = psibar - C'
 * alpha, which is 0 except for the effect of lambda. So the flow of the corrected weights balances
 * on the features.
 *
 * The correction is also two-stage least squares with weights u. It fits the differential value q =
 * phi'theta, which satisfies r_i - rho = psi_i'theta in the mean given (s, a). Then sum w r equals
 * sum u r - psibar'theta. The remaining error of the base weights is a product of two small things:
 * their flow residual, and the part of q that no theta can express.
 *
 * If ends stay ended (absorb, gamma < 1), weights need not sum to 1. Then q is the value itself and
 * not a difference, nothing is centred, and (1 - gamma) S0 has to flow in from outside.
 *
 * G and C may be summed over some of the transitions only (sample.c), but psibar is summed over all
 * of them. An error of theta then counts only in so far as the flow of the base weights does not
 * balance, which is again a product.
 *
 * We first accumulate C with the inner products of psi and turn them into coordinates once, at the
 * end. If choosing the pivots has already computed phi, we reuse it.
 *
 * Cost  O(N m^2) for the N transitions of G and C, rows in blocks; O(n m + m^3). Memory O(m^2 +
 *       2048 m), and O(n m) for phi that are kept (n up to 40,000). */
#include "weights/rebalance.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/lowrank_sums.h"
#include "kernel/bandwidth.h"
#include "linalg/dense.h"

enum { ROWS = 2048, MOST_STARTS = 20000 };
static const double floor_of_g = 1e-7, default_share = 0.7;

/* ---- Features */

bf_status bf__features_read(bf__pair_kernel *out, const bf__points *points,
                            const bf__pointwise *options, bf_arena *arena, bf_error *err) {
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    const char *name = kind ? kind->name : "matern";
    *out = (bf__pair_kernel){.share = default_share};
    if (options->action_share.given)
        out->share = options->action_share.value;
    BF_TRY(bf__kernel_make(&out->state, name, options->bandwidth, points->z, points->n, points->d,
                           points->seed, arena, err));
    if (!points->actions)
        BF_TRY(bf__kernel_make(&out->action, name, options->bandwidth, points->u, points->n,
                               points->action_dim, points->seed, arena, err));
    return BF_OK;
}

static bf_status widen(bf__kernel *out, const bf__kernel *kernel, double factor, bf_error *err) {
    double width[BF__MAX_WIDTHS];
    for (int w = 0; w < kernel->widths; w++)
        width[w] = factor * kernel->width[w];
    return bf__kernel_set(out, kernel->kind, width, kernel->widths, err);
}

static bf_status widen_both(bf__pair_kernel *out, const bf__pair_kernel *kernel, double factor,
                            bf_error *err) {
    *out = (bf__pair_kernel){.share = kernel->share};
    BF_TRY(widen(&out->state, &kernel->state, factor, err));
    return kernel->action.kind ? widen(&out->action, &kernel->action, factor, err) : BF_OK;
}

bf_status bf__features_part(bf__lowrank *out, const bf__lowrank *lowrank, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, const bf__sample *sample,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__points part;
    bf__pair_kernel wide;
    bf__flow *flow;
    BF_TRY(widen_both(&wide, kernel, factor, err));
    BF_TRY(bf__sample_take(&part, points, sample, arena, err));
    part.most_starts = MOST_STARTS;
    BF_TRY(bf__flow_create(&flow, &part, &wide, context, arena, err));
    *out = *lowrank;
    out->flow = flow;
    out->kept = NULL;
    out->kept_rows = 0;
    return BF_OK;
}

bf_status bf__features_make(bf__lowrank **out, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, int64_t rank,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__points input = *points;
    bf__pair_kernel wide;
    bf__flow *flow;
    input.most_starts = MOST_STARTS;
    BF_TRY(widen_both(&wide, kernel, factor, err));
    BF_TRY(bf__flow_create(&flow, &input, &wide, context, arena, err));
    bf__lowrank_options choice = {.rank = rank, .seed = points->seed, .keep = true};
    return bf__lowrank_create(out, flow, &choice, context, arena, err);
}

/* ---- Moments */

struct bf__correction {
    const bf__neighbours *base;
    const bf__lowrank *lowrank;
    bf__moment_rows rows;
    int64_t m;
    double *g;         /* (m, m): G, then its Cholesky factor */
    double *c;         /* (m, m): C, then X = L^-1 C */
    double *xx;        /* (m, m): X'X */
    double *phi, *psi; /* (m): phibar, psibar */
    double *v;         /* (m) */
};

/* One block of rows. */
typedef struct rows {
    double *phi, *psi; /* (ROWS, m): phi and inner products of psi, times sqrt(u) */
    double *root;      /* (ROWS): sqrt(u) */
    double *sum;       /* (m) */
} rows;

static bf_status make_room(bf__correction *q, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(q->g, arena, q->m * q->m, err);
    BF_ZALLOC(q->c, arena, q->m * q->m, err);
    BF_ALLOC(q->xx, arena, q->m * q->m, err);
    BF_ZALLOC(q->phi, arena, q->m, err);
    BF_ZALLOC(q->psi, arena, q->m, err);
    BF_ALLOC(q->v, arena, q->m, err);
    return BF_OK;
}

static bf_status make_rows(rows *out, int64_t m, int64_t n, bf_arena *arena, bf_error *err) {
    int64_t count = n < ROWS ? n : ROWS;
    BF_ALLOC(out->phi, arena, count * m, err);
    BF_ALLOC(out->psi, arena, count * m, err);
    BF_ALLOC(out->root, arena, count, err);
    BF_ALLOC(out->sum, arena, m, err);
    return BF_OK;
}

static bf_status add_block(bf__correction *q, rows *r, int64_t first, int64_t count,
                           const bf_context *context, bf_error *err) {
    double *made[2] = {r->phi, r->psi}, *mean[2] = {q->phi, q->psi};
    int64_t m = q->m;
    BF_TRY(bf__lowrank_inner(r->phi, r->psi, q->rows.lowrank, first, count, context, err));
    for (int64_t i = 0; i < count; i++)
        r->root[i] = sqrt(q->rows.u[first + i]);
    for (int s = 0; s < 2; s++) {
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
        for (int64_t i = 0; i < count; i++)
            for (int64_t p = 0; p < m; p++)
                made[s][i * m + p] *= r->root[i];
        BF_TRY(bf__matvec(r->sum, made[s], true, r->root, count, m, context, err));
        for (int64_t p = 0; p < m; p++)
            mean[s][p] += r->sum[p];
    }
    BF_TRY(bf__gram(q->g, r->phi, m, r->phi, m, count, 1, context, err));
    return bf__gram(q->c, r->phi, m, r->psi, m, count, 1, context, err);
}

static bf_status add_rows(bf__correction *q, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    int64_t n = q->rows.lowrank->flow->n;
    bf_mark mark = bf_arena_mark(arena);
    rows r;
    BF_TRY(make_rows(&r, q->m, n, arena, err));
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(add_block(q, &r, first, count, context, err));
        if (!bf__progress(context, "correcting the weights", (double)(first + count), (double)n,
                          NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    bf_arena_rewind(arena, mark);
    BF_TRY(bf__lower_solve(q->c, q->m, q->lowrank->l, q->m, false, context, err));
    return bf__lower_solve(q->psi, 1, q->lowrank->l, q->m, false, context, err);
}

/* Takes the means out; or, where ends stay ended, puts what flows in from outside where it
 * belongs. */
static bf_status centre(bf__correction *q, double gamma, const bf_context *context, bf_error *err) {
    int64_t m = q->m;
    bool ends = q->base->ends;
    if (ends)
        BF_TRY(bf__lowrank_start(q->v, q->lowrank, context, err));
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++) {
            if (ends) {
                q->c[a * m + b] += (1 - gamma) * q->v[b] * q->phi[a];
            } else {
                q->g[a * m + b] -= q->phi[a] * q->phi[b];
                q->c[a * m + b] -= q->psi[b] * q->phi[a];
            }
        }
        q->g[a * m + a] += floor_of_g;
    }
    return BF_OK;
}

static void transpose(double *a, int64_t m) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++) {
            double swap = a[i * m + j];
            a[i * m + j] = a[j * m + i];
            a[j * m + i] = swap;
        }
}

bf_status bf__correction_make(bf__correction **out, const bf__neighbours *base,
                              const bf__lowrank *lowrank, const bf__moment_rows *some, double gamma,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__correction *q;
    BF_ALLOC(q, arena, 1, err);
    *q = (bf__correction){.base = base, .lowrank = lowrank, .m = lowrank->m};
    q->rows = some ? *some : (bf__moment_rows){lowrank, base->u};
    BF_TRY(make_room(q, arena, err));
    BF_TRY(add_rows(q, context, arena, err));
    BF_TRY(centre(q, gamma, context, err));
    if (some)
        BF_TRY(bf__lowrank_sum(q->psi, lowrank, base->u, 1, context, arena, err));
    for (int64_t a = 0; a < q->m && base->ends; a++)
        q->psi[a] -= (1 - base->sum) * (1 - gamma) * q->v[a];
    BF_TRY(bf__cholesky(q->g, q->m, NULL, arena, err));
    transpose(q->c, q->m); /* L^-1 C, by rows of C' */
    BF_TRY(bf__lower_solve(q->c, q->m, q->g, q->m, false, context, err));
    transpose(q->c, q->m);
    BF_TRY(bf__gram(q->xx, q->c, q->m, q->c, q->m, q->m, 0, context, err));
    *out = q;
    return BF_OK;
}

/* alpha (ridges, m). */
static bf_status solve(double *alpha, const bf__correction *q, const double *ridge, int ridges,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = q->m;
    double *a;
    BF_ALLOC(a, arena, m * m, err);
    for (int s = 0; s < ridges; s++) {
        memcpy(a, q->xx, (size_t)(m * m) * sizeof *a);
        for (int64_t p = 0; p < m; p++)
            a[p * m + p] += ridge[s];
        BF_TRY(bf__cholesky(a, m, NULL, arena, err));
        memcpy(q->v, q->psi, (size_t)m * sizeof *a);
        BF_TRY(bf__cholesky_solve(q->v, 1, a, m, context, err));
        BF_TRY(bf__matvec(alpha + s * m, q->c, false, q->v, m, m, context, err));
    }
    return bf__lower_solve(alpha, ridges, q->g, m, true, context, err);
}

bf_status bf__correct(double *w, bf__correction *q, const double *ridge, int ridges,
                      const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__neighbours *base = q->base;
    int64_t n = q->lowrank->flow->n, m = q->m;
    bf_mark mark = bf_arena_mark(arena);
    double *alpha;
    BF_ALLOC(alpha, arena, ridges * m, err);
    BF_TRY(solve(alpha, q, ridge, ridges, context, arena, err));
    BF_TRY(bf__lowrank_apply(w, q->lowrank, alpha, ridges, context, err));
    for (int s = 0; s < ridges; s++) {
        double middle = 0; /* phibar'alpha */
        for (int64_t i = 0; i < n && !base->ends; i++)
            middle += base->u[i] / base->sum * w[s * n + i];
        for (int64_t i = 0; i < n; i++)
            w[s * n + i] = base->u[i] * (1 - (w[s * n + i] - middle));
    }
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
