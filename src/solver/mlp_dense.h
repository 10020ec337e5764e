/* mlp_dense.h - Dense layers on a tile of samples, for each of the vector lengths that CPUs have.
 *
 * Rows are BF__MLP_TILE apart; `width`, the samples, is a multiple of BF__MLP_LANES. */
#ifndef BF_SOLVER_MLP_DENSE_H
#define BF_SOLVER_MLP_DENSE_H

#include "solver/mlp_shape.h"

/* What the sums of a layer begin with: a bias of each unit, b (out), or sums of their own, b (out,
 * width). */
typedef enum bf__beginning { BF__FROM_BIAS, BF__FROM_SUMS } bf__beginning;

typedef struct bf__dense {
    const char *level; /* as bf__simd_level names it */
    /* z (out, width) = b + W h, of W (out, in) whose rows are `stride` apart, and h (in, width). */
    void (*forward)(float *z, const float *h, const float *w, const float *b, bf__beginning from,
                    int in, int out, int stride, int width);
    /* dh (in, width) = W' dz, of W (out, in) and dz (out, width). */
    void (*turned)(float *dh, const float *dz, const float *w, int in, int out, int width);
    /* Adds dz h' to dw (out, in, LANES), and dz to db (out, LANES). Sample s goes to lane s modulo
     * LANES. */
    void (*weights)(float *dw, float *db, const float *dz, const float *h, int in, int out,
                    int width);
} bf__dense;

/* Those that this CPU has, the best of them at 0; NULL past the end. Their
 * digits are the same. */
const bf__dense *bf__dense_at(int index);

#endif
