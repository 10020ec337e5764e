/* trust.c - What was measured of an answer, for the caller of the library. */
#include "trust/trust.h"

#include <math.h>

#include "core/fail.h"

bf_status bf_trust_measure(const bf_trust **out, const bf_estimate *estimate,
                           const bf_estimator *estimator, const bf_problem *problem,
                           const bf_settings *settings, const bf_trust_options *how,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust *trust;
    BF_ALLOC(trust, arena, 1, err);
    BF_TRY(
        bf__trust_measure(trust, estimate, estimator, problem, settings, how, context, arena, err));
    *out = trust;
    return BF_OK;
}

bf_verdict bf__verdict_of(const bf_warning *reasons, int count) {
    for (int i = 0; i < count; i++)
        if (reasons[i].distrust)
            return BF_VERDICT_CANNOT_TELL;
    return count > 0 ? BF_VERDICT_LOOK : BF_VERDICT_SOUND;
}

bf_trust bf__trust_unmeasured(const bf_estimate *estimate) {
    return (bf_trust){.none = "It was not measured.",
                      .verdict = bf__verdict_of(estimate->warnings, estimate->warning_count),
                      .reasons = estimate->warnings,
                      .reason_count = estimate->warning_count,
                      .effective = NAN,
                      .influence = NAN,
                      .scatter = {NAN, NAN, 0},
                      .measured = {.value = estimate->value, .effective = NAN},
                      .alone = NAN,
                      .age_rise = NAN,
                      .still = NAN,
                      .largest = NAN,
                      .seed = 1};
}

static bool hand_out(bf_interval *out, const bf_interval *interval) {
    *out = *interval;
    return interval->level > 0;
}

bool bf_trust_interval(const bf_trust *trust, bf_interval *out) {
    return hand_out(out, &trust->value);
}

bool bf_trust_episode_return(const bf_trust *trust, bf_interval *out) {
    return hand_out(out, &trust->episode_return);
}

bool bf_trust_episode_length(const bf_trust *trust, bf_interval *out) {
    return hand_out(out, &trust->episode_length);
}

bf_verdict bf_trust_verdict(const bf_trust *trust) {
    return trust->verdict;
}

const char *bf_verdict_name(bf_verdict verdict) {
    return verdict == BF_VERDICT_SOUND  ? "sound"
           : verdict == BF_VERDICT_LOOK ? "look"
                                        : "cannot tell";
}

bool bf_trust_reason(const bf_trust *trust, int index, const char **code, const char **text,
                     const char **advice, bool *distrust) {
    if (index < 0 || index >= trust->reason_count)
        return false;
    const bf_warning *w = &trust->reasons[index];
    if (code)
        *code = w->code;
    if (text)
        *text = w->text;
    if (advice)
        *advice = w->advice;
    if (distrust)
        *distrust = w->distrust;
    return true;
}

const char *bf_trust_why_none(const bf_trust *trust) {
    return trust->none;
}
