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
 * are written in terms of their values: f' = h (1 - h), 1 - h^2, [h > 0]. mlp_dense.h has the
 * layers of a tile, mlp_tile.h the rest of it, mlp_predict.c the use without training. */
#include "solver/mlp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/clones.h"
#include "solver/mlp_dense.h"
#include "solver/mlp_tile.h"

#define TILE          BF__MLP_TILE
#define LANES         BF__MLP_LANES
#define GROUPS        16
#define LEAST_TILES   4 /* tiles of a group, if there are that many */
#define RUN           8 /* tiles whose gradients are added up as floats */
/* The product of samples and parameters, worth about a millisecond, below which we use no threads.
 * They would wait for each other longer than they work, and on a busy machine much longer. */
#define WORTH_THREADS (8 << 20)

struct bf__mlp_work {
    bf__mlp net;
    const bf__dense *dense;
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
    work->dense = bf__dense_at(0);
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

/* ---- A tile through the whole network */

/* tile holds h_0 .. h_{L-1}, z_{L-1}, each (size, TILE). h_0 is already there. */
static void forward_tile(const bf__dense *dense, const bf__mlp *net, const float *p, float *tile,
                         int width) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        float *z = tile + (int64_t)in * TILE;
        dense->forward(z, tile, p, p + (int64_t)in * out, BF__FROM_BIAS, in, out, in, width);
        if (l + 1 < net->layers)
            bf__tile_activate(z, out, width, net->activation);
        p += (int64_t)out * (in + 1);
        tile = z;
    }
}

/* Adds to gradient (count, LANES). delta holds dz_{L-1} (size[L], TILE); `other` has the same
 * size. */
static void backward_tile(const bf__dense *dense, const bf__mlp *net, const float *p,
                          const float *tile, float *delta, float *other, float *gradient,
                          int width) {
    for (int l = 0; l < net->layers; l++) { /* point to the ends; we go backwards from there */
        p += (int64_t)net->size[l + 1] * (net->size[l] + 1);
        gradient += (int64_t)net->size[l + 1] * (net->size[l] + 1) * LANES;
        tile += (int64_t)net->size[l] * TILE;
    }
    for (int l = net->layers - 1; l >= 0; l--) {
        int in = net->size[l], out = net->size[l + 1];
        p -= (int64_t)out * (in + 1);
        gradient -= (int64_t)out * (in + 1) * LANES;
        tile -= (int64_t)in * TILE;
        dense->weights(gradient, gradient + (int64_t)in * out * LANES, delta, tile, in, out, width);
        if (l == 0)
            break;
        dense->turned(other, delta, p, in, out, width);
        bf__tile_activate_backward(other, tile, in, width, net->activation);
        float *swap = delta;
        delta = other;
        other = swap;
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
        int width, filled = bf__tile_filled(n, t * TILE, &width);
        bf__tile_load(tile, inputs, net->size[0], n, t * TILE, filled, width);
        forward_tile(work->dense, net, work->parameters, tile, width);
        const float *z = tile + (int64_t)(work->units - net->size[net->layers]) * TILE;
        bf__tile_store(outputs, z, net, n, t * TILE, filled);
    }
}

/* Adds the lanes of `partial` (count, LANES) to sum (count) and clears them. The lanes of a
 * parameter are added in pairs that are half of them apart, and again, until one is left. */
BF_CLONES static void mlp_add_lanes(double *restrict sum, float *restrict partial, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float *x = partial + i * LANES;
        float eight[LANES / 2], four[LANES / 4];
        for (int l = 0; l < LANES / 2; l++)
            eight[l] = x[l] + x[l + LANES / 2];
        for (int l = 0; l < LANES / 4; l++)
            four[l] = eight[l] + eight[l + LANES / 4];
        sum[i] += (double)((four[0] + four[2]) + (four[1] + four[3]));
    }
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
        int width, filled = bf__tile_filled(work->n, t * TILE, &width);
        bf__tile_load(delta, d_outputs, outputs, work->n, t * TILE, filled, width);
        bf__tile_output_backward(delta, tile + (int64_t)(work->units - outputs) * TILE, outputs,
                                 width, net->output);
        backward_tile(work->dense, net, work->parameters, tile, delta,
                      delta + (int64_t)work->widest * TILE, partial, width);
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

int64_t bf__mlp_scratch(const bf__mlp_work *work) {
    return (int64_t)2 * work->widest * TILE;
}

int bf__mlp_jacobian(const bf__mlp_work *work, const float *d_outputs, int64_t begin,
                     float *jacobian, float *scratch) {
    const bf__mlp *net = &work->net;
    const float *p = work->parameters + work->count;
    const float *tile = work->tiles + begin * work->units;
    float *delta = scratch, *other = scratch + (int64_t)work->widest * TILE;
    int outputs = net->size[net->layers], width, filled = bf__tile_filled(work->n, begin, &width);
    tile += (int64_t)(work->units - outputs) * TILE;
    jacobian += work->count * TILE;
    memset(scratch, 0, (size_t)bf__mlp_scratch(work) * sizeof *scratch);
    bf__tile_load(delta, d_outputs, outputs, work->n, begin, filled, width);
    bf__tile_output_backward(delta, tile, outputs, width, net->output);
    for (int l = net->layers - 1; l >= 0; l--) {
        int in = net->size[l], out = net->size[l + 1];
        p -= (int64_t)out * (in + 1);
        jacobian -= (int64_t)out * (in + 1) * TILE;
        tile -= (int64_t)in * TILE;
        mlp_layer_jacobian(jacobian, delta, tile, in, out, width);
        if (l) {
            work->dense->turned(other, delta, p, in, out, width);
            bf__tile_activate_backward(other, tile, in, width, net->activation);
        }
        float *swap = delta;
        delta = other;
        other = swap;
    }
    return filled;
}
