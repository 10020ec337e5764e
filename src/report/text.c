/* text.c - An answer in a few lines for people. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/row_weights.h"
#include "estimator/diagnostics.h"
#include "report/report.h"
#include "report/summary.h"
#include "report/trust.h"

void bf_paragraph(FILE *out, const char *text, int indent) {
    int column = indent;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > 88) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void bf__describe_log(FILE *out, const bf_dataset *data) {
    char n[32], other[32];
    fprintf(out, "%s transition%s", bf__grouped(data->n, n), data->n == 1 ? "" : "s");
    if (data->states > 0)
        fprintf(out, ", %s state%s", bf__grouped(data->states, other),
                data->states == 1 ? "" : "s");
    else
        fprintf(out, ", %d state coordinate%s", data->state_dim, data->state_dim == 1 ? "" : "s");
    if (data->actions > 0)
        fprintf(out, ", %d action%s", data->actions, data->actions == 1 ? "" : "s");
    else
        fprintf(out, ", %d action coordinate%s", data->action_dim,
                data->action_dim == 1 ? "" : "s");
    if (data->episodes > 0)
        fprintf(out, ", %s episode%s", bf__grouped(data->episodes, other),
                data->episodes == 1 ? "" : "s");
    if (data->mirrored)
        fputs(", half of it mirrored", out);
    if (data->weight)
        fputs(", rows count by their weight", out);
    if (data->duration)
        fputs(", steps take time by their duration", out);
}

double bf__naive(const bf_dataset *data) {
    return bf__reward_mean(data);
}

/* The log that an answer is counted from, if the problem's is a sample of it. */
static const bf_whole *counted(const bf_answer *answer) {
    const bf_whole *whole = bf__answer_has(answer, whole) ? answer->whole : NULL;
    return whole && whole->counted ? whole : NULL;
}

int64_t bf__rows_of(const bf_answer *answer) {
    return counted(answer) ? counted(answer)->seen.rows : answer->problem->data->n;
}

double bf__naive_of(const bf_answer *answer) {
    return counted(answer) ? counted(answer)->naive : bf__naive(answer->problem->data);
}

/* The log, or the sample that stands for it. */
static void describe(FILE *out, const bf_answer *answer) {
    const bf_whole *whole = bf__answer_has(answer, whole) ? answer->whole : NULL;
    bf_dataset shown = *answer->problem->data;
    char rows[32];
    if (counted(answer)) {
        shown.n = whole->seen.rows;
        shown.episodes = whole->seen.episodes;
        shown.states = whole->seen.states;
    }
    bf__describe_log(out, &shown);
    if (whole && !whole->counted)
        fprintf(out, ", sampled from %s transitions", bf__grouped(whole->seen.rows, rows));
    else if (whole && whole->by && strcmp(whole->by, "moments") == 0)
        fprintf(out, ", weighed by what %s of them say",
                bf__grouped(whole->seen.sample_rows, rows));
}

/* ---- What stands under the answer */

enum { LINES = 5 }; /* besides the line about the log */

/* `spread` is about variants of one method on one log; beside an interval it reads like an error
 * bar, which it is not. It stays in the JSON. */
static void diagnostic(FILE *out, const bf_diagnostic *d, const bf_trust *trust, int64_t n) {
    char share[64] = "", count[32];
    const bf_interval *i = bf__interval_of(trust, d->name);
    if (strcmp(d->name, bf__diagnostic_at(BF__D_SPREAD)->key) == 0)
        return;
    if (i)
        snprintf(share, sizeof share, " (%.6g to %.6g)", i->low, i->high);
    if (strcmp(d->name, bf__diagnostic_at(BF__D_ESS)->key) == 0)
        snprintf(share, sizeof share, " of %s (%.3g%%)", bf__grouped(n, count),
                 100 * d->value / (double)n);
    fprintf(out, "  %-5s %-52s %.6g%s\n", bf__mark_name(bf__mark_of(trust, d->name)), d->label,
            d->value, share);
}

/* All that is known. */
static void all(FILE *out, const bf_answer *answer, const bf_trust *trust) {
    const bf_estimate *e = answer->estimate;
    bf__teller teller = {.out = out, .verbose = true};
    char sentence[BF__SENTENCE];
    for (int i = 0; i < trust->reason_count; i++)
        bf__tell_reason(&teller, "", &trust->reasons[i]);
    for (int i = 0; bf__summary_part(sentence, e, i); i++)
        bf__marked(out, BF__MARK_NONE, sentence);
    fputc('\n', out);
    bf__text_interval(out, trust);
    for (int i = 0; i < e->diagnostic_count; i++)
        diagnostic(out, &e->diagnostics[i], trust, bf__rows_of(answer));
    fprintf(out, "\n  read in %.2f s, estimated in %.2f s\n", answer->seconds_read,
            answer->seconds_estimate);
}

static void print(FILE *out, const bf_answer *answer) {
    bf_trust trust = bf__trust_of(answer);
    bool verbose = bf__answer_has(answer, verbose);
    char sentence[BF__SENTENCE];
    bf__line lines[LINES];
    bf__summary_answer(sentence, answer);
    fprintf(out, "%s\n", sentence);
    if (bf__summary_episodes(sentence, answer))
        fprintf(out, "%s\n", sentence);
    bf__method_text(sentence, sizeof sentence, answer);
    fputs("\n  ", out);
    describe(out, answer);
    fprintf(out, "; method %s\n", sentence);
    int count = bf__summary_lines(lines, LINES, answer);
    for (int i = 0; i < count; i++)
        if (!verbose || lines[i].mark == BF__MARK_GOOD)
            bf__marked(out, lines[i].mark, lines[i].text);
    if (verbose)
        all(out, answer, &trust);
    if (bf__answer_has(answer, outcomes))
        bf__report_outcomes(out, answer->outcomes, bf__answer_has(answer, by) ? answer->by : "",
                            answer->problem->data->duration != NULL);
    if (bf__answer_has(answer, horizon))
        bf__report_horizon(out, answer->horizon);
}

bf_status bf_report_text(const char **out, const bf_answer *answer, bf_arena *arena,
                         bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    print(page.file, answer);
    return bf__page_close(&page, out, arena, err);
}
