/* closing.h - The last layer of a network of fitted Q evaluation, by one linear solve. */
#ifndef BF_VALUE_CLOSING_H
#define BF_VALUE_CLOSING_H

#include "problem/network_inputs.h"
#include "solver/mlp.h"

typedef struct bf__closing bf__closing;

/* What the solve says. */
typedef struct bf__closed {
    bool believed;    /* if not, the rest is not filled */
    double value;     /* over all rows */
    double lambda;    /* what was added to the diagonal: it looks 1 / lambda steps ahead */
    double effective; /* rows that the value rests on, as a share of those that were learned from */
} bf__closed;

/* For networks of the shape of `net` on these pairs. Every step of the log earns `reward` (n). */
bf_status bf__closing_make(bf__closing **out, const bf__pairs *pairs, const double *reward,
                           const bf__mlp *net, bf_arena *arena, bf_error *err);

/* Makes the sums that the solve needs, in the features of the network `parameters`. The equation is
 * that of the rows which are not in fold `apart` of fold (n); NULL: that of all rows. It uses one
 * thread and no memory of an arena. */
bf_status bf__closing_sum(bf__closing *closing, const float *parameters, const int32_t *fold,
                          int apart, bf_error *err);

/* Solves with the sums. */
bf_status bf__closing_solve(bf__closed *out, bf__closing *closing, bf_arena *arena, bf_error *err);

/* Adds <psi_i, h> = h(x_i) - gamma E h(x'_i) - (1 - gamma) E h(x_0) to gap (n), with the h of the
 * last solve that was believed, so that r_i - gap_i is the value but for noise. Ends that stay
 * ended are not for it. */
void bf__closing_gap(double *gap, bf__closing *closing);

#endif
