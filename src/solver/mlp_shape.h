/* mlp_shape.h - What a network looks like. */
#ifndef BF_SOLVER_MLP_SHAPE_H
#define BF_SOLVER_MLP_SHAPE_H

#define BF__MLP_MAX_LAYERS 8
#define BF__MLP_MAX_WIDTH  128
#define BF__MLP_TILE       256 /* samples that go through a network together */
#define BF__MLP_LANES      16  /* sums that a sum over samples consists of */

/* Activations of hidden units, in the order of BF__MLP_ACTIVATIONS. */
typedef enum bf__activation { BF__SIGMOID, BF__TANH, BF__RELU } bf__activation;
#define BF__MLP_ACTIVATIONS "sigmoid|tanh|relu"

/* Activations of the last layer: softplus(z) = log(1 + exp(z)) > 0, and exp(z). */
typedef enum bf__mlp_output { BF__IDENTITY, BF__SOFTPLUS, BF__EXPONENTIAL } bf__mlp_output;

typedef struct bf__mlp {
    int layers;                       /* L, layers of weights: one more than hidden layers */
    int size[BF__MLP_MAX_LAYERS + 1]; /* units: size[0] inputs, ..., size[L] outputs */
    bf__activation activation;
    bf__mlp_output output;
} bf__mlp;

#endif
