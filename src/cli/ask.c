/* ask.c - One method is asked about one log and one policy, as `estimate` and `batch` do it. */
#include "cli/ask.h"

#include <string.h>

#include "cli/forecast.h"

static bf_status estimate_in_memory(const bf_estimate **estimate, const bf_trust **trust,
                                    double *estimated, bf__tool *tool, const bf__job *j, int k,
                                    bf_error *err) {
    const bf__methods *methods = &j->with->methods;
    if (j->forecast)
        BF_TRY(bf__forecast(tool, methods->list[k], &j->q.problem, methods->settings[k],
                            &j->with->trust, 1, err));
    BF_TRY(bf_estimator_run(estimate, methods->list[k], &j->q.problem, methods->settings[k],
                            &tool->context, tool->arena, err));
    *estimated = bf__tool_seconds();
    return bf_trust_measure(trust, *estimate, methods->list[k], &j->q.problem, methods->settings[k],
                            &j->with->trust, &tool->context, tool->arena, err);
}

bf_status bf__ask_method(bf_answer *out, bf__tool *tool, const bf__job *j, int k, bf_error *err) {
    const bf__opening *with = j->with;
    const bf__question *q = &j->q;
    const bf__methods *methods = &with->methods;
    const bf_estimate *estimate = NULL;
    const bf_trust *trust = NULL;
    bf_filled *settings;
    bool counted = false;
    BF_ALLOC(settings, tool->arena, BF__OWN_SLOTS + 2, err);
    double begun = bf__tool_seconds(), estimated = 0;
    const bf_estimator *estimator = methods->list[k];
    const bf_model *model;
    BF_TRY(bf_estimator_choose(&model, estimator, &q->problem, methods->settings[k], tool->arena,
                               err));
    if (j->large && j->whole)
        BF_TRY(bf__large_answer(&counted, &estimate, &trust, j->large, q, with, k, err));
    if (counted)
        estimated = bf__tool_seconds();
    else
        BF_TRY(estimate_in_memory(&estimate, &trust, &estimated, tool, j, k, err));
    int count = BF__OWN_SLOTS;
    memcpy(settings, with->filled, sizeof with->filled);
    const bf_option_table *read[] = {estimator->options, model ? model->options : NULL};
    for (int i = 0; i < 2; i++)
        if (read[i])
            settings[count++] = (bf_filled){read[i], bf_settings_of(methods->settings[k], read[i])};
    *out = (bf_answer){.problem = &q->problem,
                       .estimator = estimator,
                       .estimate = estimate,
                       .trust = trust,
                       .settings = settings,
                       .settings_count = count,
                       .seconds_read = q->seconds_read,
                       .seconds_estimate = estimated - begun,
                       .size = sizeof *out,
                       .whole = j->large ? &j->large->whole : NULL};
    return BF_OK;
}

/* ---- What else is asked */

bf_status bf__further_horizon(const bf_option *row, const char *text, bf_error *err) {
    (void)row;
    return bf_horizon_parse(NULL, BF_LIST_ROOM, text, err) < 0 ? BF_EUSAGE : BF_OK;
}

bf_status bf__further_risk(const bf_option *row, const char *text, bf_error *err) {
    (void)row;
    return bf_risk_parse(NULL, BF_LIST_ROOM, text, err) < 0 ? BF_EUSAGE : BF_OK;
}

bf_status bf__ask_further(bf_answer *answer, bf__tool *tool, const bf__further *o, const bf__job *j,
                          bf_error *err) {
    const bf_settings *settings = j->with->methods.settings[0];
    const bf_trust_options *trust = &j->with->trust;
    int64_t steps[BF_LIST_ROOM];
    double risk[BF_LIST_ROOM];
    bf_outcomes_options what = {risk, 0, o->by};
    if (o->horizon) {
        int count = bf_horizon_parse(steps, BF_LIST_ROOM, o->horizon, err);
        if (count < 0)
            return BF_EUSAGE;
        BF_TRY(bf_horizon_measure(&answer->horizon, answer->estimate, answer->problem, settings,
                                  steps, count, trust, &tool->context, tool->arena, err));
    }
    if (o->risk)
        what.risk_count = bf_risk_parse(risk, BF_LIST_ROOM, o->risk, err);
    if (what.risk_count < 0)
        return BF_EUSAGE;
    answer->by = o->by;
    return o->risk || o->by ? bf_outcomes_measure(&answer->outcomes, &what, answer->estimate,
                                                  answer->estimator, answer->problem, settings,
                                                  trust, &tool->context, tool->arena, err)
                            : BF_OK;
}
