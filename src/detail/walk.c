/* walk.c - The target policy followed step by step, along the chain that a log gives.
 *
 * Computes  x_0 = start,  x_{t+1} = P' x_t + start <restart, x_t>, and means of the reward over it
 * Cost      edges per step */
#include "detail/walk.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "problem/label_states.h"

static double inner(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static double total(const double *a, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j];
    return sum;
}

/* next = P' x + start * anew + away * <leave, x>; of what the log shows alone if `seen`. */
static void push(double *next, const bf__walk *w, bool seen, const double *x, double anew,
                 int threads) {
    double leaves = w->leave && !seen ? inner(x, w->leave, w->n) : 0;
    const double *start = seen ? w->seen_start : w->start, *prob = seen ? w->seen : w->prob;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t j = 0; j < w->n; j++) {
        double sum = anew * start[j] + (leaves > 0 ? leaves * w->away[j] : 0);
        for (int64_t e = w->begin[j]; e < w->begin[j + 1]; e++)
            sum += prob[e] * x[w->from[e]];
        next[j] = sum;
    }
}

/* Where the mass is at some step, and how much of it has ended for good. */
typedef struct place {
    double *x, *next; /* (n) */
    double ended;
    bool seen; /* only what the log shows */
} place;

static bf_status place_at_start(place *out, const bf__walk *walk, bool seen, bf_arena *arena,
                                bf_error *err) {
    out->seen = seen;
    BF_ALLOC(out->x, arena, walk->n, err);
    BF_ALLOC(out->next, arena, walk->n, err);
    memcpy(out->x, seen ? walk->seen_start : walk->start, (size_t)walk->n * sizeof *out->x);
    return BF_OK;
}

static void step(place *p, const bf__walk *walk, int threads) {
    p->ended += inner(p->x, walk->end, walk->n);
    push(p->next, walk, p->seen, p->x, inner(p->x, walk->restart, walk->n), threads);
    double *swap = p->x;
    p->x = p->next;
    p->next = swap;
}

bf_status bf__walk_values(double *value, double *covered, const bf__walk *walk, int64_t steps,
                          double gamma, const bf_context *context, bf_arena *arena, bf_error *err) {
    int threads = walk->n < 2000 ? 1 : bf__threads(context);
    double earned = 0, kept = 0, shown = 0, time = 0, discount = 1;
    bf_mark mark = bf_arena_mark(arena);
    place here = {.ended = 0}, known = {.ended = 0};
    BF_TRY(place_at_start(&here, walk, false, arena, err));
    if (walk->seen)
        BF_TRY(place_at_start(&known, walk, true, arena, err));
    for (int64_t t = 0; t < steps; t++) {
        double mass = total(here.x, walk->n) + here.ended;
        earned += discount * inner(here.x, walk->reward, walk->n);
        kept += discount * mass;
        shown += discount * (walk->seen ? total(known.x, walk->n) + known.ended : mass);
        time += discount;
        value[t] = kept > 0 ? earned / kept : NAN;
        covered[t] = fmin(shown / time, 1);
        step(&here, walk, threads);
        if (walk->seen)
            step(&known, walk, threads);
        discount *= gamma;
        if (t % 256 == 255 &&
            !bf__progress(context, "following the target", (double)(t + 1), (double)steps, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* What is to come after the last of `count` survivals, if they go on to fall as they did. */
static double tail(const double *survival, int64_t count, double gamma) {
    double last = survival[count - 1], early = survival[(count - 1) / 2];
    if (last <= 0)
        return 0;
    double ratio = pow(last / early, 1.0 / (double)(count - 1 - (count - 1) / 2)) * gamma;
    return ratio < 1 - 1e-9 ? pow(gamma, (double)count - 1) * last * ratio / (1 - ratio) : INFINITY;
}

bf_status bf__walk_beyond(double *out, const bf__walk *walk, int64_t age, int64_t most,
                          double gamma, bf_arena *arena, bf_error *err) {
    double *y, *next, *survival, within = 0, all = 0, discount = 1;
    double restarts = total(walk->restart, walk->n), ends = total(walk->end, walk->n);
    int64_t steps = 20 * age + 1000 < most ? 20 * age + 1000 : most, t = 0;
    *out = restarts > 0 || ends > 0 || gamma < 1 ? NAN : 1;
    if (isfinite(*out) || steps < age || steps < 3 || (ends > 0 && gamma == 1))
        return BF_OK;
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(y, arena, walk->n, err);
    BF_ALLOC(next, arena, walk->n, err);
    BF_ALLOC(survival, arena, steps, err);
    memcpy(y, walk->start, (size_t)walk->n * sizeof *y);
    while (t < steps) {
        survival[t] = total(y, walk->n);
        all += discount * survival[t];
        within += t < age ? discount * survival[t] : 0;
        discount *= gamma;
        push(next, walk, false, y, 0, 1);
        double *swap = y;
        y = next;
        next = swap;
        t++;
        if (t >= age && discount * survival[t - 1] < 1e-15 * all)
            break;
    }
    all += t < 3 ? 0 : tail(survival, t, gamma);
    if (ends > 0)
        *out = (1 - gamma) * (all - within) / total(walk->start, walk->n);
    else
        *out = 1 - within / all;
    *out = fmin(fmax(*out, 0), 1);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status check(const bf_problem *problem, bf_error *err) {
    const bf_dataset *data = problem->data;
    if (data->episodes == 0)
        return bf_fail(err, BF_EDATA,
                       "horizon: counts steps from the start states of the log, and this log has "
                       "no episodes; a column episode says which rows belong together");
    if (data->action && !data->pi)
        return bf_fail(err, BF_EDATA,
                       "horizon: needs what the target policy does at the start states: columns "
                       "pi0, pi1, ... beside npi0, npi1, ..., or a policy");
    if (data->action ? !data->npi : !data->na)
        return bf_fail(err, BF_EDATA,
                       "horizon: needs a target policy: columns npi0, npi1, ..., or a policy");
    return BF_OK;
}

/* Whether the answer fills gaps: all methods do, unless tabular weights are told not to. */
static bool fills_gaps(const bf_settings *settings) {
    const bf_option *row = settings ? bf_settings_find(settings, "gaps") : NULL;
    return !row || *(const int *)bf_settings_value(settings, "gaps") == 0;
}

bf_status bf__walk_make(bf__walk *out, const bf_problem *problem, const bf_settings *settings,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    bool finite = bf__dataset_counts(data);
    BF_TRY(check(problem, err));
    if (data->action && !finite) {
        bf_dataset numbered;
        BF_TRY(bf__label_states(&finite, &numbered, data, arena, err));
    }
    return finite ? bf__walk_cells(out, problem, fills_gaps(settings), arena, err)
                  : bf__walk_neighbours(out, problem, settings, context, arena, err);
}
