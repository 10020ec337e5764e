/* page.c - An answer, several methods or several policies as one page of HTML.
 *
 * What is read first comes first: the answer with its verdict, a forest of all that was compared,
 * and what to keep in mind. Everything about one answer follows; if there are several answers, each
 * has a part of its own that opens. */
#include <math.h>
#include <string.h>

#include "backflow/report.h"
#include "core/fail.h"
#include "page/charts.h"
#include "page/html.h"
#include "page/sections.h"
#include "report/report.h"
#include "report/summary.h"
#include "report/trust.h"

enum { TEXT = 128 };

static const char *const question = "What would the policy earn?";

static const char *title_of(const bf_page_options *page, const char *otherwise) {
    return page && page->title ? page->title : otherwise;
}

static const char *command_of(const bf_page_options *page) {
    return page ? page->command : NULL;
}

static void begin(FILE *out, const char *title) {
    bf__html_begin(out, title);
    bf__html_element(out, "h1", title);
    fputc('\n', out);
}

/* A row of a forest about an answer; its text goes to `text`. */
static bf__forest_row row_of(const char *name, const char *link, const bf_answer *answer,
                             char text[TEXT]) {
    bf_trust trust = bf__trust_of(answer);
    bool known = trust.value.level > 0;
    char value[32], low[32], high[32];
    snprintf(text, TEXT, "%s%s%s%s%s%s", bf__rounded(answer->estimate->value, &trust.value, value),
             known ? " (" : "", known ? bf__rounded(trust.value.low, &trust.value, low) : "",
             known ? " to " : "", known ? bf__rounded(trust.value.high, &trust.value, high) : "",
             known ? ")" : "");
    return (bf__forest_row){name,
                            link,
                            answer->estimate->value,
                            known ? trust.value.low : NAN,
                            known ? trust.value.high : NAN,
                            false,
                            text,
                            bf_verdict_name(trust.verdict),
                            trust.verdict == BF_VERDICT_SOUND  ? BF__MARK_GOOD
                            : trust.verdict == BF_VERDICT_LOOK ? BF__MARK_LOOK
                                                               : BF__MARK_BAD};
}

static bf__forest_row row_of_log(const bf_dataset *data, char text[TEXT]) {
    double mean = bf__naive(data);
    snprintf(text, TEXT, "%.6g", mean);
    return (bf__forest_row){"the log", NULL, mean, NAN, NAN, true, text, NULL, BF__MARK_NONE};
}

/* ---- One answer */

static bf_status one(FILE *out, const bf_answer *answer, const bf_page_options *page,
                     bf_arena *arena, bf_error *err) {
    char text[2][TEXT], method[128];
    bf__forest_row rows[2] = {row_of("the target policy", NULL, answer, text[0]),
                              row_of_log(answer->problem->data, text[1])};
    begin(out, title_of(page, question));
    bf__page_headline(out, answer);
    bf__chart_forest(out, rows, 2, false);
    bf__page_reasons(out, answer, 2);
    BF_TRY(bf__page_answer(out, answer, 2, arena, err));
    bf__method_text(method, sizeof method, answer);
    BF_TRY(bf__page_settings(out, answer->problem, answer->settings, answer->settings_count, method,
                             command_of(page), err));
    bf__html_end(out);
    return BF_OK;
}

/* ---- Several */

/* All about one of several answers, to open. */
static bf_status part(FILE *out, const char *name, const char *link, const bf_answer *answer,
                      bf_arena *arena, bf_error *err) {
    fprintf(out, "<details class=\"answer\" id=\"%s\"><summary>", link);
    bf__html_put(out, name);
    fputs("</summary>\n", out);
    bf__page_headline(out, answer);
    bf__page_reasons(out, answer, 3);
    BF_TRY(bf__page_answer(out, answer, 3, arena, err));
    fputs("</details>\n", out);
    return BF_OK;
}

static bf_status methods(FILE *out, const bf_comparison *c, const bf_page_options *page,
                         bf_arena *arena, bf_error *err) {
    char(*text)[TEXT], (*name)[TEXT], (*link)[32], sentence[256], per_step[64];
    bf__forest_row *rows;
    BF_ALLOC(rows, arena, c->answer_count + 1, err);
    BF_ALLOC(text, arena, c->answer_count + 1, err);
    BF_ALLOC(name, arena, c->answer_count + 1, err);
    BF_ALLOC(link, arena, c->answer_count + 1, err);
    for (int k = 0; k < c->answer_count; k++) {
        bf__method_text(name[k], TEXT, &c->answers[k]);
        snprintf(link[k], sizeof *link, "method-%d", k + 1);
        rows[k] = row_of(name[k], link[k], &c->answers[k], text[k]);
    }
    rows[c->answer_count] = row_of_log(c->problem->data, text[c->answer_count]);
    begin(out, title_of(page, question));
    snprintf(sentence, sizeof sentence, "What the target policy earns %s, by each method.",
             bf__per_step(c->problem, per_step));
    bf__html_element(out, "p", sentence);
    bf__chart_forest(out, rows, c->answer_count + 1, false);
    if (c->skipped_count > 0)
        bf__html_heading(out, 3, "Skipped", NULL);
    for (int k = 0; k < c->skipped_count; k++) {
        fputs("<p><code>", out);
        bf__html_put(out, c->skipped[k].method);
        fputs("</code> ", out);
        bf__html_say(out, c->skipped[k].reason);
        fputs("</p>\n", out);
    }
    bf__html_heading(out, 2, "Each method", NULL);
    for (int k = 0; k < c->answer_count; k++)
        BF_TRY(part(out, name[k], link[k], &c->answers[k], arena, err));
    BF_TRY(bf__page_settings(out, c->problem, c->settings, c->settings_count, "several",
                             command_of(page), err));
    bf__html_end(out);
    return BF_OK;
}

static bf_answer answer_of(const bf_contest_answer *answer, const bf_contestant *e, int k) {
    return (bf_answer){.problem = e->problem,
                       .estimator = e->estimator,
                       .estimate = e->estimate,
                       .trust = e->trust,
                       .settings = answer->settings,
                       .settings_count = answer->settings_count,
                       .seconds_read = answer->seconds_read,
                       .seconds_estimate = e->seconds,
                       .size = sizeof(bf_answer),
                       .horizon = BF__HAS(answer, bf_contest_answer, horizons) ? answer->horizons[k]
                                                                               : NULL};
}

static bf_status differences(FILE *out, const bf_contest *contest, bf_arena *arena, bf_error *err) {
    char(*text)[TEXT], (*name)[TEXT];
    bf__forest_row *rows;
    bf_pair p;
    bf_contestant a, b;
    int count = 0;
    while (bf_contest_pair(contest, count, &p))
        count++;
    BF_ALLOC(rows, arena, count, err);
    BF_ALLOC(text, arena, count, err);
    BF_ALLOC(name, arena, count, err);
    for (int k = 0; bf_contest_pair(contest, k, &p); k++) {
        bf_interval i = {.level = p.level, .low = p.low, .high = p.high};
        char value[32], low[32], high[32];
        bool known = p.level > 0;
        bf_contest_entry(contest, p.a, &a);
        bf_contest_entry(contest, p.b, &b);
        snprintf(name[k], TEXT, "%.60s − %.60s", a.name, b.name);
        snprintf(text[k], TEXT, known ? "%s (%s to %s)" : "%s",
                 bf__rounded(p.difference, &i, value), bf__rounded(p.low, &i, low),
                 bf__rounded(p.high, &i, high));
        rows[k] = (bf__forest_row){.name = name[k],
                                   .value = p.difference,
                                   .low = known ? p.low : NAN,
                                   .high = known ? p.high : NAN,
                                   .text = text[k]};
    }
    bf__html_heading(out, 2, "Differences",
                     "What the errors of two policies have in common cancels, so a difference can "
                     "be known better than either value.");
    bf__chart_forest(out, rows, count, true);
    return BF_OK;
}

static void sentences(FILE *out, const bf_contest *contest) {
    char text[1024];
    const char *none = bf_contest_why_none(contest);
    fputs("<div class=\"card\">\n", out);
    if (none)
        bf__html_element(out, "p", none);
    for (int k = 0; !none && bf_contest_sentence(contest, k, text, sizeof text) > 0; k++)
        bf__html_element(out, k == 0 ? "p style=\"font-size:1.2rem;font-weight:600\"" : "p", text);
    fputs("</div>\n", out);
}

static bf_status policies(FILE *out, const bf_contest_answer *answer, const bf_page_options *page,
                          bf_arena *arena, bf_error *err) {
    const bf_contest *contest = answer->contest;
    char(*text)[TEXT], (*link)[32], sentence[256], per_step[64];
    bf__forest_row *rows;
    bf_contestant e;
    int count = 0;
    while (bf_contest_entry(contest, count, &e))
        count++;
    BF_ALLOC(rows, arena, count, err);
    BF_ALLOC(text, arena, count, err);
    BF_ALLOC(link, arena, count, err);
    for (int k = 0; bf_contest_entry(contest, k, &e); k++) {
        bf_answer own = answer_of(answer, &e, k);
        snprintf(link[k], sizeof *link, "policy-%d", k + 1);
        rows[k] = row_of(e.name, e.log ? NULL : link[k], &own, text[k]);
        rows[k].log = e.log;
        rows[k].value = e.value;
    }
    bf_contest_entry(contest, 0, &e);
    begin(out, title_of(page, "Which policy is better?"));
    sentences(out, contest);
    snprintf(sentence, sizeof sentence, "What each policy earns %s.",
             bf__per_step(e.problem, per_step));
    bf__html_element(out, "p", sentence);
    bf__chart_forest(out, rows, count, false);
    BF_TRY(differences(out, contest, arena, err));
    bf__html_heading(out, 2, "Each policy", NULL);
    for (int k = 0; bf_contest_entry(contest, k, &e); k++) {
        bf_answer own = answer_of(answer, &e, k);
        if (!e.log)
            BF_TRY(part(out, e.name, link[k], &own, arena, err));
    }
    bf_contest_entry(contest, 0, &e);
    BF_TRY(bf__page_settings(out, e.problem, answer->settings, answer->settings_count,
                             e.estimator->name, command_of(page), err));
    bf__html_end(out);
    return BF_OK;
}

/* ---- For the caller of the library */

/* Closes the page whatever came out, and hands on the first failure. */
static bf_status finish(bf__page *page, bf_status status, const char **out, bf_arena *arena,
                        bf_error *err) {
    bf_error cause;
    bf_status closed = bf__page_close(page, out, arena, &cause);
    if (status != BF_OK) {
        *out = NULL;
        return status;
    }
    if (closed != BF_OK && err)
        *err = cause;
    return closed;
}

bf_status bf_report_html(const char **out, const bf_answer *answer, const bf_page_options *page,
                         bf_arena *arena, bf_error *err) {
    bf__page text;
    BF_TRY(bf__page_open(&text, err));
    return finish(&text, one(text.file, answer, page, arena, err), out, arena, err);
}

bf_status bf_report_table_html(const char **out, const bf_comparison *comparison,
                               const bf_page_options *page, bf_arena *arena, bf_error *err) {
    bf__page text;
    BF_TRY(bf__page_open(&text, err));
    return finish(&text, methods(text.file, comparison, page, arena, err), out, arena, err);
}

bf_status bf_report_contest_html(const char **out, const bf_contest_answer *answer,
                                 const bf_page_options *page, bf_arena *arena, bf_error *err) {
    bf__page text;
    BF_TRY(bf__page_open(&text, err));
    return finish(&text, policies(text.file, answer, page, arena, err), out, arena, err);
}
