/* batch.c - Means and their standard errors. */
#include "stats/batch.h"

#include <math.h>

bf_mean bf__mean_of(const double *x, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    double mean = n > 0 ? sum / (double)n : NAN;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return (bf_mean){mean, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN};
}

bf_mean bf__ratio_of(const double *a, const double *b, int64_t n) {
    double above = 0, below = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        above += a[i];
        below += b[i];
    }
    double ratio = above / below;
    for (int64_t i = 0; i < n; i++)
        squares += (a[i] - ratio * b[i]) * (a[i] - ratio * b[i]);
    double mean = below / (double)n;
    return (bf_mean){ratio, n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) / mean : NAN};
}

static double mean_of_run(const double *x, int64_t length) {
    double sum = 0;
    for (int64_t i = 0; i < length; i++)
        sum += x[i];
    return sum / (double)length;
}

bf_mean bf__batch_means(const double *x, int64_t n, int64_t batches) {
    if (batches > n)
        batches = n;
    if (batches < 2)
        return (bf_mean){n > 0 ? mean_of_run(x, n) : NAN, NAN};
    int64_t length = n / batches;
    const double *first = x + (n - batches * length);
    double middle = mean_of_run(first, batches * length), squares = 0;
    for (int64_t b = 0; b < batches; b++) {
        double gap = mean_of_run(first + b * length, length) - middle;
        squares += gap * gap;
    }
    return (bf_mean){mean_of_run(x, n), sqrt(squares / (double)(batches - 1) / (double)batches)};
}
