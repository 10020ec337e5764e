/* extreme.c - Numbers in a log that cannot be meant.
 *
 * A number such as 1e300 or -1e30 often stands for "missing". One of them moves the mean and the
 * spread of its column by which coordinates are made comparable, and with them every answer. The
 * middle and the usual distance from it are quantiles of up to SAMPLE values, evenly taken from the
 * column: a few extremes do not move those.
 *
 * Cost O(n) per column, no memory. */
#include "dataset/extreme.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLE 1001

static const double too_far = 1e6, too_large = 1e12;

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double bf__extreme_limit(double *middle, double *usual, const double *x, int64_t n) {
    double sample[SAMPLE];
    int64_t count = n < SAMPLE ? n : SAMPLE;
    for (int64_t k = 0; k < count; k++)
        sample[k] = x[k * (n - 1) / (count > 1 ? count - 1 : 1)];
    qsort(sample, (size_t)count, sizeof *sample, by_value);
    *middle = sample[count / 2];
    for (int64_t k = 0; k < count; k++)
        sample[k] = fabs(sample[k] - *middle);
    qsort(sample, (size_t)count, sizeof *sample, by_value);
    *usual = sample[(9 * (count - 1)) / 10];
    return *usual > 0 ? too_far * *usual : too_large * fmax(fabs(*middle), 1);
}

static bool look(bf__extreme *out, const double *x, int64_t n) {
    double limit = bf__extreme_limit(&out->middle, &out->usual, x, n);
    for (out->row = 0; out->row < n; out->row++)
        if (fabs(x[out->row] - out->middle) > limit) {
            out->value = x[out->row];
            return true;
        }
    return false;
}

bool bf__dataset_extreme(bf__extreme *out, const bf_dataset *data) {
    const struct {
        const char *name;
        const double *values;
        int columns;
    } blocks[] = {
        {"s", data->state, data->states ? 0 : data->state_dim}, /* finite states are just names */
        {"ns", data->next_state, data->states ? 0 : data->state_dim},
        {"a", data->action_vector, data->action_dim},
        {"r", data->reward, 1},
    };
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (int j = 0; j < blocks[b].columns && blocks[b].values; j++) {
            if (blocks[b].values == data->reward)
                snprintf(out->column, sizeof out->column, "r");
            else
                snprintf(out->column, sizeof out->column, "%s%d", blocks[b].name, j);
            if (look(out, blocks[b].values + j * data->n, data->n))
                return true;
        }
    return false;
}
