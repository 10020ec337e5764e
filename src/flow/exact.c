/* exact.c - K in tiles: stored, or only passed by.
 *
 *     n = 3 tiles      0 1 2        tile (I, J), I <= J, is number
 *                        3 4        I tiles - I (I - 1) / 2 + J - I
 *                          5
 *
 * Each tile is worked on by one thread. A product needs every tile twice, T w_J for the rows I
 * and T' w_I for the rows J; both go to partial sums of the tile's own, which are added up in a
 * fixed order afterwards, in double. So the digits do not depend on the number of threads.
 *
 * Cost  build: 4 state kernels per unordered pair, 1 along chains; memory 2 n^2 bytes (4 bytes per
 *       unordered pair); product: one pass over that memory. */
#include "flow/exact.h"

#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/repeats.h"
#include "flow/tile.h"

enum { AREA = BF__TILE * BF__TILE };

static int64_t tiles_of(int64_t n) {
    return (n + BF__TILE - 1) / BF__TILE;
}

static int64_t number(int64_t tiles, int64_t row, int64_t col) {
    return row * tiles - row * (row - 1) / 2 + col - row;
}

/* The row and column of tile t, the inverse of number(). */
static void locate(int64_t tiles, int64_t t, int64_t *row, int64_t *col) {
    int64_t r = 0;
    while (t >= tiles - r) {
        t -= tiles - r;
        r++;
    }
    *row = r;
    *col = r + t;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

double bf__exact_bytes(int64_t n) {
    double tiles = (double)tiles_of(n);
    return tiles * (tiles + 1) / 2 * (AREA + 2 * BF__TILE) * sizeof(float);
}

bf_status bf__exact_create(bf__exact **out, int64_t n, bf_arena *arena, bf_error *err) {
    bf__exact *exact;
    int64_t tiles = tiles_of(n), all = tiles * (tiles + 1) / 2;
    *out = NULL;
    BF_ALLOC(exact, arena, 1, err);
    *exact = (bf__exact){.n = n, .tiles = tiles};
    BF_ALLOC(exact->k, arena, all * AREA, err);
    BF_ALLOC(exact->left, arena, all * BF__TILE, err);
    BF_ALLOC(exact->right, arena, all * BF__TILE, err);
    BF_ALLOC(exact->w, arena, tiles * BF__TILE, err);
    *out = exact;
    return BF_OK;
}

void bf__exact_fill(bf__exact *exact, const bf__flow *flow, const bf_context *context) {
    int64_t n = exact->n, tiles = exact->tiles;
#pragma omp parallel num_threads(bf__threads(context))
    {
        bf__scratch_f scratch;
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < tiles * (tiles + 1) / 2; t++) {
            int64_t row, col;
            locate(tiles, t, &row, &col);
            int64_t first = col * BF__TILE, end = least(first + BF__TILE, n);
            float *out = exact->k + t * AREA;
            scratch.held[0] = scratch.held[1] = -1;
            for (int64_t i = row * BF__TILE; i < least((row + 1) * BF__TILE, n); i++) {
                bf__tile_row_f(out, flow, i, first, end, &scratch);
                out += BF__TILE;
            }
        }
    }
}

float bf__exact_at(const bf__exact *exact, int64_t i, int64_t j) {
    int64_t row = least(i, j), col = i + j - row;
    int64_t t = number(exact->tiles, row / BF__TILE, col / BF__TILE);
    return exact->k[t * AREA + row % BF__TILE * BF__TILE + col % BF__TILE];
}

/* y of tile row b = left sums of its tiles plus right sums of the tiles above the diagonal. */
static void gather(double *y, const float *left, const float *right, int64_t n, int64_t tiles,
                   int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t b = 0; b < tiles; b++) {
        int64_t count = least(BF__TILE, n - b * BF__TILE);
        double *part = y + b * BF__TILE;
        memset(part, 0, (size_t)count * sizeof *part);
        for (int64_t other = 0; other < tiles; other++) {
            const float *from = other < b ? right + number(tiles, other, b) * BF__TILE
                                          : left + number(tiles, b, other) * BF__TILE;
            for (int64_t i = 0; i < count; i++)
                part[i] += (double)from[i];
        }
    }
}

/* One row of a tile into the partial sums. The diagonal tile is whole: only its left half counts.
 */
static void add_row(float *left, float *right, const float *row, float wi, const float *w,
                    int64_t count) {
    *left = bf__dot_axpy_f(right, wi, row, w, count);
}

void bf__exact_product(double *y, bf__exact *exact, const double *w, const bf_context *context) {
    int64_t n = exact->n, tiles = exact->tiles;
    int threads = bf__threads(context);
    for (int64_t i = 0; i < n; i++)
        exact->w[i] = (float)w[i];
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t t = 0; t < tiles * (tiles + 1) / 2; t++) {
        int64_t row, col;
        locate(tiles, t, &row, &col);
        int64_t rows = least(BF__TILE, n - row * BF__TILE),
                cols = least(BF__TILE, n - col * BF__TILE);
        float *left = exact->left + t * BF__TILE, *right = exact->right + t * BF__TILE;
        const float *k = exact->k + t * AREA, *wi = exact->w + row * BF__TILE;
        memset(right, 0, BF__TILE * sizeof *right);
        for (int64_t i = 0; i < rows; i++)
            add_row(left + i, right, k + i * BF__TILE, wi[i], exact->w + col * BF__TILE, cols);
    }
    gather(y, exact->left, exact->right, n, tiles, threads);
}

bf_status bf__flow_product(double *y, const bf__flow *flow, const double *w,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = flow->n, tiles = tiles_of(n), all = tiles * (tiles + 1) / 2;
    int threads = bf__threads(context);
    bf_mark mark = bf_arena_mark(arena);
    float *left, *right, *v;
    BF_ALLOC(left, arena, all * BF__TILE, err);
    BF_ZALLOC(right, arena, all * BF__TILE, err);
    BF_ALLOC(v, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)w[i];
#pragma omp parallel num_threads(threads)
    {
        bf__scratch_f scratch;
        _Alignas(64) float k[BF__TILE];
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < all; t++) {
            int64_t row, col;
            locate(tiles, t, &row, &col);
            int64_t first = col * BF__TILE, end = least(first + BF__TILE, n);
            int64_t from = row * BF__TILE, to = least(from + BF__TILE, n);
            scratch.held[0] = scratch.held[1] = -1;
            for (int64_t i = from; i < to; i++) {
                bf__tile_row_f(k, flow, i, first, end, &scratch);
                add_row(left + t * BF__TILE + i - from, right + t * BF__TILE, k, v[i], v + first,
                        end - first);
            }
        }
    }
    gather(y, left, right, n, tiles, threads);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* w' K w, tile by tile, whether transitions repeat or not. */
static bf_status add_tiles(double *loss, const bf__flow *flow, const double *w,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = flow->n, tiles = tiles_of(n), all = tiles * (tiles + 1) / 2;
    double *part;
    BF_ALLOC(part, arena, all, err);
#pragma omp parallel num_threads(bf__threads(context))
    {
        bf__scratch_d scratch;
        _Alignas(64) double k[BF__TILE], unused[BF__TILE] = {0};
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < all; t++) {
            int64_t row, col;
            locate(tiles, t, &row, &col);
            int64_t first = col * BF__TILE, end = least(first + BF__TILE, n);
            double sum = 0;
            scratch.held[0] = scratch.held[1] = -1;
            for (int64_t i = row * BF__TILE; i < least((row + 1) * BF__TILE, n); i++) {
                bf__tile_row_d(k, flow, i, first, end, &scratch);
                sum += w[i] * bf__dot_axpy_d(unused, 0, k, w + first, end - first);
            }
            part[t] = row == col ? sum : 2 * sum;
        }
    }
    *loss = 0;
    for (int64_t t = 0; t < all; t++)
        *loss += part[t];
    return BF_OK;
}

bf_status bf__flow_loss(double *loss, const bf__flow *flow, const double *w,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    const bf__flow *distinct;
    const int64_t *of;
    double *summed;
    BF_TRY(bf__flow_distinct(&distinct, &of, flow, arena, err));
    if (of) {
        BF_ZALLOC(summed, arena, distinct->n, err);
        for (int64_t i = 0; i < flow->n; i++)
            summed[of[i]] += w[i];
    }
    BF_TRY(add_tiles(loss, distinct, of ? summed : w, context, arena, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
