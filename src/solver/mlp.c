/* mlp.c - Small fully connected networks, vectorised over the batch.
 *
 * Computes    h_0 = x,  z_l = W_l h_l + b_l,  h_{l+1} = f(z_l),  y = g(z_{L-1})
 *             backward: dz_{L-1} = dy g'(z),  dW_l += dz_l h_l',  db_l += dz_l,
 *                       dz_{l-1} = (W_l' dz_l) f'(z_{l-1})
 * Shapes      n samples in tiles of up to TILE; a tile's activations are (units, TILE), one layer
 *             after the other, so that inner loops run over samples and a tile stays in cache
 * Cost        O(n parameters), about 2 flops forward and 4 backward each; memory n units floats
 *
 * Every sum has one order on every machine. A sum over a layer's inputs runs through them in order.
 * A sum over samples consists of LANES interleaved sums per run of RUN tiles; runs are added in
 * order within one of GROUPS fixed groups, and groups are added in order. Threads share out the
 * groups, so digits do not depend on the number of threads either. The slopes of the activations
 * are written in terms of their values: f' = h (1 - h), 1 - h^2, [h > 0].
 *
 * The file is over 400 lines so that forward and backward, which share the layout of a tile and are
 * read against each other, stand in one place and can be inlined. */
#include "solver/mlp.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/clones.h"
#include "linalg/exp.h"

#define TILE          BF__MLP_TILE
#define LANES         16
#define GROUPS        16
#define LEAST_TILES   4 /* tiles of a group, if there are that many */
#define RUN           8 /* tiles whose gradients are added up as floats */
/* The product of samples and parameters, worth about a millisecond, below which we use no threads.
 * They would wait for each other longer than they work, and on a busy machine much longer. */
#define WORTH_THREADS (8 << 20)

struct bf__mlp_work {
    bf__mlp net;
    int64_t capacity, n; /* samples: most, and in the last forward */
    int units, threads;  /* units: of all layers, inputs included */
    int64_t count;       /* parameters */
    float *parameters;   /* (count) as floats, of the last forward */
    float *tiles;        /* (tiles, units, TILE): h_0 .. h_{L-1}, z_{L-1} */
    float *deltas;       /* (threads, 2, widest, TILE) */
    float *partial;      /* (threads, count, LANES): gradient of a run of tiles */
    double *sums;        /* (GROUPS, count): gradient of each group */
    int widest;
};

/* ---- Shapes */

bf_status bf__mlp_check(const bf_option *row, const char *text, bf_error *err) {
    bf__mlp net;
    bf_error cause;
    if (bf__mlp_make(&net, 1, text, 1, BF__TANH, BF__IDENTITY, &cause) == BF_OK)
        return BF_OK;
    return bf_fail(err, BF_EUSAGE, "%s: %s", row->field, cause.message);
}

bf_status bf__mlp_takes(int inputs, bf_error *err) {
    if (inputs <= BF__MLP_MAX_WIDTH)
        return BF_OK;
    return bf_fail(err, BF_EDATA,
                   "states and actions have %d coordinates together, and a network takes %d at "
                   "most; give fewer state columns, or choose `method` simulator or blackbox",
                   inputs, BF__MLP_MAX_WIDTH);
}

bf_status bf__mlp_make(bf__mlp *out, int inputs, const char *hidden, int outputs,
                       bf__activation activation, bf__mlp_output output, bf_error *err) {
    *out = (bf__mlp){.layers = 0, .activation = activation, .output = output};
    out->size[0] = inputs;
    const char *at = strcmp(hidden, "none") == 0 ? "" : hidden;
    while (*at) {
        char *end;
        long units = strtol(at, &end, 10);
        if (end == at || (*end != '-' && *end) || (*end == '-' && !end[1]) || *at == '-' ||
            units < 1 || units > BF__MLP_MAX_WIDTH)
            return bf_fail(err, BF_EUSAGE,
                           "'%s' is not a list of hidden layers: write 20-20, each from 1 to %d "
                           "units",
                           hidden, BF__MLP_MAX_WIDTH);
        if (out->layers == BF__MLP_MAX_LAYERS - 1)
            return bf_fail(err, BF_EUSAGE, "'%s': more than %d hidden layers", hidden,
                           BF__MLP_MAX_LAYERS - 1);
        out->size[++out->layers] = (int)units;
        at = *end ? end + 1 : end;
    }
    out->size[++out->layers] = outputs;
    return BF_OK;
}

int64_t bf__mlp_parameters(const bf__mlp *net) {
    int64_t count = 0;
    for (int l = 0; l < net->layers; l++)
        count += (int64_t)net->size[l + 1] * (net->size[l] + 1);
    return count;
}

void bf__mlp_init(const bf__mlp *net, double *parameters, bf_rng *rng) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        double reach = sqrt(6.0 / (in + out));
        for (int i = 0; i < in * out; i++)
            *parameters++ = bf_rng_between(rng, -reach, reach);
        for (int i = 0; i < out; i++)
            *parameters++ = 0;
    }
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

bf_status bf__mlp_prepare(bf__mlp_work **out, const bf__mlp *net, int64_t n, int threads,
                          bf_arena *arena, bf_error *err) {
    bf__mlp_work *work;
    BF_ZALLOC(work, arena, 1, err);
    work->net = *net;
    work->capacity = n;
    work->count = bf__mlp_parameters(net);
    work->threads = threads < 1 ? 1 : (int)least(threads, GROUPS);
    for (int l = 0; l <= net->layers; l++) {
        work->units += net->size[l];
        work->widest = net->size[l] > work->widest ? net->size[l] : work->widest;
    }
    int64_t tiles = (n + TILE - 1) / TILE;
    BF_ALLOC(work->parameters, arena, work->count, err);
    BF_ALLOC(work->tiles, arena, tiles * work->units * TILE, err);
    BF_ALLOC(work->deltas, arena, (int64_t)work->threads * 2 * work->widest * TILE, err);
    BF_ALLOC(work->partial, arena, work->threads * work->count * LANES, err);
    BF_ALLOC(work->sums, arena, GROUPS * work->count, err);
    *out = work;
    return BF_OK;
}

/* ---- Dense layers on a tile. `width` is a multiple of LANES; rows are TILE apart. Sums stay in
 * registers: up to 3 rows by 2 vectors of samples, as many as AVX2 has room for. */

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

/* Rows j .. j+rows-1 of z (out, width) = W (out, in) h (in, width) + b. If `turned` is set, W' is
 * used instead, and W is (in, out). `stride` is the length of the rows of W. If b is NULL, it
 * counts as 0. */
BF_INLINE void dense_block(float *z, const float *h, const float *w, const float *b, int in,
                           int stride, const bool turned, int j, int s, const int rows,
                           const int vectors) {
    lanes sum[3][2];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (lanes){0} + (b ? b[j + r] : 0.0f);
    for (int k = 0; k < in; k++) {
        const lanes *x = (const lanes *)(h + (int64_t)k * TILE + s);
        for (int r = 0; r < rows; r++) {
            float weight =
                turned ? w[(int64_t)k * stride + j + r] : w[(int64_t)(j + r) * stride + k];
            for (int v = 0; v < vectors; v++)
                sum[r][v] += weight * x[v];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            ((lanes *)(z + (int64_t)(j + r) * TILE + s))[v] = sum[r][v];
}

BF_INLINE void dense_rows(float *z, const float *h, const float *w, const float *b, int in,
                          int stride, const bool turned, int j, int width, const int rows) {
    int s = 0;
    for (; s + 2 * LANES <= width; s += 2 * LANES)
        dense_block(z, h, w, b, in, stride, turned, j, s, rows, 2);
    if (s < width)
        dense_block(z, h, w, b, in, stride, turned, j, s, rows, 1);
}

BF_INLINE void dense_product(float *z, const float *h, const float *w, const float *b, int in,
                             int out, int stride, const bool turned, int width) {
    int j = 0;
    for (; j + 3 <= out; j += 3)
        dense_rows(z, h, w, b, in, stride, turned, j, width, 3);
    if (j + 2 <= out)
        dense_rows(z, h, w, b, in, stride, turned, j, width, 2);
    else if (j < out)
        dense_rows(z, h, w, b, in, stride, turned, j, width, 1);
}

BF_INLINE void dense_forward(float *z, const float *h, const float *w, const float *b, int in,
                             int out, int width) {
    dense_product(z, h, w, b, in, out, in, false, width);
}

/* dW[j + r][k + c] += sums over samples, lane by lane, of dz[j + r] h[k + c]. */
BF_INLINE void weight_block(lanes *dw, const float *dz, const float *h, int in, int j, int k,
                            int width, const int rows, const int cols) {
    lanes sum[3][2];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            sum[r][c] = dw[(int64_t)(j + r) * in + k + c];
    for (int s = 0; s < width; s += LANES) {
        lanes x[2];
        for (int c = 0; c < cols; c++)
            x[c] = *(const lanes *)(h + (int64_t)(k + c) * TILE + s);
        for (int r = 0; r < rows; r++) {
            lanes d = *(const lanes *)(dz + (int64_t)(j + r) * TILE + s);
            for (int c = 0; c < cols; c++)
                sum[r][c] += d * x[c];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            dw[(int64_t)(j + r) * in + k + c] = sum[r][c];
}

BF_INLINE void weight_rows(lanes *dw, const float *dz, const float *h, int in, int j, int width,
                           const int rows) {
    int k = 0;
    for (; k + 2 <= in; k += 2)
        weight_block(dw, dz, h, in, j, k, width, rows, 2);
    if (k < in)
        weight_block(dw, dz, h, in, j, k, width, rows, 1);
}

/* Adds to dW (out, in) and db (out), in lanes. Unless dh is NULL, computes dh (in, width). */
BF_INLINE void dense_backward(lanes *dw, lanes *db, float *dh, const float *dz, const float *h,
                              const float *w, int in, int out, int width) {
    int j = 0;
    for (; j + 3 <= out; j += 3)
        weight_rows(dw, dz, h, in, j, width, 3);
    if (j + 2 <= out)
        weight_rows(dw, dz, h, in, j, width, 2);
    else if (j < out)
        weight_rows(dw, dz, h, in, j, width, 1);
    for (j = 0; j < out; j++) {
        lanes sum = db[j];
        for (int s = 0; s < width; s += LANES)
            sum += *(const lanes *)(dz + (int64_t)j * TILE + s);
        db[j] = sum;
    }
    if (dh)
        dense_product(dh, dz, w, NULL, out, in, in, true, width);
}

/* ---- Activations on a tile */

BF_INLINE float sigmoid(float z) {
    return 1.0f / (1.0f + bf__expf_inline(-z));
}

/* z (units, width) becomes f(z). */
BF_INLINE void activate(float *z, int units, int width, bf__activation kind) {
    for (int j = 0; j < units; j++) {
        float *row = z + (int64_t)j * TILE;
        if (kind == BF__SIGMOID) {
#pragma omp simd
            for (int i = 0; i < width; i++)
                row[i] = sigmoid(row[i]);
        } else if (kind == BF__TANH) {
#pragma omp simd
            for (int i = 0; i < width; i++)
                row[i] = 2.0f * sigmoid(2.0f * row[i]) - 1.0f;
        } else {
#pragma omp simd
            for (int i = 0; i < width; i++)
                row[i] = row[i] > 0 ? row[i] : 0;
        }
    }
}

/* dh (units, width) becomes dz = dh f'(z), given h = f(z). */
BF_INLINE void activate_backward(float *dh, const float *h, int units, int width,
                                 bf__activation kind) {
    for (int j = 0; j < units; j++) {
        float *d = dh + (int64_t)j * TILE;
        const float *v = h + (int64_t)j * TILE;
        if (kind == BF__SIGMOID) {
#pragma omp simd
            for (int i = 0; i < width; i++)
                d[i] *= v[i] * (1.0f - v[i]);
        } else if (kind == BF__TANH) {
#pragma omp simd
            for (int i = 0; i < width; i++)
                d[i] *= 1.0f - v[i] * v[i];
        } else {
#pragma omp simd
            for (int i = 0; i < width; i++)
                d[i] = v[i] > 0 ? d[i] : 0;
        }
    }
}

/* delta (outputs, width) times the slope of the last activation at z. */
BF_CLONES static void mlp_output_backward(float *restrict delta, const float *restrict z,
                                          int outputs, int width, bf__mlp_output kind) {
    for (int j = 0; j < outputs && kind == BF__SOFTPLUS; j++)
#pragma omp simd
        for (int i = 0; i < width; i++)
            delta[(int64_t)j * TILE + i] *= sigmoid(z[(int64_t)j * TILE + i]);
    for (int j = 0; j < outputs && kind == BF__EXPONENTIAL; j++)
#pragma omp simd
        for (int i = 0; i < width; i++)
            delta[(int64_t)j * TILE + i] *= bf__expf_inline(z[(int64_t)j * TILE + i]);
}

/* log(1 + exp(z)) without overflow, and without losing small values. */
static float softplus(float z) {
    return (z > 0 ? z : 0) + log1pf(bf__expf_inline(z > 0 ? -z : z));
}

/* ---- A tile through the whole network */

/* tile holds h_0 .. h_{L-1}, z_{L-1}, each (size, TILE). h_0 is already there. */
BF_CLONES static void forward_tile(const bf__mlp *net, const float *p, float *tile, int width) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        float *h = tile, *z = tile + (int64_t)in * TILE;
        dense_forward(z, h, p, p + (int64_t)in * out, in, out, width);
        if (l + 1 < net->layers)
            activate(z, out, width, net->activation);
        p += (int64_t)out * (in + 1);
        tile = z;
    }
}

/* Adds to gradient (count), in lanes. delta holds dz_{L-1} (size[L], TILE); `other` has the same
 * size. */
BF_CLONES static void backward_tile(const bf__mlp *net, const float *p, const float *tile,
                                    float *delta, float *other, lanes *gradient, int width) {
    for (int l = 0; l < net->layers; l++) { /* point to the ends; we go backwards from there */
        p += (int64_t)net->size[l + 1] * (net->size[l] + 1);
        gradient += (int64_t)net->size[l + 1] * (net->size[l] + 1);
        tile += (int64_t)net->size[l] * TILE;
    }
    for (int l = net->layers - 1; l >= 0; l--) {
        int in = net->size[l], out = net->size[l + 1];
        p -= (int64_t)out * (in + 1);
        gradient -= (int64_t)out * (in + 1);
        tile -= (int64_t)in * TILE;
        dense_backward(gradient, gradient + (int64_t)in * out, l ? other : NULL, delta, tile, p, in,
                       out, width);
        if (l)
            activate_backward(other, tile, in, width, net->activation);
        float *swap = delta;
        delta = other;
        other = swap;
    }
}

/* Copies samples [begin, begin + filled) of (rows, n) into rows TILE apart, with zeros up to
 * `width`. */
static void load(float *tile, const float *columns, int rows, int64_t n, int64_t begin, int filled,
                 int width) {
    for (int j = 0; j < rows; j++) {
        float *row = tile + (int64_t)j * TILE;
        memcpy(row, columns + j * n + begin, (size_t)filled * sizeof *row);
        memset(row + filled, 0, (size_t)(width - filled) * sizeof *row);
    }
}

static int filled_at(int64_t n, int64_t begin, int *width) {
    int filled = (int)least(TILE, n - begin);
    *width = (filled + LANES - 1) / LANES * LANES;
    return filled;
}

static void store(float *columns, const float *z, const bf__mlp *net, int64_t n, int64_t begin,
                  int filled) {
    for (int j = 0; j < net->size[net->layers]; j++) {
        float *to = columns + j * n + begin;
        memcpy(to, z + (int64_t)j * TILE, (size_t)filled * sizeof *to);
        for (int i = 0; i < filled && net->output != BF__IDENTITY; i++)
            to[i] = net->output == BF__SOFTPLUS ? softplus(to[i]) : bf__expf_inline(to[i]);
    }
}

/* ---- Batches */

static int threads_for(const bf__mlp_work *work, int64_t pieces) {
    return work->n * work->count < WORTH_THREADS ? 1 : (int)least(work->threads, pieces);
}

void bf__mlp_forward(bf__mlp_work *work, const double *parameters, const float *inputs, int64_t n,
                     float *outputs) {
    const bf__mlp *net = &work->net;
    int64_t tiles = (n + TILE - 1) / TILE;
    work->n = n;
    for (int64_t i = 0; i < work->count; i++)
        work->parameters[i] = (float)parameters[i];
    int threads = threads_for(work, tiles);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t t = 0; t < tiles; t++) {
        float *tile = work->tiles + t * work->units * TILE;
        int width, filled = filled_at(n, t * TILE, &width);
        load(tile, inputs, net->size[0], n, t * TILE, filled, width);
        forward_tile(net, work->parameters, tile, width);
        const float *z = tile + (int64_t)(work->units - net->size[net->layers]) * TILE;
        store(outputs, z, net, n, t * TILE, filled);
    }
}

/* Adds the lanes of `partial` (count, LANES) to sum (count) and clears them. */
BF_CLONES static void mlp_add_lanes(double *restrict sum, float *restrict partial, int64_t count) {
    for (int64_t i = 0; i < count; i++, partial += LANES)
        for (int step = LANES / 2; step > 0; step /= 2)
            for (int l = 0; l < step; l++)
                partial[l] += partial[l + step];
    partial -= count * LANES;
    for (int64_t i = 0; i < count; i++)
        sum[i] += (double)partial[i * LANES];
    memset(partial, 0, (size_t)(count * LANES) * sizeof *partial);
}

/* Adds the gradient of the tiles [begin, end) to `sum` (count). */
static void backward_group(const bf__mlp_work *work, const float *d_outputs, int64_t begin,
                           int64_t end, float *partial, float *delta, double *sum) {
    const bf__mlp *net = &work->net;
    int outputs = net->size[net->layers];
    memset(sum, 0, (size_t)work->count * sizeof *sum);
    memset(partial, 0, (size_t)(work->count * LANES) * sizeof *partial);
    for (int64_t t = begin; t < end; t++) {
        const float *tile = work->tiles + t * work->units * TILE;
        int width, filled = filled_at(work->n, t * TILE, &width);
        load(delta, d_outputs, outputs, work->n, t * TILE, filled, width);
        mlp_output_backward(delta, tile + (int64_t)(work->units - outputs) * TILE, outputs, width,
                            net->output);
        backward_tile(net, work->parameters, tile, delta, delta + (int64_t)work->widest * TILE,
                      (lanes *)partial, width);
        if ((t - begin) % RUN == RUN - 1 || t == end - 1)
            mlp_add_lanes(sum, partial, work->count);
    }
}

void bf__mlp_backward(bf__mlp_work *work, const float *d_outputs, double *gradient) {
    int64_t tiles = (work->n + TILE - 1) / TILE;
    int groups = (int)least((tiles + LEAST_TILES - 1) / LEAST_TILES, GROUPS);
    int threads = threads_for(work, groups);
    int64_t room = (int64_t)2 * work->widest * TILE;
    /* Thread t takes every threads-th group. Its buffers follow from t, not from the runtime's
     * thread number. */
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        for (int g = t; g < groups; g += threads)
            backward_group(work, d_outputs, tiles * g / groups, tiles * (g + 1) / groups,
                           work->partial + t * work->count * LANES, work->deltas + t * room,
                           work->sums + g * work->count);
    memset(gradient, 0, (size_t)work->count * sizeof *gradient);
    for (int g = 0; g < groups; g++)
        for (int64_t i = 0; i < work->count; i++)
            gradient[i] += work->sums[g * work->count + i];
}

/* ---- The gradient of each sample by itself */

/* jacobian (out (in + 1), TILE): of W row after row, then of b. */
BF_CLONES static void mlp_layer_jacobian(float *jacobian, const float *dz, const float *h, int in,
                                         int out, int width) {
    for (int j = 0; j < out; j++)
        for (int k = 0; k < in; k++) {
            float *to = jacobian + (int64_t)(j * in + k) * TILE;
            const float *d = dz + (int64_t)j * TILE, *x = h + (int64_t)k * TILE;
#pragma omp simd
            for (int i = 0; i < width; i++)
                to[i] = d[i] * x[i];
        }
    memcpy(jacobian + (int64_t)in * out * TILE, dz, (size_t)(out * TILE) * sizeof *dz);
}

BF_CLONES static void mlp_delta_below(const bf__mlp *net, float *dh, const float *dz,
                                      const float *h, const float *w, int in, int out, int width) {
    dense_product(dh, dz, w, NULL, out, in, in, true, width);
    activate_backward(dh, h, in, width, net->activation);
}

int64_t bf__mlp_scratch(const bf__mlp_work *work) {
    return (int64_t)2 * work->widest * TILE;
}

int bf__mlp_jacobian(const bf__mlp_work *work, const float *d_outputs, int64_t begin,
                     float *jacobian, float *scratch) {
    const bf__mlp *net = &work->net;
    const float *p = work->parameters + work->count;
    const float *tile = work->tiles + begin * work->units;
    float *delta = scratch, *other = scratch + (int64_t)work->widest * TILE;
    int outputs = net->size[net->layers], width, filled = filled_at(work->n, begin, &width);
    tile += (int64_t)(work->units - outputs) * TILE;
    jacobian += work->count * TILE;
    memset(scratch, 0, (size_t)bf__mlp_scratch(work) * sizeof *scratch);
    load(delta, d_outputs, outputs, work->n, begin, filled, width);
    mlp_output_backward(delta, tile, outputs, width, net->output);
    for (int l = net->layers - 1; l >= 0; l--) {
        int in = net->size[l], out = net->size[l + 1];
        p -= (int64_t)out * (in + 1);
        jacobian -= (int64_t)out * (in + 1) * TILE;
        tile -= (int64_t)in * TILE;
        mlp_layer_jacobian(jacobian, delta, tile, in, out, width);
        if (l)
            mlp_delta_below(net, other, delta, tile, p, in, out, width);
        float *swap = delta;
        delta = other;
        other = swap;
    }
    return filled;
}

/* ---- Use without training: two tiles on the stack, used by turns */

BF_CLONES static const float *predict_tile(const bf__mlp *net, const float *p, float *from,
                                           float *to, int width) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        dense_forward(to, from, p, p + (int64_t)in * out, in, out, width);
        if (l + 1 < net->layers)
            activate(to, out, width, net->activation);
        p += (int64_t)out * (in + 1);
        float *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

void bf__mlp_predict(const bf__mlp *net, const float *parameters, const float *inputs, int64_t n,
                     float *outputs) {
    _Alignas(64) float a[BF__MLP_MAX_WIDTH * TILE];
    _Alignas(64) float b[BF__MLP_MAX_WIDTH * TILE];
    for (int64_t begin = 0; begin < n; begin += TILE) {
        int width, filled = filled_at(n, begin, &width);
        load(a, inputs, net->size[0], n, begin, filled, width);
        store(outputs, predict_tile(net, parameters, a, b, width), net, n, begin, filled);
    }
}
