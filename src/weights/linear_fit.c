/* linear_fit.c - Weights and differential value, linear in kernel features, in closed form.
 *
 * Solves      the equations of linear_fit.h through the eigenvectors of M'M, so that one
 *             decomposition serves every ridge
 * Shapes      n transitions, m features; phi, psi (n, m), in blocks of rows
 * Cost        O(n m^2) once, O(m^3) for the eigenvalues, O(n m) per ridge; memory 16 n m bytes if
 *             the features are kept, and O(m^2) otherwise: then they are made again in each pass */
#include "weights/linear_fit.h"

#include <math.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"

enum { ROWS = 4096 };

/* Rows first .. first + *count - 1 of phi, and of psi if it is wanted: made, or at hand. */
static bf_status rows_at(const double **phi, const double **psi, int64_t *count,
                         const bf__linear_fit *s, int64_t first, const bf_context *context,
                         bf_error *err) {
    int64_t left = s->n - first;
    *count = left < s->rows ? left : s->rows;
    if (!bf__progress(context, s->task, s->part + (double)first / (double)s->n, s->parts, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped at transition %lld of %lld of the features",
                       (long long)first, (long long)s->n);
    int64_t at = s->kept ? first * s->m : 0;
    *phi = s->phi + at;
    if (psi)
        *psi = s->psi + at;
    return s->kept ? BF_OK
                   : bf__lowrank_rows(s->phi, psi ? s->psi : NULL, s->lowrank, first, *count,
                                      context, err);
}

/* Rows of x (count, m) times what they count; x itself if all count the same. */
static const double *weighted(double *into, const double *x, const double *one, int64_t count,
                              const bf__linear_fit *s) {
    if (!s->weight)
        return x;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < s->m; k++)
            into[i * s->m + k] = one[i] * x[i * s->m + k];
    return into;
}

/* f, p, b and M. */
static bf_status gather(bf__linear_fit *s, const double *reward, const bf_context *context,
                        bf_arena *arena, bf_error *err) {
    int64_t m = s->m, count;
    double n = (double)s->n, mean = 0, *one, *earned, *into = NULL;
    BF_ALLOC(one, arena, s->rows, err);
    BF_ALLOC(earned, arena, s->rows, err);
    if (s->weight)
        BF_ALLOC(into, arena, s->rows * m, err);
    if (s->kept)
        BF_TRY(bf__lowrank_rows(s->phi, s->psi, s->lowrank, 0, s->n, context, err));
    for (int64_t first = 0; first < s->n; first += count) {
        const double *phi, *psi;
        BF_TRY(rows_at(&phi, &psi, &count, s, first, context, err));
        for (int64_t i = 0; i < count; i++) {
            one[i] = s->weight ? s->weight[first + i] : 1;
            earned[i] = one[i] * reward[first + i];
            mean += earned[i] / n;
            for (int64_t k = 0; k < m; k++)
                s->spread += one[i] * phi[i * m + k] * phi[i * m + k] / n;
        }
        BF_TRY(bf__gram(s->cross, weighted(into, psi, one, count, s), m, phi, m, count, 1, context,
                        err));
        BF_TRY(bf__gram(s->f, phi, m, one, 1, count, 1, context, err));
        BF_TRY(bf__gram(s->p, psi, m, one, 1, count, 1, context, err));
        BF_TRY(bf__gram(s->b, phi, m, earned, 1, count, 1, context, err));
    }
    for (int64_t k = 0; k < m; k++) {
        s->f[k] /= n;
        s->p[k] /= n;
        s->b[k] = s->b[k] / n - s->f[k] * mean;
        s->spread -= s->f[k] * s->f[k];
    }
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < m; k++)
            s->cross[j * m + k] = s->cross[j * m + k] / n - s->p[j] * s->f[k];
    s->part++;
    return BF_OK;
}

bf_status bf__linear_fit_make(bf__linear_fit *out, const bf__lowrank *lowrank, const double *reward,
                              const double *weight, bf_auto ridge, bool keep, const char *task,
                              int passes, const bf_context *context, bf_arena *arena,
                              bf_error *err) {
    int64_t n = lowrank->flow->n, m = lowrank->m;
    *out = (bf__linear_fit){.lowrank = lowrank,
                            .weight = weight,
                            .task = task,
                            .parts = passes,
                            .n = n,
                            .m = m,
                            .rows = n < ROWS ? n : ROWS,
                            .kept = keep,
                            .ridges = bf__ridges_make(ridge)};
    BF_ALLOC(out->phi, arena, (keep ? n : out->rows) * m, err);
    BF_ALLOC(out->psi, arena, (keep ? n : out->rows) * m, err);
    BF_ZALLOC(out->f, arena, m, err);
    BF_ZALLOC(out->p, arena, m, err);
    BF_ZALLOC(out->b, arena, m, err);
    BF_ZALLOC(out->cross, arena, m * m, err);
    BF_ALLOC(out->vectors, arena, m * m, err);
    BF_ALLOC(out->values, arena, m, err);
    BF_TRY(gather(out, reward, context, arena, err));
    BF_TRY(bf__gram(out->vectors, out->cross, m, out->cross, m, m, 0, context, err));
    return bf__eigen(out->values, out->vectors, m, arena, err);
}

/* out (m, count): (M'M + ridge[l] I)^-1 x, column after column l. */
static bf_status damped(double *out, const bf__linear_fit *s, const double *x, const double *ridge,
                        int count, const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = s->m;
    double *along, *c;
    BF_ALLOC(along, arena, m, err);
    BF_ALLOC(c, arena, m * count, err);
    BF_TRY(bf__matmul(along, s->vectors, false, x, false, m, 1, m, context, err));
    for (int64_t k = 0; k < m; k++)
        for (int l = 0; l < count; l++)
            c[k * count + l] = along[k] / (fmax(s->values[k], 0) + ridge[l]);
    return bf__matmul(out, s->vectors, true, c, false, m, count, m, context, err);
}

bf_status bf__linear_fit_weigh(double *w, bf__linear_fit *s, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    int64_t m = s->m, count;
    int ridges = s->ridges.count;
    double *right, *alpha, *block = NULL, shift[BF__RIDGES];
    BF_ALLOC(right, arena, m, err);
    BF_ALLOC(alpha, arena, m * ridges, err);
    if (!w)
        BF_ALLOC(block, arena, s->rows * ridges, err);
    BF_TRY(bf__matvec(right, s->cross, true, s->p, m, m, context, err));
    BF_TRY(damped(alpha, s, right, s->ridges.lambda, ridges, context, arena, err));
    BF_TRY(bf__gram(shift, s->f, 1, alpha, ridges, m, 0, context, err));
    for (int l = 0; l < ridges; l++) {
        s->norm[l] = 0;
        for (int64_t k = 0; k < m; k++)
            s->norm[l] = hypot(s->norm[l], alpha[k * ridges + l]);
    }
    for (int64_t first = 0; first < s->n; first += count) {
        const double *phi;
        double *at = w ? w + first * ridges : block;
        BF_TRY(rows_at(&phi, NULL, &count, s, first, context, err));
        BF_TRY(bf__matmul(at, phi, false, alpha, false, count, ridges, m, context, err));
        for (int64_t i = 0; i < count; i++)
            for (int l = 0; l < ridges; l++) {
                double weight = at[i * ridges + l] = 1 + shift[l] - at[i * ridges + l];
                s->ridges.negative[l] +=
                    (s->weight ? s->weight[first + i] : 1) * fmax(-weight, 0) / (double)s->n;
            }
    }
    s->part++;
    return BF_OK;
}

bf_status bf__linear_fit_gap(double *gap, bf__linear_fit *s, double ridge,
                             const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = s->m, count;
    double *inner, *theta;
    BF_ALLOC(inner, arena, m, err);
    BF_ALLOC(theta, arena, m, err);
    BF_TRY(damped(inner, s, s->b, &ridge, 1, context, arena, err));
    BF_TRY(bf__matvec(theta, s->cross, false, inner, m, m, context, err));
    for (int64_t first = 0; first < s->n; first += count) {
        const double *phi, *psi;
        BF_TRY(rows_at(&phi, &psi, &count, s, first, context, err));
        BF_TRY(bf__matvec(gap + first, psi, false, theta, count, m, context, err));
    }
    s->part++;
    return BF_OK;
}
