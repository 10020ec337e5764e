/* told.c - What the rows of a log tell of each other, by some of their columns.
 *
 * Some rows are told from their nearest ones of other episodes, by a line fitted to those: local
 * linear regression, with weights that fall with the distance. Which columns are needed for that
 * shows in the errors. Rows of the same episode say nothing here: what is next in time is near in
 * every column.
 *
 * Cost  O(n log n) for the trees, 16 neighbours and a small system of equations per row told */
#include "problem/told.h"

#include <math.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "dataset/dataset.h"
#include "solver/kdtree.h"

enum { NEAR = 16, SEARCHED = 64, FEW_IN_GROUP = 100 };

/* ---- What is told */

/* The row before each in its episode; -1: it is the first. */
static bf_status rows_before(int64_t **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    int64_t *before;
    BF_ALLOC(before, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        before[i] = -1;
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e] + 1; j < data->begin[e + 1]; j++)
            before[data->order[j]] = data->order[j - 1];
    *out = before;
    return BF_OK;
}

/* What the target does at the state of row i: probability of action c, or number c of a vector. If
 * the log does not have it at the states, it is what the row before has at its next state. */
static double target_at(const bf_dataset *data, const int64_t *before, int64_t i, int c) {
    const double *here = data->action ? data->pi : data->sa;
    const double *next = data->action ? data->npi : data->na;
    int64_t row = here ? i : before[i];
    const double *from = here ? here : next;
    if (row < 0)
        return NAN;
    if (data->action)
        return from[c * data->n + row];
    double sum = 0;
    for (int m = 0; m < data->samples; m++)
        sum += from[(int64_t)(m * data->action_dim + c) * data->n + row];
    return sum / data->samples;
}

static void standardise(double *y, int64_t n) {
    double sum = 0, squares = 0, count = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(y[i])) {
            sum += y[i];
            count++;
        }
    double mean = count > 0 ? sum / count : 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(y[i]))
            squares += (y[i] - mean) * (y[i] - mean);
    double deviation = count > 0 ? sqrt(squares / count) : 0;
    bool varies = deviation > 1e-12 * fabs(mean) && isfinite(deviation);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(y[i]))
            y[i] = varies ? (y[i] - mean) / deviation : 0;
}

static bf_status fill_told(bf__told *t, const int64_t *row, const bf__located *f, bf_arena *arena,
                           bf_error *err) {
    const bf_dataset *data = f->data;
    int64_t n = data->n;
    int policy = data->action ? data->actions - 1 : data->action_dim;
    int64_t *before;
    t->roots = 2 + policy;
    t->told = t->roots + t->d;
    BF_ALLOC(t->y, arena, t->told * t->n, err);
    BF_TRY(rows_before(&before, data, arena, err));
    for (int64_t k = 0; k < t->n; k++) {
        int64_t i = row[k];
        bool ended = bf__step_ended(f->steps, i);
        t->y[k] = data->reward[i];
        t->y[t->n + k] = ended;
        for (int c = 0; c < policy; c++)
            t->y[(2 + c) * t->n + k] = target_at(data, before, i, c);
        for (int c = 0; c < t->d; c++)
            t->y[(t->roots + c) * t->n + k] = ended ? NAN : f->nz[c * n + i] - f->z[c * n + i];
    }
    for (int c = 0; c < t->told; c++)
        standardise(t->y + c * t->n, t->n);
    return BF_OK;
}

/* ---- Rows */

/* `count` of n numbers, spread evenly and then at random, in increasing order. */
static bf_status spread(int64_t **out, int64_t count, int64_t n, bf_rng *rng, bf_arena *arena,
                        bf_error *err) {
    BF_ALLOC(*out, arena, count, err);
    for (int64_t k = 0; k < count; k++) {
        double at = ((double)k + (count < n ? bf_rng_uniform(rng) : 0)) * (double)n / (double)count;
        (*out)[k] = at < (double)n ? (int64_t)at : n - 1;
    }
    return BF_OK;
}

bf_status bf__told_make(bf__told *t, int64_t most, int64_t picks, const bf__located *f,
                        bf_arena *arena, bf_error *err) {
    const bf_dataset *data = f->data;
    int64_t n = data->n;
    bf_rng rng = bf_rng_make(f->seed, "idle columns", (uint64_t)picks);
    int64_t *row, *pick, *episode, *of;
    int32_t *group;
    double *x;
    int *column;
    t->n = most < n ? most : n;
    t->picks = picks < t->n ? picks : t->n;
    t->d = f->coordinates->out;
    t->dim = t->d + data->action_dim;
    t->groups = data->action ? data->actions : 1;
    BF_TRY(spread(&row, t->n, n, &rng, arena, err));
    BF_TRY(spread(&pick, t->picks, t->n, &rng, arena, err));
    BF_ALLOC(x, arena, t->dim * t->n, err);
    BF_ALLOC(group, arena, t->n, err);
    BF_ALLOC(episode, arena, t->n, err);
    BF_ALLOC(of, arena, n, err);
    BF_ALLOC(column, arena, t->d, err);
    for (int64_t i = 0; i < n; i++)
        of[i] = data->mirrored ? i / 2 : i;
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            of[data->order[j]] = bf__episode_own(data, e);
    for (int64_t k = 0; k < t->n; k++) {
        group[k] = data->action ? data->action[row[k]] : 0;
        episode[k] = of[row[k]];
        for (int c = 0; c < t->dim; c++)
            x[c * t->n + k] = c < t->d ? f->z[c * n + row[k]] : f->u[(c - t->d) * n + row[k]];
    }
    for (int c = 0; c < t->d; c++)
        column[c] = f->coordinates->list[c].column;
    t->x = x;
    t->group = group;
    t->episode = episode;
    t->column = column;
    t->pick = pick;
    return fill_told(t, row, f, arena, err);
}

/* ---- Telling */

/* a (m, m), positive definite, and b (m): b becomes a^-1 b, and a is spoilt. */
static void solve(double *a, double *b, int m) {
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++) {
            double ratio = a[i * m + k] / a[k * m + k];
            for (int j = k; j < m; j++)
                a[i * m + j] -= ratio * a[k * m + j];
            b[i] -= ratio * b[k];
        }
    for (int k = m - 1; k >= 0; k--) {
        for (int j = k + 1; j < m; j++)
            b[k] -= a[k * m + j] * b[j];
        b[k] /= a[k * m + k];
    }
}

/* Of one set of coordinates. */
typedef struct search {
    int dim;           /* coordinates that are looked at, */
    int *coordinate;   /* (dim): which they are */
    bool grouped;      /* among rows of the same action */
    int64_t *row;      /* (n): rows by group */
    int64_t *first;    /* (groups + 1) */
    bf__kdtree *tree;  /* (groups); not filled if the group is small */
    double *q, *a, *b; /* scratch */
} search;

static bf_status make_search(search *s, const bf__told *t, bf_arena *arena, bf_error *err) {
    int groups = s->grouped ? t->groups : 1, m = s->dim + 1;
    int64_t placed = 0;
    double *x;
    BF_ALLOC(s->row, arena, t->n, err);
    BF_ALLOC(s->first, arena, groups + 1, err);
    BF_ZALLOC(s->tree, arena, groups, err);
    BF_ALLOC(s->q, arena, s->dim, err);
    BF_ALLOC(s->a, arena, (int64_t)m * m, err);
    BF_ALLOC(s->b, arena, m, err);
    BF_ALLOC(x, arena, s->dim * t->n, err);
    for (int g = 0; g < groups; g++) {
        s->first[g] = placed;
        for (int64_t k = 0; k < t->n; k++)
            if (!s->grouped || t->group[k] == g)
                s->row[placed++] = k;
        int64_t count = placed - s->first[g];
        if (count < FEW_IN_GROUP)
            continue;
        for (int c = 0; c < s->dim; c++)
            for (int64_t j = 0; j < count; j++)
                x[c * count + j] = t->x[s->coordinate[c] * t->n + s->row[s->first[g] + j]];
        BF_TRY(bf__kdtree_build(&s->tree[g], x, count, s->dim, arena, err));
    }
    s->first[groups] = placed;
    return BF_OK;
}

/* The rows that tell of row i, nearest first, and the squares of their distances; none of its own
 * episode. Returns how many. */
static int neighbours(int64_t *row, double *square, search *s, const bf__told *t, int64_t i) {
    int g = s->grouped ? t->group[i] : 0, count = 0;
    int32_t index[SEARCHED];
    double found[SEARCHED];
    if (s->tree[g].n == 0)
        return 0;
    for (int c = 0; c < s->dim; c++)
        s->q[c] = t->x[s->coordinate[c] * t->n + i];
    int all = bf__kdtree_nearest(index, found, &s->tree[g], s->q, SEARCHED,
                                 s->dim > BF__FEW_DIMENSIONS ? 64 : 0);
    for (int k = 0; k < all && count < NEAR; k++) {
        int64_t j = s->row[s->first[g] + index[k]];
        if (t->episode[j] == t->episode[i])
            continue;
        square[count] = found[k];
        row[count++] = j;
    }
    return count;
}

/* How much each neighbour counts in the value of the local line at row i; a trace of a ridge, which
 * is a fiftieth of how far they are. */
static void shares(double *share, const int64_t *row, const double *square, int count, search *s,
                   const bf__told *t, int64_t i) {
    int m = s->dim + 1;
    double weight[NEAR], total = 0, far = 0, most = square[count - 1];
    memset(s->a, 0, (size_t)(m * m) * sizeof *s->a);
    memset(s->b, 0, (size_t)m * sizeof *s->b);
    for (int k = 0; k < count; k++) {
        weight[k] = most > 0 ? exp(-2 * square[k] / most) : 1;
        total += weight[k];
        far += weight[k] * square[k];
    }
    for (int k = 0; k < count; k++)
        for (int c = 0; c < m; c++) {
            double left = c ? t->x[s->coordinate[c - 1] * t->n + row[k]] -
                                  t->x[s->coordinate[c - 1] * t->n + i]
                            : 1;
            for (int e = 0; e <= c; e++) {
                double right = e ? t->x[s->coordinate[e - 1] * t->n + row[k]] -
                                       t->x[s->coordinate[e - 1] * t->n + i]
                                 : 1;
                s->a[c * m + e] += weight[k] * left * right;
            }
        }
    for (int c = 0; c < m; c++) {
        s->a[c * m + c] += c ? 0.02 * far / s->dim + 1e-12 * total : 0;
        for (int e = 0; e < c; e++)
            s->a[e * m + c] = s->a[c * m + e];
    }
    s->b[0] = 1;
    solve(s->a, s->b, m);
    for (int k = 0; k < count; k++) {
        share[k] = s->b[0];
        for (int c = 0; c < s->dim; c++)
            share[k] += s->b[c + 1] * (t->x[s->coordinate[c] * t->n + row[k]] -
                                       t->x[s->coordinate[c] * t->n + i]);
        share[k] *= weight[k];
    }
}

bf_status bf__told_errors(double *error, const bf__told *t, const bool *in, bool grouped,
                          bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    search s = {.grouped = grouped};
    BF_ALLOC(s.coordinate, arena, t->dim, err);
    for (int c = 0; c < t->dim; c++)
        if (c < t->d ? in[c] : grouped)
            s.coordinate[s.dim++] = c;
    BF_TRY(make_search(&s, t, arena, err));
    for (int64_t p = 0; p < t->picks; p++) {
        int64_t i = t->pick[p], row[NEAR];
        double square[NEAR], share[NEAR], *out = error + p * t->told;
        int count = neighbours(row, square, &s, t, i);
        if (count == NEAR)
            shares(share, row, square, count, &s, t, i);
        for (int c = 0; c < t->told; c++) {
            const double *y = t->y + c * t->n;
            double sum = 0, known = 0;
            for (int k = 0; k < count && count == NEAR; k++)
                if (isfinite(y[row[k]])) {
                    sum += share[k] * y[row[k]];
                    known += share[k];
                }
            double gap = y[i] - sum / known;
            out[c] = known > 0.5 ? gap * gap : NAN;
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
