/* noise.h - How noisy the steps of a log are. */
#ifndef BF_WEIGHTS_NOISE_H
#define BF_WEIGHTS_NOISE_H

#include <stdbool.h>

#include "problem/points.h"

/* *share: of how much the changes s' - s of pairs with one action differ, how much is left between
 * neighbours that are as good as the same pair; 0 to 1, the largest over the coordinates. 0 if
 * there are too few pairs to say. */
bf_status bf__step_noise(double *share, const bf__points *points, bf_arena *arena, bf_error *err);

/* Whether that much is to be reckoned with. */
bool bf__steps_are_noisy(double share);

#endif
