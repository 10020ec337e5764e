/* bandwidth.h - Kernels and their widths as a user writes them. */
#ifndef BF_KERNEL_BANDWIDTH_H
#define BF_KERNEL_BANDWIDTH_H

#include "backflow/options.h"
#include "kernel/kernel.h"

/* Of a row whose text is such widths. */
bf_status bf__bandwidth_check(const bf_option *row, const char *text, bf_error *err);

/* Makes a kernel as a user writes it. `name` is one of the list. `bandwidth` is "median", "p25" (a
 * percentile of the distances between points), "0.7", any of them with "*0.5", or several separated
 * by commas, which are mixed. The distances are taken from the points z (d, n), column after
 * column. */
bf_status bf__kernel_make(bf__kernel *out, const char *name, const char *bandwidth, const double *z,
                          int64_t n, int d, uint64_t seed, bf_arena *arena, bf_error *err);

/* The widths of `text` (see bf__kernel_make) for the points z (d, n): at most BF__MAX_WIDTHS. */
bf_status bf__bandwidth(double *widths, int *count, const char *text, const double *z, int64_t n,
                        int d, uint64_t seed, bf_arena *arena, bf_error *err);

/* The `percent`-th percentile of the distances between at most 2,000 of the points, drawn by
 * `seed`. If that is 0, it is the percentile of the distances above 0. If no two points differ, it
 * is 1. */
bf_status bf__distance_percentile(double *out, double percent, const double *z, int64_t n, int d,
                                  uint64_t seed, bf_arena *arena, bf_error *err);

#endif
