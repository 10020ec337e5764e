/* krr_kernel.c - The features of kernel ridge regression: exp(-|u - c|^2) in a turned metric.
 *
 * Cost        n p (p + m) for n rows of p inputs and m centres
 *
 * One matrix product gives all the inner products, and one pass makes kernel values of them. */
#include "solver/krr_kernel.h"

#include "core/context.h"
#include "core/fail.h"
#include "linalg/clones.h"
#include "linalg/dense.h"
#include "linalg/exp.h"

/* k (n, m) from u c' (n, m). */
BF_CLONES static void krr_kernel(double *k, const double *u, const double *square, int64_t n,
                                 int64_t m, int p) {
    for (int64_t i = 0; i < n; i++) {
        double own = 0, *row = k + i * m;
        for (int c = 0; c < p; c++)
            own += u[i * p + c] * u[i * p + c];
#pragma omp simd
        for (int64_t j = 0; j < m; j++) {
            double power = 2 * row[j] - own - square[j];
            row[j] = bf__exp_inline(power < 0 ? power : 0); /* fmin would be a call */
        }
    }
}

void bf__krr_fill(double *k, const double *u, const double *square, int64_t n, int64_t m, int p,
                  int threads) {
    enum { TILE = 128 };
    int64_t tiles = (n + TILE - 1) / TILE;
#pragma omp parallel for num_threads(threads) if (threads > 1 && tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = t * TILE, rows = n - first < TILE ? n - first : TILE;
        krr_kernel(k + first * m, u + first * p, square, rows, m, p);
    }
}

bf_status bf__krr_features(double *k, double *u, const double *x, const double *turn,
                           const double *centres, const double *square, int64_t n, int64_t m, int p,
                           const bf_context *context, bf_error *err) {
    BF_TRY(bf__matmul(u, x, false, turn, false, n, p, p, context, err));
    BF_TRY(bf__matmul(k, u, false, centres, true, n, m, p, context, err));
    bf__krr_fill(k, u, square, n, m, p, bf__threads(context));
    return BF_OK;
}
