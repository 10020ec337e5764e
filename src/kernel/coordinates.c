/* coordinates.c - Standardised columns, and angles as points on a circle.
 *
 * Means and deviations are computed in two passes and relative to the largest magnitude, so that
 * columns of size 1e+-150 neither overflow nor vanish. If the deviation of a column is below 1e-12
 * of its magnitude, the column is rounding noise around a constant. Its magnitude then serves as
 * the scale, which leaves the coordinate tiny. */
#include "kernel/coordinates.h"

#include <math.h>

#include "core/fail.h"

#define TAU 6.283185307179586476925286766559

/* The mean, and the number to divide by. That is the standard deviation, or the magnitude if all
 * values are equal up to rounding, or 1 if all are 0. */
static void moments(double *mean, double *scale, const double *x, int64_t n) {
    double size = 0, sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    *mean = 0;
    *scale = 1;
    if (size == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] / size;
    sum /= (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] / size - sum) * (x[i] / size - sum);
    squares = sqrt(squares / (double)n);
    *mean = sum * size;
    *scale = squares > 1e-12 ? squares * size : size;
}

static double on_circle(double x, double period, int quarter) {
    double turn = x / period;
    turn = (turn - floor(turn)) * TAU; /* far from 0 the plain product would lose digits */
    return quarter ? sin(turn) : cos(turn);
}

/* Cosine and sine of one column. Their common scale is the root of the mean of the two
 * variances. */
static void fit_circle(bf__coordinate pair[2], const double *x, int64_t n, int column,
                       double period, double scale) {
    double variance = 0, mean[2] = {0};
    for (int q = 0; q < 2; q++) {
        double squares = 0;
        for (int64_t i = 0; i < n; i++)
            mean[q] += on_circle(x[i], period, q) / (double)n;
        for (int64_t i = 0; i < n; i++) {
            double gap = on_circle(x[i], period, q) - mean[q];
            squares += gap * gap;
        }
        variance += squares / (double)n / 2;
    }
    double deviation = sqrt(variance);
    for (int q = 0; q < 2; q++)
        pair[q] = (bf__coordinate){.column = column,
                                   .period = period,
                                   .quarter = q,
                                   .centre = mean[q],
                                   .scale = scale > 0           ? scale
                                            : deviation > 1e-12 ? deviation
                                                                : 1};
}

bf_status bf__coordinates_fit(bf__coordinates *out, const double *x, int64_t n, int d,
                              const double *scale, const double *period, bf_arena *arena,
                              bf_error *err) {
    bf__coordinate *list;
    BF_ALLOC(list, arena, 2 * (int64_t)d, err);
    int count = 0;
    for (int c = 0; c < d; c++) {
        double given = scale ? scale[c] : 0, circle = period ? period[c] : 0;
        if (!(given >= 0 && isfinite(given)) || !(circle >= 0 && isfinite(circle)))
            return bf_fail(err, BF_EUSAGE,
                           "column s%d: scale %g, period %g: both have to be numbers above 0", c,
                           given, circle);
        if (circle > 0) {
            fit_circle(list + count, x + c * n, n, c, circle, given);
            count += 2;
            continue;
        }
        double mean, deviation;
        moments(&mean, &deviation, x + c * n, n);
        list[count++] =
            (bf__coordinate){.column = c, .centre = mean, .scale = given > 0 ? given : deviation};
    }
    *out = (bf__coordinates){.in = d, .out = count, .list = list};
    return BF_OK;
}

void bf__coordinates_leave_out(bf__coordinates *coordinates, const bool *idle) {
    int kept = 0;
    for (int c = 0; c < coordinates->out; c++)
        if (!idle[coordinates->list[c].column])
            coordinates->list[kept++] = coordinates->list[c];
    coordinates->out = kept;
}

void bf__coordinates_apply(double *z, const bf__coordinates *coordinates, const double *x,
                           int64_t n) {
    for (int c = 0; c < coordinates->out; c++) {
        const bf__coordinate *to = &coordinates->list[c];
        const double *from = x + (int64_t)to->column * n;
        for (int64_t i = 0; i < n; i++) {
            double value = to->period > 0 ? on_circle(from[i], to->period, to->quarter) : from[i];
            z[(int64_t)c * n + i] = (value - to->centre) / to->scale;
        }
    }
}
