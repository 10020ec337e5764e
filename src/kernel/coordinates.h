/* coordinates.h - From logged numbers to coordinates in which a distance has a meaning. */
#ifndef BF_KERNEL_COORDINATES_H
#define BF_KERNEL_COORDINATES_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

typedef struct bf__coordinate {
    int column;           /* column of the log */
    double period;        /* 0: a line; otherwise the period of a circle */
    int quarter;          /* 0: cosine, 1: sine */
    double centre, scale; /* (value - centre) / scale */
} bf__coordinate;

typedef struct bf__coordinates {
    int in, out; /* columns of the log, coordinates */
    bf__coordinate *list;
} bf__coordinates;

/* Scales each column of x (d, n) to mean 0 and standard deviation 1. A column that does not vary
 * becomes 0 (up to rounding). scale (d) and period (d) may be NULL, and a 0 in them means "not
 * given". A given scale replaces the standard deviation. A column with a period becomes two
 * coordinates, cosine and sine. They have a common scale, so that the circle stays round. */
bf_status bf__coordinates_fit(bf__coordinates *out, const double *x, int64_t n, int d,
                              const double *scale, const double *period, bf_arena *arena,
                              bf_error *err);

/* Takes the coordinates of columns out for which idle (in) is true. */
void bf__coordinates_leave_out(bf__coordinates *coordinates, const bool *idle);

/* Computes z (out, n) from x (in, n), both column after column. */
void bf__coordinates_apply(double *z, const bf__coordinates *coordinates, const double *x,
                           int64_t n);

#endif
