/* rpcholesky.h - A few columns of a large positive matrix that represent all of it. */
#ifndef BF_LINALG_RPCHOLESKY_H
#define BF_LINALG_RPCHOLESKY_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"

/* The most columns asked for at once. */
enum { BF__PSD_BLOCK = 64 };

/* A positive semidefinite matrix given by its entries. */
typedef struct bf__psd {
    int64_t n;
    void *self;
    /* Says which columns will be asked for next. */
    bf_status (*select)(void *self, const int64_t *columns, int64_t count, bf_error *err);
    /* Fills out (rows, count) with rows first .. first + rows - 1 of the selected columns. Several
     * threads call it at once. */
    void (*block)(double *out, void *self, int64_t first, int64_t rows, int64_t count);
    /* (n), or NULL: what is drawn for a row depends on its name and not on its place. If a few rows
     * come or go, most pivots then stay the same. */
    const int64_t *name;
} bf__psd;

/* Finds F (n, m) with F F' close to A. pivots (m) takes the pivots, *rank <= m their number.
 * residual (n) holds the diagonal of A on entry and that of A - F F' on return. The method stops
 * early if the trace of the residual falls below `tolerance` of the trace of A; columns of F from
 * *rank on are then 0. */
bf_status bf__rpcholesky(double *f, int64_t *pivots, int64_t *rank, double *residual, int64_t m,
                         const bf__psd *a, double tolerance, uint64_t seed,
                         const bf_context *context, bf_arena *arena, bf_error *err);

#endif
