/* measure.c - Intervals: what the parts of a log and the influence of its clusters say together.
 *
 * Two things make an answer wrong. Noise: another log of the same kind would have given another
 * number. The influence function sees it, and so do the differences between parts. Bias that more
 * data would shrink, such as that of interpolation: parts see it, because they have more of it.
 *
 *     s^2 = (S^2 + se^2) / 2 + (0.2 (value - base))^2
 *     interval = value +- t(df) s,   df = effective clusters - 1, at least 2
 *
 * S^2 is the mean square of what halves of the log differ by from its value, se the standard error
 * by influence; base is the value before a correction, if the method has one. If one of S and se is
 * missing the other stands alone; without S the last term has 0.3. For finite states q is exact,
 * and s is not below se.
 *
 * docs/trust.md has what was measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/dataset.h"
#include "estimator/answer.h"
#include "problem/steps.h"
#include "trust/influence.h"
#include "trust/parts.h"
#include "trust/student.h"
#include "trust/trust.h"
#include "trust/verdict.h"

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
static const double shift_full = 0.2, shift_fast = 0.3; /* chosen on seeds below 1000 */

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

/* The rewards, and, if episodes end, whether each row ends one: (2, n). */
static bf_status quantities(double **out, int *count, const measuring *m, bf_error *err) {
    const bf_dataset *data = m->problem->data;
    bool ends = isfinite(bf_estimate_get(m->estimate, "episode_length"));
    *count = ends ? 2 : 1;
    BF_ALLOC(*out, m->arena, *count * data->n, err);
    memcpy(*out, data->reward, (size_t)data->n * sizeof **out);
    for (int64_t i = 0; i < data->n && ends; i++)
        (*out)[data->n + i] = data->terminated[i];
    return BF_OK;
}

/* Whether the answer is a mean of rewards under weights that make the flow balance, or a plain one.
 */
static bool has_weights(const measuring *m) {
    const char *name = m->estimator->name;
    return strcmp(name, "naive") == 0 ||
           (m->estimate->weights && (strcmp(name, "blackbox") == 0 || strcmp(name, "dr") == 0));
}

static bf_status find_influence(measuring *m, bf_error *err) {
    const bf_estimate *e = m->estimate;
    const double *w = e->signed_weights ? e->signed_weights : e->weights;
    double *rewards;
    int count;
    bool naive = strcmp(m->estimator->name, "naive") == 0;
    if (!has_weights(m))
        return BF_OK;
    BF_TRY(quantities(&rewards, &count, m, err));
    m->has_influence = true;
    if (naive)
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
    return strcmp(m->estimator->name, "fqe") == 0 || (model && strstr(model, "neural"));
}

/* Parts may cost twice the estimate. Two splits in halves, which is that or less; one if the log is
 * so large that influence is to be paid as well, or if every run costs as much as the first. If
 * nothing else tells the noise: one in halves and one in fifths, which says more of it. */
static bf_status find_parts(measuring *m, bf_error *err) {
    static const int halves[] = {2, 2}, mixed[] = {2, 5};
    if (m->how->interval != BF_INTERVAL_FULL || strcmp(m->estimator->name, "naive") == 0)
        return BF_OK;
    bool once = fixed_cost(m) || (m->has_influence && m->problem->data->n > LARGE);
    return bf__parts_run(&m->parts, m->has_influence ? halves : mixed, once ? 1 : 2, m->estimator,
                         m->problem, m->settings, &m->clusters, m->context, m->arena, err);
}

/* The parts, for the reader of the answer. */
static bf_status hand_out(bf_trust *out, const measuring *m, bf_error *err) {
    double *values;
    int *split;
    int count = 0;
    for (int s = 0; s < m->parts.splits; s++)
        count += m->parts.split[s].parts;
    BF_ALLOC(values, m->arena, count, err);
    BF_ALLOC(split, m->arena, count, err);
    out->part_count = count;
    count = 0;
    for (int s = 0; s < m->parts.splits; s++)
        for (int k = 0; k < m->parts.split[s].parts; k++) {
            split[count] = s;
            values[count++] = m->parts.split[s].value[BF__VALUE][k];
        }
    out->parts = values;
    out->part_split = split;
    out->parts_failed = m->parts.failed;
    out->contribution = m->has_influence ? m->influence.c : NULL;
    return BF_OK;
}

/* Of the root of the ratio, by the delta method: c of r / F is (c_r - (r / F) c_F) / F. */
static double ratio_se(const measuring *m, bf__measure measure, double value) {
    double ended = 0, squares = 0, j = (double)m->clusters.count;
    const double *w = m->estimate->weights; /* as the value of this measure was made */
    const bf_dataset *data = m->problem->data;
    if (!m->has_influence || m->influence.rewards < 2 || !w)
        return NAN;
    for (int64_t i = 0; i < data->n; i++)
        ended += data->terminated[i] ? w[i] : 0;
    for (int64_t g = 0; g < m->clusters.count; g++) {
        double top = measure == BF__RETURN ? m->influence.c[g] : 0;
        double c = (top - value * m->influence.c[m->clusters.count + g]) / ended;
        squares += c * c;
    }
    return sqrt(squares * j / (j - 1));
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
        *low = fmin(*low, data->reward[i]);
        *high = fmax(*high, data->reward[i]);
    }
}

static bf_interval join(const measuring *m, bf__measure measure, double value, double se,
                        double shift, double effective) {
    bf__scatter s = bf__parts_scatter(&m->parts, measure, value);
    double variance = 0, low, high;
    int count = isfinite(se) + (s.df > 0);
    if (!isfinite(value) || count == 0)
        return (bf_interval){.level = 0};
    if (isfinite(se))
        variance += se * se / count;
    if (s.df > 0)
        variance += (s.noise * s.noise + s.square) / count;
    if (isfinite(se) && strcmp(m->influence.model, "tabular") == 0)
        variance = fmax(variance, se * se); /* q is exact: few parts must not talk it down */
    double part = (s.df > 0 ? shift_full : shift_fast) * shift;
    variance += part * part;
    possible(&low, &high, m, measure);
    /* Parts alone are few numbers, and how far they vary is not known better than that. */
    double df = fmax(2, isfinite(se) ? effective - 1 : fmin(effective - 1, s.df)),
           rounding = isfinite(high - low) ? 1e-12 * (high - low) : 0;
    double spread = fmax(sqrt(variance), rounding);
    double half = bf__student_quantile(0.5 + 0.5 * m->how->level, df) * spread;
    return (bf_interval){m->how->level,
                         fmin(fmax(value - half, low), value),
                         fmax(fmin(value + half, high), value),
                         spread,
                         df,
                         half};
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
    out->effective =
        bf__clusters_share(share, &m->clusters, m->estimate->weights, m->problem->data->n);
    BF_TRY(find_influence(m, err));
    BF_TRY(find_parts(m, err));
    BF_TRY(hand_out(out, m, err));
    double measure[BF__MEASURES], base = bf_estimate_get(m->estimate, "base_value");
    double shift = isfinite(base) ? m->estimate->value - base : 0;
    bf__measures(measure, m->estimate);
    bf__scatter scatter = bf__parts_scatter(&m->parts, BF__VALUE, m->estimate->value);
    out->influence = m->has_influence ? m->influence.se[0] : NAN;
    out->noise = scatter.noise;
    out->bias = scatter.bias;
    out->noise_df = scatter.df;
    out->kind = m->how->interval == BF_INTERVAL_FULL ? "full" : "fast";
    out->value = join(m, BF__VALUE, m->estimate->value, out->influence, shift, out->effective);
    out->episode_return = join(m, BF__RETURN, measure[BF__RETURN],
                               ratio_se(m, BF__RETURN, measure[BF__RETURN]), 0, out->effective);
    out->episode_length = join(m, BF__LENGTH, measure[BF__LENGTH],
                               ratio_se(m, BF__LENGTH, measure[BF__LENGTH]), 0, out->effective);
    return BF_OK;
}

/* The verdict, from all that is known by now. */
static bf_status judge(bf_trust *out, const measuring *m, bf_error *err) {
    bf__evidence evidence;
    BF_TRY(bf__evidence_gather(&evidence, m->estimate, m->problem, out, &m->clusters,
                               setting(m, "periodic"), setting(m, "scale"), m->context, m->arena,
                               err));
    out->effective = evidence.effective;
    out->alone = evidence.gap;
    out->age_rise = evidence.age_rise;
    out->still = evidence.still;
    out->largest = evidence.largest;
    return bf__verdict(out, &evidence, m->arena, err);
}

bf_status bf__trust_measure(bf_trust *out, const bf_estimate *estimate,
                            const bf_estimator *estimator, const bf_problem *problem,
                            const bf_settings *settings, const bf_trust_options *how,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options defaults;
    double begun = bf__seconds();
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
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
