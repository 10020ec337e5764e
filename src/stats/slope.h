/* slope.h - How fast something falls or grows: the slope of a line through logarithms. */
#ifndef BF_STATS_SLOPE_H
#define BF_STATS_SLOPE_H

#include "stats/batch.h"

/* The slope of log y against log x by least squares, weighted by how well each y is known, with its
 * standard error. x and y are above 0; y_i are independent. NaN if there are fewer than two
 * different x. */
bf_mean bf__log_slope(const double *x, const bf_mean *y, int count);

#endif
