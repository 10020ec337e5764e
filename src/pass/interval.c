/* interval.c - How far an answer from passes can be trusted.
 *
 * The interval is the one that `interval` fast gives in memory (trust/measure.c): value +- t s, s
 * the standard error by the influence of episodes; and, if a correction moved the value, a share of
 * what it moved. Parts of the log are not estimated again.
 *
 * Under moments, the weights and the values of rows come from the sample, and err with it. How the
 * members differ says one part of that; what the sample says of itself (summed.c) is the rest. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "pass/effects.h"
#include "pass/summed.h"
#include "trust/evidence.h"
#include "trust/student.h"
#include "trust/verdict.h"

/* What the last pass says of the error of an answer. */
typedef struct spread {
    int64_t rows, episodes;
    bool bag, restarts, absorbs;
    bool weighted;             /* the answer is a mean under weights, which an error goes by */
    double effective, largest; /* episodes that carry the weight; the share of one of them */
    double se[BF__MEASURES],
        influence; /* of value, return, length; the noise in that of the value */
} spread;

/* Of an effect a - v b, over the number of episodes. */
static double error_of(const bf__effects *e, double a, double v) {
    double j = (double)e->episodes;
    double squares = a * bf__effects_cross(e, BF__EFFECT_REWARD, BF__EFFECT_REWARD) -
                     2 * a * v * bf__effects_cross(e, BF__EFFECT_ENDS, BF__EFFECT_REWARD) +
                     v * v * bf__effects_cross(e, BF__EFFECT_ENDS, BF__EFFECT_ENDS);
    return sqrt(fmax(squares, 0) * j / (j - 1));
}

static void spread_of_effects(spread *out, const bf__effects *e, const bf_estimate *estimate,
                              const bf_dataset *sample) {
    double share = bf__effects_sum(e, BF__EFFECT_SHARE);
    double length = bf_estimate_get(estimate, "episode_length");
    double returned = bf_estimate_get(estimate, "episode_return");
    *out = (spread){.rows = e->rows,
                    .episodes = e->episodes,
                    .bag = e->bag,
                    .restarts = e->gauge.steps.restarts,
                    .absorbs = e->gauge.steps.absorbs,
                    .weighted = estimate->model && strcmp(estimate->model, "tabular") == 0,
                    .largest = e->largest / share};
    out->effective = share * share / bf__effects_cross(e, BF__EFFECT_SHARE, BF__EFFECT_SHARE);
    out->influence = error_of(e, 1, 0);
    out->se[BF__VALUE] = hypot(out->influence, bf__unseen(estimate, sample));
    out->se[BF__RETURN] = length * error_of(e, 1, returned);
    out->se[BF__LENGTH] = length * error_of(e, 0, length);
}

static bf_status spread_of_moments(spread *out, const bf__moments *m, bf_error *err) {
    bf__summed s;
    double mass = bf__moments_cross(m, BF__MOMENT_MASS, BF__MOMENT_ONE);
    BF_TRY(bf__summed_make(&s, m, err));
    *out = (spread){.rows = m->rows,
                    .episodes = m->episodes,
                    .bag = m->bag,
                    .restarts = m->lens.frame.steps.restarts,
                    .absorbs = m->lens.frame.steps.absorbs,
                    .weighted = true,
                    .largest = m->largest / mass};
    out->effective = mass * mass / bf__moments_cross(m, BF__MOMENT_MASS, BF__MOMENT_MASS);
    out->influence = bf__moments_error(m, s.slope[BF__VALUE]);
    double shift = bf__shift_alone * (s.value[0] - s.base[0]), given = m->lens.doubt;
    out->se[BF__VALUE] =
        sqrt(out->influence * out->influence + shift * shift + s.spread * s.spread + given * given);
    for (int k = BF__VALUE + 1; k < BF__MEASURES; k++) /* in proportion */
        out->se[k] = m->lens.quantities > 1
                         ? bf__moments_error(m, s.slope[k]) * out->se[BF__VALUE] / out->influence
                         : NAN;
    return BF_OK;
}

static bf_interval interval(double value, double se, double df, double level, double low,
                            double high) {
    if (!isfinite(value) || !isfinite(se))
        return (bf_interval){.level = 0};
    double rounding = isfinite(high - low) ? 1e-12 * (high - low) : 0, s = fmax(se, rounding);
    double half = bf__student_quantile(0.5 + 0.5 * level, df) * s;
    return (bf_interval){
        level, fmin(fmax(value - half, low), value), fmax(fmin(value + half, high), value), s, df,
        half};
}

static const char *no_interval(const spread *e, const bf_trust_options *how) {
    if (how->interval == BF_INTERVAL_NONE)
        return "No interval was asked for.";
    if (how->cluster || how->block > 0)
        return "Of a log that is read in pieces, episodes are what is independent.";
    if (e->bag)
        return "The log is a bag of transitions: nothing says which of them are independent.";
    if (e->episodes < 2)
        return "The log is one episode: nothing in it is independent of the rest.";
    if (!e->weighted)
        return "A fast interval goes by the weights of the answer, and this method has none.";
    return NULL;
}

static void find_intervals(bf_trust *t, const spread *e, const bf_estimate *estimate,
                           const bf_overview *seen, double level) {
    double df = fmax(2, t->effective - 1), low = seen->reward_low, high = seen->reward_high;
    double length = bf_estimate_get(estimate, "episode_length");
    double returned = bf_estimate_get(estimate, "episode_return");
    t->kind = "fast";
    t->influence = e->influence;
    t->value = interval(estimate->value, e->se[BF__VALUE], df, level,
                        e->absorbs ? fmin(low, 0) : low, e->absorbs ? fmax(high, 0) : high);
    if (!isfinite(length))
        return;
    t->episode_return = interval(returned, e->se[BF__RETURN], df, level, -INFINITY, INFINITY);
    t->episode_length = interval(length, e->se[BF__LENGTH], df, level, 1, INFINITY);
}

bf_status bf_pass_trust(const bf_trust **out, const bf_pass *pass, const bf_estimate *estimate,
                        const bf_problem *sampled, const bf_overview *overview,
                        const bf_trust_options *how, const bf_context *context, bf_arena *arena,
                        bf_error *err) {
    const bf__effects *effects;
    const bf__moments *moments;
    bf_trust *t;
    bf_trust_options defaults, plain;
    bf__clusters clusters;
    bf__facts facts;
    spread e;
    double begun = bf__seconds();
    if (bf__moments_of(&moments, pass, NULL) == BF_OK) {
        BF_TRY(spread_of_moments(&e, moments, err));
    } else {
        BF_TRY(bf__effects_of(&effects, pass, err));
        spread_of_effects(&e, effects, estimate, sampled->data);
    }
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
    how = how ? how : &defaults;
    plain = *how;
    plain.cluster = NULL;
    plain.block = 0;
    BF_ALLOC(t, arena, 1, err);
    *t = bf__trust_unmeasured(estimate);
    t->seed = context ? context->seed : 1;
    t->unit = "episode";
    t->clusters = e.bag ? 0 : e.episodes;
    t->effective = e.effective;
    t->none = no_interval(&e, how);
    if (!t->none)
        find_intervals(t, &e, estimate, overview, how->level);
    BF_TRY(bf__clusters_for(&clusters, sampled->data, &plain, arena, err));
    BF_TRY(bf__evidence_gather(&facts, estimate, sampled, t, &clusters, NULL, NULL, context, arena,
                               err));
    facts.n = (double)e.rows;
    facts.low = overview->reward_low;
    facts.high = overview->reward_high;
    facts.ends = e.restarts;
    facts.rests = e.absorbs;
    if (!e.bag && e.episodes >= 2) {
        facts.episodes = facts.clusters = (double)e.episodes;
        facts.effective = t->effective;
        facts.largest = e.largest;
    }
    t->alone = facts.gap;
    t->age_rise = facts.age_rise;
    t->still = facts.still;
    t->largest = facts.largest;
    BF_TRY(bf__verdict(t, &facts, arena, err));
    t->seconds = bf__seconds() - begun;
    *out = t;
    return BF_OK;
}

double bf_pass_naive(const bf_pass *pass) {
    const bf__effects *e = NULL;
    const bf__moments *m = NULL;
    if (bf__effects_of(&e, pass, NULL) == BF_OK && e->rows > 0)
        return bf__total_mean(e->reward, e->rows, bf__total_scale(e->gauge.reward_exponent));
    if (bf__moments_of(&m, pass, NULL) == BF_OK && m->rows > 0)
        return bf__total_mean(m->reward, m->rows, bf__total_scale(m->reward_exponent));
    return NAN;
}
