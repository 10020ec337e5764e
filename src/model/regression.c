/* regression.c - Kernel regression (Nadaraya-Watson) of what follows a (state, action) pair.
 *
 *     m(x, a) = sum_i k(x, z_i) y_i / sum_i k(x, z_i)     over the rows i of action a
 *
 * With a width like the median distance no kernel value is small enough to be left out, so there is
 * no search: all rows of the action are gone through, one vectorised pass for the kernel and one
 * per quantity that is predicted. O(n (d + targets)) per query; 15 microseconds at n = 10,000. */
#include "model/regression.h"

#include <math.h>

#include "core/fail.h"
#include "linalg/clones.h"

/* Sums are in eight lanes, whose order is the same for every instruction set. */
BF_INLINE double add_lanes(const double *lane, double rest) {
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

/* out[t] = a'b_t for `count` columns b_t (n) that stand one after the other. Columns side by side:
 * one sum alone would wait for itself. */
BF_INLINE void dots(double *out, const double *restrict a, const double *restrict b, int64_t n,
                    const int count) {
    double lane[4][8] = {{0}}, rest[4] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int t = 0; t < count; t++)
            for (int j = 0; j < 8; j++)
                lane[t][j] += a[i + j] * b[t * n + i + j];
    for (; i < n; i++)
        for (int t = 0; t < count; t++)
            rest[t] += a[i] * b[t * n + i];
    for (int t = 0; t < count; t++)
        out[t] = add_lanes(lane[t], rest[t]);
}

BF_CLONES
static void regression_dots(double *out, const double *a, const double *b, int64_t n, int count) {
    int t = 0;
    for (; t + 4 <= count; t += 4)
        dots(out + t, a, b + t * n, n, 4);
    for (; t + 2 <= count; t += 2)
        dots(out + t, a, b + t * n, n, 2);
    if (t < count)
        dots(out + t, a, b + t * n, n, 1);
}

BF_CLONES
static double regression_sum(const double *restrict a, int64_t n) {
    double lane[8] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++)
            lane[j] += a[i + j];
    for (; i < n; i++)
        rest += a[i];
    return add_lanes(lane, rest);
}

BF_CLONES
static void regression_squares(double *restrict out, const double *restrict x,
                               const double *restrict z, int64_t n, int d) {
    for (int64_t i = 0; i < n; i++)
        out[i] = 0;
    for (int c = 0; c < d; c++) {
        const double *column = z + c * n;
        for (int64_t i = 0; i < n; i++) {
            double gap = column[i] - x[c];
            out[i] += gap * gap;
        }
    }
}

/* The index of the point of z (d, n) that is nearest to x (d); of equals, the first. */
static int64_t nearest(const double *x, const double *z, int64_t n, int d, double *scratch) {
    int64_t best = 0;
    regression_squares(scratch, x, z, n, d);
    for (int64_t i = 1; i < n; i++)
        if (scratch[i] < scratch[best])
            best = i;
    return best;
}

static void fill_group(double *z, double *y, const bf__regression *r, const double *from_z,
                       const double *from_y, const int32_t *group_of, int group, int64_t n,
                       int64_t rows) {
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (group_of && group_of[i] != group)
            continue;
        for (int c = 0; c < r->d; c++)
            z[c * rows + at] = from_z[c * n + i];
        for (int t = 0; t < r->targets; t++)
            y[t * rows + at] = from_y[t * n + i];
        at++;
    }
}

bf_status bf__regression_make(bf__regression *out, const bf__kernel *kernel, const double *z, int d,
                              const double *y, int targets, const int32_t *group_of, int groups,
                              int64_t n, bf_arena *arena, bf_error *err) {
    bf__regression_group *group;
    BF_ALLOC(group, arena, groups, err);
    *out = (bf__regression){
        .d = d, .targets = targets, .groups = groups, .kernel = *kernel, .group = group};
    for (int g = 0; g < groups; g++) {
        int64_t rows = 0;
        double *own_z, *own_y;
        for (int64_t i = 0; i < n; i++)
            rows += !group_of || group_of[i] == g;
        BF_ALLOC(own_z, arena, d * rows, err);
        BF_ALLOC(own_y, arena, targets * rows, err);
        fill_group(own_z, own_y, out, z, y, group_of, g, n, rows);
        group[g] = (bf__regression_group){rows, own_z, own_y};
        out->most = rows > out->most ? rows : out->most;
    }
    return BF_OK;
}

double bf__regression_at(double *mean, const bf__regression *regression, int group, const double *x,
                         double *scratch) {
    const bf__regression_group *g = &regression->group[group];
    const bf__kernel *k = &regression->kernel;
    k->kind->row_d(scratch, x, 1, g->z, g->n, regression->d, g->n, k->scale_d, k->widths);
    double sum = regression_sum(scratch, g->n);
    if (!(sum > 1e-280)) {
        int64_t i = nearest(x, g->z, g->n, regression->d, scratch);
        for (int t = 0; t < regression->targets; t++)
            mean[t] = g->y[t * g->n + i];
        return 1;
    }
    double squares;
    regression_dots(mean, scratch, g->y, g->n, regression->targets);
    for (int t = 0; t < regression->targets; t++)
        mean[t] /= sum;
    regression_dots(&squares, scratch, scratch, g->n, 1);
    return sum * sum / squares;
}
