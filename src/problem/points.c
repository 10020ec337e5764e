/* points.c - The question in coordinates: what every method for real-valued states reads.
 *
 * Angles. A column that jumps by nearly a period between s and s', while all its other steps are
 * small, is an angle that wraps around: as a number it tears neighbours apart, so it enters as
 * cosine and sine. `auto` looks for that, with periods 2 pi, 360 and 1; columns can be named.
 *
 * Start states. If actions are vectors, the target's actions there come from the columns sa. If the
 * log has none, those sampled at the nearest next state are taken, and the answer says so.
 *
 * Whatever the question makes of ends, the next state of a terminated step is not part of a path:
 * it neither shows how far a step goes nor lends its actions. */
#include "problem/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/share.h"
#include "dataset/row_weights.h"
#include "problem/idle.h"
#include "solver/kdtree.h"

#define TAU 6.283185307179586476925286766559

/* "s0, s2": the columns that are marked; NULL if there is none. */
static bf_status name_columns(const char **out, const bool *marked, int d, bf_arena *arena,
                              bf_error *err) {
    char *names;
    *out = NULL;
    BF_ZALLOC(names, arena, 16 * (int64_t)d + 16, err);
    for (int j = 0; j < d; j++)
        if (marked[j]) {
            size_t used = strlen(names);
            snprintf(names + used, 16, "%ss%d", used ? ", " : "", j);
            *out = names;
        }
    return BF_OK;
}

/* ---- Angles */

/* The period of a column that wraps around, or 0. `step` (n) is scratch. */
static double find_period(const bf_dataset *data, int j, double *step) {
    static const double periods[] = {TAU, 360, 1};
    const double *s = data->state + j * data->n, *ns = data->next_state + j * data->n;
    double low = INFINITY, high = -INFINITY;
    int64_t steps = 0;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, s[i]);
        high = fmax(high, s[i]);
        if (!(data->terminated && data->terminated[i]))
            step[steps++] = fabs(ns[i] - s[i]);
    }
    for (size_t k = 0; k < sizeof periods / sizeof *periods; k++) {
        double period = periods[k], inside = 0, wrapped = 0;
        int64_t jumps = 0;
        if (high - low > period * (1 + 1e-6) || high - low < 0.9 * period)
            continue;
        for (int64_t i = 0; i < steps; i++) {
            double rest = period - step[i];
            if (step[i] > 0.5 * period) {
                jumps++;
                wrapped = fmax(wrapped, rest);
            } else {
                inside = fmax(inside, step[i]);
            }
        }
        /* Some steps wrap; taken round the circle they are no longer than the others, and no step
         * at all is near half a turn, where the two could not be told apart. A column of two
         * values, 0 and 1, only jumps: it is no angle. */
        if (jumps > 0 && inside > 0 && wrapped <= 1.25 * inside &&
            fmax(inside, wrapped) < 0.4 * period)
            return period;
    }
    return 0;
}

static bf_status choose_periods(double *period, const char **angles, const bf_dataset *data,
                                const char *periodic, bf_arena *arena, bf_error *err) {
    int d = data->state_dim;
    BF_TRY(bf__periodic_read(period, periodic, d, err));
    for (int j = 0; j < d; j++)
        if (period[j] > 0)
            BF_TRY(bf__period_fits(period[j], j, data->state + j * data->n, data->n, err));
    if (!periodic || strcmp(periodic, "auto") == 0) {
        bf_mark mark = bf_arena_mark(arena);
        double *step;
        BF_ALLOC(step, arena, data->n, err);
        for (int j = 0; j < d; j++)
            period[j] = find_period(data, j, step);
        bf_arena_rewind(arena, mark);
    }
    bool *angle;
    BF_ALLOC(angle, arena, d, err);
    for (int j = 0; j < d; j++)
        angle[j] = period[j] > 0;
    return name_columns(angles, angle, d, arena, err);
}

/* ---- Coordinates, whatever the policy */

/* What coordinates are made of. */
typedef struct recipe {
    const bf_dataset *data;
    const char *periodic, *scale;
    const double *unit;  /* (d): what `scale` says; 0: nothing */
    const bool *idle;    /* (d): columns to leave out */
    const char *without; /* their names */
} recipe;

typedef struct places {
    bf__coordinates states, actions;
    const char *angles, *left_out;
    const double *z, *nz; /* (d, n) */
    const double *u;      /* (k, n); NULL: actions are numbers */
    const char *made_by;
} places;

/* False if the recipe is too long to be a key. */
static bool name_recipe(char key[BF__SHARE_KEY], const recipe *r) {
    return snprintf(key, BF__SHARE_KEY, "coordinates, periodic %s, scale %s, without %s",
                    r->periodic ? r->periodic : "auto", r->scale ? r->scale : "auto",
                    r->without ? r->without : "none") < BF__SHARE_KEY;
}

/* The rows in the coordinates that *out has. */
static bf_status apply_places(places *out, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    int64_t n = data->n;
    double *z, *nz, *u;
    BF_ALLOC(z, arena, out->states.out * n, err);
    BF_ALLOC(nz, arena, out->states.out * n, err);
    bf__coordinates_apply(z, &out->states, data->state, n);
    bf__coordinates_apply(nz, &out->states, data->next_state, n);
    BF_TRY(bf__points_check(z, data->state, &out->states, "s", data, err));
    BF_TRY(bf__points_check(nz, data->next_state, &out->states, "ns", data, err));
    out->z = z;
    out->nz = nz;
    if (data->action)
        return BF_OK;
    BF_ALLOC(u, arena, data->action_dim * n, err);
    bf__coordinates_apply(u, &out->actions, data->action_vector, n);
    out->u = u;
    return BF_OK;
}

static bf_status make_places(void **result, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *r = self;
    const bf_dataset *data = r->data;
    int d = data->state_dim;
    places *out;
    double *period;
    char *made_by;
    BF_ZALLOC(out, arena, 1, err);
    BF_ZALLOC(period, arena, d, err);
    BF_TRY(choose_periods(period, &out->angles, data, r->periodic, arena, err));
    BF_TRY(bf__coordinates_fit(&out->states, data->state, data->n, d, r->unit, period, arena, err));
    bf__coordinates_leave_out(&out->states, r->idle);
    BF_TRY(name_columns(&out->left_out, r->idle, d, arena, err));
    if (!data->action)
        BF_TRY(bf__coordinates_fit(&out->actions, data->action_vector, data->n, data->action_dim,
                                   NULL, NULL, arena, err));
    BF_ALLOC(made_by, arena, BF__SHARE_KEY, err);
    name_recipe(made_by, r);
    out->made_by = made_by;
    *result = out;
    return apply_places(out, data, arena, err);
}

/* The coordinates of a recipe, into what is there of `out`. */
static bf_status take_places(bf__points *out, recipe *by, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = by->data;
    char key[BF__SHARE_KEY];
    void *made;
    BF_TRY(name_columns(&by->without, by->idle, data->state_dim, arena, err));
    struct bf__share *share = name_recipe(key, by) ? data->share : NULL;
    BF_TRY(bf__share_get(&made, share, make_places, by, arena, err, "%s", key));
    const places *at = made;
    out->d = at->states.out;
    out->z = at->z;
    out->nz = at->nz;
    out->u = at->u;
    out->coordinates = at->states;
    out->action_coordinates = at->actions;
    out->angles = at->angles;
    out->left_out = at->left_out;
    out->share = share;
    out->made_by = at->made_by;
    out->left_out_count = 0;
    for (int j = 0; j < data->state_dim; j++)
        out->left_out_count += by->idle[j];
    return BF_OK;
}

/* ---- Actions that were never taken */

/* p (A, n) with the unseen actions taken out and the rest scaled up; returns the mean share kept.
 */
static double keep_seen(double *p, const bool *seen, int actions, int64_t n) {
    double kept = 0, count = 0;
    for (int a = 0; a < actions; a++)
        count += seen[a];
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 0; a < actions; a++)
            sum += seen[a] ? p[a * n + i] : 0;
        kept += sum / (double)n;
        for (int a = 0; a < actions; a++)
            p[a * n + i] = !seen[a] ? 0 : sum > 1e-12 ? p[a * n + i] / sum : 1 / count;
    }
    return kept < 1 - 1e-9 ? kept : 1;
}

static bf_status find_seen(bf__points *out, const bf_dataset *data, bf_arena *arena,
                           bf_error *err) {
    bool *seen;
    BF_ZALLOC(seen, arena, data->actions, err);
    for (int64_t i = 0; i < data->n; i++)
        seen[data->action[i]] = true;
    out->seen = seen;
    return BF_OK;
}

static bf_status discrete_actions(bf__points *out, const bf_dataset *data, bf_arena *arena,
                                  bf_error *err) {
    int64_t n = data->n;
    double *npi;
    out->actions = data->actions;
    out->action = data->action;
    BF_ALLOC(npi, arena, data->actions * n, err);
    memcpy(npi, data->npi, (size_t)(data->actions * n) * sizeof *npi);
    out->covered = fmin(keep_seen(npi, out->seen, data->actions, n), 1);
    out->npi = npi;
    if (out->starts == 0)
        return BF_OK;
    double *pi0;
    BF_ALLOC(pi0, arena, data->actions * out->starts, err);
    for (int a = 0; a < data->actions; a++)
        for (int64_t e = 0; e < out->starts; e++)
            pi0[a * out->starts + e] = data->pi[a * n + data->order[data->begin[e]]];
    keep_seen(pi0, out->seen, data->actions, out->starts);
    out->pi0 = pi0;
    return BF_OK;
}

/* row (starts): for each start state the transition that goes on whose next state is nearest to it,
 * of equally near ones the first; 0 if no transition goes on. */
static bf_status nearest_next(int64_t *row, const bf__points *p, const uint8_t *terminated,
                              bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t *going, count = 0;
    double *z, *q, square;
    bf__kdtree tree;
    BF_ALLOC(going, arena, p->n, err);
    BF_ALLOC(q, arena, p->d, err);
    for (int64_t i = 0; i < p->n; i++)
        if (!terminated || !terminated[i])
            going[count++] = i;
    BF_ALLOC(z, arena, p->d * count, err);
    for (int c = 0; c < p->d; c++)
        for (int64_t j = 0; j < count; j++)
            z[c * count + j] = p->nz[c * p->n + going[j]];
    if (count > 0)
        BF_TRY(bf__kdtree_build(&tree, z, count, p->d, arena, err));
    for (int64_t e = 0; e < p->starts; e++) {
        int32_t nearest;
        for (int c = 0; c < p->d; c++)
            q[c] = p->z0[c * p->starts + e];
        row[e] = count > 0 && bf__kdtree_nearest(&nearest, &square, &tree, q, 1, 0) > 0
                     ? going[nearest]
                     : 0;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status vector_actions(bf__points *out, const bf_dataset *data,
                                const bf__coordinates *coordinates, bf_arena *arena,
                                bf_error *err) {
    int k = data->action_dim, samples = data->samples;
    int64_t n = data->n;
    double *nu, *u0;
    out->action_dim = k;
    out->samples = samples;
    BF_ALLOC(nu, arena, (int64_t)samples * k * n, err);
    for (int m = 0; m < samples; m++)
        bf__coordinates_apply(nu + (int64_t)m * k * n, coordinates, data->na + (int64_t)m * k * n,
                              n);
    out->nu = nu;
    out->covered = 1;
    if (out->starts == 0)
        return BF_OK;
    BF_ALLOC(u0, arena, (int64_t)samples * k * out->starts, err);
    out->u0 = u0;
    if (data->sa) {
        double *su;
        BF_ALLOC(su, arena, (int64_t)samples * k * n, err);
        for (int m = 0; m < samples; m++)
            bf__coordinates_apply(su + (int64_t)m * k * n, coordinates,
                                  data->sa + (int64_t)m * k * n, n);
        for (int64_t e = 0; e < out->starts; e++)
            for (int c = 0; c < samples * k; c++)
                u0[c * out->starts + e] = su[c * n + data->order[data->begin[e]]];
        return BF_OK;
    }
    out->borrowed_starts = true;
    int64_t *nearest;
    BF_ALLOC(nearest, arena, out->starts, err);
    BF_TRY(nearest_next(nearest, out, data->terminated, arena, err));
    for (int64_t e = 0; e < out->starts; e++)
        for (int c = 0; c < samples * k; c++)
            u0[c * out->starts + e] = nu[c * n + nearest[e]];
    return BF_OK;
}

static bf_status start_states(bf__points *out, const bf_dataset *data, bf_arena *arena,
                              bf_error *err) {
    double *z0;
    out->starts = data->episodes;
    BF_ALLOC(z0, arena, out->d * out->starts, err);
    for (int j = 0; j < out->d; j++)
        for (int64_t e = 0; e < out->starts; e++)
            z0[j * out->starts + e] = out->z[j * out->n + data->order[data->begin[e]]];
    out->z0 = z0;
    return bf__start_weights(&out->weight0, data, arena, err);
}

/* What is left to do once rows have coordinates. */
static bf_status finish(bf__points *out, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    BF_TRY(bf__row_weights_array(&out->weight, data, arena, err));
    if (out->steps.starts)
        BF_TRY(start_states(out, data, arena, err));
    return data->action ? discrete_actions(out, data, arena, err)
                        : vector_actions(out, data, &out->action_coordinates, arena, err);
}

bf_status bf__points_make(bf__points *out, const bf_problem *problem, const char *periodic,
                          const char *scale, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    const bf_dataset *data = problem->data;
    int d = data->state_dim;
    recipe by = {.data = data, .periodic = periodic, .scale = scale};
    bool *idle;
    double *unit;
    BF_ZALLOC(idle, arena, d, err);
    BF_ZALLOC(unit, arena, d, err);
    BF_TRY(bf__scale_read(unit, idle, scale, d, err));
    by.unit = unit;
    by.idle = idle;
    *out = (bf__points){.n = data->n,
                        .size = bf__dataset_size(data),
                        .covered = 1,
                        .steps = bf__steps_of(problem),
                        .seed = context ? context->seed : 1};
    BF_TRY(take_places(out, &by, arena, err));
    if (!scale || strcmp(scale, "auto") == 0) {
        int found;
        const bf__located log = {data,   &out->coordinates, out->z,   out->nz,
                                 out->u, &out->steps,       out->seed};
        BF_TRY(bf__idle_columns(idle, &found, &log, arena, err));
        if (found > 0)
            BF_TRY(take_places(out, &by, arena, err));
    }
    if (data->action)
        BF_TRY(find_seen(out, data, arena, err));
    return finish(out, data, arena, err);
}

bf_status bf__points_like(bf__points *out, const bf__points *as, const bf_problem *problem,
                          bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    places at = {.states = as->coordinates, .actions = as->action_coordinates};
    *out = (bf__points){.n = data->n,
                        .size = bf__dataset_size(data),
                        .d = at.states.out,
                        .coordinates = at.states,
                        .action_coordinates = at.actions,
                        .seen = as->seen,
                        .seed = as->seed,
                        .steps = bf__steps_of(problem)};
    bool ends = out->steps.restarts || out->steps.absorbs;
    if (ends && !(as->steps.restarts || as->steps.absorbs)) {
        char where[256];
        int64_t i =
            (const uint8_t *)memchr(data->terminated, 1, (size_t)data->n) - data->terminated;
        return bf_fail(err, BF_EDATA,
                       "%s: this step ends the episode, and no step of the sample does: a larger "
                       "`sample` would show some",
                       bf_dataset_where(data, i, where, sizeof where));
    }
    out->steps.starts = as->steps.starts;
    BF_TRY(apply_places(&at, data, arena, err));
    out->z = at.z;
    out->nz = at.nz;
    out->u = at.u;
    return finish(out, data, arena, err);
}
