/* mlp_predict.c - Networks in use: outputs alone, without what training needs.
 *
 * Two buffers of one tile each, used by turns, hold the activations, so that no workspace is
 * needed. The digits are those of bf__mlp_forward.
 *
 * Inputs in common. A question may be put to a network for several versions of a sample, as the
 * value of each action at one state. Then the sums of the first layer over the inputs that the
 * versions have in common are made once, and each version goes on from there. That is the order in
 * which sums are made anyway, so that it changes no digit.
 * Cost        2 flops a parameter and sample; those of common inputs once for all versions */
#include "solver/mlp.h"
#include "solver/mlp_dense.h"
#include "solver/mlp_tile.h"

#define TILE BF__MLP_TILE

/* Layers `first` to the last of the tile in `from`; `to` has the same size. Returns the one with
 * the outputs. */
static const float *go_through(const bf__dense *dense, const bf__mlp *net, int first,
                               const float *p, float *from, float *to, int width) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        if (l >= first) {
            dense->forward(to, from, p, p + (int64_t)in * out, BF__FROM_BIAS, in, out, in, width);
            if (l + 1 < net->layers)
                bf__tile_activate(to, out, width, net->activation);
            float *swap = from;
            from = to;
            to = swap;
        }
        p += (int64_t)out * (in + 1);
    }
    return from;
}

void bf__mlp_predict(const bf__mlp *net, const float *parameters, const float *inputs, int64_t n,
                     float *outputs) {
    _Alignas(64) float a[BF__MLP_MAX_WIDTH * TILE];
    _Alignas(64) float b[BF__MLP_MAX_WIDTH * TILE];
    const bf__dense *dense = bf__dense_at(0);
    for (int64_t begin = 0; begin < n; begin += TILE) {
        int width, filled = bf__tile_filled(n, begin, &width);
        bf__tile_load(a, inputs, net->size[0], n, begin, filled, width);
        const float *z = go_through(dense, net, 0, parameters, a, b, width);
        bf__tile_store(outputs, z, net, n, begin, filled);
    }
}

/* ---- Several versions of a sample */

/* Inputs of version k of a tile. */
static void fill_own(float *tile, const float *own, int inputs, int k, int64_t n, int64_t begin,
                     int filled, int width) {
    if (own)
        bf__tile_load(tile, own + (int64_t)k * inputs * n, inputs, n, begin, filled, width);
    for (int j = 0; j < inputs && !own; j++)
        for (int i = 0; i < width; i++)
            tile[(int64_t)j * TILE + i] = j == k;
}

void bf__mlp_predict_versions(const bf__mlp *net, const float *parameters, int common,
                              const float *inputs, const float *own, int versions, int64_t n,
                              float *outputs) {
    _Alignas(64) float a[BF__MLP_MAX_WIDTH * TILE];
    _Alignas(64) float b[BF__MLP_MAX_WIDTH * TILE];
    _Alignas(64) float sums[BF__MLP_MAX_WIDTH * TILE];
    const bf__dense *dense = bf__dense_at(0);
    const float *w = parameters;
    int in = net->size[0], out = net->size[1];
    for (int64_t begin = 0; begin < n; begin += TILE) {
        int width, filled = bf__tile_filled(n, begin, &width);
        bf__tile_load(a, inputs, common, n, begin, filled, width);
        dense->forward(sums, a, w, w + (int64_t)in * out, BF__FROM_BIAS, common, out, in, width);
        for (int k = 0; k < versions; k++) {
            fill_own(a, own, in - common, k, n, begin, filled, width);
            dense->forward(b, a, w + common, sums, BF__FROM_SUMS, in - common, out, in, width);
            if (net->layers > 1)
                bf__tile_activate(b, out, width, net->activation);
            const float *z = go_through(dense, net, 1, parameters, b, a, width);
            bf__tile_store(outputs + k * net->size[net->layers] * n, z, net, n, begin, filled);
        }
    }
}
