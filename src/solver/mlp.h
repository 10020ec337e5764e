/* mlp.h - Small fully connected networks: batches forward, gradients backward.
 *
 * Arrays are stored coordinate after coordinate, as in a bf_dataset: inputs (size[0], n) and
 * outputs (size[L], n). Parameters are one flat array of doubles. Layer l holds its weights
 * (size[l+1], size[l]) row after row, then its biases (size[l+1]). Computing is float32. */
#ifndef BF_SOLVER_MLP_H
#define BF_SOLVER_MLP_H

#include <stdint.h>

#include "backflow/memory.h"
#include "backflow/options.h"
#include "backflow/rng.h"
#include "solver/mlp_shape.h"

/* Room for the activations of n samples and the partial sums of the gradient. It is opaque and
 * serves one batch at a time. */
typedef struct bf__mlp_work bf__mlp_work;

/* Describes a network of `inputs`, the hidden layers written as "30-20-10" ("" or "none" for no
 * hidden layer), and `outputs`. */
bf_status bf__mlp_make(bf__mlp *out, int inputs, const char *hidden, int outputs,
                       bf__activation activation, bf__mlp_output output, bf_error *err);
/* BF_EDATA if a network has more inputs than bf__mlp_predict can take, BF__MLP_MAX_WIDTH. */
bf_status bf__mlp_takes(int inputs, bf_error *err);
/* Of an option whose text is hidden layers. */
bf_status bf__mlp_check(const bf_option *row, const char *text, bf_error *err);
int64_t bf__mlp_parameters(const bf__mlp *net);

/* Glorot uniform: weights in +-sqrt(6 / (fan in + fan out)), biases 0. */
void bf__mlp_init(const bf__mlp *net, double *parameters, bf_rng *rng);

/* For batches of up to n samples on up to `threads` threads. Results do not depend on threads. */
bf_status bf__mlp_prepare(bf__mlp_work **out, const bf__mlp *net, int64_t n, int threads,
                          bf_arena *arena, bf_error *err);

/* Fills outputs (size[L], n) at inputs (size[0], n), and keeps what the next backward needs. */
void bf__mlp_forward(bf__mlp_work *work, const double *parameters, const float *inputs, int64_t n,
                     float *outputs);
/* gradient = sum_i d_outputs(., i) . d outputs(., i) / d parameters, at the last forward. */
void bf__mlp_backward(bf__mlp_work *work, const float *d_outputs, double *gradient);
/* The terms of that sum, for the samples begin .. begin + BF__MLP_TILE - 1, `begin` a multiple of
 * BF__MLP_TILE: jacobian (parameters, BF__MLP_TILE). Returns how many samples there are; columns
 * from there on are not filled. `scratch` is of bf__mlp_scratch floats. Tiles may be asked for by
 * several threads at once. */
int64_t bf__mlp_scratch(const bf__mlp_work *work);
int bf__mlp_jacobian(const bf__mlp_work *work, const float *d_outputs, int64_t begin,
                     float *jacobian, float *scratch);

/* Computes outputs alone, for use rather than training. It needs no workspace and is safe from any
 * thread. `parameters` are floats, laid out as above. The digits are those of bf__mlp_forward. */
void bf__mlp_predict(const bf__mlp *net, const float *parameters, const float *inputs, int64_t n,
                     float *outputs);
/* The same for several versions of each sample: outputs (versions, size[L], n). The first `common`
 * inputs, (common, n), are those of all versions; the rest are own (versions, size[0] - common, n).
 * If `own` is NULL, input common + k is 1 in version k, and the others are 0. The digits are those
 * of bf__mlp_predict. */
void bf__mlp_predict_versions(const bf__mlp *net, const float *parameters, int common,
                              const float *inputs, const float *own, int versions, int64_t n,
                              float *outputs);

/* The plain versions, in double, one sample at a time. Tests use them as oracles. */
void bf__mlp_forward_plain(const bf__mlp *net, const double *parameters, const double *inputs,
                           int64_t n, double *outputs);
void bf__mlp_backward_plain(const bf__mlp *net, const double *parameters, const double *inputs,
                            int64_t n, const double *d_outputs, double *gradient);

#endif
