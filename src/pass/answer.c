/* answer.c - From counts to an answer, and from effects to how far it can be trusted.
 *
 * The interval is the one that `interval` fast gives in memory (trust/measure.c): value +- t s, s
 * the standard error by the influence of episodes. Parts of the log are not estimated again. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "finite/tabular.h"
#include "model/count_report.h"
#include "pass/counts.h"
#include "pass/effects.h"
#include "trust/evidence.h"
#include "trust/student.h"
#include "trust/verdict.h"

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

/* The default asks blackbox first, with the same settings. */
static bool is_blackbox(const bf_estimator *estimator) {
    return is(estimator->name, "blackbox") || is(estimator->name, "auto");
}

bf_status bf_pass_countable(bool *out, const bf_estimator *estimator, const bf_problem *sampled,
                            const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const bf_model *model;
    BF_TRY(bf_estimator_choose(&model, estimator, sampled, settings, arena, err));
    *out = sampled->data->action && model &&
           ((is_blackbox(estimator) && is(model->name, "tabular")) ||
            (is(estimator->name, "model") && is(model->name, "count")));
    return BF_OK;
}

/* ---- The answer */

/* The weights (n) of the rows of the sample. */
static bf_status weigh_sample(double **out, const bf__tally *t, const bf__cells *m, const double *x,
                              const bf_dataset *data, bf_arena *arena, bf_error *err) {
    double *w;
    BF_ALLOC(w, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        for (int j = 0; j < t->d; j++)
            t->x[j] = data->state[j * data->n + i] + 0.0;
        int64_t s = bf__tally_find(t, t->x);
        int64_t c = s < 0 ? -1 : t->states.pair[s * t->actions + data->action[i]];
        if (c < 0)
            return bf_fail(err, BF_EDATA,
                           "a row of the sample is not among those that were counted: the files "
                           "have changed");
        w[i] = x[c] / m->count[c];
    }
    *out = w;
    return BF_OK;
}

static bf_status judge(bf_estimate *out, const char *method, const bf__counts *counts,
                       const bf__cells *m, const bf_problem *sampled, bf_arena *arena,
                       bf_error *err) {
    bf__facts f = bf__facts_of(out, sampled);
    if (!isfinite(out->value))
        return bf_fail(err, BF_ENUMERIC, "%s gave %g, which is no answer", method, out->value);
    f.n = (double)m->rows;
    f.episodes = m->has_start ? (double)counts->tally.episodes : 0;
    f.low = counts->low;
    f.high = counts->high;
    f.rests = m->steps.absorbs;
    f.mean = 0;
    for (int64_t c = 0; c < m->cells; c++)
        f.mean += m->count[c] / f.n * m->reward[c];
    return bf__judge_facts(out, &f, arena, err);
}

bf_status bf_pass_counts_answer(const bf_estimate **out, bf_pass **effects, bf_pass *pass,
                                const bf_estimator *estimator, const bf_problem *sampled,
                                const bf_settings *settings, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    bf__counts *counts;
    bf__cells *m;
    bf_estimate *estimate;
    bf__gauge gauge;
    double *x, *w = NULL;
    BF_TRY(bf__counts_of(&counts, pass, err));
    if (counts->tally.rows == 0)
        return bf_fail(err, BF_EDATA, "no rows were counted");
    BF_ALLOC(m, arena, 1, err);
    BF_ALLOC(estimate, arena, 1, err);
    *estimate = (bf_estimate){.value = NAN};
    BF_TRY(bf__cells_of(m, &counts->tally, sampled->gamma, (bf_terminal)sampled->terminal, arena,
                        err));
    BF_TRY(bf__need_starts(estimator->name, &m->steps, m->has_start, sampled->data->pi, err));
    if (is(estimator->name, "model")) {
        BF_TRY(bf__count_estimate(estimate, &x, m, context, arena, err));
    } else {
        estimate->model = "tabular";
        BF_TRY(bf__tabular_estimate(estimate, &x, m, settings, context, arena, err));
    }
    BF_TRY(judge(estimate, estimator->name, counts, m, sampled, arena, err));
    BF_TRY(weigh_sample(&w, &counts->tally, m, x, sampled->data, arena, err));
    estimate->weights = estimate->signed_weights = w;
    BF_TRY(bf__gauge_make(&gauge, &counts->tally, m, x, context, arena, err));
    BF_TRY(bf__effects_make(effects, &gauge, arena, err));
    if (is(estimator->name, "auto")) {
        estimate->maker = bf_estimator_find("blackbox");
        estimate->maker_settings = settings;
        estimate->parts[estimate->part_count++] =
            (bf__part){estimate->maker->name, estimate->model, estimate->value, 1,
                       "all of the log was counted"};
    }
    *out = estimate;
    return BF_OK;
}

/* ---- How far it can be trusted */

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

/* Of an effect a - v b, over the number of episodes. */
static double error_of(const bf__effects *e, double a, double v) {
    double j = (double)e->episodes;
    double squares = a * bf__effects_cross(e, BF__EFFECT_REWARD, BF__EFFECT_REWARD) -
                     2 * a * v * bf__effects_cross(e, BF__EFFECT_ENDS, BF__EFFECT_REWARD) +
                     v * v * bf__effects_cross(e, BF__EFFECT_ENDS, BF__EFFECT_ENDS);
    return sqrt(fmax(squares, 0) * j / (j - 1));
}

static const char *no_interval(const bf__effects *e, const bf_estimate *estimate,
                               const bf_trust_options *how) {
    if (how->interval == BF_INTERVAL_NONE)
        return "No interval was asked for.";
    if (how->cluster || how->block > 0)
        return "Of a log that is read in pieces, episodes are what is independent.";
    if (e->bag)
        return "The log is a bag of transitions: nothing says which of them are independent.";
    if (e->episodes < 2)
        return "The log is one episode: nothing in it is independent of the rest.";
    if (!is(estimate->model, "tabular"))
        return "A fast interval goes by the weights of the answer, and this method has none.";
    return NULL;
}

static void find_intervals(bf_trust *t, const bf__effects *e, const bf_estimate *estimate,
                           const bf_overview *seen, bool rests, double level) {
    double df = fmax(2, t->effective - 1), low = seen->reward_low, high = seen->reward_high;
    double length = bf_estimate_get(estimate, "episode_length");
    double returned = bf_estimate_get(estimate, "episode_return");
    t->kind = "fast";
    t->influence = error_of(e, 1, 0);
    t->value = interval(estimate->value, t->influence, df, level, rests ? fmin(low, 0) : low,
                        rests ? fmax(high, 0) : high);
    if (!isfinite(length))
        return;
    t->episode_return =
        interval(returned, length * error_of(e, 1, returned), df, level, -INFINITY, INFINITY);
    t->episode_length = interval(length, length * error_of(e, 0, length), df, level, 1, INFINITY);
}

bf_status bf_pass_trust(const bf_trust **out, const bf_pass *effects, const bf_estimate *estimate,
                        const bf_problem *sampled, const bf_overview *overview,
                        const bf_trust_options *how, const bf_context *context, bf_arena *arena,
                        bf_error *err) {
    const bf__effects *e;
    bf_trust *t;
    bf_trust_options defaults, plain;
    bf__clusters clusters;
    bf__facts facts;
    double begun = bf__seconds();
    BF_TRY(bf__effects_of(&e, effects, err));
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
    how = how ? how : &defaults;
    plain = *how;
    plain.cluster = NULL;
    plain.block = 0;
    BF_ALLOC(t, arena, 1, err);
    *t = bf__trust_unmeasured(estimate);
    t->seed = context ? context->seed : 1;
    t->unit = "episode";
    t->clusters = e->bag ? 0 : e->episodes;
    double share = bf__effects_sum(e, BF__EFFECT_SHARE);
    t->effective = share * share / bf__effects_cross(e, BF__EFFECT_SHARE, BF__EFFECT_SHARE);
    t->none = no_interval(e, estimate, how);
    if (!t->none)
        find_intervals(t, e, estimate, overview, e->gauge.steps.absorbs, how->level);
    BF_TRY(bf__clusters_for(&clusters, sampled->data, &plain, arena, err));
    BF_TRY(bf__evidence_gather(&facts, estimate, sampled, t, &clusters, NULL, NULL, context, arena,
                               err));
    facts.n = (double)e->rows;
    facts.low = overview->reward_low;
    facts.high = overview->reward_high;
    facts.ends = e->gauge.steps.restarts;
    facts.rests = e->gauge.steps.absorbs;
    if (!e->bag && e->episodes >= 2) {
        facts.episodes = facts.clusters = (double)e->episodes;
        facts.effective = t->effective;
        facts.largest = e->largest / share;
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
