/* generalization.h - The log of expected steps, and the loss with true transition probabilities. */
#ifndef BF_EXPERIMENT_GENERALIZATION_H
#define BF_EXPERIMENT_GENERALIZATION_H

#include "backflow/env.h"
#include "dataset/dataset.h"

/* The transitions of `log`, each as often as makes all its outcomes whole numbers: once with each,
 * if they are equally likely. The environment has a model whose probabilities allow that with 16
 * copies at most. */
bf_status bf__expected_log(bf_dataset *out, const bf_dataset *log, const bf_env *env,
                           const bf_policy *target, bf_arena *arena, bf_error *err);

/* |d - B d| in the space of the kernel, for mass (S, A) on pairs and the true B of the target. The
 * kernel is Gaussian on the state, standardised as `log` is, with width 1; actions count as equal
 * or not. O(S^2 A). */
bf_status bf__expected_loss(double *out, const double *mass, const bf_dataset *log,
                            const bf_env *env, const bf_policy *target, bf_arena *arena,
                            bf_error *err);

#endif
