/* spread.h - How far off repeated answers are, and how well that is known. */
#ifndef BF_STATS_SPREAD_H
#define BF_STATS_SPREAD_H

#include <stdint.h>

#include "backflow/memory.h"
#include "stats/batch.h"

typedef struct bf__spread {
    int64_t runs;             /* runs that gave an answer */
    bf_mean bias, sd, rmse;   /* with standard errors by the bootstrap */
    double low, median, high; /* quartiles of the absolute error */
} bf__spread;

/* `errors` holds n values; NaN marks a run without an answer. If every value is NaN, all results
 * are NaN. */
bf_status bf__spread_of(bf__spread *out, const double *error, int64_t n, uint64_t seed,
                        bf_arena *arena, bf_error *err);

/* rmse(a) - rmse(b) with its standard error. Run i of both methods saw the same log, so the
 * bootstrap draws them together. A run is left out if one of the two has no answer. */
bf_status bf__rmse_difference(bf_mean *out, const double *a, const double *b, int64_t n,
                              uint64_t seed, bf_arena *arena, bf_error *err);

#endif
