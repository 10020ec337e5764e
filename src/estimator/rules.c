/* rules.c - How answers are judged: facts about the log, and asking the rules.
 *
 * Cost  O(n) for the rewards */
#include "estimator/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/numeric.h"
#include "dataset/row_weights.h"
#include "problem/steps.h"

static const char *const codes[] = {
#define BF_REASON(id, code, advice) code,
#include "estimator/reasons.def"
#undef BF_REASON
};

static const char *const advices[] = {
#define BF_REASON(id, code, advice) advice,
#include "estimator/reasons.def"
#undef BF_REASON
};

const char *bf__reason_code(int id) {
    return id >= 0 && id < BF__REASONS ? codes[id] : NULL;
}

const char *bf__reason_advice(int id) {
    return id >= 0 && id < BF__REASONS ? advices[id] : NULL;
}

bf__facts bf__facts_of(const bf_estimate *estimate, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    bf__steps steps = bf__steps_of(problem);
    double n = (double)data->n;
    bf__facts f = {.estimate = estimate,
                   .data = data,
                   .n = n,
                   .episodes = (double)data->episodes,
                   .gamma = problem->gamma,
                   .low = INFINITY,
                   .high = -INFINITY,
                   .rests = steps.absorbs,
                   .ends = steps.restarts,
                   .weighted_deviation = NAN,
                   .ended = NAN,
                   .clusters = NAN,
                   .effective = NAN,
                   .largest = NAN,
                   .unit = "episode",
                   .gap = NAN,
                   .longest = NAN,
                   .horizon = NAN,
                   .age_rise = NAN,
                   .still = NAN,
                   .mirror_excess = NAN,
                   .half = NAN,
                   .bias = NAN,
                   .failed = NAN};
    for (int64_t i = 0; i < data->n; i++) {
        f.low = fmin(f.low, data->reward[i] / bf__row_duration(data, i));
        f.high = fmax(f.high, data->reward[i] / bf__row_duration(data, i));
    }
    f.mean = bf__reward_mean(data);
    f.deviation = bf__reward_deviation(data, f.mean);
    return f;
}

bool bf__say(bf__reason *out, bf__reason_id id, bool distrust, const char *format, ...) {
    va_list arguments;
    out->id = id;
    out->distrust = distrust;
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    vsnprintf(out->text, sizeof out->text, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    return true;
}

static bool said(const bf_warning *list, int count, bf__reason_id id) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].code, codes[id]) == 0)
            return true;
    return false;
}

bf_status bf__ask(bf_warning *list, int *used, int room, const bf__rule *rules, int count,
                  const bf__facts *facts, bf_arena *arena, bf_error *err) {
    for (int k = 0; k < count; k++) {
        bf__reason reason;
        char *text;
        if (*used == room || !rules[k](&reason, facts) || said(list, *used, reason.id))
            continue;
        BF_ALLOC(text, arena, (int64_t)strlen(reason.text) + 1, err);
        strcpy(text, reason.text);
        list[(*used)++] = (bf_warning){codes[reason.id], text, advices[reason.id], reason.distrust};
    }
    return BF_OK;
}
