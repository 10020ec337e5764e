/* lens.c - What rows of a log are looked at through, once a sample of them has been answered for.
 *
 * An answer over all rows is then the sample's own, with the mean over all rows of a landmark in
 * the place of what the one row said that is in the sample. The mass of a landmark stays what it
 * is, however many rows the log has there. If steps are noisy, every row belongs to the nearest
 * landmark: the more of them a mean is over, the better. If they are not, the one row is as good as
 * any other at that place, and a mean over rows that are further away is worse. So a landmark then
 * reaches as far as the third nearest other one, and rows that none reaches have no weight.
 *
 * q is cut to 16 times what it reaches on the sample: kernels fall off, so that q is small where
 * the sample was not, and only where features are nearly dependent can it be large. A bound makes
 * exact sums possible (core/total.h).
 *
 * Cost  one search among K landmarks and 2 m kernel values per row, m features of all bases
 *       together; K (dim + 3) + m (dim + sets) numbers */
#include "pass/lens.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/fail.h"
#include "flow/tile.h"
#include "weights/noise.h"

enum { MOST_NODES = 16000000, PART = 256, LANES = 8, NEAR = 4 };
static const double anywhere = 1e300;
static const double room = 16; /* above the largest |q| of the sample */

static int sets_of(const bf__lens *lens) {
    return lens->quantities * lens->members;
}

/* ---- q */

/* In a fixed order, whatever the machine's vectors are. */
static double dot(const double *x, const double *y, int64_t n) {
    double lane[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[i + l] * y[i + l];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    for (; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* q (sets) of atom i: of phi(x_i) in `data`, or of g E phi in `next` if that is not NULL. */
static void value_at(double *q, const bf__lens *lens, const bf__data_d *data,
                     const bf__next_d *next, int64_t i) {
    double row[PART];
    memset(q, 0, (size_t)sets_of(lens) * sizeof *q);
    for (int b = 0, before = 0; b < lens->bases; before += lens->basis[b++].members) {
        const bf__basis *of = &lens->basis[b];
        for (int64_t first = 0; first < of->m; first += PART) {
            int64_t count = of->m - first < PART ? of->m - first : PART;
            if (next)
                bf__next_data_d(row, &of->flow, next, i, &of->pivots, first, count);
            else
                bf__data_data_d(row, &of->flow, data, i, &of->pivots, first, count);
            for (int s = 0; s < of->members; s++)
                for (int k = 0; k < lens->quantities; k++)
                    q[k * lens->members + before + s] += dot(
                        row, of->beta + ((int64_t)s * lens->quantities + k) * of->m + first, count);
        }
    }
    for (int s = 0; s < sets_of(lens); s++) {
        double most = lens->bound[s / lens->members];
        q[s] = fmin(fmax(q[s], -most), most);
    }
}

/* ---- Rows */

typedef struct atoms {
    bf__points points;
    bf__data_d data;
    bf__next_d next, start;
} atoms;

static bf_problem question(const bf__lens *lens, const bf_dataset *data) {
    return (bf_problem){
        .data = data, .gamma = lens->frame.steps.gamma, .terminal = (int)lens->terminal};
}

static bf_status make_atoms(atoms *out, const bf__lens *lens, const bf_dataset *data,
                            bf_arena *arena, bf_error *err) {
    bf_problem problem = question(lens, data);
    bf__points *p = &out->points;
    const bf__flow *flow = &lens->basis[0].flow; /* what atoms are made of is the same for all */
    double *g, *one;
    BF_TRY(bf__points_like(p, &lens->frame, &problem, arena, err));
    BF_ALLOC(g, arena, p->n, err);
    BF_ALLOC(one, arena, p->starts, err);
    for (int64_t i = 0; i < p->n; i++)
        g[i] = bf__step_g(&p->steps, i);
    for (int64_t e = 0; e < p->starts; e++)
        one[e] = 1;
    BF_TRY(bf__data_make(&out->data, flow, p->z, p->action, p->u, p->n, arena, err));
    BF_TRY(bf__next_make(&out->next, flow, p->nz, p->npi, p->nu, g, p->n, arena, err));
    return bf__next_make(&out->start, flow, p->z0, p->pi0, p->u0, one, p->starts, arena, err);
}

/* q (dim) is scratch. */
static int32_t place_of(double *q, const bf__lens *lens, const bf__points *points, int64_t i) {
    double square;
    int32_t index;
    const bf__nodes *nodes = &lens->nodes;
    int group = points->actions ? points->action[i] : 0;
    if (nodes->first[group + 1] == nodes->first[group])
        return -1;
    bf__nodes_place(q, nodes, points, i);
    bf__kdtree_nearest(&index, &square, nodes->tree + group, q, 1, bf__nodes_leaves(nodes));
    index += (int32_t)nodes->first[group];
    return square <= lens->reach[index] ? index : -1;
}

static bf_status find_places(int32_t *out, const bf__lens *lens, const bf__points *points,
                             int threads, bf_arena *arena, bf_error *err) {
    int dim = lens->nodes.dim;
    double *scratch;
    BF_ALLOC(scratch, arena, (int64_t)threads * dim, err);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (int64_t i = 0; i < points->n; i++)
        out[i] = place_of(scratch + omp_get_thread_num() * dim, lens, points, i);
    return BF_OK;
}

bf_status bf__lens_places(int32_t *out, const bf__lens *lens, const bf_dataset *data, int threads,
                          bf_arena *arena, bf_error *err) {
    bf_problem problem = question(lens, data);
    bf__points points;
    BF_TRY(bf__lens_check(lens, data, err));
    BF_TRY(bf__points_like(&points, &lens->frame, &problem, arena, err));
    return find_places(out, lens, &points, threads, arena, err);
}

bf_status bf__lens_check(const bf__lens *lens, const bf_dataset *data, bf_error *err) {
    const bf__points *f = &lens->frame;
    bool same = data->state_dim == lens->state_dim &&
                (f->actions ? data->action && data->actions == f->actions
                            : !data->action && data->action_dim == f->action_dim &&
                                  data->samples == f->samples);
    if (!same)
        return bf_fail(err, BF_EDATA,
                       "%s: states or actions are not like those of the sample: the files have "
                       "changed",
                       data->sources[0].path);
    if (!(data->action ? data->npi : data->na))
        return bf_fail(err, BF_ENEEDS, "%s: moments need the target policy at the next states",
                       data->sources[0].path);
    if (f->steps.starts && (!data->begin || !(data->action ? data->pi : data->sa)))
        return bf_fail(err, BF_ENEEDS,
                       "%s: moments need episodes and the target policy at their first states",
                       data->sources[0].path);
    return BF_OK;
}

bf_status bf__lens_apply(bf__look *out, const bf__lens *lens, const bf_dataset *data, int threads,
                         bf_arena *arena, bf_error *err) {
    int sets = sets_of(lens);
    int32_t *place;
    atoms a;
    BF_TRY(bf__lens_check(lens, data, err));
    *out = (bf__look){.u = NULL};
    BF_ALLOC(out->u, arena, data->n, err);
    BF_ALLOC(out->h, arena, data->n, err);
    BF_ALLOC(out->gap, arena, data->n * sets, err);
    BF_ALLOC(place, arena, data->n, err);
    BF_TRY(make_atoms(&a, lens, data, arena, err));
    BF_TRY(find_places(place, lens, &a.points, threads, arena, err));
    if (lens->frame.steps.starts)
        BF_ALLOC(out->start, arena, a.points.starts * sets, err);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < data->n; i++) {
            double here[BF__MOST_SETS], *gap = out->gap + i * sets;
            out->u[i] = place[i] < 0 ? 0 : lens->ratio[place[i]];
            out->h[i] = bf__step_h(&a.points.steps, i);
            value_at(here, lens, &a.data, NULL, i);
            value_at(gap, lens, NULL, &a.next, i);
            for (int s = 0; s < sets; s++)
                gap[s] -= here[s];
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t e = 0; e < a.points.starts; e++)
            value_at(out->start + e * sets, lens, NULL, &a.start, e);
    }
    return BF_OK;
}

/* ---- Making it */

/* The largest |q| at the rows of the sample, for each quantity. */
static bf_status find_bounds(bf__lens *out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double most[BF__MOST_QUANTITIES] = {0}, q[BF__MOST_SETS];
    atoms a;
    for (int k = 0; k < out->quantities; k++)
        out->bound[k] = INFINITY;
    BF_TRY(make_atoms(&a, out, data, arena, err));
    for (int64_t i = 0; i < data->n; i++) {
        value_at(q, out, &a.data, NULL, i);
        for (int s = 0; s < sets_of(out); s++)
            most[s / out->members] = fmax(most[s / out->members], fabs(q[s]));
    }
    for (int k = 0; k < out->quantities; k++)
        out->bound[k] = room * most[k];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status find_visits(bf__lens *out, const bf__fit *fit, const double *w, bf_arena *arena,
                             bf_error *err) {
    bf__nodes *nodes = &out->nodes;
    double sum = 0;
    BF_TRY(bf__nodes_make(nodes, &fit->points, MOST_NODES, arena, err));
    BF_ZALLOC(out->visits, arena, nodes->n, err);
    for (int64_t r = 0; r < nodes->rows; r++)
        sum += w[nodes->row[r]];
    for (int64_t r = 0; r < nodes->rows; r++)
        out->visits[nodes->node_of[r]] += w[nodes->row[r]] / sum;
    return BF_OK;
}

/* If steps are noisy, a landmark reaches as far as there is no nearer one. */
static bf_status find_reach(bf__lens *out, double noise, bf_arena *arena, bf_error *err) {
    const bf__nodes *n = &out->nodes;
    bool noisy = bf__steps_are_noisy(noise);
    BF_ZALLOC(out->reach, arena, n->n, err);
    for (int b = 0; b < n->groups; b++)
        for (int64_t j = n->first[b]; j < n->first[b + 1]; j++) {
            int32_t index[NEAR];
            double square[NEAR];
            int found = bf__kdtree_nearest(index, square, n->tree + b, n->x + j * n->dim, NEAR,
                                           bf__nodes_leaves(n));
            out->reach[j] = noisy ? anywhere : square[found - 1];
        }
    return BF_OK;
}

/* Weights are 1 in the mean over the rows. */
bf_status bf__lens_settle(bf__lens *lens, const int64_t *rows, int64_t longest, bf_arena *arena,
                          bf_error *err) {
    double all = 0;
    lens->longest = longest;
    for (int64_t j = 0; j < lens->nodes.n; j++)
        all += (double)rows[j];
    BF_ZALLOC(lens->ratio, arena, lens->nodes.n, err);
    lens->largest = 0;
    for (int64_t j = 0; j < lens->nodes.n; j++) {
        lens->ratio[j] = rows[j] > 0 ? lens->visits[j] * all / (double)rows[j] : 0;
        lens->largest = fmax(lens->largest, lens->ratio[j]);
    }
    if (!(lens->largest > 0))
        return bf_fail(err, BF_EDATA, "no row is near a landmark that has weight");
    return BF_OK;
}

bf_status bf__lens_make(bf__lens *out, const bf__fit *fit, const bf_problem *sampled,
                        const double *w, const double *value, const bf_overview *overview,
                        bf_arena *arena, bf_error *err) {
    *out = (bf__lens){.frame = {.coordinates = fit->points.coordinates,
                                .action_coordinates = fit->points.action_coordinates,
                                .seen = fit->points.seen,
                                .actions = fit->points.actions,
                                .action_dim = fit->points.action_dim,
                                .samples = fit->points.samples,
                                .steps = fit->points.steps},
                      .terminal = (bf_terminal)sampled->terminal,
                      .state_dim = sampled->data->state_dim,
                      .sum = fit->base.sum,
                      .quantities = fit->quantities,
                      .members = fit->members,
                      .bases = fit->bases,
                      .low = overview->reward_low,
                      .high = overview->reward_high};
    out->frame.steps.ended = NULL;
    memcpy(out->basis, fit->basis, sizeof out->basis);
    for (int k = 0; k < out->quantities; k++)
        out->centre[k] = fit->base.ends ? 0 : value[k];
    BF_TRY(find_visits(out, fit, w, arena, err));
    BF_TRY(find_reach(out, fit->noise, arena, err));
    return find_bounds(out, sampled->data, arena, err);
}
