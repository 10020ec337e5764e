/* lowrank_sums.c - Sums over all transitions in low-rank coordinates, without making their rows.
 *
 * Transitions are taken in blocks of a fixed size, each added up by one thread, and the blocks are
 * added in order: digits do not depend on the number of threads. */
#include "flow/lowrank_sums.h"

#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/tile.h"
#include "linalg/clones.h"
#include "linalg/dense.h"

enum { ROWS = 1024, PART = 256, BLOCKS = 32 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

BF_CLONES static double sums_dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t p = 0; p < n; p++)
        sum += a[p] * b[p];
    return sum;
}

/* out (sets, n) at transitions first .. first + count - 1: phi'alpha, pivots a part at a time, so
 * that these stay in the first level of cache. */
static void apply_block(double *out, const bf__lowrank *lowrank, const double *alpha, int sets,
                        int64_t first, int64_t count) {
    const bf__flow *flow = lowrank->flow;
    int64_t n = flow->n, m = lowrank->m;
    double row[PART];
    for (int s = 0; s < sets; s++)
        memset(out + s * n + first, 0, (size_t)count * sizeof *out);
    for (int64_t from = 0; from < m; from += PART) {
        int64_t part = least(PART, m - from);
        for (int64_t i = first; i < first + count; i++) {
            bf__data_data_d(row, flow, &flow->data_d, i, &lowrank->pivots, from, part);
            for (int s = 0; s < sets; s++)
                out[s * n + i] += sums_dot(row, alpha + s * m + from, part);
        }
    }
}

bf_status bf__lowrank_apply(double *out, const bf__lowrank *lowrank, double *alpha, int sets,
                            const bf_context *context, bf_error *err) {
    const bf__flow *flow = lowrank->flow;
    int64_t n = flow->n, m = lowrank->m;
    if (lowrank->kept && lowrank->kept_rows == n) {
        for (int s = 0; s < sets; s++)
            BF_TRY(
                bf__matvec(out + s * n, lowrank->kept, false, alpha + s * m, n, m, context, err));
        return BF_OK;
    }
    BF_TRY(bf__lower_solve(alpha, sets, lowrank->l, m, true, context, err));
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t first = 0; first < n; first += ROWS)
        apply_block(out, lowrank, alpha, sets, first, least(ROWS, n - first));
    return BF_OK;
}

/* sum (sets, m) = the part of transitions first .. first + count - 1, before the solve. */
static void sum_block(double *sum, const bf__lowrank *lowrank, const double *w, int sets,
                      int64_t first, int64_t count) {
    const bf__flow *flow = lowrank->flow;
    int64_t n = flow->n, m = lowrank->m;
    double row[PART], next[PART];
    bf__held_d held;
    memset(sum, 0, (size_t)(sets * m) * sizeof *sum);
    for (int64_t from = 0; from < m; from += PART) {
        int64_t part = least(PART, m - from);
        held.of = -1;
        for (int64_t i = first; i < first + count; i++) {
            double h = flow->h_d[i];
            bf__both_data_d(row, next, flow, i, &lowrank->pivots, from, part, &held);
            for (int64_t p = 0; p < part; p++)
                row[p] -= next[p] + (h != 0 ? h * lowrank->start[from + p] : 0);
            for (int s = 0; s < sets; s++)
                for (int64_t p = 0; p < part; p++)
                    sum[s * m + from + p] += w[s * n + i] * row[p];
        }
    }
}

bf_status bf__lowrank_sum(double *out, const bf__lowrank *lowrank, const double *w, int sets,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = lowrank->flow->n, size = sets * lowrank->m;
    bf_mark mark = bf_arena_mark(arena);
    double *sums;
    BF_ALLOC(sums, arena, BLOCKS * size, err);
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t from = 0; from < n; from += BLOCKS * ROWS) {
        int64_t blocks = least(BLOCKS, (n - from + ROWS - 1) / ROWS);
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
        for (int64_t b = 0; b < blocks; b++)
            sum_block(sums + b * size, lowrank, w, sets, from + b * ROWS,
                      least(ROWS, n - from - b * ROWS));
        for (int64_t b = 0; b < blocks; b++)
            for (int64_t p = 0; p < size; p++)
                out[p] += sums[b * size + p];
    }
    bf_arena_rewind(arena, mark);
    return bf__lower_solve(out, sets, lowrank->l, lowrank->m, false, context, err);
}

bf_status bf__lowrank_start(double *out, const bf__lowrank *lowrank, const bf_context *context,
                            bf_error *err) {
    memset(out, 0, (size_t)lowrank->m * sizeof *out);
    if (!lowrank->start)
        return BF_OK;
    memcpy(out, lowrank->start, (size_t)lowrank->m * sizeof *out);
    return bf__lower_solve(out, 1, lowrank->l, lowrank->m, false, context, err);
}
