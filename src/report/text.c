/* text.c - An answer in a few lines for people. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/diagnostics.h"
#include "report/report.h"
#include "report/trust.h"

/* Writes 1234567 as 1,234,567. */
static const char *grouped(int64_t value, char text[32]) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)value), at = 0;
    for (int i = 0; i < length; i++) {
        text[at++] = digits[i];
        int left = length - 1 - i;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            text[at++] = ',';
    }
    text[at] = '\0';
    return text;
}

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
    fprintf(out, "%s transitions", grouped(data->n, n));
    if (data->states > 0)
        fprintf(out, ", %s states", grouped(data->states, other));
    else
        fprintf(out, ", %d state coordinate%s", data->state_dim, data->state_dim == 1 ? "" : "s");
    if (data->actions > 0)
        fprintf(out, ", %d actions", data->actions);
    else
        fprintf(out, ", %d action coordinate%s", data->action_dim,
                data->action_dim == 1 ? "" : "s");
    if (data->episodes > 0)
        fprintf(out, ", %s episode%s", grouped(data->episodes, other),
                data->episodes == 1 ? "" : "s");
    fputc('\n', out);
}

double bf__naive(const bf_dataset *data) {
    double mean = 0;
    for (int64_t i = 0; i < data->n; i++)
        mean += data->reward[i] / (double)data->n;
    return mean;
}

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
        snprintf(share, sizeof share, " of %s (%.3g%%)", grouped(n, count),
                 100 * d->value / (double)n);
    fprintf(out, "  %-52s %.6g%s\n", d->label, d->value, share);
}

static void print(FILE *out, const bf_answer *answer) {
    const bf_estimate *e = answer->estimate;
    bf_trust trust = bf__trust_of(answer);
    double gamma = answer->problem->gamma;
    bf__describe_log(out, answer->problem->data);
    fprintf(out, "\n  %-12s %-12.6g", "estimate", e->value);
    if (gamma < 1)
        fprintf(out, " discounted reward of the target policy (gamma %g), times 1 - gamma\n",
                gamma);
    else
        fprintf(out, " reward per step of the target policy in the long run\n");
    bf__text_interval(out, &trust);
    bf__text_verdict(out, &trust);
    fprintf(out, "  %-12s %-12.6g mean reward of the log: what its own behaviour earned\n",
            "naive mean", bf__naive(answer->problem->data));
    bool weights = answer->estimator->options &&
                   bf_options_find(answer->estimator->options, "weights"); /* which were used */
    fprintf(out, "  %-12s %s%s%s%s\n\n", "method", answer->estimator->name,
            !e->model ? ""
            : weights ? ", weights: "
                      : " (",
            e->model ? e->model : "", e->model && !weights ? ")" : "");
    for (int i = 0; i < e->diagnostic_count; i++)
        diagnostic(out, &e->diagnostics[i], &trust, answer->problem->data->n);
    for (int i = 0; i < trust.reason_count; i++) {
        fputs("\n  ! ", out);
        bf_paragraph(out, trust.reasons[i].text, 4);
        fputs("    What to do: ", out);
        bf_paragraph(out, trust.reasons[i].advice, 16);
    }
    if (bf__answer_has(answer, outcomes))
        bf__report_outcomes(out, answer->outcomes, bf__answer_has(answer, by) ? answer->by : "");
    if (bf__answer_has(answer, horizon))
        bf__report_horizon(out, answer->horizon);
    fprintf(out, "\n  read in %.2f s, estimated in %.2f s\n", answer->seconds_read,
            answer->seconds_estimate);
}

bf_status bf_report_text(const char **out, const bf_answer *answer, bf_arena *arena,
                         bf_error *err) {
    bf__page page;
    BF_TRY(bf__page_open(&page, err));
    print(page.file, answer);
    return bf__page_close(&page, out, arena, err);
}
