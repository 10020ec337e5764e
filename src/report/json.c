/* json.c - An answer as one JSON object. */
#include <stdlib.h>
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/trust.h"

static json_t *all_settings(const bf_answer *answer) {
    json_t *object = json_object();
    for (int i = 0; i < answer->settings_count; i++)
        bf__json_settings(object, answer->settings[i].table, answer->settings[i].options);
    return object;
}

static json_t *diagnostics(const bf_estimate *estimate) {
    json_t *object = json_object();
    for (int i = 0; i < estimate->diagnostic_count; i++)
        json_object_set_new(object, estimate->diagnostics[i].name,
                            bf__json_number(estimate->diagnostics[i].value));
    return object;
}

json_t *bf__json_answer(const bf_answer *answer) {
    const bf_estimate *e = answer->estimate;
    bf_trust trust = bf__trust_of(answer);
    json_t *object = json_pack(
        "{s:i, s:o, s:s, s:s?, s:I, s:o}", "schema", BF_ANSWER_SCHEMA, "value",
        bf__json_number(e->value), "method", answer->estimator->name, "model", e->model, "n",
        (json_int_t)answer->problem->data->n, "gamma", bf__json_number(answer->problem->gamma));
    bf__json_trust(object, e, &trust);
    json_t *rest = json_pack("{s:o, s:o, s:o, s:{s:f, s:f, s:f}, s:s}", "naive",
                             bf__json_number(bf__naive(answer->problem->data)), "diagnostics",
                             diagnostics(e), "settings", all_settings(answer), "seconds", "read",
                             answer->seconds_read, "estimate", answer->seconds_estimate, "trust",
                             trust.seconds, "version", bf_version());
    json_object_update_new(object, rest);
    if (bf__answer_has(answer, outcomes))
        bf__json_outcomes(object, answer->outcomes);
    if (bf__answer_has(answer, horizon))
        json_object_set_new(object, "horizon", bf__json_horizon(answer->horizon));
    return object;
}

bf_status bf__json_text(const char **out, json_t *object, bf_arena *arena, bf_error *err) {
    char *text = object ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(object);
    if (!text)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    size_t length = strlen(text);
    char *copy = bf_arena_alloc(arena, (int64_t)length + 2, 1, err);
    if (copy) {
        memcpy(copy, text, length);
        memcpy(copy + length, "\n", 2);
    }
    free(text);
    *out = copy;
    return copy ? BF_OK : BF_ENOMEM;
}

bf_status bf__json_write(FILE *out, json_t *object, bf_error *err) {
    if (!object)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    int failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (failed || fputc('\n', out) == EOF)
        return bf_fail(err, BF_EFILE, "the JSON cannot be written");
    return BF_OK;
}

bf_status bf_report_json(const char **out, const bf_answer *answer, bf_arena *arena,
                         bf_error *err) {
    return bf__json_text(out, bf__json_answer(answer), arena, err);
}
