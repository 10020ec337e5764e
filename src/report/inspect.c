/* inspect.c - What a log was understood to hold, for people and for programs. */
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/survey.h"

enum { NAME = 128 }; /* bytes of a name that are shown */

/* Rows of file f that became transitions. */
static int64_t rows_of(const bf_dataset *d, int f) {
    int64_t end = f + 1 < d->source_count ? d->sources[f + 1].first : d->n;
    return end - d->sources[f].first;
}

/* ---- Text */

static void print_range(FILE *out, int width, const char *name, const bf__range *r) {
    fprintf(out, "  %-*s %12.6g %12.6g %12.6g %12.6g\n", width, name, r->min, r->mean, r->max,
            r->sd);
}

static void print_columns(FILE *out, const bf_dataset *d, const bf__survey *s) {
    char name[NAME];
    int width = 12;
    for (int j = 0; j < d->state_dim; j++) {
        int length = (int)strlen(bf_dataset_state_name(d, j, name, sizeof name));
        width = length > width ? length : width;
    }
    fprintf(out, "\n  %-*s %12s %12s %12s %12s\n", width, "column", "min", "mean", "max", "sd");
    for (int j = 0; j < d->state_dim; j++)
        print_range(out, width, bf_dataset_state_name(d, j, name, sizeof name), &s->state[j]);
    for (int k = 0; k < d->action_dim; k++) {
        snprintf(name, sizeof name, "a%d", k);
        print_range(out, width, name, &s->action_vector[k]);
    }
    print_range(out, width, "r", &s->reward);
    if (d->weight)
        print_range(out, width, "weight", &s->weight);
    if (d->duration)
        print_range(out, width, "duration", &s->duration);
}

static void print_actions(FILE *out, const bf_dataset *d, const bf__survey *s) {
    if (!d->action) {
        char text[64];
        fprintf(out, "actions      vectors of %s", bf__plural(d->action_dim, "number", text));
        if (d->na)
            fprintf(out, ", %d sampled from the target policy per next state", d->samples);
        fputc('\n', out);
        return;
    }
    fprintf(out, "actions      %d:", d->actions);
    for (int a = 0; a < d->actions && a < 20; a++) {
        char name[NAME];
        fprintf(out, "%s %s %.3g%%", a ? "," : "", bf_dataset_action_name(d, a, name, sizeof name),
                100 * (double)s->action_count[a] / (double)d->n);
    }
    fputs(d->actions > 20 ? ", ...\n" : "\n", out);
}

/* How often actions were not allowed. */
static void print_masks(FILE *out, const bf_dataset *d, const bf__survey *s) {
    int shown = 0;
    if (!d->mask)
        return;
    fprintf(out, "masks        at %lld of %lld transitions an action was not allowed",
            (long long)s->masked, (long long)d->n);
    for (int a = 0; a < d->actions && shown < 20; a++) {
        char name[NAME];
        if (s->mask_count[a] > 0)
            fprintf(out, "%s %s %.3g%%", shown++ ? "," : ":",
                    bf_dataset_action_name(d, a, name, sizeof name),
                    100 * (double)s->mask_count[a] / (double)d->n);
    }
    fputs(shown == 20 ? ", ...\n" : "\n", out);
    if (d->pi || (d->npi && d->begin))
        fputs("             the target policy of the log gives them no probability\n", out);
}

static void print_states(FILE *out, const bf_dataset *d) {
    char text[NAME];
    if (!d->states) {
        fprintf(out, "states       %s\n", bf__plural(d->state_dim, "number", text));
        return;
    }
    if (!d->state_labels) {
        fprintf(out, "states       finite: 0 to %lld\n", (long long)d->states - 1);
        return;
    }
    fprintf(out, "states       finite, %lld:", (long long)d->states);
    for (int64_t s = 0; s < d->states && s < 10; s++)
        fprintf(out, "%s %s", s ? "," : "", bf_dataset_state_label(d, s, text, sizeof text));
    fputs(d->states > 10 ? ", ...\n" : "\n", out);
}

static void print_text(FILE *out, const bf_dataset *d, const bf__survey *s) {
    char text[64];
    for (int f = 0; f < d->source_count; f++)
        fprintf(out, "%-12s %s: %s\n", f ? "" : "log", d->sources[f].path,
                bf__plural(rows_of(d, f), "transition", text));
    fprintf(out, "transitions  %lld of %s\n", (long long)d->n,
            bf__plural(d->rows_read, "row", text));
    print_states(out, d);
    print_actions(out, d, s);
    print_masks(out, d, s);
    if (d->begin)
        fprintf(out, "episodes     %lld, of %lld to %lld transitions (median %lld), from %s\n",
                (long long)d->episodes, (long long)s->shortest, (long long)s->longest,
                (long long)s->median, bf__plural(s->start_states, "start state", text));
    else
        fputs("episodes     none: a bag of transitions\n", out);
    fprintf(out, "ends         %lld terminated, %lld truncated\n", (long long)s->terminated,
            (long long)s->truncated);
    fprintf(out, "target       %s%s%s%s\n", d->pi ? "pi at s" : "", d->pi && d->npi ? ", " : "",
            d->npi  ? "pi at s'"
            : d->na ? "actions sampled at s'"
                    : "",
            d->pi || d->npi || d->na ? "" : "not in the log");
    fprintf(out, "behaviour    %s\n",
            d->mu_all ? "mu of every action"
            : d->mu   ? "mu of the action taken"
                      : "not in the log");
    print_columns(out, d, s);
    for (int i = 0; i < s->note_count; i++) {
        fputs(i ? "- " : "\n- ", out);
        bf_paragraph(out, s->notes[i], 2);
    }
}

/* ---- JSON */

/* Text as JSON; what is no UTF-8 becomes "?". */
static json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

static json_t *json_range(const char *name, const bf__range *r) {
    return json_pack("{s:o, s:f, s:f, s:f, s:f}", "name", json_text(name), "min", r->min, "mean",
                     r->mean, "max", r->max, "sd", r->sd);
}

/* The names (count), or null if there are none. */
static json_t *json_names(const char *const *names, int64_t count) {
    json_t *list = names ? json_array() : json_null();
    for (int64_t k = 0; names && k < count; k++)
        json_array_append_new(list, json_text(names[k]));
    return list;
}

static json_t *json_states(const bf_dataset *d, const bf__survey *s) {
    char name[NAME];
    json_t *columns = json_array();
    for (int j = 0; j < d->state_dim; j++)
        json_array_append_new(
            columns, json_range(bf_dataset_state_name(d, j, name, sizeof name), &s->state[j]));
    return json_pack("{s:s, s:i, s:I, s:o, s:o}", "kind", d->states ? "finite" : "real", "dim",
                     d->state_dim, "states", (json_int_t)d->states, "names",
                     json_names(d->state_labels, d->states), "columns", columns);
}

static json_t *json_actions(const bf_dataset *d, const bf__survey *s) {
    char name[NAME];
    json_t *list = json_array();
    if (d->action) {
        for (int a = 0; a < d->actions; a++)
            json_array_append_new(list, json_real((double)s->action_count[a] / (double)d->n));
        return json_pack("{s:s, s:i, s:o, s:o}", "kind", "discrete", "actions", d->actions, "names",
                         json_names(d->action_names, d->actions), "shares", list);
    }
    for (int k = 0; k < d->action_dim; k++) {
        snprintf(name, sizeof name, "a%d", k);
        json_array_append_new(list, json_range(name, &s->action_vector[k]));
    }
    return json_pack("{s:s, s:i, s:i, s:o}", "kind", "vector", "dim", d->action_dim, "samples",
                     d->samples, "columns", list);
}

static json_t *json_mask(const bf_dataset *d, const bf__survey *s) {
    if (!d->mask)
        return json_null();
    json_t *list = json_array();
    for (int a = 0; a < d->actions; a++)
        json_array_append_new(list, json_real((double)s->mask_count[a] / (double)d->n));
    return json_pack("{s:I, s:o}", "transitions", (json_int_t)s->masked, "shares", list);
}

static json_t *json_episodes(const bf_dataset *d, const bf__survey *s) {
    if (!d->begin)
        return json_null();
    return json_pack("{s:I, s:b, s:{s:I, s:I, s:I}, s:I}", "count", (json_int_t)d->episodes,
                     "inferred", d->episodes_inferred, "length", "min", (json_int_t)s->shortest,
                     "median", (json_int_t)s->median, "max", (json_int_t)s->longest, "start_states",
                     (json_int_t)s->start_states);
}

static json_t *make_json(const bf_dataset *d, const bf__survey *s) {
    json_t *files = json_array(), *notes = json_array();
    for (int f = 0; f < d->source_count; f++)
        json_array_append_new(files, json_pack("{s:o, s:I}", "path", json_text(d->sources[f].path),
                                               "transitions", (json_int_t)rows_of(d, f)));
    for (int i = 0; i < s->note_count; i++)
        json_array_append_new(notes, json_text(s->notes[i]));
    const char *behaviour = d->mu_all ? "mu_all" : d->mu ? "mu" : NULL;
    return json_pack(
        "{s:o, s:b, s:I, s:[], s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, "
        "s:I, s:{s:b, s:b, s:b}, s:s?, s:o, s:f, s:f, s:o, s:s}",
        "files", files, "readable", 1, "found", (json_int_t)0, "faults", "n", (json_int_t)d->n,
        "rows_read", (json_int_t)d->rows_read, "rows_dropped", (json_int_t)d->rows_dropped, "state",
        json_states(d, s), "action", json_actions(d, s), "reward", json_range("r", &s->reward),
        "weight", d->weight ? json_range("weight", &s->weight) : json_null(), "duration",
        d->duration ? json_range("duration", &s->duration) : json_null(), "mask", json_mask(d, s),
        "episodes", json_episodes(d, s), "terminated", (json_int_t)s->terminated, "truncated",
        (json_int_t)s->truncated, "target", "pi", d->pi != NULL, "npi", d->npi != NULL, "na",
        d->na != NULL, "behaviour", behaviour, "ignored",
        d->ignored ? json_text(d->ignored) : json_null(), "repeated", s->repeated, "broken",
        s->broken, "problems", notes, "version", bf_version());
}

/* A number, or null below 0. */
static json_t *json_place(int64_t number) {
    return number < 0 ? json_null() : json_integer((json_int_t)number);
}

static json_t *json_fault(const bf_fault *f) {
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "file",
                     f->file ? json_text(f->file) : json_null(), "episode", json_place(f->episode),
                     "row", json_place(f->row), "column",
                     f->column ? json_text(f->column) : json_null(), "rows", (json_int_t)f->count,
                     "message", json_text(f->message));
}

bf_status bf_report_faults_json(const char **out, const bf_fault *faults, int listed, int64_t found,
                                const char *const *paths, int count, bf_arena *arena,
                                bf_error *err) {
    json_t *files = json_array(), *list = json_array();
    for (int f = 0; f < count; f++)
        json_array_append_new(files, json_pack("{s:o}", "path", json_text(paths[f])));
    for (int k = 0; k < listed; k++)
        json_array_append_new(list, json_fault(&faults[k]));
    return bf__json_text(out,
                         json_pack("{s:o, s:b, s:o, s:o, s:s}", "files", files, "readable", 0,
                                   "found", json_place(found), "faults", list, "version",
                                   bf_version()),
                         arena, err);
}

bf_status bf_report_log_text(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    bf__survey survey;
    bf__page page;
    BF_TRY(bf__survey_take(&survey, data, arena, err));
    BF_TRY(bf__page_open(&page, err));
    print_text(page.file, data, &survey);
    return bf__page_close(&page, out, arena, err);
}

bf_status bf_report_log_json(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    bf__survey survey;
    BF_TRY(bf__survey_take(&survey, data, arena, err));
    return bf__json_text(out, make_json(data, &survey), arena, err);
}
