/* slope.c - The slope of a line through logarithms.
 *
 * log y_i has the standard error e_i = error_i / y_i, and counts 1 / e_i^2. The standard error of
 * the slope is that of the y_i alone: points off the line do not make it larger. */
#include "stats/slope.h"

#include <math.h>

bf_mean bf__log_slope(const double *x, const bf_mean *y, int count) {
    double all = 0, mean_x = 0, mean_y = 0, square = 0, product = 0;
    for (int i = 0; i < count; i++) {
        double e = y[i].error / y[i].value, weight = 1 / (e * e);
        all += weight;
        mean_x += weight * log(x[i]);
        mean_y += weight * log(y[i].value);
    }
    mean_x /= all;
    mean_y /= all;
    for (int i = 0; i < count; i++) {
        double e = y[i].error / y[i].value, away = log(x[i]) - mean_x;
        square += away * away / (e * e);
        product += away * (log(y[i].value) - mean_y) / (e * e);
    }
    if (!(square > 0))
        return (bf_mean){NAN, NAN};
    return (bf_mean){product / square, 1 / sqrt(square)};
}
