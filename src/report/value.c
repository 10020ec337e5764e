/* value.c - The value of a policy in an environment, for people and for programs. */
#include <math.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "report/report.h"
#include "report/settings.h"

static const char *kind(const bf_value_answer *answer) {
    static const char *const kinds[] = {
        [BF_TRUTH_AVERAGE] = "average",
        [BF_TRUTH_DISCOUNTED] = "discounted",
        [BF_TRUTH_EPISODE] = "episode",
    };
    return kinds[answer->truth->plan->kind];
}

/* What a reader of the number has to know, or NULL. */
static const char *warning(const bf_value_answer *answer) {
    if (!answer->truth->exact && answer->truth->value.error == 0)
        return "every run earned the same: a standard error of 0 only says that nothing rarer than "
               "one step in all that were simulated was seen";
    return NULL;
}

static void line(FILE *out, const char *label, bf_mean mean) {
    fprintf(out, "  %-24s %.9g", label, mean.value);
    if (isfinite(mean.error))
        fprintf(out, "  (standard error %.2g)", mean.error);
    fputc('\n', out);
}

static void print(FILE *out, const bf_value_answer *answer) {
    const bf_truth *truth = answer->truth;
    const bf_truth_plan *plan = truth->plan;
    fprintf(out, "%s, policy %s", answer->env->name, answer->policy);
    if (answer->alpha != 1)
        fprintf(out, ", mixed with uniform: alpha %g", answer->alpha);
    fputc('\n', out);
    char label[64];
    if (plan->kind == BF_TRUTH_AVERAGE)
        snprintf(label, sizeof label, "reward per step");
    else if (plan->kind == BF_TRUTH_DISCOUNTED)
        snprintf(label, sizeof label, "(1 - G) x discounted");
    else
        snprintf(label, sizeof label, "return of an episode");
    line(out, label, truth->exact ? (bf_mean){truth->value.value, NAN} : truth->value);
    if (truth->exact) {
        fprintf(out, "  exact, by a linear solve over %lld states\n",
                (long long)answer->env->states);
        return;
    }
    if (plan->kind == BF_TRUTH_AVERAGE && truth->ends > 0)
        line(out, "return of an episode", truth->episode_return);
    if (isfinite(truth->episode_length.value))
        line(out, "length of an episode", truth->episode_length);
    fprintf(out, "  simulated: %lld transitions in %lld chains, %lld episodes ended, %.2f s\n",
            (long long)truth->transitions, (long long)plan->chains, (long long)truth->ends,
            answer->seconds);
    if (warning(answer))
        fprintf(out, "  warning: %s\n", warning(answer));
}

static json_t *mean_or_null(bf_mean mean) {
    if (!isfinite(mean.value))
        return json_null();
    return json_pack("{s:o, s:o}", "value", bf__json_number(mean.value), "standard_error",
                     bf__json_number(mean.error));
}

/* What a simulation says besides the value. */
static void add_simulation(json_t *object, const bf_value_answer *answer) {
    const bf_truth *truth = answer->truth;
    const bf_truth_plan *plan = truth->plan;
    json_object_set_new(object, "standard_error", bf__json_number(truth->value.error));
    json_object_set_new(object, "episode_return", mean_or_null(truth->episode_return));
    json_object_set_new(object, "episode_length", mean_or_null(truth->episode_length));
    json_object_set_new(
        object, "simulation",
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "chains", (json_int_t)plan->chains, "steps",
                  (json_int_t)plan->steps, "burn_in", (json_int_t)plan->burn_in, "transitions",
                  (json_int_t)truth->transitions, "episodes_ended", (json_int_t)truth->ends));
}

bf_status bf_report_value_json(const char **out, const bf_value_answer *answer, bf_arena *arena,
                               bf_error *err) {
    bool exact = answer->truth->exact;
    json_t *settings = json_object();
    for (int i = 0; i < answer->settings_count; i++)
        if (!bf__json_settings(settings, answer->settings[i].table, answer->settings[i].options))
            settings = bf__json_whole(settings, false);
    json_t *object = json_pack(
        "{s:o, s:s, s:s, s:s, s:s, s:o}", "value", bf__json_number(answer->truth->value.value),
        "kind", kind(answer), "method", exact ? "exact" : "simulation", "env", answer->env->name,
        "policy", answer->policy, "gamma", bf__json_number(answer->truth->plan->gamma));
    if (!object || !settings)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    if (exact)
        json_object_set_new(object, "standard_error", json_real(0));
    else
        add_simulation(object, answer);
    json_object_set_new(object, "settings", settings);
    json_object_set_new(object, "warnings",
                        warning(answer) ? json_pack("[s]", warning(answer)) : json_array());
    json_object_set_new(object, "seconds", json_pack("{s:f}", "value", answer->seconds));
    json_object_set_new(object, "version", json_string(bf_version()));
    return bf__json_text(out, object, arena, err);
}

bf_status bf_report_value_text(const char **out, const bf_value_answer *answer, bf_arena *arena,
                               bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    print(page.file, answer);
    return bf__page_close(&page, out, arena, err);
}
