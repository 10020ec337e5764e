/* measure.c - Intervals: what the parts of a log and the influence of its clusters say together.
 *
 * Two things make an answer wrong. Noise: another log of the same kind would have given another
 * number. The influence function sees it, and so do the differences between parts. Bias that more
 * data would shrink, such as that of interpolation: parts see it, because they have more of it.
 *
 *     interval = value +- t(df) s
 *
 * S^2 is the mean square of what halves of the log differ by from its value, se the standard error
 * by influence; base is the value before a correction, if the method has one. error.c joins them to
 * s, for values and for their differences alike.
 *
 * docs/trust.md has what was measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/row_weights.h"
#include "estimator/answer.h"
#include "estimator/diagnostics.h"
#include "problem/steps.h"
#include "trust/evidence.h"
#include "trust/influence.h"
#include "trust/parts.h"
#include "trust/student.h"
#include "trust/trust.h"
#include "trust/verdict.h"
#include "weights/noise.h"

static const bf_option rows[] = {
    BF_OPTION_CHOICE(bf_trust_options, interval, "full", "full|fast|none",
                     "How the interval is made: full also estimates parts of the log, which takes "
                     "up to twice the estimate's time; fast goes by the weights alone."),
    BF_OPTION_RANGE(bf_trust_options, level, "0.95", 0.5, 0.9999, "P: Of the interval."),
    BF_OPTION(
        bf_trust_options, cluster, NULL,
        "COLUMN: For the interval, rows that differ in this column of numbers (patient, site) "
        "are independent of each other, in place of episodes."),
    BF_OPTION_RANGE(bf_trust_options, block, "0", 0, 1e9,
                    "L: For the interval, take blocks of L consecutive rows as independent of each "
                    "other, in place of episodes."),
};
const bf_option_table bf_trust_table = BF_OPTION_TABLE("Trust", bf_trust_options, rows);

enum { LARGE = 8000 }; /* rows from which one split in halves has to do */

typedef struct measuring {
    const bf_estimate *estimate;
    const bf_estimator *estimator;
    const bf_problem *problem;
    const bf_settings *settings;
    const bf_trust_options *how;
    const bf_context *context;
    bf_arena *arena;
    bf__clusters clusters;
    bf__influence influence;
    bool has_influence;
    bf__parts parts;
} measuring;

/* The text of a setting of the estimator; NULL if it has none of that name. */
static const char *setting(const measuring *m, const char *name) {
    const bf_option *row = m->settings ? bf_settings_find(m->settings, name) : NULL;
    const void *value = row ? bf_settings_value(m->settings, name) : NULL;
    const char *text = NULL;
    if (value && row->type == BF_OPTION_STRING)
        memcpy(&text, value, sizeof text);
    return text;
}

enum { EARNED, ENDED, PAID }; /* what influence is asked about */

/* What the value is the mean of and, if episodes end, whether each row ends one and, if that is not
 * what the value is the mean of, its reward: (3, n). If steps have durations, the value v is a
 * ratio: the reward over the time T of a step. To first order it errs as the mean of (r - v
 * duration) / T does. */
static bf_status quantities(double **out, int *count, const measuring *m, bf_error *err) {
    const bf_dataset *data = m->problem->data;
    bool ends = isfinite(bf_estimate_get(m->estimate, "episode_length"));
    double value = m->estimate->value, time = bf__diagnosed(m->estimate, BF__D_STEP_DURATION);
    *count = !ends ? 1 : data->duration ? 3 : 2;
    BF_ALLOC(*out, m->arena, *count * data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        double r = data->reward[i];
        (*out)[i] = data->duration ? (r - value * data->duration[i]) / time : r;
        if (*count > ENDED)
            (*out)[ENDED * data->n + i] = data->terminated[i];
        if (*count > PAID)
            (*out)[PAID * data->n + i] = r;
    }
    return BF_OK;
}

/* Whether the answer is a mean of rewards under weights that make the flow balance, or a plain one.
 */
static bool has_weights(const measuring *m) {
    unsigned traits = m->estimator->traits;
    return traits & BF_IS_PLAIN || (traits & BF_BALANCES && m->estimate->weights);
}

static bf_status find_influence(measuring *m, bf_error *err) {
    const bf_estimate *e = m->estimate;
    const double *w = e->signed_weights ? e->signed_weights : e->weights;
    double *rewards;
    int count;
    if (!has_weights(m))
        return BF_OK;
    BF_TRY(quantities(&rewards, &count, m, err));
    m->has_influence = true;
    if (m->estimator->traits & BF_IS_PLAIN)
        return bf__influence_mean(&m->influence, m->problem, rewards, count, NULL, &m->clusters,
                                  m->arena, err);
    if (e->model && strcmp(e->model, "tabular") == 0)
        return bf__influence_cells(&m->influence, m->problem, rewards, count, w, &m->clusters,
                                   m->context, m->arena, err);
    return bf__influence_features(&m->influence, m->problem, rewards, count, w, &m->clusters,
                                  setting(m, "periodic"), setting(m, "scale"), m->context, m->arena,
                                  err);
}

/* Whether a run takes as long on a part as on the whole: networks are trained for a number of
 * steps, whatever the log. */
static bool fixed_cost(const measuring *m) {
    const char *model = m->estimate->model;
    return m->estimator->traits & BF_FIXED_COST || (model && strstr(model, "neural"));
}

/* Parts may cost twice the estimate. Two splits in halves, which is that or less; one if the log is
 * so large that influence is to be paid as well, or if every run costs as much as the first. If
 * nothing else tells the noise: one in halves and one in fifths, which says more of it. */
static bf_status find_parts(measuring *m, bf_error *err) {
    static const int halves[] = {2, 2}, mixed[] = {2, 5};
    if (m->how->interval != BF_INTERVAL_FULL || m->estimator->traits & BF_IS_PLAIN)
        return BF_OK;
    bool once = fixed_cost(m) || (m->has_influence && m->problem->data->n > LARGE);
    return bf__parts_run(&m->parts, m->has_influence ? halves : mixed, once ? 1 : 2, m->estimator,
                         m->problem, m->settings, &m->clusters, m->context, m->arena, err);
}

/* c (J) of the ratio that a return or a length is, by the delta method: (c_r - (r / F) c_F) / F. */
static bf_status ratio_contributions(const double **out, const measuring *m, bf__measure measure,
                                     double value, bf_error *err) {
    double ended = 0, *c;
    const double *w = m->estimate->weights; /* as the value of this measure was made */
    const bf_dataset *data = m->problem->data;
    *out = NULL;
    if (!m->has_influence || m->influence.rewards <= ENDED || !w || !isfinite(value))
        return BF_OK;
    int paid = m->influence.rewards > PAID ? PAID : EARNED;
    BF_ALLOC(c, m->arena, m->clusters.count, err);
    for (int64_t i = 0; i < data->n; i++)
        ended += data->terminated[i] ? w[i] : 0;
    for (int64_t g = 0; g < m->clusters.count; g++) {
        double top = measure == BF__RETURN ? m->influence.c[paid * m->clusters.count + g] : 0;
        c[g] = (top - value * m->influence.c[ENDED * m->clusters.count + g]) / ended;
    }
    *out = c;
    return BF_OK;
}

double bf__unseen(const bf_estimate *estimate, const bf_dataset *data) {
    double seen = bf__diagnosed(estimate, BF__D_COVERAGE), mean = 0, square = 0;
    if (!(seen < 1))
        return 0;
    for (int64_t i = 0; i < data->n; i++)
        mean += data->reward[i] / (double)data->n;
    for (int64_t i = 0; i < data->n; i++)
        square += (data->reward[i] - mean) * (data->reward[i] - mean) / (double)data->n;
    return (1 - seen) * 2 * sqrt(square);
}

/* Parts of the log have more gaps and show it better, so this is for answers without them. */
static double unseen(const measuring *m) {
    return m->parts.count > 0 ? 0 : bf__unseen(m->estimate, m->problem->data) / bf__shift_alone;
}

/* What is known of the error of one measure. */
static bf_status collect(bf__measured *out, const measuring *m, bf__measure measure,
                         double effective, bf_error *err) {
    double value[BF__MEASURES], base = bf__diagnosed(m->estimate, BF__D_BASE_VALUE), *parts;
    bf__measures(value, m->estimate);
    double noise = bf__diagnosed(m->estimate, BF__D_STEP_NOISE);
    bool exact = m->influence.exact || bf__steps_are_noisy(noise);
    *out = (bf__measured){.value = value[measure],
                          .effective = effective,
                          .exact = m->has_influence && exact,
                          .steady = m->has_influence && isfinite(noise) && !exact};
    if (measure == BF__VALUE) {
        out->aside = m->estimate->aside;
        out->lean = m->estimate->lean;
        out->shift = isfinite(base) ? out->value - out->aside - base : unseen(m);
        out->c = m->has_influence ? m->influence.c : NULL;
    } else {
        BF_TRY(ratio_contributions(&out->c, m, measure, out->value, err));
    }
    BF_ALLOC(parts, m->arena, m->parts.count, err);
    memcpy(parts, m->parts.value[measure], (size_t)m->parts.count * sizeof *parts);
    out->parts = parts;
    return BF_OK;
}

/* What a measure can be at all: a mean of the log's rewards does not leave their range, and an
 * episode has at least one step. */
static void possible(double *low, double *high, const measuring *m, bf__measure measure) {
    const bf_dataset *data = m->problem->data;
    bool rests = bf__steps_of(m->problem).absorbs;
    *low = measure == BF__LENGTH ? 1 : -INFINITY;
    *high = INFINITY;
    if (measure != BF__VALUE)
        return;
    *low = rests ? 0 : INFINITY;
    *high = rests ? 0 : -INFINITY;
    for (int64_t i = 0; i < data->n; i++) {
        *low = fmin(*low, data->reward[i] / bf__row_duration(data, i));
        *high = fmax(*high, data->reward[i] / bf__row_duration(data, i));
    }
}

/* The interval of one measure, and what the parts alone say of it. */
static bf_status find_one(bf_interval *out, bf__scatter *scatter, const bf__measured *measured,
                          const measuring *m, bf__measure measure, bf_error *err) {
    bf__error_form form =
        bf__error_form_of(measured, 1, m->clusters.count, m->parts.count, m->parts.split);
    double value = measured->value, low, high, *z;
    *out = (bf_interval){.level = 0};
    bf_mark mark = bf_arena_mark(m->arena);
    BF_ALLOC(z, m->arena, bf__error_length(&form), err);
    bf__error_fill(z, &form, measured);
    *scatter = bf__error_scatter(&form, z);
    double variance = bf__error_variance(&form, z);
    double df = bf__error_df(&form, z, measured->effective);
    bf_arena_rewind(m->arena, mark);
    if (!isfinite(value) || !isfinite(variance))
        return BF_OK;
    possible(&low, &high, m, measure);
    double rounding = isfinite(high - low) ? 1e-12 * (high - low) : 0;
    double se = fmax(sqrt(variance), rounding);
    double half = bf__student_quantile(0.5 + 0.5 * m->how->level, df) * se;
    *out = (bf_interval){m->how->level,
                         fmin(fmax(value - half, low), value),
                         fmax(fmin(value + half, high), value),
                         se,
                         df,
                         half};
    return BF_OK;
}

static const char *no_interval(const measuring *m) {
    if (m->how->interval == BF_INTERVAL_NONE)
        return "No interval was asked for.";
    if (m->clusters.none)
        return m->clusters.none;
    if (strcmp(m->clusters.kind, "block") == 0 && bf__steps_of(m->problem).starts)
        return "Blocks of rows have no start states, which this question needs.";
    if (m->how->interval == BF_INTERVAL_FAST && !has_weights(m))
        return "A fast interval goes by the weights of the answer, and this method has none.";
    return NULL;
}

/* Why nothing was found, although it was looked for. */
static bf_status explain(bf_trust *out, const measuring *m, bf_error *err) {
    char *text;
    if (out->value.level > 0 || out->none)
        return BF_OK;
    out->kind = NULL;
    out->none = "It was interrupted.";
    if (m->parts.interrupted)
        return BF_OK;
    BF_ALLOC(text, m->arena, 1024, err);
    snprintf(text, 1024, "Parts of the log have no answer of their own: %s.",
             m->parts.why ? m->parts.why : "there are too few clusters");
    out->none = text;
    return BF_OK;
}

static bf_status find_interval(bf_trust *out, measuring *m, bf_error *err) {
    double *share;
    BF_ALLOC(share, m->arena, m->clusters.count, err);
    out->effective = bf__clusters_share(
        share, &m->clusters, m->estimate->weights ? m->estimate->weights : m->problem->data->weight,
        m->problem->data->n);
    BF_TRY(find_influence(m, err));
    BF_TRY(find_parts(m, err));
    bf__measured found[BF__MEASURES];
    bf_interval interval[BF__MEASURES];
    bf__scatter scatter[BF__MEASURES];
    for (int k = 0; k < BF__MEASURES; k++) {
        BF_TRY(collect(&found[k], m, (bf__measure)k, out->effective, err));
        BF_TRY(find_one(&interval[k], &scatter[k], &found[k], m, (bf__measure)k, err));
    }
    int *split;
    BF_ALLOC(split, m->arena, m->parts.count, err);
    memcpy(split, m->parts.split, (size_t)m->parts.count * sizeof *split);
    out->measured = found[BF__VALUE];
    out->part_split = split;
    out->part_count = m->parts.count;
    out->parts_failed = m->parts.failed;
    out->influence = m->has_influence ? m->influence.se[0] : NAN;
    out->scatter = scatter[BF__VALUE];
    out->kind = m->how->interval == BF_INTERVAL_FULL ? "full" : "fast";
    out->value = interval[BF__VALUE];
    out->episode_return = interval[BF__RETURN];
    out->episode_length = interval[BF__LENGTH];
    return BF_OK;
}

/* The verdict, from all that is known by now. */
static bf_status judge(bf_trust *out, const measuring *m, bf_error *err) {
    bf__facts facts;
    BF_TRY(bf__evidence_gather(&facts, m->estimate, m->problem, out, &m->clusters,
                               setting(m, "periodic"), setting(m, "scale"), m->context, m->arena,
                               err));
    out->effective = facts.effective;
    out->alone = facts.gap;
    out->age_rise = facts.age_rise;
    out->still = facts.still;
    out->largest = facts.largest;
    return bf__verdict(out, &facts, m->arena, err);
}

bf_status bf__trust_measure(bf_trust *out, const bf_estimate *estimate,
                            const bf_estimator *estimator, const bf_problem *problem,
                            const bf_settings *settings, const bf_trust_options *how,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options defaults;
    double begun = bf__seconds();
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
    estimator = bf__maker(estimate, estimator, &settings);
    measuring m = {estimate, estimator, problem, settings, how ? how : &defaults, context, arena};
    *out = bf__trust_unmeasured(estimate);
    out->none = NULL;
    out->seed = context ? context->seed : 1;
    BF_TRY(bf__clusters_for(&m.clusters, problem->data, m.how, arena, err));
    out->clusters = m.clusters.count;
    out->unit = m.clusters.kind;
    out->none = no_interval(&m);
    if (!out->none)
        BF_TRY(find_interval(out, &m, err));
    BF_TRY(explain(out, &m, err));
    BF_TRY(judge(out, &m, err));
    out->seconds = bf__seconds() - begun;
    return BF_OK;
}
