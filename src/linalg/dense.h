/* dense.h - Dense algebra on the loaded BLAS, with digits that do not depend on the threads.
 *
 * Matrices are row-major and packed (stride = columns). Work is cut into tiles of a fixed size,
 * each computed by one single-threaded BLAS call and written by nobody else. */
#ifndef BF_LINALG_DENSE_H
#define BF_LINALG_DENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

/* c (m, n) = op(a) op(b). a is (m, k), or (k, m) if ta is set. b is (k, n), or (n, k) if tb is
 * set. */
bf_status bf__matmul(double *c, const double *a, bool ta, const double *b, bool tb, int64_t m,
                     int64_t n, int64_t k, const bf_context *context, bf_error *err);
bf_status bf__matmul_f(float *c, const float *a, bool ta, const float *b, bool tb, int64_t m,
                       int64_t n, int64_t k, const bf_context *context, bf_error *err);

/* c (p, q) = beta c + a' b for tall a (n, p), b (n, q). If a == b, only half is computed and then
 * mirrored. beta = 1 continues a sum, so rows may come in blocks. */
bf_status bf__gram(double *c, const double *a, int64_t p, const double *b, int64_t q, int64_t n,
                   double beta, const bf_context *context, bf_error *err);

/* y (n) = a x, or y (m) = a' x if trans is set; a (n, m). */
bf_status bf__matvec(double *y, const double *a, bool trans, const double *x, int64_t n, int64_t m,
                     const bf_context *context, bf_error *err);

/* a (m, m) is symmetric, and only its lower half is read. It becomes L with L L' = a + jitter I and
 * zeros above the diagonal. *jitter (may be NULL) is the smallest of 0, 1e-14, 1e-13, ... 1e-4
 * times the mean diagonal with which the factorisation succeeds. If none does, the status is
 * BF_ENUMERIC. */
bf_status bf__cholesky(double *a, int64_t m, double *jitter, bf_arena *arena, bf_error *err);

/* The same without jitter: *positive tells whether the factorisation succeeds. If it does not, a is
 * spoilt. */
bf_status bf__cholesky_exact(bool *positive, double *a, int64_t m, bf_error *err);

/* Every row x of b (rows, m) becomes L^-1 x, or L^-T x if trans is set. */
bf_status bf__lower_solve(double *b, int64_t rows, const double *l, int64_t m, bool trans,
                          const bf_context *context, bf_error *err);

/* Every row x of b (rows, m) becomes (L L')^-1 x. */
bf_status bf__cholesky_solve(double *b, int64_t rows, const double *l, int64_t m,
                             const bf_context *context, bf_error *err);

/* Every row x of b (rows, m) becomes a^-1 x. a (m, m) is destroyed. If a is singular, the status is
 * BF_ENUMERIC. */
bf_status bf__lu_solve(double *b, int64_t rows, double *a, int64_t m, bf_arena *arena,
                       bf_error *err);

/* a (m, m) is symmetric, and only its lower half is read. Row i becomes the i-th eigenvector;
 * values ascend. */
bf_status bf__eigen(double *values, double *a, int64_t m, bf_arena *arena, bf_error *err);

#endif
