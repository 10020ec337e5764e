/* rpcholesky.c - Randomly pivoted Cholesky [1], in blocks by rejection [2].
 *
 *     draw a pivot s with probability ~ residual diagonal d;  g = (A - F F')[:, s];
 *     append g / sqrt(g_s) to F;  d = d - g^2 / g_s
 *
 * With one pivot at a time, all of this is matrix-vector work. So we draw a block of proposals at
 * once, from the d at the start of the block, and go through them in order. A proposal is kept with
 * probability (d now) / (d then). This has exactly the distribution of the one-at-a-time method,
 * and the heavy part is a matrix product. Going through the proposals needs A only among them.
 * Whole columns are computed only for those that are kept.
 *
 * If rows have names, each of them is proposed by a random number of its own, with the probability
 * that makes 48 proposals a block in the mean, and kept by another.
 *
 * Cost  O(n m^2) flops in products, n m entries of A; memory: F (n, m).
 *
 * [1] Chen, Epperly, Tropp, Webber, Randomly pivoted Cholesky, 2022.
 * [2] Epperly, Tropp, Webber, Embrace rejection: accelerated randomly pivoted Cholesky, 2024. */
#include "linalg/rpcholesky.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/mix.h"
#include "linalg/dense.h"

enum { BLOCK = BF__PSD_BLOCK, USUAL = 48, ROWS = 256, MAX_IDLE = 50 };

typedef struct work {
    double *sums; /* (n): running sums of the residual */
    double *g;    /* (threads, ROWS, BLOCK): some rows of the kept columns of A - F F' */
    double *h;    /* (BLOCK, BLOCK): A - F F' among the proposals, eliminated as they are kept */
    double *l;    /* (BLOCK, BLOCK): the same, then its Cholesky factor, among those kept */
    double *fp;   /* (BLOCK, m): rows of F at the proposals, then at those kept */
    int64_t proposal[BLOCK];
    int64_t kept[BLOCK]; /* which proposals, of the block */
    const int64_t *name; /* of the rows; NULL: they have none */
    uint64_t seed, round;
} work;

static double running_sums(double *sums, const double *residual, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sums[i] = sum += residual[i];
    return sum;
}

/* The first i with sums[i] > u. */
static int64_t find(const double *sums, int64_t n, double u) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sums[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* From 0 to 1, of a row with a name, in this round. */
static double own_number(const work *w, int64_t row, uint64_t use) {
    uint64_t hash = bf__mix(bf__mix(w->seed, w->round), (uint64_t)w->name[row]);
    return (double)(bf__mix(hash, use) >> 11) * 0x1p-53;
}

/* Draws up to `most` proposals from the residual, whose running sums end in `left`; their number.
 */
static int64_t propose(work *w, const double *residual, int64_t n, double left, int64_t most,
                       bf_rng *rng) {
    int64_t count = 0;
    if (!w->name) {
        for (; count < most; count++)
            w->proposal[count] = find(w->sums, n, bf_rng_uniform(rng) * left);
        return count;
    }
    double times = (double)(most < USUAL ? most : USUAL) / left;
    for (int64_t i = 0; i < n && count < BLOCK; i++)
        if (own_number(w, i, 0) < times * residual[i])
            w->proposal[count++] = i;
    return count;
}

/* h = A - F F' among the proposals. */
static void among_proposals(work *w, const double *f, int64_t rank, int64_t m, int64_t count,
                            const bf__psd *a, const bf__blas *blas) {
    for (int64_t p = 0; p < count; p++) {
        memcpy(w->fp + p * m, f + w->proposal[p] * m, (size_t)rank * sizeof *f);
        a->block(w->h + p * count, a->self, w->proposal[p], 1, count);
    }
    if (rank > 0)
        blas->dgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__TRANS, (int)count, (int)count, (int)rank, -1,
                    w->fp, (int)m, w->fp, (int)m, 1, w->h, (int)count);
}

/* Goes through the proposals in order and keeps each with probability (h_pp now) / (h_pp then). h
 * is eliminated as proposals are kept. Returns how many are kept. */
static int64_t reject(work *w, const double *residual, int64_t count, int64_t most, bf_rng *rng) {
    int64_t kept = 0;
    double *h = w->h;
    for (int64_t p = 0; p < count && kept < most; p++) {
        double now = h[p * count + p], then = residual[w->proposal[p]];
        double number = w->name ? own_number(w, w->proposal[p], 1) : bf_rng_uniform(rng);
        bool chosen = number * then < now;
        if (!chosen || !(then > 0) || !(now > 1e-13 * then)) /* rounding error is no pivot */
            continue;
        w->kept[kept++] = p;
        for (int64_t r = p + 1; r < count; r++) {
            double factor = h[r * count + p] / now;
            for (int64_t c = p + 1; c < count; c++)
                h[r * count + c] -= factor * h[p * count + c];
        }
    }
    return kept;
}

/* Reduces l, fp and the selection of columns to the kept proposals. */
static bf_status narrow(work *w, const double *before, int64_t rank, int64_t m, int64_t count,
                        int64_t kept, const bf__psd *a, bf_arena *arena, bf_error *err) {
    int64_t column[BLOCK];
    for (int64_t p = 0; p < kept; p++) {
        column[p] = w->proposal[w->kept[p]];
        memmove(w->fp + p * m, w->fp + w->kept[p] * m, (size_t)rank * sizeof *w->fp);
        for (int64_t q = 0; q < kept; q++)
            w->l[p * kept + q] = before[w->kept[p] * count + w->kept[q]];
    }
    BF_TRY(bf__cholesky(w->l, kept, NULL, arena, err));
    return a->select(a->self, column, kept, err);
}

/* Appends the kept columns to rows first .. end - 1 of F and makes them orthogonal by l. g (ROWS,
 * kept) is scratch. */
static void append_rows(double *f, double *residual, double *g, const work *w, int64_t first,
                        int64_t end, int64_t rank, int64_t m, int64_t kept, const bf__psd *a,
                        const bf__blas *blas) {
    int rows = (int)(end - first);
    a->block(g, a->self, first, rows, kept);
    if (rank > 0)
        blas->dgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__TRANS, rows, (int)kept, (int)rank, -1,
                    f + first * m, (int)m, w->fp, (int)m, 1, g, (int)kept);
    blas->dtrsm(BF__ROW_MAJOR, BF__RIGHT, BF__LOWER, BF__TRANS, BF__NON_UNIT, rows, (int)kept, 1,
                w->l, (int)kept, g, (int)kept);
    for (int64_t i = first; i < end; i++, g += kept) {
        double left = residual[i];
        for (int64_t q = 0; q < kept; q++)
            left -= g[q] * g[q];
        residual[i] = left > 0 ? left : 0;
        memcpy(f + i * m + rank, g, (size_t)kept * sizeof *g);
    }
}

static void append(work *w, double *f, double *residual, int64_t rank, int64_t m, int64_t kept,
                   const bf__psd *a, const bf__blas *blas, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t first = 0; first < a->n; first += ROWS)
        append_rows(f, residual, w->g + (int64_t)omp_get_thread_num() * ROWS * BLOCK, w, first,
                    first + ROWS < a->n ? first + ROWS : a->n, rank, m, kept, a, blas);
    for (int64_t p = 0; p < kept; p++)
        residual[w->proposal[w->kept[p]]] = 0;
}

bf_status bf__rpcholesky(double *f, int64_t *pivots, int64_t *rank, double *residual, int64_t m,
                         const bf__psd *a, double tolerance, uint64_t seed,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    int threads = bf__threads(context), idle = 0;
    int64_t n = a->n;
    double before[BLOCK * BLOCK]; /* h, not yet eliminated */
    bf_rng rng = bf_rng_make(seed, "pivots", 0);
    bf_mark mark = bf_arena_mark(arena);
    work *w;
    BF_ALLOC(w, arena, 1, err);
    BF_ALLOC(w->sums, arena, n, err);
    BF_ALLOC(w->g, arena, (int64_t)threads * ROWS * BLOCK, err);
    BF_ALLOC(w->h, arena, BLOCK * BLOCK, err);
    BF_ALLOC(w->l, arena, BLOCK * BLOCK, err);
    BF_ALLOC(w->fp, arena, BLOCK * m, err);
    w->name = a->name;
    w->seed = seed;
    w->round = 0;
    double whole = running_sums(w->sums, residual, n), left = whole;
    *rank = 0;
    /* The rank of a matrix in doubles ends when rounding errors exceed the residual. */
    double floor_trace = whole * (tolerance > 1e-14 ? tolerance : 1e-14);
    for (; *rank < m && left > floor_trace && idle < MAX_IDLE; w->round++) {
        int64_t count = propose(w, residual, n, left, m - *rank < BLOCK ? m - *rank : BLOCK, &rng);
        if (count == 0) {
            idle++;
            continue;
        }
        BF_TRY(a->select(a->self, w->proposal, count, err));
        among_proposals(w, f, *rank, m, count, a, blas);
        memcpy(before, w->h, (size_t)(count * count) * sizeof *before);
        int64_t kept = reject(w, residual, count, m - *rank, &rng);
        idle = kept ? 0 : idle + 1;
        if (kept) {
            BF_TRY(narrow(w, before, *rank, m, count, kept, a, arena, err));
            append(w, f, residual, *rank, m, kept, a, blas, threads);
            for (int64_t p = 0; p < kept; p++)
                pivots[(*rank)++] = w->proposal[w->kept[p]];
        }
        left = running_sums(w->sums, residual, n);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = *rank; c < m; c++)
            f[i * m + c] = 0;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
