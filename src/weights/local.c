/* local.c - The process as the neighbours of a pair show it: a step from states that the log does
 * not have.
 *
 * A pair (x, a) is written as a convex combination v of the k nearest nodes s_j of its action
 * (solver/hull.c), and goes on to
 *
 *     x' = sum_j v_j (s'_j + J_j ((x - s_j) + (x - p)) / 2),   p = sum_j v_j s_j
 *
 * where J_j is the Jacobian of the process at node j. Inside the hull of the neighbours p = x, and
 * the Jacobians take out the part of second order that the mean of the s'_j has in it: what is left
 * is of third order in the distance of the neighbours. Outside of the hull the step goes on along
 * the Jacobians. A few neighbours seldom surround a point, even in the midst of the log, and there
 * that is right. Beyond the edge of the log it is not: if the neighbours are more than three times
 * as far from x as they are from the nearest of them, the step goes along only a part of x - p.
 *
 * J_j is fitted by least squares to the differences of the NEAR nearest nodes to node j, with a
 * ridge that draws it to the identity. Rows that end say nothing about the next state.
 *
 * Cost  a search and O(NEAR d^2) for each Jacobian; a search and O(k^2 d + k d^2) for a step */
#include "weights/local.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"

enum { NEAR = 24 };
static const double ridge = 1e-3; /* beside the mean square of a coordinate's differences */
static const double edge = 9;     /* three times as far, squared */

/* ---- What the log shows */

/* Means over the rows of each node. */
static bf_status find_next(bf__local *out, const bf__points *f, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = &out->nodes;
    double *next, *ended;
    int64_t *row;
    BF_ZALLOC(next, arena, nodes->n * f->d, err);
    BF_ZALLOC(ended, arena, nodes->n, err);
    BF_ALLOC(row, arena, f->n, err);
    for (int64_t r = 0; r < nodes->rows; r++)
        if (bf__step_ended(&f->steps, nodes->row[r]))
            ended[nodes->node_of[r]]++;
        else
            row[out->going_on++] = nodes->row[r];
    for (int64_t r = 0; r < nodes->rows; r++) {
        int64_t i = nodes->row[r], j = nodes->node_of[r];
        double goes = nodes->count[j] - ended[j];
        for (int c = 0; c < f->d && !bf__step_ended(&f->steps, i); c++)
            next[j * f->d + c] += f->nz[c * f->n + i] / goes;
    }
    for (int64_t j = 0; j < nodes->n; j++)
        ended[j] /= nodes->count[j];
    out->next = next;
    out->ended = ended;
    out->row = row;
    return BF_OK;
}

static bf_status plant(bf__local *out, const bf__points *f, bf_arena *arena, bf_error *err) {
    double *columns;
    if (out->going_on == 0)
        return BF_OK;
    BF_ALLOC(columns, arena, out->going_on * f->d, err);
    for (int c = 0; c < f->d; c++)
        for (int64_t i = 0; i < out->going_on; i++)
            columns[c * out->going_on + i] = f->nz[c * f->n + out->row[i]];
    return bf__kdtree_build(&out->ahead, columns, out->going_on, f->d, arena, err);
}

/* b (d, d) becomes a^-1 b, for a (d, d) that is positive; a is changed. */
static void solve(double *b, double *a, int d) {
    for (int i = 0; i < d; i++)
        for (int h = i + 1; h < d; h++) {
            double times = a[h * d + i] / a[i * d + i];
            for (int j = 0; j < d; j++) {
                a[h * d + j] -= times * a[i * d + j];
                b[h * d + j] -= times * b[i * d + j];
            }
        }
    for (int i = d - 1; i >= 0; i--)
        for (int j = 0; j < d; j++) {
            for (int h = i + 1; h < d; h++)
                b[i * d + j] -= a[i * d + h] * b[h * d + j];
            b[i * d + j] /= a[i * d + i];
        }
}

/* slope (d, d) of node j, of action `group`; the mean squared distance of the nodes around it. */
static double fit(double *slope, const bf__local *local, int64_t j, int group) {
    const bf__nodes *nodes = &local->nodes;
    int d = local->d;
    int32_t index[NEAR];
    double square[NEAR], a[BF__FEW_DIMENSIONS * BF__FEW_DIMENSIONS] = {0}, size = 0, wide = 0;
    const double *x = nodes->x + j * d, *to = local->next + j * d;
    int found = bf__kdtree_nearest(index, square, nodes->tree + group, x, NEAR, 0);
    memset(slope, 0, (size_t)(d * d) * sizeof *slope);
    for (int k = 0; k < found; k++)
        wide += square[k] / found;
    for (int k = 0; k < found && local->ended[j] < 1; k++) {
        int64_t at = nodes->first[group] + index[k];
        if (local->ended[at] == 1)
            continue;
        for (int e = 0; e < d; e++) {
            double z = nodes->x[at * d + e] - x[e];
            size += z * z / d;
            for (int c = 0; c < d; c++) {
                double also = nodes->x[at * d + c] - x[c];
                a[e * d + c] += z * also;
                slope[e * d + c] += z * (local->next[at * d + c] - to[c] - also);
            }
        }
    }
    for (int e = 0; e < d; e++)
        a[e * d + e] += ridge * size;
    if (size > 0)
        solve(slope, a, d);
    for (int e = 0; e < d; e++)
        slope[e * d + e] += 1;
    return wide;
}

static void fit_all(double *slope, double *wide, const bf__local *local,
                    const bf_context *context) {
    const bf__nodes *nodes = &local->nodes;
    int d = local->d;
    for (int b = 0; b < nodes->groups; b++) {
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
        for (int64_t j = nodes->first[b]; j < nodes->first[b + 1]; j++)
            wide[j] = fit(slope + j * d * d, local, j, b);
    }
}

typedef struct recipe {
    const bf__points *points;
    int k;
    const bf_context *context;
} recipe;

static bf_status make(void **result, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *from = self;
    const bf__points *f = from->points;
    bf__local *out;
    double *slope, *wide;
    BF_ALLOC(out, arena, 1, err);
    *out = (bf__local){.d = f->d, .k = from->k};
    BF_TRY(bf__nodes_make(&out->nodes, f, f->n, arena, err));
    BF_TRY(find_next(out, f, arena, err));
    BF_TRY(plant(out, f, arena, err));
    BF_ALLOC(slope, arena, out->nodes.n * f->d * f->d, err);
    BF_ALLOC(wide, arena, out->nodes.n, err);
    fit_all(slope, wide, out, from->context);
    out->slope = slope;
    out->wide = wide;
    *result = out;
    return BF_OK;
}

bf_status bf__local_make(const bf__local **out, const bf__points *points, int k,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    const recipe from = {points, k, context};
    void *made;
    BF_TRY(bf__share_get(&made, points->share, make, &from, arena, err,
                         "%s: local steps, k %d, seed %llu, ends %d", points->made_by, k,
                         (unsigned long long)points->seed, points->steps.ended != NULL));
    *out = made;
    return BF_OK;
}

/* ---- A step */

/* Adds what the Jacobians say; z is s_j - x, and `goes` how often the pair goes on. */
static void follow_slopes(bf__local_step *out, const bf__local *local, double goes) {
    int d = local->d;
    double p[BF__FEW_DIMENSIONS] = {0}, away = 0, wide = local->wide[out->node[0]];
    for (int j = 0; j < out->count; j++) {
        away += out->square[j] / out->count;
        for (int e = 0; e < d; e++)
            p[e] += out->weight[j] * out->z[j * d + e];
    }
    double far = away > edge * wide ? edge * wide / away : 1; /* how much of x - p is gone along */
    for (int j = 0; j < out->count; j++) {
        double share = out->weight[j] * (1 - local->ended[out->node[j]]) / goes;
        const double *slope = local->slope + (int64_t)out->node[j] * d * d;
        for (int e = 0; e < d && share > 0; e++) {
            double along = 0.5 * (p[e] - out->z[j * d + e]) - far * p[e];
            for (int c = 0; c < d; c++)
                out->next[c] += share * slope[e * d + c] * along;
        }
    }
}

/* Finds the neighbours of a pair; what is returned makes a combination of them. */
static bf__hull_task look_around(bf__local_step *out, const bf__local *local, const double *x,
                                 int action) {
    const bf__nodes *nodes = &local->nodes;
    int d = local->d;
    out->count = bf__nodes_near(out->node, out->square, out->weight, nodes, action, x, local->k, 0);
    for (int j = 0; j < out->count; j++)
        for (int e = 0; e < d; e++)
            out->z[j * d + e] = nodes->x[(int64_t)out->node[j] * d + e] - x[e];
    return (bf__hull_task){out->weight, out->z, out->count, out->gram};
}

/* Goes on from the combination. */
static void go_on(bf__local_step *out, const bf__local *local) {
    int d = local->d;
    double goes = 0;
    for (int j = 0; j < out->count; j++)
        goes += out->weight[j] * (1 - local->ended[out->node[j]]);
    out->ended = goes > 0 ? 1 - fmin(goes, 1) : 1;
    if (!(goes > 0))
        return;
    memset(out->next, 0, sizeof out->next);
    for (int j = 0; j < out->count; j++) {
        int64_t at = out->node[j];
        double share = out->weight[j] * (1 - local->ended[at]) / goes;
        for (int e = 0; e < d; e++)
            out->next[e] += share * local->next[at * d + e];
    }
    follow_slopes(out, local, goes);
}

void bf__local_take(bf__local_step *out, const bf__local *local, const double *x, int action) {
    bf__hull_task task = look_around(out, local, x, action);
    bf__hull_solve(task.w, task.z, task.k, local->d, &bf__hull_usual, task.gram);
    go_on(out, local);
}

void bf__local_take_two(bf__local_step *const out[2], const bf__local *local,
                        const double *const x[2], const int action[2]) {
    bf__hull_task task[2];
    for (int t = 0; t < 2; t++)
        task[t] = look_around(out[t], local, x[t], action[t]);
    bf__hull_solve_two(task, local->d, &bf__hull_usual);
    for (int t = 0; t < 2; t++)
        go_on(out[t], local);
}

int64_t bf__local_row(const bf__local *local, const double *x) {
    int32_t index;
    double square;
    bf__kdtree_nearest(&index, &square, &local->ahead, x, 1, 0);
    return local->row[index];
}
