/* outcomes.c - The rewards of single steps under the target: low quantiles, and means of groups.
 *
 * The weights of the answer, those that are not negative, make a distribution on the rows of the
 * log. An error of the weights enters a share of steps, a mean over a group or the mean of a tail
 * as it enters the value, so each has the standard error that influence.h gives for a quantity y:
 *
 *     share of steps in a group     y = 1{i in group}
 *     mean in a group               y = 1{i in group} (r_i - mean) / share
 *     mean of the lowest share q    y = min(r_i - quantile, 0) / q
 *     the quantile itself           y = 1{r_i <= quantile}; the interval of that share is turned
 * into one of the quantile (Woodruff 1952)
 *
 * Cost  that of an interval by influence, once for every four quantities */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/detail.h"
#include "core/fail.h"
#include "core/text.h"
#include "dataset/row_weights.h"
#include "detail/weighted.h"
#include "estimator/answer.h"
#include "trust/influence.h"
#include "trust/student.h"

enum { MOST_GROUPS = 200 };

struct bf_outcomes {
    int risks, groups;
    bf_risk *risk;
    bf_group *group;
    const char *none; /* why there are no intervals */
};

typedef struct work {
    const bf_estimate *estimate;
    const bf_estimator *estimator;
    const bf_problem *problem;
    const bf_settings *settings;
    const bf_trust_options *how;
    const bf_context *context;
    bf_arena *arena;
    bf__clusters clusters;
    double t;  /* quantile for the intervals */
    double df; /* of it */
} work;

int bf_risk_parse(double *out, int room, const char *text, bf_error *err) {
    int count = 0;
    const char *at = text;
    while (true) {
        char item[64];
        int length = (int)strcspn(at, ",");
        double value = 0;
        snprintf(item, sizeof item, "%.*s", length, at);
        if (!bf__parse_real(item, &value) || !(value > 0) || !(value <= 1)) {
            bf_fail(
                err, BF_EUSAGE,
                "risk: '%s' is not a share of steps: numbers above 0 and up to 1, with commas, as "
                "in 0.05,0.5",
                item);
            return -1;
        }
        if (out && count == room) {
            bf_fail(err, BF_EUSAGE, "risk: more than %d numbers", room);
            return -1;
        }
        if (out)
            out[count] = value;
        count++;
        if (!at[length])
            return count;
        at += length + 1;
    }
}

/* ---- Intervals */

static const char *text_of(const bf_settings *settings, const char *name) {
    const bf_option *row = settings ? bf_settings_find(settings, name) : NULL;
    if (!row || row->type != BF_OPTION_STRING)
        return NULL;
    return *(const char *const *)bf_settings_value(settings, name);
}

/* se (count) of the quantities y (count, n). */
static bf_status errors_of(double *se, const double *y, int count, work *k, bf_error *err) {
    const bf_dataset *data = k->problem->data;
    const double *w = bf_estimate_weights(k->estimate);
    const char *model = k->estimate->model;
    for (int first = 0; first < count; first += BF__MOST_REWARDS) {
        int some = count - first < BF__MOST_REWARDS ? count - first : BF__MOST_REWARDS;
        const double *these = y + first * data->n;
        bf__influence influence;
        bf_mark mark = bf_arena_mark(k->arena);
        if (k->estimator->traits & BF_IS_PLAIN)
            BF_TRY(bf__influence_mean(&influence, k->problem, these, some, NULL, &k->clusters,
                                      k->arena, err));
        else if (model && strcmp(model, "tabular") == 0)
            BF_TRY(bf__influence_cells(&influence, k->problem, these, some, w, &k->clusters,
                                       k->context, k->arena, err));
        else
            BF_TRY(bf__influence_features(&influence, k->problem, these, some, w, &k->clusters,
                                          text_of(k->settings, "periodic"),
                                          text_of(k->settings, "scale"), k->context, k->arena,
                                          err));
        memcpy(se + first, influence.se, (size_t)some * sizeof *se);
        bf_arena_rewind(k->arena, mark);
    }
    return BF_OK;
}

static bf_interval around(const work *k, double value, double se, double low, double high) {
    double half = k->t * se;
    return (bf_interval){.level = k->how->level,
                         .low = fmax(value - half, low),
                         .high = fmin(value + half, high),
                         .se = se,
                         .df = k->df,
                         .half = half};
}

/* Why there cannot be intervals; NULL if there can. */
static const char *why_none(const work *k) {
    if (k->how->interval == BF_INTERVAL_NONE)
        return "No interval was asked for.";
    if (k->clusters.none)
        return k->clusters.none;
    if (!(k->estimator->traits & (BF_IS_PLAIN | BF_BALANCES)))
        return "These intervals go by weights that balance the flow, and this method's do not.";
    return NULL;
}

static bf_status prepare(work *k, const char **none, bf_error *err) {
    double *share;
    BF_TRY(bf__clusters_for(&k->clusters, k->problem->data, k->how, k->arena, err));
    *none = why_none(k);
    if (*none)
        return BF_OK;
    BF_ALLOC(share, k->arena, k->clusters.count, err);
    double effective = bf__clusters_share(share, &k->clusters, bf_estimate_weights(k->estimate),
                                          k->problem->data->n);
    k->df = fmax(2, effective - 1);
    k->t = bf__student_quantile(0.5 + 0.5 * k->how->level, k->df);
    return BF_OK;
}

/* ---- Risk */

static bf_status find_risk(bf_outcomes *out, work *k, const double *level, int count,
                           bf_error *err) {
    const bf_dataset *data = k->problem->data;
    int64_t n = data->n;
    bf__ordered o;
    double *y, *se;
    bool rests = k->problem->terminal == BF_TERMINAL_ABSORB;
    BF_ALLOC(out->risk, k->arena, count, err);
    out->risks = count;
    BF_ALLOC(y, k->arena, 2 * count * n, err);
    BF_ALLOC(se, k->arena, 2 * count, err);
    BF_TRY(bf__order(&o, data->reward, bf_estimate_weights(k->estimate), n, rests, k->arena, err));
    for (int r = 0; r < count; r++) {
        double quantile = bf__quantile(&o, level[r]);
        out->risk[r] = (bf_risk){
            .share = level[r], .quantile = quantile, .tail_mean = bf__tail_mean(&o, level[r])};
        for (int64_t i = 0; i < n; i++) {
            y[2 * r * n + i] = data->reward[i] <= quantile;
            y[(2 * r + 1) * n + i] = fmin(data->reward[i] - quantile, 0) / level[r];
        }
    }
    if (out->none)
        return BF_OK;
    BF_TRY(errors_of(se, y, 2 * count, k, err));
    for (int r = 0; r < count; r++) {
        bf_risk *risk = &out->risk[r];
        double half = k->t * se[2 * r], least = o.n > 0 ? o.x[0] : NAN;
        risk->quantile_interval = around(k, risk->quantile, NAN, -INFINITY, INFINITY);
        risk->quantile_interval.low = bf__quantile(&o, fmax(risk->share - half, 1e-9));
        risk->quantile_interval.high = bf__quantile(&o, fmin(risk->share + half, 1));
        risk->quantile_interval.half = NAN;
        risk->tail_interval = around(k, risk->tail_mean, se[2 * r + 1], least, INFINITY);
    }
    return BF_OK;
}

/* ---- Groups */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The column that groups are made of, in `scratch` if the log has it in another form; NULL: none.
 */
static const double *column_of(const bf_dataset *data, const char *name, double *scratch) {
    if (strcmp(name, "a") == 0 && data->action) {
        for (int64_t i = 0; i < data->n; i++)
            scratch[i] = data->action[i];
        return scratch;
    }
    if (strcmp(name, "s") == 0 && data->states > 0)
        return data->state;
    return bf__dataset_extra(data, name);
}

/* The word that a value of the column stands for; NULL if it is a number. */
static const char *word_of(const bf_dataset *data, const char *name, double value) {
    int64_t code = (int64_t)value;
    if (strcmp(name, "a") == 0 && data->action)
        return data->action_names ? data->action_names[code] : NULL;
    if (strcmp(name, "s") == 0 && data->states > 0)
        return data->state_labels ? data->state_labels[code] : NULL;
    return bf__dataset_extra_word(data, name, code);
}

/* Distinct values, ascending, into `values` (MOST_GROUPS); the number, or -1 if there are more. */
static int distinct(double *values, double *sorted, int64_t n) {
    int count = 0;
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int64_t i = 0; i < n; i++)
        if (count == 0 || sorted[i] != values[count - 1]) {
            if (count == MOST_GROUPS)
                return -1;
            values[count++] = sorted[i];
        }
    return count;
}

/* y (2, n) of one group, whose share and mean are found on the way: of the steps and per step or,
 * if steps have durations, of the time and per unit of time. */
static void group_rows(double *y, bf_group *group, const double *column, const work *k) {
    const bf_dataset *data = k->problem->data;
    const double *w = bf_estimate_weights(k->estimate);
    double sum = 0, all = 0, mass = 0;
    int64_t rows = 0;
    group->share = 0;
    for (int64_t i = 0; i < data->n; i++) {
        bool in = column[i] == group->value;
        double time = w[i] * bf__row_duration(data, i);
        all += time;
        mass += w[i];
        group->share += in ? time : 0;
        sum += in ? w[i] * data->reward[i] : 0;
        rows += in;
    }
    group->rows = rows;
    group->mean = group->share > 0 ? sum / group->share : NAN;
    group->share /= all > 0 ? all : 1;
    for (int64_t i = 0; i < data->n; i++) {
        bool in = column[i] == group->value && group->share > 0;
        double time = bf__row_duration(data, i), scale = data->duration ? mass / all : 1;
        y[i] = data->duration ? (in - group->share) * time * scale : in;
        y[data->n + i] = in ? (data->reward[i] - group->mean * time) / group->share * scale : 0;
    }
}

static bf_status find_groups(bf_outcomes *out, work *k, const char *by, bf_error *err) {
    const bf_dataset *data = k->problem->data;
    double values[MOST_GROUPS], *scratch, *sorted, *y, se[2];
    BF_ALLOC(scratch, k->arena, data->n, err);
    BF_ALLOC(sorted, k->arena, data->n, err);
    const double *column = column_of(data, by, scratch);
    if (!column)
        return bf_fail(err, BF_EUSAGE, "by: the log has not kept a column '%s'", by);
    memcpy(sorted, column, (size_t)data->n * sizeof *sorted);
    out->groups = distinct(values, sorted, data->n);
    if (out->groups < 0)
        return bf_fail(err, BF_EDATA,
                       "by: the column '%s' has more than %d different values; groups are few", by,
                       MOST_GROUPS);
    BF_ALLOC(out->group, k->arena, out->groups, err);
    BF_ALLOC(y, k->arena, 2 * data->n, err);
    for (int g = 0; g < out->groups; g++) {
        out->group[g] = (bf_group){.value = values[g], .name = word_of(data, by, values[g])};
        group_rows(y, &out->group[g], column, k);
        if (out->none || !(out->group[g].share > 0))
            continue;
        BF_TRY(errors_of(se, y, 2, k, err));
        out->group[g].share_interval = around(k, out->group[g].share, se[0], 0, 1);
        out->group[g].mean_interval = around(k, out->group[g].mean, se[1], -INFINITY, INFINITY);
    }
    return BF_OK;
}

bf_status bf_outcomes_measure(const bf_outcomes **out, const bf_outcomes_options *what,
                              const bf_estimate *estimate, const bf_estimator *estimator,
                              const bf_problem *problem, const bf_settings *settings,
                              const bf_trust_options *how, const bf_context *context,
                              bf_arena *arena, bf_error *err) {
    bf_trust_options defaults;
    bf_outcomes *o;
    if (!bf_estimate_weights(estimate))
        return bf_fail(err, BF_EUSAGE, "%s: goes by the weights of rows, and this method has none",
                       what->risk_count > 0 ? "risk" : "by");
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
    BF_ALLOC(o, arena, 1, err);
    *o = (bf_outcomes){.risks = 0};
    estimator = bf__maker(estimate, estimator, &settings);
    work k = {estimate, estimator, problem, settings, how ? how : &defaults, context, arena};
    BF_TRY(prepare(&k, &o->none, err));
    if (what->risk_count > 0)
        BF_TRY(find_risk(o, &k, what->risk, what->risk_count, err));
    if (what->by)
        BF_TRY(find_groups(o, &k, what->by, err));
    *out = o;
    return BF_OK;
}

/* ---- What came out */

bool bf_outcomes_risk(const bf_outcomes *outcomes, int index, bf_risk *out) {
    if (index < 0 || index >= outcomes->risks)
        return false;
    *out = outcomes->risk[index];
    return true;
}

bool bf_outcomes_group(const bf_outcomes *outcomes, int index, bf_group *out) {
    if (index < 0 || index >= outcomes->groups)
        return false;
    *out = outcomes->group[index];
    return true;
}

const char *bf_outcomes_why_none(const bf_outcomes *outcomes) {
    return outcomes->none;
}
