/* rebalance.c - Base weights, corrected so that the flow balances on features.
 *
 * Fits        q = phi'theta, the differential value, which satisfies r_i - rho = psi_i'theta in the
 *             mean given (s, a). The value is then  sum u r - psibar'theta.
 * By          two-stage least squares with weights u; z are the instruments:
 *             z_i = C'G^-1 (phi_i - phibar) - h_i psi_i,   h_i = u_i |L^-1 (phi_i - phibar)|^2
 *             G = sum u (phi - phibar)(phi - phibar)' + 1e-7 = L L',  C = sum u (phi - phibar) psi'
 *             A = sum u z psi' = C'G^-1 C - sum u h psi psi',   psi less their mean throughout
 * As weights  w_i = u_i (1 - (z_i - zbar)'y),   y = (A + lambda)^-1 psibar,   psibar = sum u psi
 * Source      Angrist, Imbens, Krueger, Jackknife instrumental variables estimation, 1999 (JIVE2),
 *             for h; plain two-stage least squares has h = 0
 * Shapes      m features; phi_i, psi_i (m) of pair and transition i; u (n) the base weights
 *
 * With h = 0, z_i follows psi_i itself if there are many features for how many rows there are,
 * noise included, and the fit turns into least squares on noisy regressors: q comes out too flat,
 * however much data each feature has seen. A row's own part in its fitted value is h_i psi_i.
 * Without it, noise of a row meets only that of others, which is independent. A then has the
 * noise's own square taken out and need not be positive. How far it goes below 0 says how large the
 * noise in it is, and the ridge should not be smaller.
 *
 * If next states are not noisy, psi'theta = r - rho holds row by row, and nothing is won by leaving
 * rows out; what z misses of psi is then discontinuity, not noise, and the larger ridge only loses.
 * So the caller says which it is.
 *
 * Multiplying out gives sum w psi = psibar - A y, which is 0 except for the effect of lambda. So
 * the flow of the corrected weights balances on the features. The remaining error of the base
 * weights is a product of two small things: their flow residual, and the part of q that no theta
 * can express.
 *
 * If ends stay ended (absorb, gamma < 1), weights need not sum to 1. Then q is the value itself and
 * not a difference, nothing is centred, and (1 - gamma) S0 has to flow in from outside.
 *
 * G, C and A may be summed over some of the transitions only (sample.c), but psibar is summed over
 * all of them. An error of theta then counts only in so far as the flow of the base weights does
 * not balance, which is again a product.
 *
 * Sums over rows are made with the inner products of psi with the pivots, and turned into
 * coordinates once, at the end. So are those of phi, unless choosing the pivots has already
 * computed it, or some pivots are so close to each other that the turn would blow up rounding
 * errors.
 *
 * Cost  O(N m^2) for the N transitions of the moments, rows in blocks; O(n m + m^3). Memory O(m^2 +
 *       2048 m), and O(n m) for phi that are kept. */
#include "weights/rebalance.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/lowrank_sums.h"
#include "linalg/dense.h"

enum { ROWS = BF__CORRECTION_ROWS };
static const double floor_of_g = 1e-7;
/* The least diagonal of the pivots' factor with which G may be turned: rounding errors grow by the
 * inverse of its square, and have to stay far below the floor of G. */
static const double least_turned = 1e-3;

/* One block of rows. */
typedef struct block {
    double *phi, *psi; /* (ROWS, m): phi, or its inner products; inner products of psi */
    double *root;      /* (ROWS) */
    double *sum;       /* (m) */
} block;

static bf_status make_block(block *out, int64_t m, int64_t n, bf_arena *arena, bf_error *err) {
    int64_t count = n < ROWS ? n : ROWS;
    BF_ALLOC(out->phi, arena, count * m, err);
    BF_ALLOC(out->psi, arena, count * m, err);
    BF_ALLOC(out->root, arena, count, err);
    BF_ALLOC(out->sum, arena, m, err);
    return BF_OK;
}

/* Every row of x (count, m) times its root. */
static void scale_rows(double *x, const double *root, int64_t count, int64_t m,
                       const bf_context *context) {
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < count; i++)
        for (int64_t p = 0; p < m; p++)
            x[i * m + p] *= root[i];
}

static void take_off(double *x, const double *mean, int64_t count, int64_t m,
                     const bf_context *context) {
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < count; i++)
        for (int64_t p = 0; p < m; p++)
            x[i * m + p] -= mean[p];
}

/* ---- Moments */

/* Adds rows to G, C and the means. */
static bf_status add_block(bf__correction *q, block *b, int64_t first, int64_t count,
                           const bf_context *context, bf_error *err) {
    double *made[2] = {b->phi, b->psi}, *mean[2] = {q->phi, q->centre};
    int64_t m = q->m;
    for (int64_t i = 0; i < count; i++)
        b->root[i] = sqrt(q->u[first + i]);
    for (int s = 0; s < 2; s++) {
        scale_rows(made[s], b->root, count, m, context);
        BF_TRY(bf__matvec(b->sum, made[s], true, b->root, count, m, context, err));
        for (int64_t p = 0; p < m; p++)
            mean[s][p] += b->sum[p];
    }
    BF_TRY(bf__gram(q->l, b->phi, m, b->phi, m, count, 1, context, err));
    return bf__gram(q->x, b->phi, m, b->psi, m, count, 1, context, err);
}

/* Sets h, and adds rows to sum u h psi psi'. */
static bf_status add_own(bf__correction *q, block *b, int64_t first, int64_t count,
                         const bf_context *context, bf_error *err) {
    int64_t m = q->m;
    if (!q->base->ends)
        take_off(b->phi, q->phi, count, m, context);
    take_off(b->psi, q->centre, count, m, context);
    BF_TRY(bf__lower_solve(b->phi, count, q->l, m, false, context, err));
    for (int64_t i = 0; i < count; i++) {
        double square = 0, u = q->u[first + i];
        for (int64_t p = 0; p < m; p++)
            square += b->phi[i * m + p] * b->phi[i * m + p];
        q->h[first + i] = u * square;
        b->root[i] = u * sqrt(square);
    }
    scale_rows(b->psi, b->root, count, m, context);
    return bf__gram(q->a, b->psi, m, b->psi, m, count, 1, context, err);
}

typedef bf_status (*add)(bf__correction *q, block *b, int64_t first, int64_t count,
                         const bf_context *context, bf_error *err);

/* All rows of the sums, through `to`. */
static bf_status pass(bf__correction *q, add to, int number, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    int64_t n = q->part->flow->n;
    bf_mark mark = bf_arena_mark(arena);
    block b;
    BF_TRY(make_block(&b, q->m, n, arena, err));
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY((q->products ? bf__lowrank_products : bf__lowrank_inner)(
            b.phi, b.psi, q->part, first, count, context, err));
        BF_TRY(to(q, &b, first, count, context, err));
        if (!bf__progress(context, "correcting the weights", (double)(number * n + first + count),
                          (double)((q->h ? 2 : 1) * n), NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    bf_arena_rewind(arena, mark);
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

/* Whether phi may be summed as inner products. */
static bool may_turn(const bf__correction *q) {
    int64_t m = q->m;
    if (q->h || q->part->kept)
        return false;
    for (int64_t p = 0; p < m; p++)
        if (q->lowrank->l[p * m + p] < least_turned)
            return false;
    return true;
}

/* Inner products of phi become coordinates, in G, C and the mean. */
static bf_status turn(bf__correction *q, const bf_context *context, bf_error *err) {
    int64_t m = q->m;
    const double *l = q->lowrank->l;
    BF_TRY(bf__lower_solve(q->l, m, l, m, false, context, err));
    transpose(q->l, m);
    BF_TRY(bf__lower_solve(q->l, m, l, m, false, context, err));
    transpose(q->x, m);
    BF_TRY(bf__lower_solve(q->x, m, l, m, false, context, err));
    transpose(q->x, m);
    return bf__lower_solve(q->phi, 1, l, m, false, context, err);
}

/* Takes the means out of G, and out of C what psi is less by. That is its mean; or, with the sign
 * turned, what flows in from outside, if ends stay ended. `centre` has inner products with the
 * pivots, which are L times coordinates. */
static void take_means_out(bf__correction *q) {
    int64_t m = q->m;
    bool ends = q->base->ends;
    for (int64_t a = 0; a < m && ends; a++) {
        q->centre[a] = 0;
        for (int64_t b = 0; b <= a; b++)
            q->centre[a] -= q->lowrank->l[a * m + b] * q->inflow[b];
    }
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b < m; b++) {
            if (!ends)
                q->l[a * m + b] -= q->phi[a] * q->phi[b];
            q->x[a * m + b] -= q->phi[a] * q->centre[b];
        }
        q->l[a * m + a] += floor_of_g;
    }
}

/* x becomes X' in coordinates, and a = X'X less the rows' own part. */
static bf_status join(bf__correction *q, const bf_context *context, bf_arena *arena,
                      bf_error *err) {
    int64_t m = q->m;
    bf_mark mark = bf_arena_mark(arena);
    double *xx;
    BF_ALLOC(xx, arena, m * m, err);
    BF_TRY(bf__lower_solve(q->x, m, q->lowrank->l, m, false, context, err));
    transpose(q->x, m);
    BF_TRY(bf__lower_solve(q->x, m, q->l, m, false, context, err));
    if (q->h) { /* else it is 0 */
        BF_TRY(bf__lower_solve(q->a, m, q->lowrank->l, m, false, context, err));
        transpose(q->a, m);
        BF_TRY(bf__lower_solve(q->a, m, q->lowrank->l, m, false, context, err));
    }
    BF_TRY(bf__matmul(xx, q->x, false, q->x, true, m, m, m, context, err));
    for (int64_t i = 0; i < m * m; i++)
        q->a[i] = xx[i] - q->a[i];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* out (m, m) = A + ridge. */
static void add_ridge(double *out, const bf__correction *q, double ridge) {
    memcpy(out, q->a, (size_t)(q->m * q->m) * sizeof *out);
    for (int64_t p = 0; p < q->m; p++)
        out[p * q->m + p] += ridge;
}

/* The factor of A + ridge in `out`, if that is positive. */
static bf_status factor(bool *positive, double *out, const bf__correction *q, double ridge,
                        bf_error *err) {
    add_ridge(out, q, ridge);
    return bf__cholesky_exact(positive, out, q->m, err);
}

/* The least ridge of a ladder that makes A positive, by halving. */
static bf_status find_least(bf__correction *q, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *a, mean = 0;
    int low = -1, high = 40; /* rungs: not positive, or none; positive */
    BF_ALLOC(a, arena, q->m * q->m, err);
    for (int64_t p = 0; p < q->m; p++)
        mean += fabs(q->a[p * q->m + p]) / (double)q->m;
    if (!isfinite(mean))
        return bf_fail(err, BF_ENUMERIC, "the moments of a correction are not finite");
    while (high - low > 1) {
        int middle = (low + high) / 2;
        bool positive;
        BF_TRY(factor(&positive, a, q, 1e-12 * mean * pow(3, middle), err));
        if (positive)
            high = middle;
        else
            low = middle;
    }
    q->least = 1e-12 * mean * pow(3, high);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status make_room(bf__correction *q, bf_arena *arena, bf_error *err) {
    int64_t m = q->m;
    BF_ZALLOC(q->l, arena, m * m, err);
    BF_ZALLOC(q->x, arena, m * m, err);
    BF_ZALLOC(q->a, arena, m * m, err);
    BF_ZALLOC(q->phi, arena, m, err);
    BF_ZALLOC(q->psi, arena, m, err);
    BF_ZALLOC(q->centre, arena, m, err);
    BF_ZALLOC(q->inflow, arena, m, err);
    return BF_OK;
}

bf_status bf__correction_make(bf__correction **out, const bf__neighbours *base,
                              const bf__lowrank *lowrank, const bf__sample *some,
                              const bf__lowrank *part, bool leave_own, double gamma,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__correction *q;
    BF_ALLOC(q, arena, 1, err);
    *q = (bf__correction){.base = base, .lowrank = lowrank, .part = some ? part : lowrank};
    q->some = some;
    q->u = some ? some->u : base->u;
    q->m = lowrank->m;
    BF_TRY(make_room(q, arena, err));
    if (leave_own)
        BF_ALLOC(q->h, arena, q->part->flow->n, err);
    q->products = may_turn(q);
    BF_TRY(pass(q, add_block, 0, context, arena, err));
    if (q->products)
        BF_TRY(turn(q, context, err));
    if (base->ends)
        BF_TRY(bf__lowrank_start(q->inflow, lowrank, context, err));
    for (int64_t p = 0; p < q->m; p++)
        q->inflow[p] *= 1 - gamma;
    BF_TRY(bf__lowrank_sum(q->psi, lowrank, base->u, 1, context, arena, err));
    for (int64_t p = 0; p < q->m; p++)
        q->psi[p] -= (1 - base->sum) * q->inflow[p];
    take_means_out(q);
    BF_TRY(bf__cholesky(q->l, q->m, NULL, arena, err));
    if (leave_own)
        BF_TRY(pass(q, add_own, 1, context, arena, err));
    BF_TRY(join(q, context, arena, err));
    if (leave_own)
        BF_TRY(find_least(q, arena, err));
    *out = q;
    return BF_OK;
}

double bf__correction_least(const bf__correction *correction) {
    return correction->least;
}

/* ---- Weights */

bf_status bf__correction_solve(double *y, const bf__correction *q, double ridge,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *a;
    bool positive;
    BF_ALLOC(a, arena, q->m * q->m, err);
    BF_TRY(factor(&positive, a, q, ridge, err));
    if (positive) {
        BF_TRY(bf__cholesky_solve(y, 1, a, q->m, context, err));
    } else {
        add_ridge(a, q, ridge);
        BF_TRY(bf__lu_solve(y, 1, a, q->m, arena, err));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* y and alpha (ridges, m): alpha = L^-T X y. */
static bf_status solve(double *y, double *alpha, const bf__correction *q, const double *ridge,
                       int ridges, const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = q->m;
    for (int s = 0; s < ridges; s++) {
        memcpy(y + s * m, q->psi, (size_t)m * sizeof *y);
        BF_TRY(bf__correction_solve(y + s * m, q, ridge[s], context, arena, err));
        BF_TRY(bf__matvec(alpha + s * m, q->x, true, y + s * m, m, m, context, err));
    }
    return bf__lower_solve(alpha, ridges, q->l, m, true, context, err);
}

/* Takes the rows' own part out again: w += u h psi'y for the rows of the sums; total (ridges) is
 * what was added. y (ridges, m) is overwritten. */
static bf_status add_own_part(double *w, double *total, const bf__correction *q, double *y,
                              int ridges, const bf_context *context, bf_arena *arena,
                              bf_error *err) {
    int64_t rows = q->part->flow->n, n = q->lowrank->flow->n, m = q->m;
    int64_t most = rows < ROWS ? rows : ROWS;
    double *psi, *gap;
    BF_ALLOC(psi, arena, most * m, err);
    BF_ALLOC(gap, arena, most * ridges, err);
    BF_TRY(bf__lower_solve(y, ridges, q->lowrank->l, m, true, context, err));
    for (int64_t first = 0; first < rows; first += ROWS) {
        int64_t count = rows - first < ROWS ? rows - first : ROWS;
        BF_TRY(bf__lowrank_inner(NULL, psi, q->part, first, count, context, err));
        take_off(psi, q->centre, count, m, context);
        BF_TRY(bf__matmul(gap, psi, false, y, true, count, ridges, m, context, err));
        for (int64_t k = first; k < first + count; k++)
            for (int s = 0; s < ridges; s++) {
                double own = q->u[k] * q->h[k] * gap[(k - first) * ridges + s];
                w[s * n + (q->some ? q->some->row[k] : k)] += own;
                total[s] += own;
            }
    }
    return BF_OK;
}

bf_status bf__correct(double *w, const bf__correction *q, const double *ridge, int ridges,
                      const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__neighbours *base = q->base;
    int64_t n = q->lowrank->flow->n, m = q->m;
    bf_mark mark = bf_arena_mark(arena);
    double *alpha, *y, *total;
    BF_ALLOC(alpha, arena, ridges * m, err);
    BF_ALLOC(y, arena, ridges * m, err);
    BF_ZALLOC(total, arena, ridges, err);
    BF_TRY(solve(y, alpha, q, ridge, ridges, context, arena, err));
    BF_TRY(bf__lowrank_apply(w, q->lowrank, alpha, ridges, context, err));
    for (int s = 0; s < ridges; s++) {
        double middle = 0; /* phibar'alpha */
        for (int64_t i = 0; i < n && !base->ends; i++)
            middle += base->u[i] / base->sum * w[s * n + i];
        for (int64_t i = 0; i < n; i++)
            w[s * n + i] = base->u[i] * (1 - (w[s * n + i] - middle));
    }
    if (q->h)
        BF_TRY(add_own_part(w, total, q, y, ridges, context, arena, err));
    for (int s = 0; s < ridges && !base->ends; s++)
        for (int64_t i = 0; i < n; i++)
            w[s * n + i] -= base->u[i] / base->sum * total[s];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
