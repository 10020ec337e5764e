/* mlp_tile.c - Activations of a tile of samples, and the way into it and out of it. */
#include "solver/mlp_tile.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/clones.h"
#include "linalg/exp.h"

#define TILE BF__MLP_TILE

/* ---- Activations on a tile */

BF_INLINE float sigmoid(float z) {
    return 1.0f / (1.0f + bf__expf_inline(-z));
}

/* Whether no number of the row is beyond +-limit, or NaN. Floats without their sign are in the
 * order of their bits, and NaN comes last. */
BF_INLINE bool all_within(const float *row, int width, float limit) {
    uint32_t largest = 0, most;
    memcpy(&most, &limit, sizeof most);
#pragma omp simd reduction(max : largest)
    for (int i = 0; i < width; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        bits &= 0x7fffffffu;
        largest = bits > largest ? bits : largest;
    }
    return largest <= most;
}

BF_INLINE void sigmoid_row(float *row, int width) {
    if (all_within(row, width, 80)) {
#pragma omp simd
        for (int i = 0; i < width; i++)
            row[i] = 1.0f / (1.0f + bf__expf_within_inline(-row[i]));
    } else {
#pragma omp simd
        for (int i = 0; i < width; i++)
            row[i] = sigmoid(row[i]);
    }
}

/* tanh z = 2 sigmoid(2 z) - 1, in both ways with the same digits: doubling is exact. */
BF_INLINE void tanh_row(float *row, int width) {
    if (all_within(row, width, 40)) {
#pragma omp simd
        for (int i = 0; i < width; i++)
            row[i] = 2.0f / (1.0f + bf__expf_within_inline(-2.0f * row[i])) - 1.0f;
    } else {
#pragma omp simd
        for (int i = 0; i < width; i++)
            row[i] = 2.0f * sigmoid(2.0f * row[i]) - 1.0f;
    }
}

BF_CLONES static void tile_activate(float *z, int units, int width, bf__activation kind) {
    for (int j = 0; j < units; j++) {
        float *row = z + (int64_t)j * TILE;
        if (kind == BF__SIGMOID) {
            sigmoid_row(row, width);
        } else if (kind == BF__TANH) {
            tanh_row(row, width);
        } else {
#pragma omp simd
            for (int i = 0; i < width; i++)
                row[i] = row[i] > 0 ? row[i] : 0;
        }
    }
}

BF_CLONES static void tile_activate_backward(float *dh, const float *h, int units, int width,
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

BF_CLONES static void tile_output_backward(float *restrict delta, const float *restrict z,
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

void bf__tile_activate(float *z, int units, int width, bf__activation kind) {
    tile_activate(z, units, width, kind);
}

void bf__tile_activate_backward(float *dh, const float *h, int units, int width,
                                bf__activation kind) {
    tile_activate_backward(dh, h, units, width, kind);
}

void bf__tile_output_backward(float *delta, const float *z, int outputs, int width,
                              bf__mlp_output kind) {
    tile_output_backward(delta, z, outputs, width, kind);
}

/* ---- In and out of a tile */

/* log(1 + exp(z)) without overflow, and without losing small values. */
static float softplus(float z) {
    return (z > 0 ? z : 0) + log1pf(bf__expf_inline(z > 0 ? -z : z));
}

void bf__tile_load(float *tile, const float *columns, int rows, int64_t n, int64_t begin,
                   int filled, int width) {
    for (int j = 0; j < rows; j++) {
        float *row = tile + (int64_t)j * TILE;
        memcpy(row, columns + j * n + begin, (size_t)filled * sizeof *row);
        memset(row + filled, 0, (size_t)(width - filled) * sizeof *row);
    }
}

void bf__tile_store(float *columns, const float *z, const bf__mlp *net, int64_t n, int64_t begin,
                    int filled) {
    for (int j = 0; j < net->size[net->layers]; j++) {
        float *to = columns + j * n + begin;
        memcpy(to, z + (int64_t)j * TILE, (size_t)filled * sizeof *to);
        for (int i = 0; i < filled && net->output != BF__IDENTITY; i++)
            to[i] = net->output == BF__SOFTPLUS ? softplus(to[i]) : bf__expf_inline(to[i]);
    }
}
