/* sections.c - The parts of a page about one answer. */
#include "page/sections.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/machine.h"
#include "backflow/version.h"
#include "core/fail.h"
#include "page/charts.h"
#include "page/html.h"
#include "report/settings.h"
#include "report/summary.h"
#include "report/trust.h"

enum { MOST_COLUMNS = 12, LINES = 5 };

/* ---- What is read first */

static bf__mark verdict_mark(bf_verdict verdict) {
    return verdict == BF_VERDICT_SOUND  ? BF__MARK_GOOD
           : verdict == BF_VERDICT_LOOK ? BF__MARK_LOOK
                                        : BF__MARK_BAD;
}

void bf__page_headline(FILE *out, const bf_answer *answer) {
    bf_trust trust = bf__trust_of(answer);
    char text[BF__SENTENCE], value[32];
    bf__line lines[LINES];
    fputs("<div class=\"card\">\n<p class=\"big\">", out);
    bf__html_put(out, bf__rounded(answer->estimate->value, &trust.value, value));
    fprintf(out, " <small>%s</small></p>\n<p>", bf__per_step(answer->problem, text));
    fprintf(out, "<span class=\"badge %s\">%s</span> ", bf__mark_name(verdict_mark(trust.verdict)),
            bf_verdict_name(trust.verdict));
    bf__summary_answer(text, answer);
    bf__html_say(out, text);
    if (bf__summary_episodes(text, answer)) {
        fputc(' ', out);
        bf__html_say(out, text);
    }
    fputs("</p>\n<ul class=\"reasons\">\n", out);
    int count = bf__summary_lines(lines, LINES, answer);
    for (int k = 0; k < count; k++) {
        if (lines[k].mark > BF__MARK_GOOD)
            continue; /* reasons have a part of their own */
        fputs("<li>", out);
        bf__html_mark(out, lines[k].mark);
        fputc(' ', out);
        bf__html_say(out, lines[k].text);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n</div>\n", out);
}

void bf__page_reasons(FILE *out, const bf_answer *answer, int level) {
    bf_trust trust = bf__trust_of(answer);
    bf__html_heading(out, level, "What to keep in mind", NULL);
    if (trust.reason_count == 0)
        fputs("<p>Nothing was found that speaks against the answer.</p>\n", out);
    fputs("<ul class=\"reasons\">\n", out);
    for (int i = 0; i < trust.reason_count; i++) {
        const bf_warning *w = &trust.reasons[i];
        fputs("<li>", out);
        bf__html_mark(out, bf__mark_of_reason(w));
        fputs(" <code>", out);
        bf__html_put(out, w->code);
        fputs("</code> ", out);
        bf__html_say(out, w->text);
        fputs("<p>What to do: ", out);
        bf__html_say(out, w->advice);
        fputs("</p></li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* ---- Where the target goes */

static bf_status columns(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                         bf_error *err) {
    const double *weights = answer->estimate->weights;
    bf__columns list;
    BF_TRY(bf__columns_take(&list, answer->problem->data, weights, arena, err));
    bf__html_heading(out, level, "Where the target goes",
                     "The states of the log as they were met, and as often as the target policy "
                     "would meet them. Columns that differ most come first. What falls outside of "
                     "an axis is counted at its end.");
    bf__chart_key(out);
    fputs("<div class=\"grid\">\n", out);
    int shown = list.states < MOST_COLUMNS ? list.states : MOST_COLUMNS;
    for (int k = 0; k < shown; k++)
        bf__chart_column(out, &list.column[list.order[k]]);
    fputs("</div>\n", out);
    if (shown < list.states)
        fprintf(out, "<p class=\"soft\">The %d columns that differ most, of %d.</p>\n", shown,
                list.states);
    /* The two most telling columns; with one column of states, it and the action. */
    const bf__column *across = &list.column[list.order[0]], *up = &list.column[list.order[1]];
    if (across->count > 1 && up->role != BF__COLUMN_REWARD) {
        bf__html_heading(out, level + 1, "The two most telling columns together", NULL);
        BF_TRY(bf__chart_map(out, across, up, weights, arena, err));
    }
    bf__html_heading(out, level, "What it does there, and what that earns",
                     "Actions and rewards of the log, and of the target policy.");
    bf__chart_key(out);
    fputs("<div class=\"grid\">\n", out);
    for (int k = list.states; k < list.count; k++)
        bf__chart_column(out, &list.column[k]);
    fputs("</div>\n", out);
    return BF_OK;
}

/* ---- Balance, horizon, diagnostics */

static bf_status balance(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                         bf_error *err) {
    const bf_balance *list;
    int count;
    BF_TRY(
        bf_report_balance(&list, &count, answer->problem, answer->estimate->weights, arena, err));
    if (count == 0)
        return BF_OK;
    bf__html_heading(out, level, "Balance of the flow",
                     "In the long run the target enters every state as often as it leaves it, and "
                     "takes every action as often as its policy says. Here is how far each column "
                     "is from that, before and after weighting; 0 is best. Numbers are in standard "
                     "deviations of the column, finite states and actions are the share in the "
                     "wrong place.");
    fputs("<p class=\"key soft\"><span class=\"l\">before</span><span "
          "class=\"t\">after</span></p>\n",
          out);
    bf__chart_balance(out, list, count);
    return BF_OK;
}

static void horizon(FILE *out, const bf_answer *answer, int level) {
    const bf_horizon *h = bf__answer_has(answer, horizon) ? answer->horizon : NULL;
    char text[256];
    if (!h) {
        bf__html_heading(out, level, "Reward over the first steps",
                         "It was not measured; it needs episodes, and the policy at their starts.");
        return;
    }
    double after = bf_horizon_get(h, "settles_after"), limit = bf_horizon_get(h, "limit");
    double longest = bf_horizon_get(h, "longest");
    bf__html_heading(out, level, "Reward over the first steps",
                     "What the target earns per step, in the mean over the first steps from the "
                     "log's starts. The dashed line is the answer, for the long run. A curve that "
                     "is slow to come to it means that the target mixes slowly, and that the "
                     "answer looks further ahead than the log did.");
    bf__chart_horizon(out, h, isfinite(limit) ? limit : answer->estimate->value);
    if (isfinite(after))
        snprintf(text, sizeof text,
                 "It settles after %.0f steps; the longest trajectory of the log has %.0f.", after,
                 longest);
    else
        snprintf(text, sizeof text, "The longest trajectory of the log has %.0f steps.", longest);
    bf__html_element(out, "p", text);
}

/* What a choice was made among. */
static void parts(FILE *out, const bf_answer *answer, int level) {
    char sentence[BF__SENTENCE];
    if (answer->estimate->part_count == 0)
        return;
    bf__html_heading(out, level, "Which method answered",
                     "The default chooses among methods by what the log shows, and says why.");
    fputs("<ul>\n", out);
    for (int i = 0; bf__summary_part(sentence, answer->estimate, i); i++) {
        fputs("<li>", out);
        bf__html_say(out, sentence);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static const char *definition_of(const char *key) {
    for (int k = 0; bf__diagnostic_at(k); k++)
        if (strcmp(bf__diagnostic_at(k)->key, key) == 0)
            return bf__diagnostic_at(k)->definition;
    return "";
}

static void diagnostics(FILE *out, const bf_answer *answer, int level) {
    bf_trust trust = bf__trust_of(answer);
    bf__html_heading(out, level, "Diagnostics", NULL);
    fputs("<details><summary>Every number that was found on the way</summary>\n<table>\n", out);
    for (int i = 0; i < answer->estimate->diagnostic_count; i++) {
        const bf_diagnostic *d = &answer->estimate->diagnostics[i];
        fputs("<tr><td>", out);
        bf__html_mark(out, bf__mark_of(&trust, d->name));
        fputs("</td><td>", out);
        bf__html_put(out, d->label);
        fputs("<div class=\"soft\">", out);
        bf__html_put(out, definition_of(d->name));
        fprintf(out, "</div></td><td class=\"n\">%.6g</td></tr>\n", d->value);
    }
    fputs("</table></details>\n", out);
}

static bool has_weights(const bf_answer *answer) {
    double sum = 0;
    for (int64_t i = 0; answer->estimate->weights && i < answer->problem->data->n; i++)
        sum += answer->estimate->weights[i];
    return sum > 0;
}

bf_status bf__page_answer(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                          bf_error *err) {
    if (has_weights(answer)) {
        BF_TRY(columns(out, answer, level, arena, err));
        BF_TRY(bf__page_weights(out, answer, level, arena, err));
        BF_TRY(balance(out, answer, level, arena, err));
    } else {
        bf__html_heading(out, level, "Where the target goes",
                         "This method gives no weights, so the page cannot show where the target "
                         "goes.");
    }
    horizon(out, answer, level);
    parts(out, answer, level);
    diagnostics(out, answer, level);
    return BF_OK;
}

/* ---- How it was made */

static void pair(FILE *out, const char *name, const char *value) {
    fputs("<tr><td>", out);
    bf__html_put(out, name);
    fputs("</td><td>", out);
    bf__html_put(out, value);
    fputs("</td></tr>\n", out);
}

static bf_status options(FILE *out, const bf_filled *settings, int count, bf_error *err) {
    json_t *object = json_object(), *value;
    const char *key;
    bool whole = object;
    for (int k = 0; k < count && whole; k++)
        whole = bf__json_settings(object, settings[k].table, settings[k].options);
    fputs("<details><summary>Settings</summary>\n<table>\n", out);
    json_object_foreach(object, key, value) {
        char *text = json_is_string(value) || json_is_null(value)
                         ? NULL
                         : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        pair(out, key,
             json_is_string(value) ? json_string_value(value)
             : text                ? text
                                   : "not given");
        free(text);
    }
    fputs("</table></details>\n", out);
    json_decref(object);
    return whole ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

bf_status bf__page_settings(FILE *out, const bf_problem *problem, const bf_filled *settings,
                            int settings_count, const char *method, const char *command,
                            bf_error *err) {
    bf_machine machine = bf_machine_describe();
    char text[256];
    const char *file;
    int64_t rows;
    bf__html_heading(out, 2, "How this was made", NULL);
    fputs("<p>", out);
    bf__describe_log(out, problem->data);
    fputs(".</p>\n", out);
    if (command) {
        fputs("<pre>", out);
        bf__html_put(out, command);
        fputs("</pre>\n", out);
    }
    fputs("<table>\n", out);
    for (int k = 0; (file = bf_dataset_file(problem->data, k, &rows)); k++) {
        snprintf(text, sizeof text, "%.180s, %lld transitions", file, (long long)rows);
        pair(out, k == 0 ? "log" : "", text);
    }
    pair(out, "method", method);
    snprintf(text, sizeof text, "%g", problem->gamma);
    pair(out, "gamma", text);
    snprintf(text, sizeof text, "Backflow %s; %s; %s", bf_version(), machine.blas, machine.simd);
    pair(out, "computed by", text);
    fputs("</table>\n", out);
    return options(out, settings, settings_count, err);
}
