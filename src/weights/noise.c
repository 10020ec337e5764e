/* noise.c - How noisy the steps of a log are, by what is left between neighbours.
 *
 * Estimates   the share of noise in the changes s' - s, given the pair (s, a)
 * Source      the idea of the Gamma test: Stefansson, Koncar, Jones, A note on the Gamma test, 1997
 *
 * Two pairs at distance e differ in their change by smooth dynamics, which contributes e^2 to the
 * square, and by noise, which does not depend on e. So the squares of some near neighbours, and of
 * some that are further away, are put against the squares of their distances, and the line through
 * both is followed back to distance 0. Medians are taken, not means: at a wall or a switch few
 * pairs differ by much, and that is no noise.
 *
 * Cost  O(n log n) for the trees, a few thousand searches. */
#include "weights/noise.h"

#include <math.h>
#include <stdlib.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "core/share.h"
#include "problem/nodes.h"

enum { ROWS = 1500, NEAR = 6, FEW = 50, MOST_NODES = 200000 };

/* Pairs of rows that lie close to each other. */
typedef struct couple {
    double square; /* of their distance */
    int64_t a, b;
} couple;

static int by_square(const void *a, const void *b) {
    const couple *x = a, *y = b;
    return (x->square > y->square) - (x->square < y->square);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int64_t n) {
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* Half the median square of what the changes of couples differ by in coordinate c. */
static double differ(double *scratch, const bf__points *f, const couple *list, int64_t count,
                     int c) {
    for (int64_t k = 0; k < count; k++) {
        int64_t a = c * f->n + list[k].a, b = c * f->n + list[k].b;
        double gap = (f->nz[a] - f->z[a]) - (f->nz[b] - f->z[b]);
        scratch[k] = 0.5 * gap * gap;
    }
    return median(scratch, count);
}

/* The rows of a sample with their neighbours of the same action; and others of that action. */
static bf_status find(couple *near, couple *any, int64_t *found, const bf__points *f,
                      bf_arena *arena, bf_error *err) {
    bf__nodes nodes;
    int64_t *row_of;
    double *q;
    BF_TRY(bf__nodes_make(&nodes, f, MOST_NODES, arena, err));
    BF_ALLOC(row_of, arena, nodes.n, err);
    BF_ALLOC(q, arena, nodes.dim, err);
    for (int64_t k = nodes.rows - 1; k >= 0; k--)
        row_of[nodes.node_of[k]] = nodes.row[k];
    bf_rng rng = bf_rng_make(f->seed, "noise of steps", 0);
    *found = 0;
    for (int s = 0; s < ROWS; s++) {
        int64_t i = nodes.row[(int64_t)(bf_rng_uniform(&rng) * (double)nodes.rows)];
        int group = f->actions ? f->action[i] : 0, count;
        int32_t index[NEAR + 1];
        double square[NEAR + 1], weight[NEAR + 1];
        if (bf__step_ended(&f->steps, i))
            continue;
        bf__nodes_place(q, &nodes, f, i);
        count = bf__nodes_near(index, square, weight, &nodes, group, q, NEAR + 1, 0);
        int64_t first = nodes.first[group], size = nodes.first[group + 1] - first;
        for (int k = 0; k < count; k++) {
            int64_t j = row_of[index[k]],
                    other = row_of[first + (int64_t)(bf_rng_uniform(&rng) * (double)size)];
            if (j == i || bf__step_ended(&f->steps, j) || bf__step_ended(&f->steps, other))
                continue;
            near[*found] = (couple){square[k], i, j};
            any[(*found)++] = (couple){0, i, other};
        }
    }
    return BF_OK;
}

static bf_status find_share(void **out, const void *self, bf_arena *arena, bf_error *err) {
    const bf__points *f = self;
    double *share;
    BF_ZALLOC(share, arena, 1, err);
    *out = share;
    bf_mark mark = bf_arena_mark(arena);
    couple *near, *any;
    double *scratch;
    int64_t count;
    if (f->n < FEW)
        return BF_OK;
    BF_ALLOC(near, arena, ROWS * (NEAR + 1), err);
    BF_ALLOC(any, arena, ROWS * (NEAR + 1), err);
    BF_ALLOC(scratch, arena, ROWS * (NEAR + 1), err);
    BF_TRY(find(near, any, &count, f, arena, err));
    int64_t part = count / 3;
    if (part >= FEW) {
        qsort(near, (size_t)count, sizeof *near, by_square);
        double e[2] = {near[part / 2].square, near[count - 1 - part / 2].square};
        for (int c = 0; c < f->d; c++) {
            double whole = differ(scratch, f, any, count, c);
            double close = differ(scratch, f, near, part, c);
            double away = differ(scratch, f, near + count - part, part, c);
            double left = e[1] > e[0] ? (close * e[1] - away * e[0]) / (e[1] - e[0]) : close;
            if (whole > 0)
                *share = fmax(*share, fmin(1, left / whole));
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__step_noise(double *share, const bf__points *f, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    void *found;
    BF_TRY(bf__share_get(&found, f->share, find_share, f, arena, err,
                         "%s: noise, seed %llu, ends %d", f->made_by, (unsigned long long)f->seed,
                         f->steps.ended != NULL));
    *share = *(const double *)found;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bool bf__steps_are_noisy(double share) {
    return share > 0.1;
}
