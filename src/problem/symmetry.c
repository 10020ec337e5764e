/* symmetry.c - Whether mirrored rows of a log tell the same as its own.
 *
 * A mirror is what the user says. If it is right, rows of the log are told from mirrored rows as
 * well as from rows of the log: rewards, and by how much states change. If a sign was forgotten,
 * what mirrored rows tell is wrong, and not a little. Some rows are told from their nearest ones of
 * other episodes with the same action, by the mean of each kind. A row counts if its nearest
 * mirrored rows are not much farther away than its nearest own ones: where the log was on one side
 * alone, nothing can be compared.
 *
 * Cost  O(n log n) for the trees, and 2 searches for each of at most 1,000 rows */
#include "problem/symmetry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "solver/kdtree.h"

enum { NEAR = 8, SEARCHED = 64, PICKS = 1000, FEW = 60 };

static const double farther = 1.5; /* squares of distances: 1.2 times as far */
static const double still = 1e-3;  /* of its variance: what is told to that is told well enough */

/* Rows of one kind, 0 own or 1 mirrored, and one action. */
typedef struct kind {
    bf__kdtree tree;
    int64_t *row; /* (tree.n) */
} kind;

typedef struct look {
    const bf__points *f;
    const int64_t *episode; /* (n): its own, which a row and its mirror share */
    int dim, told;          /* coordinates to go by; numbers to tell: reward and changes */
    double *q;              /* (dim) */
} look;

static double coordinate(const bf__points *f, int c, int64_t i) {
    return c < f->d ? f->z[c * f->n + i] : f->u[(c - f->d) * f->n + i];
}

/* The reward of row i, or the change of one of its coordinates; NaN if it ended. */
static double number(const look *l, const double *reward, int c, int64_t i) {
    const bf__points *f = l->f;
    if (c == 0)
        return reward[i];
    return bf__step_ended(&f->steps, i) ? NAN
                                        : f->nz[(c - 1) * f->n + i] - f->z[(c - 1) * f->n + i];
}

static bf_status gather(kind *out, const look *l, int mirrored, int action, bf_arena *arena,
                        bf_error *err) {
    const bf__points *f = l->f;
    int64_t count = 0;
    double *x;
    *out = (kind){.row = NULL};
    BF_ALLOC(out->row, arena, f->n / 2, err);
    for (int64_t i = mirrored; i < f->n; i += 2)
        if (!f->actions || f->action[i] == action)
            out->row[count++] = i;
    if (count < NEAR)
        return BF_OK;
    BF_ALLOC(x, arena, l->dim * count, err);
    for (int c = 0; c < l->dim; c++)
        for (int64_t k = 0; k < count; k++)
            x[c * count + k] = coordinate(f, c, out->row[k]);
    return bf__kdtree_build(&out->tree, x, count, l->dim, arena, err);
}

/* The nearest rows of other episodes; the square of the distance of the last. INFINITY: too few. */
static double nearest(int64_t row[NEAR], const look *l, const kind *k, int64_t i) {
    int32_t index[SEARCHED];
    double square[SEARCHED];
    int count = 0;
    if (k->tree.n == 0)
        return INFINITY;
    for (int c = 0; c < l->dim; c++)
        l->q[c] = coordinate(l->f, c, i);
    int found = bf__kdtree_nearest(index, square, &k->tree, l->q, SEARCHED,
                                   l->dim > BF__FEW_DIMENSIONS ? 64 : 0);
    for (int j = 0; j < found && count < NEAR; j++) {
        row[count] = k->row[index[j]];
        if (l->episode[row[count]] == l->episode[i])
            continue;
        if (++count == NEAR)
            return square[j];
    }
    return INFINITY;
}

/* The squared error of what `rows` tell of number c of row i; NaN if it is not known. */
static double miss(const look *l, const double *reward, int c, int64_t i,
                   const int64_t rows[NEAR]) {
    double sum = 0;
    for (int k = 0; k < NEAR; k++)
        sum += number(l, reward, c, rows[k]) / NEAR;
    return pow(number(l, reward, c, i) - sum, 2);
}

static bf_status name_of(const char **out, const look *l, int c, bf_arena *arena, bf_error *err) {
    char *text;
    *out = "the reward";
    if (c == 0)
        return BF_OK;
    BF_ALLOC(text, arena, 32, err);
    snprintf(text, 32, "s%d", l->f->coordinates.list[c - 1].column);
    *out = text;
    return BF_OK;
}

static double variance(const look *l, const double *reward, int c) {
    double sum = 0, squares = 0, count = 0;
    for (int64_t i = 0; i < l->f->n; i += 2) {
        double y = number(l, reward, c, i);
        if (isnan(y))
            continue;
        sum += y;
        squares += y * y;
        count++;
    }
    return count > 0 ? squares / count - sum * sum / (count * count) : 0;
}

/* errors (2, told): mean square errors of what own and mirrored rows tell. */
static int64_t compare(double *errors, double *known, const look *l, const bf_dataset *data,
                       const kind *kinds) {
    int64_t n = l->f->n, step = n / 2 > PICKS ? n / 2 / PICKS : 1, compared = 0;
    for (int64_t i = 0; i < n; i += 2 * step) {
        int64_t own[NEAR], mirrored[NEAR];
        const kind *k = kinds + 2 * (l->f->actions ? l->f->action[i] : 0);
        double here = nearest(own, l, &k[0], i), there = nearest(mirrored, l, &k[1], i);
        if (!(isfinite(there) && there <= farther * here))
            continue;
        compared++;
        for (int c = 0; c < l->told; c++) {
            double a = miss(l, data->reward, c, i, own), b = miss(l, data->reward, c, i, mirrored);
            if (isnan(a) || isnan(b))
                continue;
            errors[c] += a;
            errors[l->told + c] += b;
            known[c]++;
        }
    }
    return compared;
}

bf_status bf__symmetry_look(bf__symmetry *out, const bf__points *f, const bf_dataset *data,
                            bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t *episode;
    double *errors, *known;
    kind *kinds;
    int groups = f->actions ? f->actions : 1;
    look l = {.f = f, .dim = f->d + f->action_dim, .told = 1 + f->d};
    *out = (bf__symmetry){.excess = NAN};
    BF_ALLOC(episode, arena, f->n, err);
    BF_ALLOC(l.q, arena, l.dim, err);
    BF_ALLOC(kinds, arena, 2 * groups, err);
    BF_ZALLOC(errors, arena, 2 * l.told, err);
    BF_ZALLOC(known, arena, l.told, err);
    for (int64_t i = 0; i < f->n; i++)
        episode[i] = i / 2;
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            episode[data->order[j]] = bf__episode_own(data, e);
    l.episode = episode;
    for (int g = 0; g < 2 * groups; g++)
        BF_TRY(gather(&kinds[g], &l, g % 2, g / 2, arena, err));
    out->compared = compare(errors, known, &l, data, kinds);
    int worst = -1;
    for (int c = 0; c < l.told; c++) {
        double floor = still * variance(&l, data->reward, c) * known[c];
        double excess = (errors[l.told + c] + floor) / (errors[c] + floor);
        if (known[c] >= FEW && floor > 0 && !(excess <= out->excess)) {
            out->excess = excess;
            worst = c;
        }
    }
    bf_arena_rewind(arena, mark);
    return worst >= 0 ? name_of(&out->of, &l, worst, arena, err) : BF_OK;
}
