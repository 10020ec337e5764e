/* dense.c - Tiles, and one BLAS call per tile.
 *
 * A product is cut along the rows (and, for a' b, the columns) of its result, never along the sum.
 * Each number is therefore one sum in one order for any number of threads. LAPACK is column-major:
 * a row-major lower triangle is its upper triangle, and the rows of b are its columns. */
#include "linalg/dense.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"

/* ACROSS is a multiple of STRIP: a square of the diagonal is never cut. */
enum { TILE = 256, DEPTH = 4096, STRIP = 192, ACROSS = 1152 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t tiles(int64_t n) {
    return (n + TILE - 1) / TILE;
}

/* The BLAS counts in int. */
static bf_status check_size(int64_t a, int64_t b, int64_t c, bf_error *err) {
    if (a > INT_MAX || b > INT_MAX || c > INT_MAX)
        return bf_fail(err, BF_ENUMERIC, "a matrix of %lld x %lld x %lld is too large for the BLAS",
                       (long long)a, (long long)b, (long long)c);
    return BF_OK;
}

bf_status bf__matmul(double *c, const double *a, bool ta, const double *b, bool tb, int64_t m,
                     int64_t n, int64_t k, const bf_context *context, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    BF_TRY(check_size(m, n, k, err));
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
    for (int64_t t = 0; t < tiles(m); t++) {
        int64_t i = t * TILE;
        blas->dgemm(BF__ROW_MAJOR, ta ? BF__TRANS : BF__NO_TRANS, tb ? BF__TRANS : BF__NO_TRANS,
                    (int)least(TILE, m - i), (int)n, (int)k, 1, ta ? a + i : a + i * k,
                    (int)(ta ? m : k), b, (int)(tb ? k : n), 0, c + i * n, (int)n);
    }
    return BF_OK;
}

bf_status bf__matmul_f(float *c, const float *a, bool ta, const float *b, bool tb, int64_t m,
                       int64_t n, int64_t k, const bf_context *context, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    BF_TRY(check_size(m, n, k, err));
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
    for (int64_t t = 0; t < tiles(m); t++) {
        int64_t i = t * TILE;
        blas->sgemm(BF__ROW_MAJOR, ta ? BF__TRANS : BF__NO_TRANS, tb ? BF__TRANS : BF__NO_TRANS,
                    (int)least(TILE, m - i), (int)n, (int)k, 1, ta ? a + i : a + i * k,
                    (int)(ta ? m : k), b, (int)(tb ? k : n), 0, c + i * n, (int)n);
    }
    return BF_OK;
}

bf_status bf__gram(double *c, const double *a, int64_t p, const double *b, int64_t q, int64_t n,
                   double beta, const bf_context *context, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    BF_TRY(check_size(p, q, DEPTH, err));
    bool half = a == b && p == q;
    int64_t across = (q + ACROSS - 1) / ACROSS, strips = (p + STRIP - 1) / STRIP;
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
    for (int64_t t = 0; t < strips * across; t++) {
        int64_t i = (strips - 1 - t / across) * STRIP, j = t % across * ACROSS; /* longest first */
        int64_t rows = least(STRIP, p - i), end = least(j + ACROSS, q);
        bool corner = half && j <= i && i < end; /* has the square of the diagonal in it */
        if (half)
            end = least(end, i);
        if (n == 0 && beta == 0)
            for (int64_t r = i; r < i + rows; r++)
                memset(c + r * q + j, 0, (size_t)(least(j + ACROSS, q) - j) * sizeof *c);
        for (int64_t r = 0; r < n; r += DEPTH) {
            int depth = (int)least(DEPTH, n - r);
            double keep = r == 0 ? beta : 1;
            if (end > j)
                blas->dgemm(BF__ROW_MAJOR, BF__TRANS, BF__NO_TRANS, (int)rows, (int)(end - j),
                            depth, 1, a + r * p + i, (int)p, b + r * q + j, (int)q, keep,
                            c + i * q + j, (int)q);
            if (corner)
                blas->dsyrk(BF__ROW_MAJOR, BF__LOWER, BF__TRANS, (int)rows, depth, 1, a + r * p + i,
                            (int)p, keep, c + i * p + i, (int)p);
        }
    }
    for (int64_t i = 0; half && i < p; i++)
        for (int64_t j = i + 1; j < p; j++)
            c[i * p + j] = c[j * p + i];
    return BF_OK;
}

bf_status bf__matvec(double *y, const double *a, bool trans, const double *x, int64_t n, int64_t m,
                     const bf_context *context, bf_error *err) {
    if (trans)
        return bf__gram(y, a, m, x, 1, n, 0, context, err);
    return bf__matmul(y, a, false, x, false, n, 1, m, context, err);
}

bf_status bf__cholesky(double *a, int64_t m, double *jitter, bf_arena *arena, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, 1, err));
    BF_TRY(check_size(m, m, m, err));
    bf_mark mark = bf_arena_mark(arena);
    double *diagonal;
    BF_ALLOC(diagonal, arena, m, err);
    double mean = 0, added = 0;
    for (int64_t i = 0; i < m; i++) {
        diagonal[i] = a[i * m + i];
        mean += diagonal[i] / (double)m;
        for (int64_t j = 0; j < i; j++)
            a[j * m + i] = a[i * m + j]; /* a failed attempt spoils only the lower half */
    }
    int info = 1, size = (int)m;
    for (double share = 0; info != 0 && share<2e-4; share = share> 0 ? 10 * share : 1e-14) {
        added = share * mean;
        for (int64_t i = 0; i < m; i++) {
            a[i * m + i] = diagonal[i] + added;
            for (int64_t j = 0; share > 0 && j < i; j++)
                a[i * m + j] = a[j * m + i];
        }
        blas->dpotrf("U", &size, a, &size, &info);
    }
    bf_arena_rewind(arena, mark);
    if (info != 0)
        return bf_fail(err, BF_ENUMERIC,
                       "a matrix of %lld rows with mean diagonal %g is not positive definite",
                       (long long)m, mean);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = i + 1; j < m; j++)
            a[i * m + j] = 0;
    if (jitter)
        *jitter = added;
    return BF_OK;
}

bf_status bf__cholesky_exact(bool *positive, double *a, int64_t m, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, 1, err));
    BF_TRY(check_size(m, m, m, err));
    int info = 0, size = (int)m;
    blas->dpotrf("U", &size, a, &size, &info);
    *positive = info == 0;
    for (int64_t i = 0; i < m && *positive; i++)
        for (int64_t j = i + 1; j < m; j++)
            a[i * m + j] = 0;
    return BF_OK;
}

bf_status bf__lower_solve(double *b, int64_t rows, const double *l, int64_t m, bool trans,
                          const bf_context *context, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    BF_TRY(check_size(m, m, m, err));
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
    for (int64_t t = 0; t < tiles(rows); t++)
        blas->dtrsm(BF__ROW_MAJOR, BF__RIGHT, BF__LOWER, trans ? BF__NO_TRANS : BF__TRANS,
                    BF__NON_UNIT, (int)least(TILE, rows - t * TILE), (int)m, 1, l, (int)m,
                    b + t * TILE * m, (int)m);
    return BF_OK;
}

bf_status bf__cholesky_solve(double *b, int64_t rows, const double *l, int64_t m,
                             const bf_context *context, bf_error *err) {
    BF_TRY(bf__lower_solve(b, rows, l, m, false, context, err));
    return bf__lower_solve(b, rows, l, m, true, context, err);
}

bf_status bf__lu_solve(double *b, int64_t rows, double *a, int64_t m, bf_arena *arena,
                       bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, 1, err));
    BF_TRY(check_size(m, m, rows, err));
    bf_mark mark = bf_arena_mark(arena);
    int *pivots, size = (int)m, count = (int)rows, info = 0;
    BF_ALLOC(pivots, arena, m, err);
    blas->dgetrf(&size, &size, a, &size, pivots, &info);
    if (info == 0)
        blas->dgetrs("T", &size, &count, a, &size, pivots, b, &size, &info);
    bf_arena_rewind(arena, mark);
    if (info != 0)
        return bf_fail(err, BF_ENUMERIC, "a matrix of %d rows is singular (at pivot %d)", size,
                       info);
    return BF_OK;
}

bf_status bf__eigen(double *values, double *a, int64_t m, bf_arena *arena, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, 1, err));
    if (m > 30000) /* the routine's workspace, 2 m^2, is counted in int */
        return bf_fail(err, BF_ENUMERIC, "a matrix of %lld rows is too large for its eigenvalues",
                       (long long)m);
    bf_mark mark = bf_arena_mark(arena);
    int size = (int)m, info = 0, whole = 1 + 6 * size + 2 * size * size, small = 3 + 5 * size;
    double *work;
    int *iwork;
    BF_ALLOC(work, arena, whole, err);
    BF_ALLOC(iwork, arena, small, err);
    blas->dsyevd("V", "U", &size, a, &size, values, work, &whole, iwork, &small, &info);
    bf_arena_rewind(arena, mark);
    if (info != 0)
        return bf_fail(err, BF_ENUMERIC, "the eigenvalues of a matrix of %d rows did not converge",
                       size);
    return BF_OK;
}
