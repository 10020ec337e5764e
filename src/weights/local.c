/* local.c - The process as the neighbours of a pair show it: a step from states that the log does
 * not have.
 *
 * The change of the state is a straight line among the k nearest nodes s_j of the action that go
 * on. The nearer ones count more:
 *
 *     y(s) = ybar + C (s - sbar),   least  sum_j g_j |s'_j - s_j - y(s_j)|^2 + RIDGE m |C|^2
 *     g_j = exp(-2 |s_j - x|^2 / the largest of them),   m = sum_j g_j |s_j - sbar|^2 / d
 *
 * where bars are means by g, and x goes on to x + y(x). So a straight process is followed beyond
 * the hull of the neighbours. A few neighbours seldom surround a point, even in the midst of the
 * log, and there that is right. Beyond the edge of the log it is not: if the neighbours are more
 * than three times as far from x as they are from the nearest of them, the step is taken from a
 * point on the way to the nearest of their convex combinations (solver/hull.c).
 *
 * The line sees no farther than the neighbours. Where a process has an edge, such as a wall that
 * takes all speed, that is worth more than a fit of higher order with a wider view.
 *
 * Cost  a search and O(k d^2 + d^3) for a step, and O(k^2 d) for the combination */
#include "weights/local.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/share.h"

static const double ridge = 1e-4; /* beside the mean square of a coordinate's differences */
static const double falls = 2;    /* how fast neighbours count less */
static const double edge = 9;     /* three times as far, squared */
static const double tiny = 1e-300;

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

typedef struct recipe {
    const bf__points *points;
    int k;
} recipe;

static bf_status make(void **result, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *from = self;
    const bf__points *f = from->points;
    bf__local *out;
    BF_ALLOC(out, arena, 1, err);
    *out = (bf__local){.d = f->d, .k = from->k};
    BF_TRY(bf__nodes_make(&out->nodes, f, f->n, arena, err));
    BF_TRY(find_next(out, f, arena, err));
    BF_TRY(plant(out, f, arena, err));
    *result = out;
    return BF_OK;
}

bf_status bf__local_make(const bf__local **out, const bf__points *points, int k, bf_arena *arena,
                         bf_error *err) {
    const recipe from = {points, k};
    void *made;
    BF_TRY(bf__share_get(&made, points->share, make, &from, arena, err,
                         "%s: local steps, k %d, seed %llu, ends %d", points->made_by, k,
                         (unsigned long long)points->seed, points->steps.ended != NULL));
    *out = made;
    return BF_OK;
}

/* ---- A step */

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

typedef struct line {
    double place[BF__FEW_DIMENSIONS], change[BF__FEW_DIMENSIONS]; /* sbar - x, ybar */
    double slope[BF__FEW_DIMENSIONS * BF__FEW_DIMENSIONS];        /* C' */
} line;

/* How much each neighbour counts; those that end do not. Some of them go on. */
static void weigh(double *counts, const bf__local_step *at, const bf__local *local) {
    double farthest = tiny, sum = 0;
    for (int j = 0; j < at->count; j++)
        farthest = fmax(farthest, at->square[j]);
    for (int j = 0; j < at->count; j++) {
        counts[j] = exp(-falls * at->square[j] / farthest) * (1 - local->ended[at->node[j]]);
        sum += counts[j];
    }
    for (int j = 0; j < at->count; j++)
        counts[j] /= sum;
}

static void fit(line *out, const bf__local_step *at, const bf__local *local) {
    int d = local->d;
    double counts[BF__HULL_MOST], a[BF__FEW_DIMENSIONS * BF__FEW_DIMENSIONS] = {0}, size = 0;
    *out = (line){{0}};
    weigh(counts, at, local);
    for (int j = 0; j < at->count; j++)
        for (int c = 0; c < d; c++) {
            int64_t i = (int64_t)at->node[j] * d + c;
            out->place[c] += counts[j] * at->z[j * d + c];
            out->change[c] += counts[j] * (local->next[i] - local->nodes.x[i]);
        }
    for (int j = 0; j < at->count; j++)
        for (int e = 0; e < d && counts[j] > 0; e++) {
            double z = at->z[j * d + e] - out->place[e];
            size += counts[j] * z * z / d;
            for (int c = 0; c < d; c++) {
                int64_t i = (int64_t)at->node[j] * d + c;
                double y = local->next[i] - local->nodes.x[i] - out->change[c];
                a[e * d + c] += counts[j] * z * (at->z[j * d + c] - out->place[c]);
                out->slope[e * d + c] += counts[j] * z * y;
            }
        }
    for (int e = 0; e < d; e++)
        a[e * d + e] += ridge * size + tiny;
    solve(out->slope, a, d);
}

/* How much of the way from x to the hull of its neighbours a step is taken from. */
static double way_back(const bf__local_step *at, int d) {
    double away = 0, wide = 0;
    for (int j = 0; j < at->count; j++) {
        away += at->square[j];
        for (int e = 0; e < d; e++) {
            double gap = at->z[j * d + e] - at->z[e];
            wide += gap * gap;
        }
    }
    return away > edge * wide ? 1 - edge * wide / away : 0;
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
static void go_on(bf__local_step *out, const bf__local *local, const double *x) {
    int d = local->d;
    double goes = 0, back = way_back(out, d);
    line y;
    for (int j = 0; j < out->count; j++)
        goes += out->weight[j] * (1 - local->ended[out->node[j]]);
    out->ended = goes > 0 ? 1 - fmin(goes, 1) : 1;
    if (!(goes > 0))
        return;
    fit(&y, out, local);
    for (int c = 0; c < d; c++)
        out->next[c] = x[c] + y.change[c];
    for (int e = 0; e < d; e++) {
        double from = 0; /* where the step is taken from, less x */
        for (int j = 0; j < out->count && back > 0; j++)
            from += back * out->weight[j] * out->z[j * d + e];
        out->next[e] += from;
        for (int c = 0; c < d; c++)
            out->next[c] += y.slope[e * d + c] * (from - y.place[e]);
    }
}

void bf__local_take(bf__local_step *out, const bf__local *local, const double *x, int action) {
    bf__hull_task task = look_around(out, local, x, action);
    bf__hull_solve(task.w, task.z, task.k, local->d, &bf__hull_usual, task.gram);
    go_on(out, local, x);
}

void bf__local_take_two(bf__local_step *const out[2], const bf__local *local,
                        const double *const x[2], const int action[2]) {
    bf__hull_task task[2];
    for (int t = 0; t < 2; t++)
        task[t] = look_around(out[t], local, x[t], action[t]);
    bf__hull_solve_two(task, local->d, &bf__hull_usual);
    for (int t = 0; t < 2; t++)
        go_on(out[t], local, x[t]);
}

int64_t bf__local_row(const bf__local *local, const double *x) {
    int32_t index;
    double square;
    bf__kdtree_nearest(&index, &square, &local->ahead, x, 1, 0);
    return local->row[index];
}
