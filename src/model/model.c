/* model.c - The model-based baseline: learn what actions do, and ask the model.
 *
 * Estimates   finite states: the value of the log's frequencies, exactly (count_model.c)
 *             real-valued states: the mean reward of a rollout of the target policy in a model
 *             fitted by kernel regression (model_rollout.c)
 * Source      paper, section 5, "model-based" baseline */
#include "model/model.h"

#include "core/fail.h"
#include "estimator/result.h"
#include "kernel/bandwidth.h"
#include "model/count_report.h"
#include "problem/points.h"

static const bf_option rows[] = {
    BF_OPTION_CHECKED(
        bf__model_options, bandwidth, "median", bf__bandwidth_check,
        "W: Width of the Gaussian kernel on standardised states: median, a percentile of the "
        "distances (p25, p75), a number, or any of them times a factor (median*0.1)."),
    BF_OPTION_CHOICE(bf__model_options, predict, "state", "state|change",
                     "What the regression predicts: the next state, or how the state changes."),
    BF_OPTION_RANGE(bf__model_options, rollout, "50000", 100, 1e9,
                    "T: Steps of the rollout of the target policy in the model."),
    BF__POINTS_ROWS(bf__model_options, ),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of model, regression", bf__model_options, rows);

enum { COUNT, REGRESSION };

static const bf_model models[] = {
    {"count", "frequencies, for finite states", NULL, BF_TAKES_WEIGHT},
    {"regression", "kernel regression, for real-valued states", &table, 0},
};

static const bf_model *model_at(int index) {
    return index >= COUNT && index <= REGRESSION ? &models[index] : NULL;
}

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    (void)settings;
    (void)arena;
    (void)err;
    *out = NULL;
    if (problem)
        *out = &models[bf__dataset_counts(problem->data) ? COUNT : REGRESSION];
    return BF_OK;
}

bf_status bf__model_count(bf_estimate *out, const bf_problem *problem, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    bf__cells m;
    double *mass, *weights;
    BF_TRY(bf__cells_build(&m, problem, arena, err));
    BF_TRY(bf__count_estimate(out, &mass, &m, context, arena, err));
    BF_TRY(bf__cells_weights(&weights, &m, mass, arena, err));
    out->weights = out->signed_weights = weights;
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    if (model == &models[COUNT])
        return bf__model_count(out, problem, context, arena, err);
    out->model = model->name;
    return bf__model_rollout(out, problem, bf_settings_of(settings, &table), context, arena, err);
}

const bf_estimator bf__estimator_model = {
    .name = "model",
    .summary = "a model of the log (counts, or kernel regression) in which the target is run",
    .needs = BF_NEEDS_TARGET,
    .model = model_at,
    .choose = choose,
    .run = run,
    .leans = 1,
};
