/* mlp_tile.h - What is done with one tile of samples on its way through a network, besides the
 * dense layers of mlp_dense.h.
 *
 * A tile is up to BF__MLP_TILE samples. Its activations are (units, BF__MLP_TILE), so that inner
 * loops run over samples; `width` of a row are in use. */
#ifndef BF_SOLVER_MLP_TILE_H
#define BF_SOLVER_MLP_TILE_H

#include <stdint.h>

#include "solver/mlp_shape.h"

/* How many samples of n the tile from `begin` on has; *width is that, rounded up to whole lanes. */
static inline int bf__tile_filled(int64_t n, int64_t begin, int *width) {
    int filled = (int)(n - begin < BF__MLP_TILE ? n - begin : BF__MLP_TILE);
    *width = (filled + BF__MLP_LANES - 1) / BF__MLP_LANES * BF__MLP_LANES;
    return filled;
}

/* Copies samples [begin, begin + filled) of (rows, n) into a tile, with zeros up to `width`. */
void bf__tile_load(float *tile, const float *columns, int rows, int64_t n, int64_t begin,
                   int filled, int width);
/* Copies the outputs of the network to samples [begin, begin + filled) of (size[L], n), given z of
 * the last layer. */
void bf__tile_store(float *columns, const float *z, const bf__mlp *net, int64_t n, int64_t begin,
                    int filled);

/* z (units, width) becomes f(z). */
void bf__tile_activate(float *z, int units, int width, bf__activation kind);
/* dh (units, width) becomes dz = dh f'(z), given h = f(z). */
void bf__tile_activate_backward(float *dh, const float *h, int units, int width,
                                bf__activation kind);
/* delta (outputs, width) times the slope of the last activation at z. */
void bf__tile_output_backward(float *delta, const float *z, int outputs, int width,
                              bf__mlp_output kind);

#endif
