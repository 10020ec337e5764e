/* regression.h - Kernel regression (Nadaraya-Watson) of what follows a (state, action) pair. */
#ifndef BF_MODEL_REGRESSION_H
#define BF_MODEL_REGRESSION_H

#include "kernel/kernel.h"

/* Rows of one action: the points and what was seen after them. */
typedef struct bf__regression_group {
    int64_t n;
    const double *z; /* (d, n) */
    const double *y; /* (blocks, live, BF__REGRESSION_LANES): rows in blocks, the last one padded */
} bf__regression_group;

enum { BF__REGRESSION_LANES = 8 };

typedef struct bf__regression {
    int d, targets, groups;
    int live;               /* targets that are not 0 in all rows, nor 1 in all rows */
    const int *place;       /* (targets): among those that are live; -1: it is not */
    const double *constant; /* (targets): of one that is not, its value */
    bf__kernel kernel;
    const bf__regression_group *group;
    int64_t most; /* rows of the largest group: scratch for a query */
} bf__regression;

/* z (d, n) points, y (targets, n) what to predict, group_of (n) 0 .. groups - 1; NULL: one group.
 */
bf_status bf__regression_make(bf__regression *out, const bf__kernel *kernel, const double *z, int d,
                              const double *y, int targets, const int32_t *group_of, int groups,
                              int64_t n, bf_arena *arena, bf_error *err);

/* mean (targets) = sum_i k_i y_i / sum_i k_i over the rows of `group`, k_i = k(x, z_i); where all
 * k_i are too small to be told from 0, the nearest row, which is their limit. Returns the effective
 * number of rows, (sum k)^2 / sum k^2. `scratch` has room for `most`. The group has rows. */
double bf__regression_at(double *mean, const bf__regression *regression, int group, const double *x,
                         double *scratch);

#endif
