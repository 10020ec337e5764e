/* inspect.c - What a log was understood to hold, for people and for programs. */
#include <math.h>
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/survey.h"

enum { NAME = 128 }; /* bytes of a name that are shown */

/* ---- Names */

static const char *action_name(const bf__survey *s, int a, char text[NAME]) {
    if (s->data)
        return bf_dataset_action_name(s->data, a, text, NAME);
    snprintf(text, NAME, "%d", a);
    return text;
}

/* ---- Text */

static void print_range(FILE *out, int width, const char *name, const bf__range *r) {
    fprintf(out, "  %-*s %12.6g %12.6g %12.6g %12.6g\n", width, name, r->min, r->mean, r->max,
            r->sd);
}

static void print_columns(FILE *out, const bf__seen *d, const bf__survey *s) {
    char name[NAME];
    int width = 12;
    for (int j = 0; j < d->state_dim; j++) {
        int length = (int)strlen(d->names[j]);
        width = length > width ? length : width;
    }
    fprintf(out, "\n  %-*s %12s %12s %12s %12s\n", width, "column", "min", "mean", "max", "sd");
    for (int j = 0; j < d->state_dim; j++)
        print_range(out, width, d->names[j], &s->state[j]);
    for (int k = 0; k < d->action_dim; k++) {
        snprintf(name, sizeof name, "a%d", k);
        print_range(out, width, name, &s->action_vector[k]);
    }
    print_range(out, width, "r", &s->reward);
    if (d->has[BF__HAS_WEIGHT])
        print_range(out, width, "weight", &s->weight);
    if (d->has[BF__HAS_DURATION])
        print_range(out, width, "duration", &s->duration);
}

static void print_actions(FILE *out, const bf__seen *d, const bf__survey *s) {
    if (d->action_dim) {
        char text[64];
        fprintf(out, "actions      vectors of %s", bf__plural(d->action_dim, "number", text));
        if (d->has[BF__HAS_NA])
            fprintf(out, ", %d sampled from the target policy per next state", d->samples);
        fputc('\n', out);
        return;
    }
    fprintf(out, "actions      %d:", d->actions);
    for (int a = 0; a < d->actions && a < 20; a++) {
        char name[NAME];
        fprintf(out, "%s %s %.3g%%", a ? "," : "", action_name(s, a, name),
                100 * (double)d->action_count[a] / (double)d->rows);
    }
    fputs(d->actions > 20 ? ", ...\n" : "\n", out);
}

/* How often actions were not allowed. */
static void print_masks(FILE *out, const bf__seen *d, const bf__survey *s) {
    int shown = 0;
    if (!d->has[BF__HAS_MASK])
        return;
    fprintf(out, "masks        at %lld of %lld transitions an action was not allowed",
            (long long)d->masked, (long long)d->rows);
    for (int a = 0; a < d->actions && shown < 20; a++) {
        char name[NAME];
        if (d->mask_count[a] > 0)
            fprintf(out, "%s %s %.3g%%", shown++ ? "," : ":", action_name(s, a, name),
                    100 * (double)d->mask_count[a] / (double)d->rows);
    }
    fputs(shown == 20 ? ", ...\n" : "\n", out);
    if (d->has[BF__HAS_PI] || (d->has[BF__HAS_NPI] && !d->bag))
        fputs("             the target policy of the log gives them no probability\n", out);
}

static void print_states(FILE *out, const bf__seen *d, const bf_dataset *data) {
    char text[NAME];
    if (d->states <= 0) {
        fprintf(out, "states       %s\n", bf__plural(d->state_dim, "number", text));
        return;
    }
    if (!data || !data->state_labels) {
        fprintf(out, "states       finite: 0 to %lld\n", (long long)d->states - 1);
        return;
    }
    fprintf(out, "states       finite, %lld:", (long long)d->states);
    for (int64_t s = 0; s < d->states && s < 10; s++)
        fprintf(out, "%s %s", s ? "," : "", bf_dataset_state_label(data, s, text, sizeof text));
    fputs(d->states > 10 ? ", ...\n" : "\n", out);
}

static void print_text(FILE *out, const bf_file_rows *files, int count, const bf__survey *s) {
    const bf__seen *d = s->seen;
    bool pi = d->has[BF__HAS_PI], npi = d->has[BF__HAS_NPI], na = d->has[BF__HAS_NA];
    char text[64];
    for (int f = 0; f < count; f++)
        fprintf(out, "%-12s %s: %s\n", f ? "" : "log", files[f].path,
                bf__plural(files[f].rows, "transition", text));
    fprintf(out, "transitions  %lld of %s\n", (long long)d->rows, bf__plural(d->read, "row", text));
    print_states(out, d, s->data);
    print_actions(out, d, s);
    print_masks(out, d, s);
    if (!d->bag)
        fprintf(out, "episodes     %lld, of %lld to %lld transitions (median %lld), from %s%s\n",
                (long long)d->episodes, (long long)s->shortest, (long long)s->longest,
                (long long)s->median, s->starts_counted ? "" : "about ",
                bf__plural(s->start_states, "start state", text));
    else
        fputs("episodes     none: a bag of transitions\n", out);
    fprintf(out, "ends         %lld terminated, %lld truncated\n", (long long)d->terminated,
            (long long)d->truncated);
    fprintf(out, "target       %s%s%s%s\n", pi ? "pi at s" : "", pi && npi ? ", " : "",
            npi  ? "pi at s'"
            : na ? "actions sampled at s'"
                 : "",
            pi || npi || na ? "" : "not in the log");
    fprintf(out, "behaviour    %s\n",
            d->has[BF__HAS_MU_ALL] ? "mu of every action"
            : d->has[BF__HAS_MU]   ? "mu of the action taken"
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
    json_t *sd = isfinite(r->sd) ? json_real(r->sd) : json_null(); /* numbers beyond 1e150 */
    return json_pack("{s:o, s:f, s:f, s:f, s:o}", "name", json_text(name), "min", r->min, "mean",
                     r->mean, "max", r->max, "sd", sd);
}

/* The names (count), or null if there are none. */
static json_t *json_names(const char *const *names, int64_t count) {
    json_t *list = names ? json_array() : json_null();
    for (int64_t k = 0; names && k < count; k++)
        json_array_append_new(list, json_text(names[k]));
    return list;
}

/* Each of the counts (actions) as a share of the rows. */
static json_t *json_shares(const int64_t *counts, const bf__seen *d) {
    json_t *list = json_array();
    for (int a = 0; a < d->actions; a++)
        json_array_append_new(list, json_real((double)counts[a] / (double)d->rows));
    return list;
}

static json_t *json_states(const bf__seen *d, const bf__survey *s) {
    json_t *columns = json_array();
    for (int j = 0; j < d->state_dim; j++)
        json_array_append_new(columns, json_range(d->names[j], &s->state[j]));
    int64_t states = d->states > 0 ? d->states : 0;
    return json_pack("{s:s, s:i, s:I, s:o, s:o}", "kind", states ? "finite" : "real", "dim",
                     d->state_dim, "states", (json_int_t)states, "names",
                     json_names(s->data ? s->data->state_labels : NULL, states), "columns",
                     columns);
}

static json_t *json_actions(const bf__seen *d, const bf__survey *s) {
    char name[NAME];
    if (!d->action_dim)
        return json_pack("{s:s, s:i, s:o, s:o}", "kind", "discrete", "actions", d->actions, "names",
                         json_names(s->data ? s->data->action_names : NULL, d->actions), "shares",
                         json_shares(d->action_count, d));
    json_t *list = json_array();
    for (int k = 0; k < d->action_dim; k++) {
        snprintf(name, sizeof name, "a%d", k);
        json_array_append_new(list, json_range(name, &s->action_vector[k]));
    }
    return json_pack("{s:s, s:i, s:i, s:o}", "kind", "vector", "dim", d->action_dim, "samples",
                     d->samples, "columns", list);
}

static json_t *json_episodes(const bf__seen *d, const bf__survey *s) {
    if (d->bag)
        return json_null();
    return json_pack("{s:I, s:b, s:{s:I, s:I, s:I}, s:I}", "count", (json_int_t)d->episodes,
                     "inferred", d->inferred, "length", "min", (json_int_t)s->shortest, "median",
                     (json_int_t)s->median, "max", (json_int_t)s->longest, "start_states",
                     (json_int_t)s->start_states);
}

static json_t *make_json(const bf_file_rows *of, int count, const bf__survey *s) {
    const bf__seen *d = s->seen;
    const bool *has = d->has;
    json_t *files = json_array(), *notes = json_array(), *mask = json_null();
    for (int f = 0; f < count; f++)
        json_array_append_new(files, json_pack("{s:o, s:I}", "path", json_text(of[f].path),
                                               "transitions", (json_int_t)of[f].rows));
    for (int i = 0; i < s->note_count; i++)
        json_array_append_new(notes, json_text(s->notes[i]));
    if (has[BF__HAS_MASK])
        mask = json_pack("{s:I, s:o}", "transitions", (json_int_t)d->masked, "shares",
                         json_shares(d->mask_count, d));
    const char *behaviour = has[BF__HAS_MU_ALL] ? "mu_all" : has[BF__HAS_MU] ? "mu" : NULL;
    return json_pack(
        "{s:o, s:b, s:I, s:[], s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, "
        "s:I, s:{s:b, s:b, s:b}, s:s?, s:o, s:f, s:f, s:o, s:s}",
        "files", files, "readable", 1, "found", (json_int_t)0, "faults", "n", (json_int_t)d->rows,
        "rows_read", (json_int_t)d->read, "rows_dropped", (json_int_t)d->dropped, "state",
        json_states(d, s), "action", json_actions(d, s), "reward", json_range("r", &s->reward),
        "weight", has[BF__HAS_WEIGHT] ? json_range("weight", &s->weight) : json_null(), "duration",
        has[BF__HAS_DURATION] ? json_range("duration", &s->duration) : json_null(), "mask", mask,
        "episodes", json_episodes(d, s), "terminated", (json_int_t)d->terminated, "truncated",
        (json_int_t)d->truncated, "target", "pi", has[BF__HAS_PI], "npi", has[BF__HAS_NPI], "na",
        has[BF__HAS_NA], "behaviour", behaviour, "ignored",
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

/* ---- Logs, in memory and in passes */

bf_status bf_report_survey_text(const char **out, const bf_pass *pass, const bf_file_rows *files,
                                int count, bf_arena *arena, bf_error *err) {
    bf__survey survey;
    bf__page page;
    BF_TRY(bf__survey_take(&survey, pass, NULL, arena, err));
    BF_TRY(bf__page_open(&page, err));
    print_text(page.file, files, count, &survey);
    return bf__page_close(&page, out, arena, err);
}

bf_status bf_report_survey_json(const char **out, const bf_pass *pass, const bf_file_rows *files,
                                int count, bf_arena *arena, bf_error *err) {
    bf__survey survey;
    BF_TRY(bf__survey_take(&survey, pass, NULL, arena, err));
    return bf__json_text(out, make_json(files, count, &survey), arena, err);
}

/* A log in memory is looked at like any other, all of it at once. */
static bf_status look_at(bf__survey *out, bf_file_rows **files, const bf_dataset *d,
                         bf_arena *arena, bf_error *err) {
    bf_pass *pass;
    BF_TRY(bf_pass_survey(&pass, arena, err));
    BF_TRY(bf_pass_add(pass, d, 0, err));
    BF_TRY(bf__survey_take(out, pass, d, arena, err));
    BF_ALLOC(*files, arena, d->source_count, err);
    for (int f = 0; f < d->source_count; f++) {
        int64_t end = f + 1 < d->source_count ? d->sources[f + 1].first : d->n;
        (*files)[f] = (bf_file_rows){d->sources[f].path, end - d->sources[f].first};
    }
    return BF_OK;
}

bf_status bf_report_log_text(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    bf__survey survey;
    bf__page page;
    bf_file_rows *files;
    BF_TRY(look_at(&survey, &files, data, arena, err));
    BF_TRY(bf__page_open(&page, err));
    print_text(page.file, files, data->source_count, &survey);
    return bf__page_close(&page, out, arena, err);
}

bf_status bf_report_log_json(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    bf__survey survey;
    bf_file_rows *files;
    BF_TRY(look_at(&survey, &files, data, arena, err));
    return bf__json_text(out, make_json(files, data->source_count, &survey), arena, err);
}
