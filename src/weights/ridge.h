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

enum { BF__RIDGES = 19 };

static const double bf__most_negative = 0.05;

typedef struct bf__ridges {
    int count;                   /* 1 where it is given */
    double lambda[BF__RIDGES];   /* falling */
    double negative[BF__RIDGES]; /* mean of max(-W, 0), summed up by the caller from 0 */
} bf__ridges;

/* `given` 0: all that there are to choose from. */
static inline bf__ridges bf__ridges_make(double given) {
    bf__ridges r = {.count = given > 0 ? 1 : BF__RIDGES};
    for (int l = 0; l < r.count; l++)
        r.lambda[l] = given > 0 ? given : pow(10, -4 - 0.5 * l);
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
