/* estimator.c - The list of estimators, what they need, and filling their answers. */
#include "estimator/answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/numeric.h"
#include "dataset/row_weights.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "problem/steps.h"

#define BF_ESTIMATOR(name) extern const bf_estimator bf__estimator_##name;
#include "estimator/estimators.def"
#undef BF_ESTIMATOR

static const bf_estimator *const estimators[] = {
#define BF_ESTIMATOR(name) &bf__estimator_##name,
#include "estimator/estimators.def"
#undef BF_ESTIMATOR
};

const bf_estimator *bf_estimator_at(int index) {
    int count = (int)(sizeof estimators / sizeof *estimators);
    return index >= 0 && index < count ? estimators[index] : NULL;
}

const bf_estimator *bf_estimator_find(const char *name) {
    for (int i = 0; bf_estimator_at(i); i++)
        if (strcmp(estimators[i]->name, name) == 0)
            return estimators[i];
    return NULL;
}

bf_status bf__need_starts(const char *name, const bf__steps *steps, bool episodes, bool policy,
                          bf_error *err) {
    const char *why = steps->restarts ? "the log has terminated steps, which restart" : "gamma < 1",
               * or = steps->restarts ? ", or choose `terminal` absorb or ignore" : "";
    if (steps->starts && !episodes)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the start states of episodes (%s): add a column episode to the "
                       "log%s",
                       name, why, or);
    if (steps->starts && !policy)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the target policy at the start states (%s): columns pi0, pi1, ... "
                       "in the log, or `policy` FILE%s",
                       name, why, or);
    return BF_OK;
}

/* Says what is missing, before any work. */
bf_status bf__estimator_ready(const bf_estimator *estimator, const bf_problem *problem,
                              bf_error *err) {
    const bf_dataset *data = problem->data;
    const char *name = estimator->name;
    if ((estimator->needs & (BF_NEEDS_TARGET | BF_NEEDS_PI)) && !data->npi && !data->na &&
        data->mirrored)
        return bf_fail(
            err, BF_ENEEDS,
            "%s needs the target policy in mirrored states, too, of which columns of the "
            "log say nothing: give the policy itself, `policy` FILE",
            name);
    if ((estimator->needs & BF_NEEDS_TARGET) && !data->npi && !data->na)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the target policy at the next states: columns npi0, npi1, ... in "
                       "the log, or `policy` FILE",
                       name);
    if ((estimator->needs & BF_NEEDS_PI) && !data->action)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs discrete actions, which have probabilities; those of the log are "
                       "vectors",
                       name);
    if ((estimator->needs & BF_NEEDS_PI) && !data->pi)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the target policy at the logged states: columns pi0, pi1, ... in "
                       "the log, or `policy` FILE",
                       name);
    if ((estimator->needs & BF_NEEDS_BEHAVIOR) && !data->mu && !data->mu_all)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the behaviour policy: a column mu, or mu0, mu1, ..., in the log",
                       name);
    if ((estimator->needs & BF_NEEDS_EPISODES) && !data->begin)
        return bf_fail(err, BF_ENEEDS, "%s needs episodes: a column episode in the log", name);
    bf__steps steps = bf__steps_of(problem);
    if (estimator->needs & BF_NEEDS_TARGET)
        BF_TRY(bf__need_starts(name, &steps, data->begin, data->pi || data->na, err));
    return BF_OK;
}

/* Says what the log has and the method would not look at. */
static bf_status check_takes(const bf_estimator *estimator, const bf_model *model,
                             const bf_dataset *data, bf_error *err) {
    unsigned takes = estimator->takes | (model ? model->takes : 0);
    if (data->weight && !(takes & BF_TAKES_WEIGHT))
        return bf_fail(err, BF_ENEEDS,
                       "%s%s%s lets every row count the same, and the log has a column weight: "
                       "choose another method, as blackbox, or take the column out",
                       estimator->name, model ? ", model " : "", model ? model->name : "");
    return BF_OK;
}

/* ---- Steps that take time
 *
 * If steps have durations, the process is a semi-Markov one, and the value is its reward per unit
 * of time: rho = E r / E tau, both per step of the chain of states. The equation of its values, q =
 * r - rho tau + E q', is that of a chain with the reward r - rho tau, whose mean is 0. So methods
 * see the chain alone. The mean duration comes from the weights that gave the mean reward; a method
 * without weights is asked a second time, with durations for rewards. */

static bf_status asked_again(double *time, bf_estimate *out, const bf_estimator *estimator,
                             const bf_model *model, const bf_problem *chain, const double *duration,
                             const bf_settings *settings, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    bf_problem question = *chain;
    bf_dataset data = *chain->data;
    bf_estimate *other;
    data.reward = duration;
    question.data = &data;
    BF_ALLOC(other, arena, 1, err);
    *other = (bf_estimate){.value = NAN};
    BF_TRY(estimator->run(other, &question, model, settings, context, arena, err));
    *time = other->value;
    bf__diagnose_again(out, BF__D_REPLAY_VALUE,
                       bf__diagnosed(out, BF__D_REPLAY_VALUE) /
                           bf__diagnosed(other, BF__D_REPLAY_VALUE) * *time);
    return BF_OK;
}

/* Runs the method on the chain of states, and makes the answer one per unit of time. */
static bf_status run_in_time(bf_estimate *out, const bf_estimator *estimator, const bf_model *model,
                             const bf_problem *problem, const bf_settings *settings,
                             const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_problem chain = *problem;
    bf_dataset data = *problem->data;
    const double *duration = data.duration, *w;
    double time = 0, value = 0;
    if (problem->gamma < 1)
        return bf_fail(err, BF_EUSAGE,
                       "gamma: %g discounts by the step, and the steps of this log take different "
                       "times (a column duration): only `gamma` 1, the reward per unit of time, "
                       "has a meaning here",
                       problem->gamma);
    data.duration = NULL;
    data.elapsed = duration;
    chain.data = &data;
    BF_TRY(estimator->run(out, &chain, model, settings, context, arena, err));
    w = out->signed_weights ? out->signed_weights : out->weights;
    for (int64_t i = 0; i < data.n && w; i++) {
        time += w[i] * duration[i];
        value += w[i] * data.reward[i];
    }
    if (!w || !(fabs(value - out->value) <= 1e-6 * fmax(fabs(value), fabs(out->value))))
        BF_TRY(asked_again(&time, out, estimator, model, &chain, duration, settings, context, arena,
                           err));
    if (time == 0 && out->value == 0) /* all has ended, at reward 0 */
        return BF_OK;
    if (!(time > 0))
        return bf_fail(err, BF_ENUMERIC,
                       "%s gave a step of the target policy the duration %g, which is no time",
                       estimator->name, time);
    out->value /= time;
    bf__diagnostics_scale(out, 1 / time);
    bf__diagnose(out, BF__D_STEP_DURATION, time);
    double length = bf__diagnosed(out, BF__D_EPISODE_LENGTH);
    if (isfinite(length))
        bf__diagnose(out, BF__D_EPISODE_DURATION, length * time);
    return BF_OK;
}

bf_status bf__estimator_run(const bf_estimator *estimator, bf_estimate *out,
                            const bf_problem *problem, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    *out = (bf_estimate){.value = NAN};
    if (!(problem->gamma >= 0 && problem->gamma <= 1))
        return bf_fail(err, BF_EUSAGE, "gamma: %g is outside 0 to 1", problem->gamma);
    if (problem->data->n < 1)
        return bf_fail(err, BF_EDATA, "the log has no transitions");
    BF_TRY(bf__estimator_ready(estimator, problem, err));
    if (!settings) {
        bf_settings *defaults;
        BF_TRY(bf_estimator_settings(&defaults, estimator, NULL, arena, err));
        settings = defaults;
    }
    const bf_model *model;
    BF_TRY(bf_estimator_choose(&model, estimator, problem, settings, arena, err));
    BF_TRY(bf_estimator_check(estimator, model, settings, err));
    BF_TRY(check_takes(estimator, model, problem->data, err));
    if (problem->data->duration && !estimator->chooses)
        BF_TRY(run_in_time(out, estimator, model, problem, settings, context, arena, err));
    else
        BF_TRY(estimator->run(out, problem, model, settings, context, arena, err));
    if (estimator->leans > 0 && bf__neighbours_say_little(out, problem))
        out->lean = estimator->leans * (out->value - bf__facts_of(out, problem).mean);
    return bf__judge(out, estimator->name, problem, arena, err);
}

/* A method that uses a fitted behaviour says so. */
static bf_status mention_behavior(bf_estimate *estimate, const bf_behavior *b, bf_arena *arena,
                                  bf_error *err) {
    bf__diagnose(estimate, BF__D_BEHAVIOR_LEAST, b->least);
    if (strcmp(b->model, "counts") == 0)
        return bf__warn(estimate, arena, err, BF__W_BEHAVIOR_FITTED, false,
                        "the behaviour policy was estimated from the log: shares of actions per "
                        "state");
    bf__diagnose(estimate, BF__D_BEHAVIOR_CALIBRATION, b->calibration);
    return bf__warn(estimate, arena, err, BF__W_BEHAVIOR_FITTED, b->calibration > 0.05,
                    "the behaviour policy was estimated from the log by logistic regression, whose "
                    "probabilities are off by %.3g on average",
                    b->calibration);
}

bf_status bf_estimator_run(const bf_estimate **out, const bf_estimator *estimator,
                           const bf_problem *problem, const bf_settings *settings,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_estimate *estimate;
    BF_ALLOC(estimate, arena, 1, err);
    BF_TRY(bf__estimator_run(estimator, estimate, problem, settings, context, arena, err));
    if (problem->data->behavior && (estimator->needs & BF_NEEDS_BEHAVIOR))
        BF_TRY(mention_behavior(estimate, problem->data->behavior, arena, err));
    *out = estimate;
    return BF_OK;
}

bf_status bf__warn(bf_estimate *out, bf_arena *arena, bf_error *err, bf__reason_id id,
                   bool distrust, const char *format, ...) {
    if (out->warning_count == BF_MAX_WARNINGS)
        return BF_OK;
    char *text = bf_arena_alloc(arena, 1024, 1, err);
    if (!text)
        return BF_ENOMEM;
    va_list arguments;
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    vsnprintf(text, 1024, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    out->warnings[out->warning_count++] =
        (bf_warning){bf__reason_code((int)id), text, bf__reason_advice((int)id), distrust};
    return BF_OK;
}

double bf__weighted_reward(const double *weights, const bf_dataset *data) {
    double value = 0, sum = 0, mean = bf__reward_mean(data);
    for (int64_t i = 0; i < data->n; i++) {
        value += weights[i] * data->reward[i];
        sum += weights[i];
    }
    if (!(fabs(sum - 1) < 1e-9 && fabs(mean) > 1e4 * bf__reward_deviation(data, mean)))
        return value;
    value = 0;
    for (int64_t i = 0; i < data->n; i++)
        value += weights[i] * (data->reward[i] - data->reward[0]);
    return data->reward[0] + value;
}

/* What follows from how the weight lies on the rows: `ended` is the part on rows that end. */
static void diagnose_weights(bf_estimate *out, const bf__steps *steps, double sum, double squares,
                             double largest, double ended) {
    bf__diagnose(out, BF__D_ESS, squares > 0 ? sum * sum / squares : 0);
    bf__diagnose(out, BF__D_MAX_WEIGHT, largest);
    if (steps->restarts && steps->gamma == 1 && ended > 0) {
        bf__diagnose(out, BF__D_EPISODE_RETURN, out->value / ended);
        bf__diagnose(out, BF__D_EPISODE_LENGTH, sum / ended);
    }
}

void bf__result_from_weights(bf_estimate *out, const bf_problem *problem, const double *weights) {
    const bf_dataset *data = problem->data;
    bf__steps steps = bf__steps_of(problem);
    double sum = 0, squares = 0, largest = 0, ended = 0;
    for (int64_t i = 0; i < data->n; i++) {
        sum += weights[i];
        squares += weights[i] * weights[i];
        if (weights[i] > largest)
            largest = weights[i];
        if (bf__step_ended(&steps, i))
            ended += weights[i];
    }
    out->value = bf__weighted_reward(weights, data);
    out->weights = out->signed_weights = weights;
    diagnose_weights(out, &steps, sum, squares, largest, ended);
}

/* As bf__weighted_reward, by cells. */
static double cell_reward(const bf__cells *m, const double *x, double sum) {
    double value = 0, mean = 0, square = 0, rows = (double)m->rows;
    for (int64_t c = 0; c < m->cells; c++) {
        value += x[c] * m->reward[c];
        mean += m->count[c] * m->reward[c] / rows;
    }
    for (int64_t c = 0; c < m->cells; c++)
        square += m->count[c] * (m->reward[c] - mean) * (m->reward[c] - mean) / rows;
    if (!(fabs(sum - 1) < 1e-9 && fabs(mean) > 1e4 * sqrt(square)))
        return value;
    value = 0;
    for (int64_t c = 0; c < m->cells; c++)
        value += m->count[c] > 0 ? x[c] * (m->reward[c] - m->reward[0]) : 0;
    return m->reward[0] + value;
}

void bf__result_from_cells(bf_estimate *out, const bf__cells *m, const double *x) {
    double sum = 0, squares = 0, largest = 0, ended = 0;
    for (int64_t c = 0; c < m->cells; c++) {
        double rows = m->count[c];
        if (m->count[c] == 0) /* absorbed: no row has it */
            continue;
        sum += x[c];
        squares += m->row_weight ? 0 : x[c] * x[c] / rows;
        largest = m->row_weight ? 0 : fmax(largest, x[c] / rows);
        ended += x[c] * m->ended[c] / rows;
    }
    for (int64_t i = 0; i < m->rows && m->row_weight; i++) { /* rows share by their weights */
        double w = x[m->row_cell[i]] / m->count[m->row_cell[i]] * m->row_weight[i];
        squares += w * w;
        largest = fmax(largest, w);
    }
    out->value = cell_reward(m, x, sum);
    diagnose_weights(out, &m->steps, sum, squares, largest, ended);
}
