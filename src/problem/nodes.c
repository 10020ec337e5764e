/* nodes.c - The logged pairs (s, a) as nodes to look for neighbours among.
 *
 * Cost O(N d log N) for N chosen rows, O(n) to choose them. */
#include "problem/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "core/share.h"

static int group_of(const bf__points *points, int64_t i) {
    return points->actions ? points->action[i] : 0;
}

/* ---- Which rows */

/* How many rows of each group are taken: by its share of the log, but few rows all. */
static void set_quotas(int64_t *quota, const int64_t *total, int groups, int64_t n, int64_t most) {
    int64_t floor = most / (2 * groups) < 1000 ? most / (2 * groups) : 1000;
    for (int b = 0; b < groups; b++) {
        quota[b] = (int64_t)((double)most * (double)total[b] / (double)n);
        quota[b] = quota[b] < floor ? floor : quota[b];
        quota[b] = quota[b] < 1 ? 1 : quota[b];
        quota[b] = n <= most || quota[b] > total[b] ? total[b] : quota[b];
    }
}

static bf_status choose_rows(bf__nodes *out, const bf__points *points, int64_t most,
                             bf_arena *arena, bf_error *err) {
    int64_t *left, *quota, *row, rows = 0;
    double *stands, *chosen;
    BF_ZALLOC(left, arena, out->groups, err);
    BF_ZALLOC(quota, arena, out->groups, err);
    BF_ZALLOC(stands, arena, out->groups, err);
    BF_ZALLOC(chosen, arena, out->groups, err);
    for (int64_t i = 0; i < points->n; i++) {
        left[group_of(points, i)]++;
        stands[group_of(points, i)] += bf__point_weight(points, i);
    }
    set_quotas(quota, left, out->groups, points->n, most);
    for (int b = 0; b < out->groups; b++)
        rows += quota[b];
    BF_ALLOC(row, arena, rows, err);
    bf_rng rng = bf_rng_make(points->seed, "nodes", 0);
    out->rows = 0;
    for (int64_t i = 0; i < points->n; i++) {
        int b = group_of(points, i);
        if (quota[b] == left[b] || bf_rng_below(&rng, left[b]) < quota[b]) {
            row[out->rows++] = i;
            chosen[b] += bf__point_weight(points, i);
            quota[b]--;
        }
        left[b]--;
    }
    for (int b = 0; b < out->groups; b++)
        stands[b] = chosen[b] > 0 ? stands[b] / chosen[b] : 1;
    out->row = row;
    out->stands = stands;
    return BF_OK;
}

void bf__nodes_place(double *q, const bf__nodes *nodes, const bf__points *points, int64_t i) {
    for (int c = 0; c < points->d; c++)
        q[c] = points->z[c * points->n + i];
    for (int c = points->d; c < nodes->dim; c++)
        q[c] = points->u[(c - points->d) * points->n + i];
}

/* ---- Which of them are one node */

typedef struct listing {
    const double *x; /* (rows, dim) */
    const int *group;
    int dim;
} listing;

static int compare_pairs(const listing *l, int32_t a, int32_t b) {
    if (l->group[a] != l->group[b])
        return l->group[a] < l->group[b] ? -1 : 1;
    const double *x = l->x + (int64_t)a * l->dim, *y = l->x + (int64_t)b * l->dim;
    for (int c = 0; c < l->dim; c++)
        if (x[c] != y[c])
            return x[c] < y[c] ? -1 : 1;
    return 0;
}

static int compare(const void *left, const void *right, void *self) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    int order = compare_pairs(self, a, b);
    return order ? order : (a > b) - (a < b);
}

static bf_status merge_rows(bf__nodes *out, const bf__points *points, bf_arena *arena,
                            bf_error *err) {
    int64_t rows = out->rows, *first;
    int32_t *order, *node_of, *count, at = -1;
    double *x, *distinct, *mass;
    int *group;
    BF_ALLOC(node_of, arena, rows, err);
    BF_ZALLOC(count, arena, rows, err);
    BF_ZALLOC(mass, arena, rows, err);
    BF_ZALLOC(first, arena, out->groups + 1, err);
    BF_ALLOC(distinct, arena, rows * out->dim, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(x, arena, rows * out->dim, err);
    BF_ALLOC(order, arena, rows, err);
    BF_ALLOC(group, arena, rows, err);
    for (int64_t r = 0; r < rows; r++) {
        bf__nodes_place(x + r * out->dim, out, points, out->row[r]);
        group[r] = group_of(points, out->row[r]);
        order[r] = (int32_t)r;
    }
    listing l = {x, group, out->dim};
    qsort_r(order, (size_t)rows, sizeof *order, compare, &l);
    for (int64_t r = 0; r < rows; r++) {
        if (r == 0 || compare_pairs(&l, order[r - 1], order[r]) != 0) {
            at++;
            memcpy(distinct + (int64_t)at * out->dim, x + (int64_t)order[r] * out->dim,
                   (size_t)out->dim * sizeof *x);
            first[group[order[r]] + 1]++;
        }
        node_of[order[r]] = at;
        count[at]++;
        mass[at] += bf__point_weight(points, out->row[order[r]]);
        out->total += bf__point_weight(points, out->row[order[r]]);
    }
    for (int b = 0; b < out->groups; b++)
        first[b + 1] += first[b];
    bf_arena_rewind(arena, mark);
    out->n = at + 1;
    out->x = distinct;
    out->node_of = node_of;
    out->count = count;
    out->mass = mass;
    out->first = first;
    return BF_OK;
}

/* The tree of group b, whose columns go into `own`. */
static bf_status plant(bf__kdtree *out, const bf__nodes *nodes, int b, bf_arena *own,
                       bf_arena *arena, bf_error *err) {
    int64_t n = nodes->first[b + 1] - nodes->first[b];
    double *columns;
    if (n == 0)
        return BF_OK;
    BF_ALLOC(columns, own, n * nodes->dim, err);
    for (int64_t j = 0; j < n; j++)
        for (int c = 0; c < nodes->dim; c++)
            columns[c * n + j] = nodes->x[(nodes->first[b] + j) * nodes->dim + c];
    return bf__kdtree_build(out, columns, n, nodes->dim, arena, err);
}

bf_status bf__nodes_plant(bf__nodes *out, bf_arena *arena, bf_error *err) {
    bf__kdtree *tree;
    bf_arena *own;
    bf_status status = BF_OK;
    BF_ZALLOC(tree, arena, out->groups, err);
    BF_TRY(bf_arena_create(&own, bf_arena_allocator(arena), err));
    for (int b = 0; b < out->groups && status == BF_OK; b++) {
        bf_mark mark = bf_arena_mark(own);
        status = plant(&tree[b], out, b, own, arena, err);
        bf_arena_rewind(own, mark);
    }
    bf_arena_destroy(own);
    out->tree = tree;
    return status;
}

typedef struct recipe {
    const bf__points *points;
    int64_t most;
} recipe;

static bf_status make(void **result, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *r = self;
    const bf__points *points = r->points;
    bf__nodes *out;
    BF_ALLOC(out, arena, 1, err);
    *out = (bf__nodes){.dim = points->actions ? points->d : points->d + points->action_dim,
                       .groups = points->actions ? points->actions : 1};
    BF_TRY(choose_rows(out, points, r->most, arena, err));
    BF_TRY(merge_rows(out, points, arena, err));
    BF_TRY(bf__nodes_plant(out, arena, err));
    *result = out;
    return BF_OK;
}

bf_status bf__nodes_make(bf__nodes *out, const bf__points *points, int64_t most, bf_arena *arena,
                         bf_error *err) {
    const recipe by = {points, most < points->n ? most : points->n};
    void *made;
    BF_TRY(bf__share_get(&made, points->share, make, &by, arena, err, "%s: %lld nodes, seed %llu",
                         points->made_by, (long long)by.most, (unsigned long long)points->seed));
    *out = *(const bf__nodes *)made;
    return BF_OK;
}

int bf__nodes_near(int32_t *index, double *square, double *weight, const bf__nodes *nodes,
                   int group, const double *q, int k, int64_t leaves) {
    int found = bf__kdtree_nearest(index, square, nodes->tree + group, q, k, leaves);
    double sum = 0, widest = square[found - 1] + 1e-24;
    for (int j = 0; j < found; j++) {
        index[j] += (int32_t)nodes->first[group];
        sum += weight[j] = exp(-2 * square[j] / widest);
    }
    if (square[0] < 1e-18 && nodes->count[index[0]] > 1) {
        weight[0] = 1;
        return 1;
    }
    for (int j = 0; j < found; j++)
        weight[j] /= sum;
    return found;
}
