/* trust.c - Intervals and verdict of an answer, as text and JSON. */
#include <string.h>

#include "report/report.h"
#include "report/settings.h"
#include "report/trust.h"

bf_trust bf__trust_of(const bf_answer *answer) {
    return answer->trust ? *answer->trust : bf__trust_unmeasured(answer->estimate);
}

static json_t *bounds(const bf_interval *i, double value) {
    if (!(i->level > 0))
        return json_null();
    return json_pack("{s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "value", bf__json_number(value),
                     "level", i->level, "low", bf__json_number(i->low), "high",
                     bf__json_number(i->high), "half", bf__json_number(i->half), "se",
                     bf__json_number(i->se), "df", bf__json_number(i->df));
}

/* The values on parts of the log, one array per split. */
static json_t *parts(const bf_trust *t) {
    json_t *array = json_array(), *split = NULL;
    bool whole = array;
    for (int k = 0; k < t->part_count && whole; k++) {
        if (k == 0 || t->part_split[k] != t->part_split[k - 1])
            whole = json_array_append_new(array, split = json_array()) == 0;
        whole = whole && json_array_append_new(split, bf__json_number(t->measured.parts[k])) == 0;
    }
    return bf__json_whole(array, whole);
}

static json_t *interval(const bf_trust *t, double value) {
    if (!(t->value.level > 0))
        return json_null();
    json_t *object = bounds(&t->value, value);
    json_t *more = json_pack(
        "{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:i, s:I}", //
        "kind", t->kind, "unit", t->unit, "clusters", (json_int_t)t->clusters, "effective_clusters",
        bf__json_number(t->effective), "influence", bf__json_number(t->influence), "noise",
        bf__json_number(t->scatter.noise), "bias", bf__json_number(t->scatter.bias), "parts",
        parts(t), "parts_failed", t->parts_failed, "seed", (json_int_t)t->seed);
    json_object_del(object, "value");
    return bf__json_whole(object, json_object_update_new(object, more) == 0);
}

/* What a reader has to know, as sentences. */
static json_t *warnings(const bf_trust *t) {
    json_t *array = json_array();
    bool whole = array;
    for (int i = 0; i < t->reason_count && whole; i++)
        whole = json_array_append_new(
                    array, json_sprintf("%s. %s", t->reasons[i].text, t->reasons[i].advice)) == 0;
    return bf__json_whole(array, whole);
}

/* The same for programs: a code that keeps its meaning, and the parts of the sentence. */
static json_t *reasons(const bf_trust *t) {
    json_t *array = json_array();
    bool whole = array;
    for (int i = 0; i < t->reason_count && whole; i++) {
        const bf_warning *w = &t->reasons[i];
        whole = json_array_append_new(array, json_pack("{s:s, s:b, s:s, s:s}", "code", w->code,
                                                       "distrust", w->distrust, "text", w->text,
                                                       "advice", w->advice)) == 0;
    }
    return bf__json_whole(array, whole);
}

/* Facts about where the weights lie. */
static json_t *evidence(const bf_trust *t) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "effective_clusters",
                     bf__json_number(t->effective), "largest_cluster", bf__json_number(t->largest),
                     "next_pairs_alone", bf__json_number(t->alone), "weight_rise",
                     bf__json_number(t->age_rise), "standing_still", bf__json_number(t->still));
}

json_t *bf__json_trust(const bf_estimate *e, const bf_trust *t) {
    return json_pack("{s:o, s:s?, s:o, s:o, s:s, s:b, s:o, s:o, s:o}", "interval",
                     interval(t, e->value), "no_interval", t->none, "episode_return",
                     bounds(&t->episode_return, bf_estimate_get(e, "episode_return")),
                     "episode_length",
                     bounds(&t->episode_length, bf_estimate_get(e, "episode_length")), "verdict",
                     bf_verdict_name(t->verdict), "trusted", t->verdict != BF_VERDICT_CANNOT_TELL,
                     "reasons", reasons(t), "warnings", warnings(t), "evidence", evidence(t));
}

/* "20 episodes", "3 clusters". */
static void independent(FILE *out, const bf_trust *t) {
    const char *word = t->unit[0] == 'c' ? "cluster" : t->unit;
    fprintf(out, "%lld %s%s", (long long)t->clusters, word, t->clusters == 1 ? "" : "s");
}

void bf__text_interval(FILE *out, const bf_trust *t) {
    char name[32];
    if (t->value.level > 0) {
        snprintf(name, sizeof name, "%g%% interval", 100 * t->value.level);
        fprintf(out, "  %-12s %.6g to %.6g (%s, by ", name, t->value.low, t->value.high, t->kind);
        independent(out, t);
        fputs(")\n", out);
    } else {
        fprintf(out, "  %-12s ", "no interval");
        bf_paragraph(out, t->none, 15);
    }
}

const bf_interval *bf__interval_of(const bf_trust *t, const char *diagnostic) {
    const bf_interval *i = strcmp(diagnostic, "episode_return") == 0   ? &t->episode_return
                           : strcmp(diagnostic, "episode_length") == 0 ? &t->episode_length
                                                                       : NULL;
    return i && i->level > 0 ? i : NULL;
}
