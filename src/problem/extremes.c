/* extremes.c - Refuses numbers that are too far out to be standardised.
 *
 * Distances between points are squared, and their squares are multiplied. A coordinate beyond 1e70
 * standard deviations would make them overflow, and whatever follows would not be a number. */
#include <math.h>

#include "core/fail.h"
#include "problem/points.h"

static const double most = 1e70; /* standard deviations */

bf_status bf__points_check(const double *z, const double *x, const bf__coordinates *coordinates,
                           const char *prefix, const bf_dataset *data, bf_error *err) {
    int64_t n = data->n;
    for (int c = 0; c < coordinates->out; c++)
        for (int64_t i = 0; i < n; i++) {
            char where[256];
            int column = coordinates->list[c].column;
            if (fabs(z[c * n + i]) <= most)
                continue;
            return bf_fail(err, BF_EDATA,
                           "%s: %s%d: %g is too far from the other values of the column to be "
                           "standardised (it would be at %.3g); is it a mark for a missing value?",
                           bf_dataset_where(data, i, where, sizeof where), prefix, column,
                           x[column * n + i], z[c * n + i]);
        }
    return BF_OK;
}
