/* json.c - An answer as one JSON object. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "report/report.h"

/* Not every number of ours is one of JSON's. */
static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *setting(const bf_option *row, const void *options) {
    const void *field = (const char *)options + row->offset;
    char text[64];
    const char *string;
    switch (row->type) {
    case BF_OPTION_BOOL:
        return json_boolean(*(const bool *)field);
    case BF_OPTION_INT:
        return json_integer(*(const int64_t *)field);
    case BF_OPTION_SEED: /* past 2^63 a JSON integer would lose digits */
        if (*(const uint64_t *)field <= INT64_MAX)
            return json_integer((json_int_t) * (const uint64_t *)field);
        break;
    case BF_OPTION_REAL:
        return number(*(const double *)field);
    case BF_OPTION_STRING:
        string = *(const char *const *)field;
        return string ? json_string(string) : json_null();
    case BF_OPTION_ENUM:
        break;
    }
    bf_options_format(row, options, text, sizeof text);
    return json_string(text);
}

static json_t *all_settings(const bf__answer *answer) {
    json_t *object = json_object();
    for (int i = 0; i < answer->settings_count; i++) {
        const bf_option_table *table = answer->settings[i].table;
        for (int j = 0; j < table->count; j++)
            json_object_set_new(object, table->rows[j].field,
                                setting(&table->rows[j], answer->settings[i].options));
    }
    return object;
}

static json_t *diagnostics(const bf_estimate *estimate) {
    json_t *object = json_object();
    for (int i = 0; i < estimate->diagnostic_count; i++)
        json_object_set_new(object, estimate->diagnostics[i].name,
                            number(estimate->diagnostics[i].value));
    return object;
}

static json_t *warnings(const bf_estimate *estimate) {
    json_t *array = json_array();
    for (int i = 0; i < estimate->warning_count; i++) {
        const bf_warning *w = &estimate->warnings[i];
        json_array_append_new(array, json_sprintf("%s. %s", w->text, w->advice));
    }
    return array;
}

static json_t *interval(const bf_estimate *e) {
    if (!(e->level > 0))
        return json_null();
    return json_pack("{s:f, s:o, s:o}", "level", e->level, "low", number(e->low), "high",
                     number(e->high));
}

bf_status bf__report_json(FILE *out, const bf__answer *answer, bf_error *err) {
    const bf_estimate *e = answer->estimate;
    bool trusted = true;
    for (int i = 0; i < e->warning_count; i++)
        trusted = trusted && !e->warnings[i].distrust;
    json_t *object =
        json_pack("{s:o, s:s, s:I, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:{s:f, s:f}, s:s}", //
                  "value", number(e->value), "method", answer->estimator->name, "n",
                  (json_int_t)answer->problem->data->n, "gamma", number(answer->problem->gamma),
                  "interval", interval(e), "trusted", trusted, "naive", number(answer->naive),
                  "diagnostics", diagnostics(e), "settings", all_settings(answer), "warnings",
                  warnings(e), "seconds", "read", answer->seconds_read, "estimate",
                  answer->seconds_estimate, "version", bf_version());
    if (!object)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    int failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    if (failed || fputc('\n', out) == EOF)
        return bf_fail(err, BF_EFILE, "the JSON cannot be written");
    return BF_OK;
}
