/* sums.c - Sums over long vectors, whose digits do not depend on the number of threads.
 *
 * A vector is cut into pieces whose size depends on its length alone. A piece is added up in LANES
 * interleaved sums, whatever the machine, by one thread. Pieces are added in order. */
#include "solver/sums.h"

#include <stddef.h>

#include "linalg/clones.h"

enum { LANES = 8, PIECE = 65536, MOST_PIECES = 256 };

BF_INLINE double add_lanes(const double *sum) {
    double total = 0;
    for (int l = 0; l < LANES; l++)
        total += sum[l];
    return total;
}

BF_CLONES static double sums_products(const double *a, const double *b, int64_t n) {
    double sum[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += a[i + l] * b[i + l];
    for (int l = 0; i + l < n; l++)
        sum[l] += a[i + l] * b[i + l];
    return add_lanes(sum);
}

BF_CLONES static double sums_plain(const double *a, int64_t n) {
    double sum[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += a[i + l];
    for (int l = 0; i + l < n; l++)
        sum[l] += a[i + l];
    return add_lanes(sum);
}

/* b may be NULL: then the sum of a. */
static double in_pieces(const double *a, const double *b, int64_t n, int threads) {
    double part[MOST_PIECES], total = 0;
    int64_t size = (n + MOST_PIECES - 1) / MOST_PIECES;
    size = size < PIECE ? PIECE : size;
    int64_t pieces = (n + size - 1) / size;
    int together = bf__threads_over(n, threads);
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t p = 0; p < pieces; p++) {
        int64_t first = p * size, count = n - first < size ? n - first : size;
        part[p] = b ? sums_products(a + first, b + first, count) : sums_plain(a + first, count);
    }
    for (int64_t p = 0; p < pieces; p++)
        total += part[p];
    return total;
}

double bf__sum_products(const double *a, const double *b, int64_t n, int threads) {
    return in_pieces(a, b, n, threads);
}

double bf__sum(const double *a, int64_t n, int threads) {
    return in_pieces(a, NULL, n, threads);
}

void bf__scale_to_one(double *x, int64_t n, int threads) {
    double total = bf__sum(x, n, threads);
    int together = bf__threads_over(n, threads);
    if (!(total > 0))
        return;
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t i = 0; i < n; i++)
        x[i] /= total;
}
