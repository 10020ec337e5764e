/* mask.h - Actions that were not allowed at a state: what that forbids. */
#ifndef BF_DATASET_MASK_H
#define BF_DATASET_MASK_H

#include "dataset/dataset.h"

struct bf__faults;

/* Whether the action was not allowed at the state of row i. */
static inline bool bf__masked(const bf_dataset *data, int64_t i, int action) {
    return data->mask && data->mask[action * data->n + i];
}

/* Checks that the action taken was allowed, and that neither policy gives any probability to one
 * that was not: the target at s and, if the next row of the episode is at s', there; the behaviour
 * at s. What is wrong becomes a fault, if there is a list. */
bf_status bf__mask_check(const bf_dataset *data, struct bf__faults *faults, bf_error *err);

/* Sets the probabilities p (A, n) of actions that were not allowed to 0 and scales the others to
 * sum 1. The action that was taken has some. */
void bf__mask_apply(double *p, const bf_dataset *data);

#endif
