/* batch.h - Means and their standard errors. */
#ifndef BF_STATS_BATCH_H
#define BF_STATS_BATCH_H

#include <stdint.h>

#include "backflow/stats.h"

/* The mean of independent values x (n). */
bf_mean bf__mean_of(const double *x, int64_t n);

/* The ratio sum a / sum b over pairs; its standard error is by the delta method. */
bf_mean bf__ratio_of(const double *a, const double *b, int64_t n);

/* The mean of a series whose neighbours depend on each other. The series is cut into `batches` runs
 * of equal length. If a run is much longer than the memory of the series, the means of the runs are
 * nearly independent, and the error comes from them. The first n % batches values count for the
 * mean but not for the error. */
bf_mean bf__batch_means(const double *x, int64_t n, int64_t batches);

#endif
