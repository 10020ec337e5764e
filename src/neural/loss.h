/* loss.h - log(w'Kw) of unnormalised weights, and its slope: exact, low rank, on a batch. */
#ifndef BF_NEURAL_LOSS_H
#define BF_NEURAL_LOSS_H

#include "flow/batch.h"
#include "flow/exact.h"
#include "flow/lowrank.h"

/* What the loss of all n transitions is computed with: one of `exact` and `psi`. */
typedef struct bf__neural_loss {
    int64_t n;
    bf__exact *exact;
    const int16_t *psi; /* (n, stride), zeros from `rank` on; column c counts in units of */
    double *scale;      /* (stride) scale[c] */
    int64_t rank, stride;
    double spread;  /* s: the loss is log w'(K + s I)w */
    double *w, *y;  /* (n): weights of sum 1, K w */
    double *pieces; /* partial sums of the low-rank product */
} bf__neural_loss;

/* Either way costs once O(n^2), or O(n rank^2). Psi may come out with fewer than `rank` columns. */
bf_status bf__neural_exact(bf__neural_loss *out, const bf__flow *flow, double spread,
                           const bf_context *context, bf_arena *arena, bf_error *err);
bf_status bf__neural_lowrank(bf__neural_loss *out, const bf__flow *flow, int64_t rank,
                             double spread, const bf_context *context, bf_arena *arena,
                             bf_error *err);

/* KL(v, w) = sum_i v_i log(v_i / w_i), v = u / sum u and w = W / sum W, and slope (n) = dKL / dW.
 * BF__NEURAL_LOST and a slope of 0 if a W is not a positive number; 0 if all u are 0. */
double bf__neural_apart(float *slope, const double *u, const float *weights, int64_t n);

/* L = log w'(K + s I)w with w = W / sum W, and slope (n) = dL / dW; *ess = 1 / |w|^2. Where the
 * weights are no weights (all 0, or not finite) L is BF__NEURAL_LOST and the slope 0. */
#define BF__NEURAL_LOST 1e4
double bf__neural_value(float *slope, double *ess, bf__neural_loss *loss, const float *weights,
                        const bf_context *context);

/* Of a low-rank loss. residual (stride) = Psi'w, zeros from `rank` on, *sum = sum W and *ess as
 * above; false if the weights are no weights. psi (count, rank + 1) = rows first,
 * ... of Psi, and a 1 after each. */
bool bf__neural_residual(double *residual, double *sum, double *ess, bf__neural_loss *loss,
                         const float *weights, const bf_context *context);
void bf__neural_psi(float *psi, const bf__neural_loss *loss, int64_t first, int64_t count);

/* The loss estimated on a batch drawn without replacement from n transitions, the diagonal
 * corrected:
 *
 *     N = (n (n-1)) / (B (B-1)) sum_{i != j} W_i W_j K_ij + n / B sum_i W_i^2 K_ii
 *     D = n / B sum_i W_i,     N without bias for W'KW, D for sum W
 *
 * *value = N / D^2, which may be negative; slope (B) = d value / dW. diagonal (B) is K_ii. */
bf_status bf__neural_batch(float *slope, double *value, const bf__batch *batch, int64_t n,
                           const float *diagonal, const float *weights, double spread,
                           const bf_context *context, bf_arena *arena, bf_error *err);

/* The plain versions, in double, K (n, n) given: oracles of the tests. */
double bf__neural_value_plain(double *slope, const double *k, const double *weights, int64_t n,
                              double spread);
double bf__neural_batch_plain(double *slope, const double *k, const double *weights, int64_t batch,
                              int64_t n, double spread);

#endif
