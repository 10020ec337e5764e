/* told.h - What the rows of a log tell of each other, by some of their columns. */
#ifndef BF_PROBLEM_TOLD_H
#define BF_PROBLEM_TOLD_H

#include <stdbool.h>

#include "kernel/coordinates.h"
#include "problem/steps.h"

/* A log in coordinates. */
typedef struct bf__located {
    const bf_dataset *data;
    const bf__coordinates *coordinates; /* of states, d of them */
    const double *z, *nz;               /* (d, n) */
    const double *u;                    /* (k, n): vector actions; NULL: they are numbers */
    const bf__steps *steps;
    uint64_t seed;
} bf__located;

/* Rows that are looked at. */
typedef struct bf__told {
    int64_t n;
    int d, dim;             /* coordinates of states; with those of vector actions behind them */
    const double *x;        /* (dim, n) */
    const int *column;      /* (d): the state column of a coordinate */
    int groups;             /* actions, or 1 */
    const int32_t *group;   /* (n) */
    const int64_t *episode; /* (n) */
    int roots, told;        /* what does not belong to a coordinate; with the d changes behind it */
    double *y;              /* (told, n): mean 0, variance 1; NaN: not known */
    int64_t picks;
    const int64_t *pick; /* (picks): rows that are told from others */
} bf__told;

/* At most `most` rows of a log, `picks` of which are told from the others: their rewards and ends,
 * what the target does, and the changes of their d coordinates. */
bf_status bf__told_make(bf__told *out, int64_t most, int64_t picks, const bf__located *log,
                        bf_arena *arena, bf_error *err);

/* error (picks, told): the squared error of what is told of each row that was picked; NaN: it
 * cannot be told. `in` (d) are the coordinates to go by; grouped: and the action. */
bf_status bf__told_errors(double *error, const bf__told *rows, const bool *in, bool grouped,
                          bf_arena *arena, bf_error *err);

#endif
