/* ridge.h - How much ridge a fit in closed form takes, by the weights that it implies.
 *
 * Weights linear in features and q linear in features are primal and dual: either answer is the
 * mean of W_i r_i, and W balances the flow the better the smaller lambda is, until it begins to
 * swing below 0. W stands for a ratio of densities, which is never negative; nothing in the fit
 * knows that. Of lambda = 1e-4 ... 1e-13 the least is taken for which the mean of max(-W, 0) is at
 * most 0.05: as little bias as a constraint that is known to hold allows. */
#ifndef BF_WEIGHTS_RIDGE_H
#define BF_WEIGHTS_RIDGE_H

#include <math.h>

#include "backflow/options.h"

/* The option `ridge`, a bf_auto, wherever there is one: the same numbers are allowed everywhere.
 * Below 1e-15 a ridge is less than what rounding adds to the matrix. */
#define BF__RIDGE_ROW(type, help) BF_OPTION_RANGE(type, ridge, "auto", 1e-15, 1e6, help)

enum { BF__RIDGES = 19 };

static const double bf__most_negative = 0.05;

typedef struct bf__ridges {
    int count;                   /* 1 where it is given */
    double lambda[BF__RIDGES];   /* falling */
    double negative[BF__RIDGES]; /* mean of max(-W, 0), summed up by the caller from 0 */
} bf__ridges;

/* The one that is given, or all that there are to choose from. */
static inline bf__ridges bf__ridges_make(bf_auto ridge) {
    bf__ridges r = {.count = ridge.given ? 1 : BF__RIDGES};
    for (int l = 0; l < r.count; l++)
        r.lambda[l] = ridge.given ? ridge.value : pow(10, -4 - 0.5 * l);
    return r;
}

/* The place of the one to take. */
static inline int bf__ridges_choose(const bf__ridges *r) {
    int best = 0;
    for (int l = 1; l < r->count; l++)
        if (r->negative[l] <= bf__most_negative)
            best = l;
    return best;
}

#endif
