/* horizon.c - What the target earns over its first steps, and how that comes to the long run.
 *
 * Cost  the chain (walk.h), and its edges times the steps that are looked at */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/detail.h"
#include "core/fail.h"
#include "dataset/row_weights.h"
#include "detail/pieces.h"
#include "detail/walk.h"
#include "estimator/answer.h"
#include "estimator/result.h"

enum { CURVE = 60, LEAST_STEPS = 1000, MOST_HORIZON = 10000000 };
static const double work = 4e9; /* edges that a walk beyond what was asked for may go along */

struct bf_horizon {
    const char *chain;
    int count, curve_count;
    const int64_t *steps;
    const double *value, *covered; /* (count) */
    const bf_interval *interval;   /* (count), or NULL */
    int64_t curve_steps[CURVE];
    double curve_value[CURVE];
    double limit, settles_after, longest, within, beyond;
};

int bf_horizon_parse(int64_t *out, int room, const char *text, bf_error *err) {
    int count = 0;
    const char *at = text;
    while (*at) {
        char *end;
        long long steps = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ',') || (*end == ',' && !end[1]) || steps < 1 ||
            steps > MOST_HORIZON || (at[0] < '0' || at[0] > '9')) {
            bf_fail(err, BF_EUSAGE,
                    "horizon: '%.*s' is not a number of steps: whole numbers from 1 to %d, with "
                    "commas, as in 10,100,1000",
                    (int)strcspn(at, ","), at, MOST_HORIZON);
            return -1;
        }
        if (count == room && out) {
            bf_fail(err, BF_EUSAGE, "horizon: more than %d numbers", room);
            return -1;
        }
        if (out)
            out[count] = steps;
        count++;
        at = *end ? end + 1 : end;
    }
    if (count == 0) {
        bf_fail(err, BF_EUSAGE, "horizon: no number of steps; 10,100,1000 would be right");
        return -1;
    }
    return count;
}

/* What the chain gives in the long run, as far as the answer says it. */
static double limit_of(const bf_estimate *estimate, const char *chain) {
    if (!estimate || !estimate->model)
        return NAN;
    double base = bf__diagnosed(estimate, BF__D_BASE_VALUE);
    double closed = bf__diagnosed(estimate, BF__D_CLOSED_CLASSES);
    double filled = bf__diagnosed(estimate, BF__D_MODEL_CLASSES);
    if (strcmp(chain, "neighbours") == 0)
        return strcmp(estimate->model, "corrected") == 0    ? base
               : strcmp(estimate->model, "neighbours") == 0 ? estimate->value
                                                            : NAN;
    return strcmp(estimate->model, "tabular") == 0 && (closed > 0 || filled > 0) ? estimate->value
                                                                                 : NAN;
}

/* The first T from which on all values are near the limit; NaN if the last is not. */
static double settling(const double *value, int64_t steps, double limit, double near) {
    int64_t at = steps;
    while (at > 0 && fabs(value[at - 1] - limit) <= near)
        at--;
    return at < steps ? (double)(at + 1) : NAN;
}

/* Horizons from 1 to `steps`, each the next whole number or a constant ratio further. */
static void draw_curve(bf_horizon *h, const double *value, int64_t steps) {
    double ratio = pow((double)steps, 1.0 / (CURVE - 1)), at = 1;
    int64_t last = 0;
    for (int k = 0; k < CURVE; k++, at *= ratio) {
        int64_t t = k == CURVE - 1 ? steps : (int64_t)(at + 0.5);
        if (t <= last || t > steps)
            continue;
        h->curve_steps[h->curve_count] = t;
        h->curve_value[h->curve_count++] = value[t - 1];
        last = t;
    }
}

/* What a walk on a piece of the log has to know. */
typedef struct walk_plan {
    const int64_t *horizons;
    int64_t furthest;
    const bf_settings *settings;
} walk_plan;

static bf_status walk_piece(double *out, int count, const bf_problem *problem, const void *self,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    const walk_plan *what = self;
    bf__walk walk;
    double *value, *covered;
    BF_TRY(bf__walk_make(&walk, problem, what->settings, context, arena, err));
    BF_ALLOC(value, arena, what->furthest, err);
    BF_ALLOC(covered, arena, what->furthest, err);
    BF_TRY(bf__walk_values(value, covered, &walk, what->furthest, problem->gamma, context, arena,
                           err));
    for (int k = 0; k < count; k++)
        out[k] = value[what->horizons[k] - 1];
    return BF_OK;
}

static bf_status find_intervals(bf_horizon *h, const walk_plan *what, const bf_problem *problem,
                                const bf_trust_options *how, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    bf_interval *interval;
    const char *none;
    const bf_dataset *data = problem->data;
    bool rests = problem->terminal == BF_TERMINAL_ABSORB;
    double low = rests ? 0 : INFINITY, high = rests ? 0 : -INFINITY;
    if (!how)
        return BF_OK;
    BF_ALLOC(interval, arena, h->count, err);
    BF_TRY(bf__pieces_intervals(interval, &none, h->value, h->count, walk_piece, what, problem, how,
                                context, arena, err));
    for (int64_t i = 0; i < data->n; i++) { /* a mean of rewards stays among them */
        low = fmin(low, data->reward[i]);
        high = fmax(high, data->reward[i]);
    }
    for (int k = 0; k < h->count; k++) {
        interval[k].low = fmax(interval[k].low, low);
        interval[k].high = fmin(interval[k].high, high);
    }
    h->interval = interval;
    return BF_OK;
}

bf_status bf_horizon_measure(const bf_horizon **out, const bf_estimate *estimate,
                             const bf_problem *problem, const bf_settings *settings,
                             const int64_t *horizons, int count, const bf_trust_options *how,
                             const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    bf_horizon *h;
    bf__walk walk;
    double *value, *covered, *asked, *share;
    int64_t furthest = 1, longest = bf__dataset_longest(data), *steps_asked;
    if (data->duration)
        return bf_fail(err, BF_EUSAGE,
                       "horizon: counts steps, and those of this log take different times (a "
                       "column duration)");
    BF_ALLOC(h, arena, 1, err);
    BF_ALLOC(asked, arena, count, err);
    BF_ALLOC(share, arena, count, err);
    BF_ALLOC(steps_asked, arena, count, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(bf__walk_make(&walk, problem, settings, context, arena, err));
    for (int k = 0; k < count; k++)
        furthest = horizons[k] > furthest ? horizons[k] : furthest;
    int64_t most = (int64_t)(work / (double)(walk.begin[walk.n] + walk.n + 1));
    int64_t steps = longest > LEAST_STEPS / 10 ? 10 * longest : LEAST_STEPS;
    steps = steps < most ? steps : most;
    steps = steps > furthest ? steps : furthest;
    BF_ALLOC(value, arena, steps, err);
    BF_ALLOC(covered, arena, steps, err);
    BF_TRY(bf__walk_values(value, covered, &walk, steps, problem->gamma, context, arena, err));
    *h = (bf_horizon){.chain = walk.chain,
                      .count = count,
                      .steps = steps_asked,
                      .value = asked,
                      .covered = share,
                      .limit = limit_of(estimate, walk.chain),
                      .longest = (double)longest,
                      .within = longest <= steps ? value[longest - 1] : NAN};
    for (int k = 0; k < count; k++) {
        steps_asked[k] = horizons[k];
        asked[k] = value[horizons[k] - 1];
        share[k] = covered[horizons[k] - 1];
    }
    h->settles_after =
        settling(value, steps, h->limit, 0.05 * bf__reward_deviation(data, bf__reward_mean(data)));
    draw_curve(h, value, steps);
    BF_TRY(bf__walk_beyond(&h->beyond, &walk, longest, most, problem->gamma, arena, err));
    bf_arena_rewind(arena, mark);
    *out = h;
    walk_plan what = {steps_asked, furthest, settings};
    return find_intervals(h, &what, problem, how, context, arena, err);
}

bool bf_horizon_at(const bf_horizon *horizon, int index, int64_t *steps, double *value,
                   double *covered) {
    if (index < 0 || index >= horizon->count)
        return false;
    *steps = horizon->steps[index];
    *value = horizon->value[index];
    *covered = horizon->covered[index];
    return true;
}

bool bf_horizon_interval(const bf_horizon *horizon, int index, bf_interval *out) {
    if (index < 0 || index >= horizon->count || !horizon->interval)
        return false;
    *out = horizon->interval[index];
    return out->level > 0;
}

bool bf_horizon_curve(const bf_horizon *horizon, int index, int64_t *steps, double *value) {
    if (index < 0 || index >= horizon->curve_count)
        return false;
    *steps = horizon->curve_steps[index];
    *value = horizon->curve_value[index];
    return true;
}

const char *bf_horizon_chain(const bf_horizon *horizon) {
    return horizon->chain;
}

double bf_horizon_get(const bf_horizon *horizon, const char *name) {
    const struct {
        const char *name;
        double value;
    } known[] = {{"limit", horizon->limit},
                 {"settles_after", horizon->settles_after},
                 {"longest", horizon->longest},
                 {"within", horizon->within},
                 {"beyond", horizon->beyond}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, name) == 0)
            return known[k].value;
    return NAN;
}
