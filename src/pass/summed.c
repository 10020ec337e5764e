/* summed.c - Real-valued states: from a sample to moments over all rows, and from them to an
 * answer.
 *
 * The method is the default for real-valued states, `blackbox` with weights `corrected`. The sample
 * gives the weights of its chain and the differential values q of its corrections. One reading
 * counts the rows of each landmark, and another sums the value up over all rows (moments.h): it is
 * the median of the members, as in memory, each of them doubly robust. So all rows count: the noise
 * of rewards and steps averages out over the log. What is left of the sample's error is a product
 * of the errors of its weights and of its q. */
#include "pass/summed.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "pass/landmarks.h"
#include "trust/trust.h"
#include "weights/noise.h"

static const double of_noise = 0.5;

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

/* Whether steps are noisy, by the sample. If they are not, one row at a place says as much as many,
 * and what the sample says in memory is at least as good. */
static bf_status is_noisy(bool *out, const bf_problem *sampled, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    bf__points points;
    double noise;
    BF_TRY(bf__points_make(&points, sampled, NULL, NULL, NULL, arena, err));
    BF_TRY(bf__step_noise(&noise, &points, arena, err));
    *out = bf__steps_are_noisy(noise);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf_pass_summable(bool *out, const bf_estimator *estimator, const bf_problem *sampled,
                           const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = sampled->data;
    const bf_model *model;
    bf__steps steps = bf__steps_of(sampled);
    /* In many dimensions the default asks others, too, if no options were given. */
    bool alone =
        is(estimator->name, "blackbox") ||
        (is(estimator->name, "auto") && (data->state_dim + data->action_dim <= BF__FEW_DIMENSIONS ||
                                         (settings && bf_settings_given_at(settings, 0))));
    BF_TRY(bf_estimator_choose(&model, estimator, sampled, settings, arena, err));
    *out = alone && model && is(model->name, "corrected") && !steps.over &&
           (data->action || data->sa || !steps.starts);
    return *out ? is_noisy(out, sampled, arena, err) : BF_OK;
}

/* The standard error of the sample alone; 0 if nothing in it is independent of the rest. */
static bf_status find_error(double *out, const bf_estimate *estimate, const bf_estimator *estimator,
                            const bf_problem *sampled, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options how;
    const bf_trust *trust;
    BF_TRY(bf_options_init(&bf_trust_table, &how, err));
    how.interval = BF_INTERVAL_FAST;
    BF_TRY(bf_trust_measure(&trust, estimate, estimator, sampled, settings, &how, context, arena,
                            err));
    *out = isfinite(trust->influence) ? trust->influence : 0;
    return BF_OK;
}

/* How far the answer of the sample still is from that of a very large one. Quarters of it answer,
 * too. If what is wrong falls off as 1 / sqrt(rows), the quarters err twice as much as the whole,
 * and the difference between them is what the whole errs by. 0 if no quarter gives an answer. */
static bf_status find_trend(double *out, double value, const bf_estimator *estimator,
                            const bf_problem *sampled, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    const int quarters = 4;
    bf_trust_options how;
    bf__clusters clusters;
    bf__parts parts;
    double sum = 0;
    int count = 0;
    BF_TRY(bf_options_init(&bf_trust_table, &how, err));
    BF_TRY(bf__clusters_for(&clusters, sampled->data, &how, arena, err));
    BF_TRY(bf__parts_run(&parts, &quarters, 1, estimator, sampled, settings, &clusters, context,
                         arena, err));
    if (parts.interrupted)
        return bf_fail(err, BF_ECANCELLED, "interrupted");
    for (int k = 0; k < parts.count; k++)
        if (isfinite(parts.value[BF__VALUE][k])) {
            sum += parts.value[BF__VALUE][k];
            count++;
        }
    *out = count > 0 ? fabs(value - sum / count) : 0;
    return BF_OK;
}

/* What the answer over all rows may err by because its weights and values are the sample's, as a
 * standard error: its trend, and half of its noise, because all rows take some of that away. */
static bf_status find_doubt(double *out, const bf_estimate *estimate, const bf_estimator *estimator,
                            const bf_problem *sampled, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double error, trend = 0;
    BF_TRY(find_error(&error, estimate, estimator, sampled, settings, context, arena, err));
    BF_TRY(find_trend(&trend, estimate->value, estimator, sampled, settings, context, arena, err));
    bf_arena_rewind(arena, mark);
    *out = hypot(of_noise * error, trend);
    return BF_OK;
}

bf_status bf_pass_landmarks(bf_pass **out, const bf_estimate **on_sample,
                            const bf_estimator *estimator, const bf_problem *sampled,
                            const bf_overview *overview, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_estimate *estimate;
    bf__fit fit;
    bf__lens lens;
    BF_TRY(bf__estimator_ready(estimator, sampled, err));
    if (!settings) {
        bf_settings *defaults;
        BF_TRY(bf_estimator_settings(&defaults, estimator, NULL, arena, err));
        settings = defaults;
    }
    BF_ALLOC(estimate, arena, 1, err);
    *estimate = (bf_estimate){.value = NAN};
    BF_TRY(bf__corrected_fit(estimate, &fit, sampled, settings, context, arena, err));
    if (!(fit.base.sum > 0) || !isfinite(estimate->value))
        return bf_fail(err, BF_ENUMERIC, "%s gave %g on the sample, which is no answer",
                       estimator->name, estimate->value);
    double ended = 0;
    for (int64_t i = 0; i < sampled->data->n && fit.quantities > 1; i++)
        ended += estimate->weights[i] * sampled->data->terminated[i];
    if (is(estimator->name, "auto")) {
        estimate->maker = bf_estimator_find("blackbox");
        estimate->maker_settings = settings;
    }
    BF_TRY(bf__lens_make(&lens, &fit, sampled, estimate->weights,
                         (double[]){estimate->value, ended}, overview, arena, err));
    BF_TRY(find_doubt(&lens.doubt, estimate, estimator, sampled, settings, context, arena, err));
    *on_sample = estimate;
    return bf__landmarks_make(out, &lens, arena, err);
}

bf_status bf_pass_moments(bf_pass **out, const bf_pass *landmarks, bf_arena *arena, bf_error *err) {
    const bf__landmarks *m;
    bf__lens lens;
    BF_TRY(bf__landmarks_of(&m, landmarks, err));
    lens = m->lens;
    BF_TRY(bf__lens_settle(&lens, m->rows, m->longest, arena, err));
    return bf__moments_make(out, &lens, arena, err);
}

/* ---- The answer */

/* The members in the order of their values of the reward, and what each gives. */
static void order_members(int *order, double *value, const bf__moments *m) {
    double slope[BF__MOST_MOMENTS];
    for (int s = 0; s < m->lens.members; s++) {
        int at = s;
        value[s] = bf__moments_value(slope, m, 0, s);
        for (; at > 0 && value[order[at - 1]] > value[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
}

bf_status bf__summed_make(bf__summed *out, const bf__moments *m, bf_error *err) {
    const bf__lens *l = &m->lens;
    int order[BF__MOST_MEMBERS] = {0}, members = l->members;
    double value[BF__MOST_MEMBERS], slope[BF__MOST_QUANTITIES][BF__MOST_MOMENTS], mean = 0;
    double mass = bf__moments_cross(m, BF__MOMENT_MASS, BF__MOMENT_ONE);
    *out = (bf__summed){.spread = 0};
    if (m->rows == 0)
        return bf_fail(err, BF_EDATA, "no rows were summed up");
    if (!(mass > 0))
        return bf_fail(err, BF_ENUMERIC, "the rows that were summed up have no weight");
    order_members(order, value, m);
    int middle[2] = {order[(members - 1) / 2], order[members / 2]};
    for (int k = 0; k < l->quantities; k++) {
        memset(slope[k], 0, sizeof slope[k]);
        for (int h = 0; h < 2; h++) {
            double one[BF__MOST_MOMENTS];
            out->value[k] += 0.5 * bf__moments_value(one, m, k, middle[h]);
            for (int a = 0; a < m->count; a++)
                slope[k][a] += 0.5 * one[a];
        }
        double earned = bf__moments_cross(m, bf__moment_reward(k), BF__MOMENT_ONE);
        out->base[k] = l->centre[k] + l->sum * earned / mass;
    }
    for (int s = 0; s < members; s++)
        mean += value[s] / members;
    for (int s = 0; s < members; s++)
        out->spread += (value[s] - mean) * (value[s] - mean) / members;
    out->spread = sqrt(out->spread);
    memcpy(out->slope[BF__VALUE], slope[0], sizeof slope[0]);
    if (l->quantities < 2)
        return BF_OK;
    double length = 1 / out->value[1];
    for (int a = 0; a < m->count; a++) {
        out->slope[BF__RETURN][a] = length * (slope[0][a] - out->value[0] * length * slope[1][a]);
        out->slope[BF__LENGTH][a] = -length * length * slope[1][a];
    }
    return BF_OK;
}

/* What the sample measured of its own weights and values is of all rows now. */
static void diagnose(bf_estimate *out, const bf__moments *m, const bf__summed *s) {
    double mass = bf__moments_cross(m, BF__MOMENT_MASS, BF__MOMENT_ONE);
    double squares = bf__total_value(m->square, bf__total_scale(m->square_exponent));
    bf__diagnose_again(out, BF__D_ESS, mass * mass / squares);
    bf__diagnose_again(out, BF__D_MAX_WEIGHT, m->largest_row / mass);
    bf__diagnose_again(out, BF__D_BASE_VALUE, s->base[0]);
    bf__diagnose_again(out, BF__D_SPREAD, s->spread);
    if (m->lens.quantities > 1 && s->value[1] > 0) {
        bf__diagnose_again(out, BF__D_EPISODE_RETURN, s->value[0] / s->value[1]);
        bf__diagnose_again(out, BF__D_EPISODE_LENGTH, 1 / s->value[1]);
    }
}

bf_status bf_pass_moments_answer(const bf_estimate **out, const bf_pass *pass,
                                 const bf_estimator *estimator, const bf_estimate *on_sample,
                                 const bf_problem *sampled, bf_arena *arena, bf_error *err) {
    const bf__moments *m;
    bf__summed s;
    bf_estimate *estimate;
    BF_TRY(bf__moments_of(&m, pass, err));
    BF_TRY(bf__summed_make(&s, m, err));
    BF_ALLOC(estimate, arena, 1, err);
    *estimate = *on_sample;
    estimate->value = s.value[0];
    diagnose(estimate, m, &s);
    if (!isfinite(estimate->value))
        return bf_fail(err, BF_ENUMERIC, "%s gave %g, which is no answer", estimator->name,
                       estimate->value);
    bool rests = m->lens.frame.steps.absorbs;
    BF_TRY(bf__cut_to_range(estimate, rests ? fmin(m->lens.low, 0) : m->lens.low,
                            rests ? fmax(m->lens.high, 0) : m->lens.high, arena, err));
    bf__facts f = bf__facts_of(estimate, sampled);
    f.n = (double)m->rows;
    f.episodes = m->bag ? 0 : (double)m->episodes;
    f.low = m->lens.low;
    f.high = m->lens.high;
    f.mean = bf_pass_naive(pass);
    BF_TRY(bf__judge_facts(estimate, &f, arena, err));
    if (is(estimator->name, "auto"))
        estimate->parts[estimate->part_count++] =
            (bf__part){estimate->maker->name, estimate->model, estimate->value, 1,
                       "all of the log was summed up"};
    *out = estimate;
    return BF_OK;
}
