/* batch.h - Means and their standard errors. */
#ifndef BF_STATS_BATCH_H
#define BF_STATS_BATCH_H

#include <stdint.h>

typedef struct bf__mean {
    double value;
    double error; /* standard error; NaN from fewer than two values */
} bf__mean;

/* Of independent values x (n). */
bf__mean bf__mean_of(const double *x, int64_t n);

/* Of pairs: sum a / sum b, by the delta method. */
bf__mean bf__ratio_of(const double *a, const double *b, int64_t n);

/* Of a series whose neighbours depend on each other: cut into `batches` runs of equal length (the
 * first n % batches values fall out of the error, not of the mean), whose means are nearly
 * independent where a run is much longer than the memory of the series. */
bf__mean bf__batch_means(const double *x, int64_t n, int64_t batches);

#endif
