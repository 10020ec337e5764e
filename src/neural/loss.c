/* loss.c - log(w'Kw) of unnormalised weights W, w = W / sum W, and its slope in W.
 *
 *     L = log W'KW - 2 log S,  S = sum W        dL / dW_i = 2 / S ((K w)_i / w'Kw - 1)
 *
 * The 2 of the second term is missing in the last line of the paper's appendix D; finite
 * differences want it. A spread s > 0 puts K + s I in place of K: s |w|^2 = s / ess.
 *
 * Shapes  n transitions; K in tiles, or Psi (n, m) with K close to Psi Psi'
 * Cost    exact: one pass over the 2 n^2 bytes of K; low rank: two over the 2 n m of Psi
 *
 * The low-rank product goes through Psi in blocks of rows, twice: p = Psi'w, then Psi p. Blocks
 * belong to fixed pieces whose sums are added in order, so that digits do not depend on threads.
 * Reading Psi is what it waits for, so Psi is kept in 16 bits: column c is scale_c times whole
 * numbers up to 32,767. That moves an entry by at most 1.5e-5 of the largest of its column, at
 * random; in sums over rows it is lost in the noise of the rows. */
#include "neural/loss.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/clones.h"

enum { PIECES = 32, BLOCK = 32, LANES = 16, COLUMNS = 512 };

/* ---- Making */

static bf_status make_room(bf__neural_loss *out, int64_t n, double spread, bf_arena *arena,
                           bf_error *err) {
    *out = (bf__neural_loss){.n = n, .spread = spread};
    BF_ALLOC(out->w, arena, n, err);
    BF_ALLOC(out->y, arena, n, err);
    return BF_OK;
}

bf_status bf__neural_exact(bf__neural_loss *out, const bf__flow *flow, double spread,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    BF_TRY(make_room(out, flow->n, spread, arena, err));
    BF_TRY(bf__exact_create(&out->exact, flow->n, arena, err));
    bf__exact_fill(out->exact, flow, context);
    return BF_OK;
}

bf_status bf__neural_lowrank(bf__neural_loss *out, const bf__flow *flow, int64_t rank,
                             double spread, const bf_context *context, bf_arena *arena,
                             bf_error *err) {
    int64_t n = flow->n, found, *pivots;
    double *wide, *residual;
    int16_t *psi;
    BF_TRY(make_room(out, n, spread, arena, err));
    rank = rank < n ? rank : n;
    int64_t stride = (rank + LANES - 1) / LANES * LANES;
    BF_ALLOC(out->pieces, arena, (PIECES + 1) * stride, err);
    BF_ZALLOC(out->scale, arena, stride, err);
    BF_ALLOC(psi, arena, n * stride, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(wide, arena, n * rank, err);
    BF_ALLOC(pivots, arena, rank, err);
    BF_ALLOC(residual, arena, n, err);
    BF_TRY(bf__flow_factor(wide, pivots, &found, residual, flow, rank, 1e-10,
                           context ? context->seed : 1, context, arena, err));
    /* wide (n, rank), of which `found` columns count. */
    out->rank = found;
    out->stride = (found + LANES - 1) / LANES * LANES;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < found; c++)
            out->scale[c] = fmax(out->scale[c], fabs(wide[i * rank + c]) / INT16_MAX);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < out->stride; c++)
            psi[i * out->stride + c] = c < found && out->scale[c] > 0
                                           ? (int16_t)lrint(wide[i * rank + c] / out->scale[c])
                                           : 0;
    bf_arena_rewind(arena, mark);
    out->psi = psi;
    return BF_OK;
}

/* ---- Products */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));
typedef int32_t whole __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef int16_t shorts __attribute__((vector_size(LANES * sizeof(int16_t)), aligned(2), may_alias));

/* A macro, since what a function returns in wide registers depends on the instruction set. */
#define LOAD(psi)                                                                                  \
    __builtin_convertvector(__builtin_convertvector(*(const shorts *)(psi), whole), lanes)

/* part (count) += sum_r w_r Psi_r over `rows` rows, 1 or 4. Every sum goes through rows in order.
 */
BF_INLINE void add_rows(float *restrict part, const int16_t *restrict psi, const float *restrict w,
                        int64_t stride, int64_t count, const int rows) {
#pragma omp simd
    for (int64_t c = 0; c < count; c++) {
        float sum = part[c];
        for (int r = 0; r < rows; r++)
            sum += w[r] * (float)psi[r * stride + c];
        part[c] = sum;
    }
}

/* sum (stride) += sum_i w_i Psi_i, i < rows <= BLOCK, by some columns after the other. */
BF_CLONES static void neural_gather_rows(double *restrict sum, const int16_t *restrict psi,
                                         const double *restrict w, int64_t rows, int64_t stride) {
    float narrow[BLOCK], part[COLUMNS];
    for (int64_t i = 0; i < rows; i++)
        narrow[i] = (float)w[i];
    for (int64_t first = 0; first < stride; first += COLUMNS) {
        int64_t count = stride - first < COLUMNS ? stride - first : COLUMNS, i = 0;
        memset(part, 0, sizeof part);
        for (; i + 4 <= rows; i += 4)
            add_rows(part, psi + i * stride + first, narrow + i, stride, count, 4);
        for (; i < rows; i++)
            add_rows(part, psi + i * stride + first, narrow + i, stride, count, 1);
        for (int64_t c = 0; c < count; c++)
            sum[first + c] += (double)part[c];
    }
}

/* y[i] = p'Psi_i, i < rows <= BLOCK: four sums under way at once, along one row after the other.
 * The lanes of all rows are added up together at the end: those of one alone wait for each other.
 */
BF_CLONES static void neural_dot_rows(double *y, const float *p, const int16_t *psi, int64_t rows,
                                      int64_t stride) {
    float hold[LANES][BLOCK], total[BLOCK] = {0};
    for (int64_t i = 0; i < rows; i++, psi += stride) {
        lanes sum[4] = {{0}, {0}, {0}, {0}};
        int64_t c = 0;
        for (; c + 4 * LANES <= stride; c += 4 * LANES)
            for (int v = 0; v < 4; v++)
                sum[v] += *(const lanes *)(p + c + v * LANES) * LOAD(psi + c + v * LANES);
        for (; c < stride; c += LANES)
            sum[0] += *(const lanes *)(p + c) * LOAD(psi + c);
        sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (int l = 0; l < LANES; l++)
            hold[l][i] = sum[0][l];
    }
    for (int l = 0; l < LANES; l++)
        for (int64_t i = 0; i < rows; i++)
            total[i] += hold[l][i];
    for (int64_t i = 0; i < rows; i++)
        y[i] = (double)total[i];
}

/* Psi'w (stride); returns the square of its length. */
static double lowrank_residual(double *total, bf__neural_loss *loss, int threads) {
    int64_t n = loss->n, stride = loss->stride;
    double value = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int piece = 0; piece < PIECES; piece++) {
        double *sum = loss->pieces + piece * stride;
        int64_t end = n * (piece + 1) / PIECES;
        memset(sum, 0, (size_t)stride * sizeof *sum);
        for (int64_t i = n * piece / PIECES; i < end; i += BLOCK)
            neural_gather_rows(sum, loss->psi + i * stride, loss->w + i,
                               end - i < BLOCK ? end - i : BLOCK, stride);
    }
    for (int64_t c = 0; c < stride; c++) {
        total[c] = 0;
        for (int piece = 0; piece < PIECES; piece++)
            total[c] += loss->pieces[piece * stride + c];
        total[c] *= loss->scale[c];
        value += total[c] * total[c];
    }
    return value;
}

/* y = Psi (Psi'w); returns |Psi'w|^2. */
static double lowrank_product(bf__neural_loss *loss, int threads) {
    int64_t n = loss->n, stride = loss->stride, blocks = (n + BLOCK - 1) / BLOCK;
    double *total = loss->pieces + PIECES * stride;
    double value = lowrank_residual(total, loss, threads);
    float p[stride > 0 ? stride : 1];
    for (int64_t c = 0; c < stride; c++)
        p[c] = (float)(total[c] * loss->scale[c]);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = blocks - 1; b >= 0; b--) /* the end of Psi is in cache, if any of it is */
        neural_dot_rows(loss->y + b * BLOCK, p, loss->psi + b * BLOCK * stride,
                        b < blocks - 1 ? BLOCK : n - b * BLOCK, stride);
    return value;
}

/* w = W / sum W and its effective sample size; false if the weights are no weights. */
static bool normalise(bf__neural_loss *loss, double *sum, double *square, const float *weights) {
    *sum = *square = 0;
    for (int64_t i = 0; i < loss->n; i++)
        *sum += (double)weights[i];
    for (int64_t i = 0; i < loss->n; i++) {
        loss->w[i] = (double)weights[i] / *sum;
        *square += loss->w[i] * loss->w[i];
    }
    return *sum > 0 && isfinite(*sum) && isfinite(*square);
}

bool bf__neural_residual(double *residual, double *sum, double *ess, bf__neural_loss *loss,
                         const float *weights, const bf_context *context) {
    double square;
    *ess = 0;
    if (!normalise(loss, sum, &square, weights))
        return false;
    *ess = 1 / square;
    lowrank_residual(residual, loss, bf__threads(context));
    return true;
}

void bf__neural_psi(float *psi, const bf__neural_loss *loss, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; i++, psi += loss->rank + 1) {
        const int16_t *row = loss->psi + (first + i) * loss->stride;
        for (int64_t c = 0; c < loss->rank; c++)
            psi[c] = (float)row[c] * (float)loss->scale[c];
        psi[loss->rank] = 1;
    }
}

/* ---- Near given weights */

double bf__neural_apart(float *slope, const double *u, const float *weights, int64_t n) {
    double sum = 0, total = 0, value = 0;
    bool lost = false;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)weights[i];
        total += u[i];
        lost |= !(weights[i] > 0);
    }
    memset(slope, 0, (size_t)n * sizeof *slope);
    if (lost || !isfinite(sum))
        return BF__NEURAL_LOST;
    for (int64_t i = 0; i < n && total > 0; i++) {
        double v = u[i] / total, w = (double)weights[i];
        value += v > 0 ? v * log(v * sum / w) : 0;
        slope[i] = (float)(1 / sum - v / w);
    }
    return value;
}

/* ---- The loss of all transitions */

double bf__neural_value(float *slope, double *ess, bf__neural_loss *loss, const float *weights,
                        const bf_context *context) {
    int64_t n = loss->n;
    double sum, square, value = 0;
    *ess = 0;
    memset(slope, 0, (size_t)n * sizeof *slope);
    if (!normalise(loss, &sum, &square, weights))
        return BF__NEURAL_LOST;
    *ess = 1 / square;
    if (loss->exact) {
        bf__exact_product(loss->y, loss->exact, loss->w, context);
        for (int64_t i = 0; i < n; i++)
            value += loss->w[i] * loss->y[i];
    } else {
        value = lowrank_product(loss, bf__threads(context));
    }
    /* Rounding may leave a little less than 0 where nothing is left to balance. */
    value = fmax(value, 0) + loss->spread * square;
    if (!(value > 1e-30))
        return log(1e-30);
    for (int64_t i = 0; i < n; i++)
        slope[i] = (float)(2 / sum * ((loss->y[i] + loss->spread * loss->w[i]) / value - 1));
    return log(value);
}

/* ---- The loss of a batch */

bf_status bf__neural_batch(float *slope, double *value, const bf__batch *batch, int64_t n,
                           const float *diagonal, const float *weights, double spread,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t size = batch->flow.n;
    double sum = 0, top = 0, *w, *y;
    double pair = size > 1 ? (double)(n - 1) / (double)(size - 1) : 0; /* times n / B */
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(w, arena, size, err);
    BF_ALLOC(y, arena, size, err);
    *value = 0;
    memset(slope, 0, (size_t)size * sizeof *slope);
    for (int64_t i = 0; i < size; i++)
        sum += (double)weights[i];
    if (sum > 0 && isfinite(sum)) {
        double scale = (double)size / (double)n;
        for (int64_t i = 0; i < size; i++)
            w[i] = (double)weights[i] / sum * scale; /* sum of n / B of them is 1 */
        BF_TRY(bf__flow_product(y, &batch->flow, w, context, arena, err));
        for (int64_t i = 0; i < size; i++) {
            y[i] = pair * y[i] + (1 - pair) * (double)diagonal[i] * w[i] + spread * w[i];
            top += w[i] * y[i];
        }
        *value = top / scale;
        for (int64_t i = 0; i < size; i++)
            slope[i] = (float)(2 / sum * (y[i] - *value));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
