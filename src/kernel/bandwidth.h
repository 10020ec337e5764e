/* bandwidth.h - Widths as a user writes them. */
#ifndef BF_KERNEL_BANDWIDTH_H
#define BF_KERNEL_BANDWIDTH_H

#include "backflow/options.h"
#include "kernel/kernel.h"

/* Of a row whose text is such widths. */
bf_status bf__bandwidth_check(const bf_option *row, const char *text, bf_error *err);

/* The widths of `text` (see bf__kernel_make) for the points z (d, n): at most BF__MAX_WIDTHS. */
bf_status bf__bandwidth(double *widths, int *count, const char *text, const double *z, int64_t n,
                        int d, uint64_t seed, bf_arena *arena, bf_error *err);

#endif
