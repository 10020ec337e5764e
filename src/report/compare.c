/* compare.c - Several methods on one log: a table for people, one object for programs. */
#include <math.h>
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/summary.h"
#include "report/trust.h"

enum { LINES = 6 }; /* of reasons, unless all are asked for */

static void line(FILE *out, const bf_answer *answer) {
    const bf_estimate *e = answer->estimate;
    double rows = bf__diagnosed(e, BF__D_ESS), episodes = bf__diagnosed(e, BF__D_ESS_EPISODES);
    char interval[64] = "-", size[32] = "-", name[64];
    bf_trust trust = bf__trust_of(answer);
    const bf_interval *i = &trust.value;
    if (i->level > 0)
        snprintf(interval, sizeof interval, "%.5g to %.5g", i->low, i->high);
    if (isfinite(episodes))
        snprintf(size, sizeof size, "%.3g episodes", episodes);
    else if (isfinite(rows))
        snprintf(size, sizeof size, "%.0f rows", rows);
    snprintf(name, sizeof name, "%s%s%s%s", answer->estimator->name, e->model ? " (" : "",
             e->model ? e->model : "", e->model ? ")" : "");
    fprintf(out, "  %-22s %-12.6g %-24s %14s %9.2f  %s\n", name, e->value, interval, size,
            answer->seconds_estimate, bf_verdict_name(trust.verdict));
}

/* Prints reasons as "model: the rollout ...". If several methods say the same, it is printed
 * once. */
static void reasons(bf__teller *teller, const bf_comparison *c, bool grave) {
    for (int k = 0; k < c->answer_count; k++)
        for (int i = 0; i < bf__trust_of(&c->answers[k]).reason_count; i++) {
            const bf_warning *w = &bf__trust_of(&c->answers[k]).reasons[i];
            char names[256] = "";
            bool said = false;
            for (int l = 0; l < c->answer_count; l++)
                for (int j = 0; j < bf__trust_of(&c->answers[l]).reason_count; j++) {
                    if (strcmp(bf__trust_of(&c->answers[l]).reasons[j].text, w->text) != 0)
                        continue;
                    said = said || l < k;
                    size_t used = strlen(names);
                    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                             c->answers[l].estimator->name);
                    break;
                }
            if (!said && w->distrust == grave)
                bf__tell_reason(teller, names, w);
        }
}

/* What was asked, and the names of the columns. */
static void head(FILE *out, const bf_problem *problem) {
    char per_step[64];
    fprintf(out, "What the target policy earns %s by each method; the log earned %.6g.\n\n  ",
            bf__per_step(problem, per_step), bf__naive(problem->data));
    bf__describe_log(out, problem->data);
    fputc('\n', out);
    fprintf(out, "\n  %-22s %-12s %-24s %14s %9s  %s\n", "method", "estimate", "interval",
            "eff. size", "seconds", "verdict");
}

static void rows(FILE *out, const bf_comparison *c, int first) {
    if (first == 0)
        head(out, c->problem);
    for (int k = first; k < c->answer_count; k++)
        line(out, &c->answers[k]);
}

static void end(FILE *out, const bf_comparison *c) {
    double seconds = 0;
    for (int k = 0; k < c->answer_count; k++)
        seconds += c->answers[k].seconds_estimate;
    for (int k = 0; k < c->skipped_count; k++) {
        fprintf(out, "%s  %-22s ", k == 0 ? "\n  skipped\n" : "", c->skipped[k].method);
        bf_paragraph(out, c->skipped[k].reason, 25);
    }
    bf__teller teller = {.out = out, .verbose = BF__HAS(c, bf_comparison, verbose), .most = LINES};
    reasons(&teller, c, true);
    reasons(&teller, c, false);
    bf__tell_end(&teller);
    if (teller.verbose)
        fprintf(out, "\n  read in %.2f s, estimated in %.2f s\n", c->seconds_read, seconds);
}

bf_status bf_report_table_json(const char **out, const bf_comparison *c, bf_arena *arena,
                               bf_error *err) {
    json_t *methods = json_array(), *skipped = json_array(), *settings = json_object();
    for (int k = 0; k < c->answer_count; k++)
        json_array_append_new(methods, bf__json_answer(&c->answers[k]));
    for (int k = 0; k < c->skipped_count; k++)
        json_array_append_new(skipped, json_pack("{s:s, s:s}", "method", c->skipped[k].method,
                                                 "reason", c->skipped[k].reason));
    for (int k = 0; k < c->settings_count; k++)
        if (!bf__json_settings(settings, c->settings[k].table, c->settings[k].options))
            settings = bf__json_whole(settings, false);
    return bf__json_text(out,
                         json_pack("{s:i, s:o, s:o, s:o, s:I, s:o, s:o, s:s}", "schema",
                                   BF_ANSWER_SCHEMA, "methods", methods, "skipped", skipped,
                                   "naive", bf__json_number(bf__naive(c->problem->data)), "n",
                                   (json_int_t)c->problem->data->n, "gamma",
                                   bf__json_number(c->problem->gamma), "settings", settings,
                                   "version", bf_version()),
                         arena, err);
}

bf_status bf_report_table_text(const char **out, const bf_comparison *c, bf_arena *arena,
                               bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    rows(page.file, c, 0);
    end(page.file, c);
    return bf__page_close(&page, out, arena, err);
}

bf_status bf_report_table_rows(const char **out, const bf_comparison *c, int first, bf_arena *arena,
                               bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    rows(page.file, c, first);
    return bf__page_close(&page, out, arena, err);
}

bf_status bf_report_table_end(const char **out, const bf_comparison *c, bf_arena *arena,
                              bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    end(page.file, c);
    return bf__page_close(&page, out, arena, err);
}
