/* corrected.h - What corrected weights leave behind for rows that they were not fitted to.
 *
 * The weights of the chain are a function of (s, a), known at the rows of the log; and each variant
 * of the correction has a differential value, q(x) = sum_p beta_p k(x_p, x). */
#ifndef BF_WEIGHTS_CORRECTED_H
#define BF_WEIGHTS_CORRECTED_H

#include "weights/rebalance.h"

enum { BF__MOST_BASES = 2, BF__MOST_MEMBERS = 4, BF__MOST_QUANTITIES = 2 };

/* Some members that share their features. */
typedef struct bf__basis {
    bf__flow flow; /* of no transitions: the kernel, and what states and actions are like */
    int64_t m;
    bf__data_d pivots;
    int members;
    double *beta; /* (members, quantities, m); 0: the member has no correction */
} bf__basis;

typedef struct bf__fit {
    bf__points points;
    bf__neighbours base;
    double noise;   /* share of the steps' changes that is noise */
    int quantities; /* the reward; if ends restart, also whether a step ends */
    int bases, members;
    bf__basis basis[BF__MOST_BASES];
} bf__fit;

/* As the model `corrected` runs, and *fit in `arena`. An interruption is an error. */
bf_status bf__corrected_fit(bf_estimate *out, bf__fit *fit, const bf_problem *problem,
                            const bf_settings *settings, const bf_context *context, bf_arena *arena,
                            bf_error *err);

#endif
