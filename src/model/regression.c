/* regression.c - Kernel regression (Nadaraya-Watson) of what follows a (state, action) pair.
 *
 *     m(x, a) = sum_i k(x, z_i) y_i / sum_i k(x, z_i)     over the rows i of action a
 *
 * With a width like the median distance no kernel value is small enough to be left out, so there is
 * no search: all rows of the action are gone through, in pieces that stay in the first cache: one
 * vectorised pass for the kernel, one for the sums. The targets of eight rows stand side by side,
 * so that the second pass reads memory in order. A target that is 0 in every row, or 1, has a mean
 * that is known. O(n (d + targets)) per query; 8 microseconds at n = 10,000. */
#include "model/regression.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/clones.h"

enum { LANES = BF__REGRESSION_LANES, PIECE = 512, MOST = 8 }; /* MOST: columns at a time */

/* Sums are in eight lanes, whose order is the same for every instruction set. Loops over lanes
 * become vectors of whatever length there is. */
static double add_lanes(const double *lane, double rest) {
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) +
           ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

BF_INLINE void copy_lanes(double *to, const double *from) {
    for (int j = 0; j < LANES; j++)
        to[j] = from[j];
}

/* sum (count, LANES) += k_i y_i of `blocks` full blocks, for `count` columns of y that has `live`.
 * Adds k_i and k_i^2 to moments (2, LANES). */
BF_INLINE void add_columns(double *restrict sum, double *restrict moments, const double *restrict k,
                           const double *restrict y, int64_t blocks, int live, const int count) {
    double part[MOST][LANES], first[LANES], second[LANES];
    for (int t = 0; t < count; t++)
        copy_lanes(part[t], sum + t * LANES);
    copy_lanes(first, moments);
    copy_lanes(second, moments + LANES);
    for (int64_t b = 0; b < blocks; b++) {
        for (int t = 0; t < count; t++)
            for (int j = 0; j < LANES; j++)
                part[t][j] += k[b * LANES + j] * y[(b * live + t) * LANES + j];
        for (int j = 0; j < LANES; j++)
            first[j] += k[b * LANES + j];
        for (int j = 0; j < LANES; j++)
            second[j] += k[b * LANES + j] * k[b * LANES + j];
    }
    for (int t = 0; t < count; t++)
        copy_lanes(sum + t * LANES, part[t]);
    copy_lanes(moments, first);
    copy_lanes(moments + LANES, second);
}

/* A function for each number of columns: compilers make a mess of all of them in one. */
#define COLUMNS(count)                                                                             \
    BF_CLONES static void regression_add_##count(double *sum, double *moments, const double *k,    \
                                                 const double *y, int64_t blocks, int live) {      \
        add_columns(sum, moments, k, y, blocks, live, count);                                      \
    }
COLUMNS(0)
COLUMNS(1)
COLUMNS(2)
COLUMNS(3)
COLUMNS(4)
COLUMNS(5)
COLUMNS(6)
COLUMNS(7)
COLUMNS(8)
#undef COLUMNS

/* sum (live + 2, LANES): of k_i y_i for each column that is live, of k_i and of k_i^2. */
static void add_piece(double *sum, const double *k, const double *y, int64_t blocks, int live) {
    double *moments = sum + live * LANES, again[2 * LANES] = {0};
    int left = live;
#define COLUMNS(count)                                                                             \
    case count:                                                                                    \
        regression_add_##count(sum, moments, k, y, blocks, live);                                  \
        break
    do {
        switch (left < MOST ? left : MOST) {
            COLUMNS(0);
            COLUMNS(1);
            COLUMNS(2);
            COLUMNS(3);
            COLUMNS(4);
            COLUMNS(5);
            COLUMNS(6);
            COLUMNS(7);
            COLUMNS(8);
        }
        sum += MOST * LANES;
        y += MOST * LANES;
        left -= MOST;
        moments = again; /* they have been added */
    } while (left > 0);
#undef COLUMNS
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

/* The targets of a group in blocks; those of rows that are not there stay 0. */
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
            if (r->place[t] >= 0)
                y[(at / LANES * r->live + r->place[t]) * LANES + at % LANES] = from_y[t * n + i];
        at++;
    }
}

/* Which targets are not the same in all rows. Only of 0 and of 1 the mean is exact as it is. */
static bf_status find_live(bf__regression *out, const double *y, int64_t n, bf_arena *arena,
                           bf_error *err) {
    int *place;
    double *constant;
    BF_ALLOC(place, arena, out->targets, err);
    BF_ALLOC(constant, arena, out->targets, err);
    out->live = 0;
    for (int t = 0; t < out->targets; t++) {
        const double *column = y + t * n;
        bool same = n > 0 && (column[0] == 0 || column[0] == 1);
        for (int64_t i = 1; i < n && same; i++)
            same = column[i] == column[0];
        constant[t] = same ? column[0] : 0;
        place[t] = same ? -1 : out->live++;
    }
    out->place = place;
    out->constant = constant;
    return BF_OK;
}

bf_status bf__regression_make(bf__regression *out, const bf__kernel *kernel, const double *z, int d,
                              const double *y, int targets, const int32_t *group_of, int groups,
                              int64_t n, bf_arena *arena, bf_error *err) {
    bf__regression_group *group;
    BF_ALLOC(group, arena, groups, err);
    *out = (bf__regression){
        .d = d, .targets = targets, .groups = groups, .kernel = *kernel, .group = group};
    BF_TRY(find_live(out, y, n, arena, err));
    for (int g = 0; g < groups; g++) {
        int64_t rows = 0;
        double *own_z, *own_y;
        for (int64_t i = 0; i < n; i++)
            rows += !group_of || group_of[i] == g;
        BF_ALLOC(own_z, arena, d * rows, err);
        BF_ZALLOC(own_y, arena, (rows + LANES - 1) / LANES * LANES * out->live, err);
        fill_group(own_z, own_y, out, z, y, group_of, g, n, rows);
        group[g] = (bf__regression_group){rows, own_z, own_y};
        out->most = rows > out->most ? rows : out->most;
    }
    return BF_OK;
}

/* Target t of row i. */
static double target_of(const bf__regression *r, const bf__regression_group *g, int t, int64_t i) {
    int64_t block = i / LANES, lane = i % LANES;
    return r->place[t] < 0 ? r->constant[t] : g->y[(block * r->live + r->place[t]) * LANES + lane];
}

/* Sums over the rows as above, and what rows beyond the last full block add to them: (live + 2). */
static void add_up(double *sum, double *rest, const bf__regression *r,
                   const bf__regression_group *g, const double *x, double *scratch) {
    const bf__kernel *k = &r->kernel;
    int live = r->live;
    memset(sum, 0, (size_t)((live + 2) * LANES) * sizeof *sum);
    memset(rest, 0, (size_t)(live + 2) * sizeof *rest);
    for (int64_t first = 0; first < g->n; first += PIECE) {
        int64_t count = g->n - first < PIECE ? g->n - first : PIECE, blocks = count / LANES;
        const double *y = g->y + first * live;
        k->kind->row_d(scratch, x, 1, g->z + first, g->n, r->d, count, k->scale_d, k->widths);
        add_piece(sum, scratch, y, blocks, live);
        for (int64_t i = blocks * LANES; i < count; i++) {
            for (int t = 0; t < live; t++)
                rest[t] += scratch[i] * y[(blocks * live + t) * LANES + i % LANES];
            rest[live] += scratch[i];
            rest[live + 1] += scratch[i] * scratch[i];
        }
    }
}

double bf__regression_at(double *mean, const bf__regression *regression, int group, const double *x,
                         double *scratch) {
    const bf__regression_group *g = &regression->group[group];
    int live = regression->live;
    double lane[(live + 2) * LANES], rest[live + 2];
    add_up(lane, rest, regression, g, x, scratch);
    double sum = add_lanes(lane + live * LANES, rest[live]);
    if (!(sum > 1e-280)) {
        int64_t i = nearest(x, g->z, g->n, regression->d, scratch);
        for (int t = 0; t < regression->targets; t++)
            mean[t] = target_of(regression, g, t, i);
        return 1;
    }
    for (int t = 0; t < regression->targets; t++) {
        int at = regression->place[t];
        mean[t] = at < 0 ? regression->constant[t] : add_lanes(lane + at * LANES, rest[at]) / sum;
    }
    return sum * sum / add_lanes(lane + (live + 1) * LANES, rest[live + 1]);
}
