/* tobit.h - Linear regression on numbers that were cut to a range. */
#ifndef BF_SOLVER_TOBIT_H
#define BF_SOLVER_TOBIT_H

#include <stdbool.h>

#include "backflow/memory.h"
#include "backflow/status.h"

typedef struct bf__tobit_task {
    int64_t n;
    int inputs;
    const double *x;  /* (n, inputs), row after row; columns of deviation 1 or 0 */
    const double *y;  /* (n) */
    double low, high; /* a y at or beyond one of them was cut; infinite: nothing was */
} bf__tobit_task;

/* y = beta [x; 1] + sigma times a standard normal number, before the cut. beta has inputs + 1
 * numbers, the constant last. At least one y has to lie inside of the range. */
bf_status bf__tobit_fit(double *beta, double *sigma, const bf__tobit_task *task, bf_arena *arena,
                        bf_error *err);

/* phi(u) / Phi(u), of the standard normal distribution. */
double bf__mills(double u);

/* The mean of a normal number that was cut at `bound`, from above or from below, given that. */
double bf__tobit_mean(double mean, double sigma, double bound, bool above);

#endif
