/* theorem.h - What the paper's theorem on generalization says of weights. */
#ifndef BF_WEIGHTS_THEOREM_H
#define BF_WEIGHTS_THEOREM_H

#include "estimator/answer.h"

/* The bound holds with probability 1 - BF__THEOREM_DELTA. */
#define BF__THEOREM_DELTA 0.05

/* Adds r_max, the Rademacher complexity and the bound: n w_i are between low and high, one of which
 * may be 0, and `signs` is the sum of bf__signs_mean over the distinct pairs (s, a) of the log. If
 * the model has measured a complexity of its own class, the smaller one counts. */
void bf__theorem_numbers(bf_estimate *out, double low, double high, double signs, int64_t n);

/* The same from the weights of an answer's rows, if the model has not done it. Rows that count
 * differently are not what the theorem is about: nothing is added then. */
bf_status bf__theorem_diagnose(bf_estimate *out, const bf_dataset *data, bf_arena *arena,
                               bf_error *err);

/* The sum of bf__signs_mean over the distinct pairs (s, a) of a log of less than 2^32 rows. */
bf_status bf__theorem_signs(double *out, const bf_dataset *data, bf_arena *arena, bf_error *err);

#endif
