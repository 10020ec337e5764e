/* json.c - An answer as one JSON object. */
#include <stdlib.h>
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "report/marks.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/trust.h"

static json_t *all_settings(const bf_answer *answer) {
    json_t *object = json_object();
    bool whole = object;
    for (int i = 0; i < answer->settings_count && whole; i++)
        whole = bf__json_settings(object, answer->settings[i].table, answer->settings[i].options);
    return bf__json_whole(object, whole);
}

static json_t *diagnostics(const bf_estimate *estimate) {
    json_t *object = json_object();
    bool whole = object;
    for (int i = 0; i < estimate->diagnostic_count && whole; i++)
        whole = json_object_set_new(object, estimate->diagnostics[i].name,
                                    bf__json_number(estimate->diagnostics[i].value)) == 0;
    return bf__json_whole(object, whole);
}

/* Good, look or bad, for those that something judges. */
static json_t *marks(const bf_estimate *estimate, const bf_trust *trust) {
    json_t *object = json_object();
    bool whole = object;
    for (int i = 0; i < estimate->diagnostic_count && whole; i++) {
        const char *name = estimate->diagnostics[i].name;
        bf__mark mark = bf__mark_of(trust, name);
        if (mark != BF__MARK_NONE)
            whole = json_object_set_new(object, name, json_string(bf__mark_name(mark))) == 0;
    }
    return bf__json_whole(object, whole);
}

/* What a choice was made among; null if there was no choice. */
static json_t *parts(const bf_estimate *estimate) {
    json_t *array = estimate->part_count > 0 ? json_array() : json_null();
    bool whole = array;
    for (int i = 0; i < estimate->part_count && whole; i++) {
        const bf__part *part = &estimate->parts[i];
        whole = json_array_append_new(array, json_pack("{s:s, s:s?, s:o, s:f, s:s}", "method",
                                                       part->method, "model", part->model, "value",
                                                       bf__json_number(part->value), "share",
                                                       part->share, "why", part->why)) == 0;
    }
    return bf__json_whole(array, whole);
}

/* Of a log that was read in pieces. */
static json_t *whole_log(const bf_whole *whole) {
    const bf_overview *o = &whole->seen;
    return json_pack("{s:I, s:I, s:I, s:I, s:b, s:s?}", "rows", (json_int_t)o->rows, "episodes",
                     (json_int_t)o->episodes, "sample_rows", (json_int_t)o->sample_rows,
                     "sample_episodes", (json_int_t)o->sample_episodes, "counted", whole->counted,
                     "by", whole->by);
}

json_t *bf__json_answer(const bf_answer *answer) {
    const bf_estimate *e = answer->estimate;
    bf_trust trust = bf__trust_of(answer);
    json_t *object =
        json_pack("{s:i, s:o, s:s, s:s?, s:o, s:I, s:o}", "schema", BF_ANSWER_SCHEMA, "value",
                  bf__json_number(e->value), "method", answer->estimator->name, "model", e->model,
                  "parts", parts(e), "n", (json_int_t)bf__rows_of(answer), "gamma",
                  bf__json_number(answer->problem->gamma));
    bool whole = json_object_update_new(object, bf__json_trust(e, &trust)) == 0;
    json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f}, s:s}", "naive",
                             bf__json_number(bf__naive_of(answer)), "diagnostics", diagnostics(e),
                             "marks", marks(e, &trust), "settings", all_settings(answer), "seconds",
                             "read", answer->seconds_read, "estimate", answer->seconds_estimate,
                             "trust", trust.seconds, "version", bf_version());
    whole = json_object_update_new(object, rest) == 0 && whole;
    if (answer->problem->data->weight)
        whole = json_object_set_new(object, "weighted", json_true()) == 0 && whole;
    if (answer->problem->data->duration)
        whole = json_object_set_new(object, "per_time", json_true()) == 0 && whole;
    if (bf__answer_has(answer, whole))
        whole = json_object_set_new(object, "whole", whole_log(answer->whole)) == 0 && whole;
    if (bf__answer_has(answer, outcomes))
        bf__json_outcomes(object, answer->outcomes);
    if (bf__answer_has(answer, horizon))
        whole =
            json_object_set_new(object, "horizon", bf__json_horizon(answer->horizon)) == 0 && whole;
    return bf__json_whole(object, whole);
}

/* Text that grows. jansson does not look whether a key could be added to its own, so a text with a
 * hole in it would pass for whole: this one remembers. */
typedef struct growing {
    char *text;
    size_t used, room;
    bool failed;
} growing;

static int grow(const char *bytes, size_t count, void *data) {
    growing *g = data;
    while (!g->failed && g->used + count > g->room) {
        size_t room = g->room ? 2 * g->room : 4096;
        char *more = realloc(g->text, room);
        g->failed = !more;
        g->text = more ? more : g->text;
        g->room = more ? room : g->room;
    }
    if (g->failed)
        return -1;
    memcpy(g->text + g->used, bytes, count);
    g->used += count;
    return 0;
}

bf_status bf__json_text(const char **out, json_t *object, bf_arena *arena, bf_error *err) {
    growing g = {NULL};
    bool whole = object && json_dump_callback(object, grow, &g,
                                              JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0;
    json_decref(object);
    char *copy = NULL;
    if (whole && !g.failed)
        copy = bf_arena_alloc(arena, (int64_t)g.used + 2, 1, err);
    else
        bf_fail(err, BF_ENOMEM, "out of memory");
    if (copy) {
        memcpy(copy, g.text, g.used);
        memcpy(copy + g.used, "\n", 2);
    }
    free(g.text);
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
