/* summary.c - An answer in sentences, which the text and the page share. */
#include "report/summary.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "dataset/row_weights.h"
#include "report/trust.h"

/* ---- Numbers */

const char *bf__grouped(int64_t value, char text[32]) {
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

/* Three digits of the half-width. */
const char *bf__rounded(double value, const bf_interval *interval, char text[32]) {
    double half = interval && interval->level > 0 ? 0.5 * (interval->high - interval->low) : NAN;
    double decimals = 2 - floor(log10(half));
    if (decimals < 12 && fabs(value) < 1e12)
        snprintf(text, 32, "%.*f", decimals > 0 ? (int)decimals : 0, value);
    else
        snprintf(text, 32, "%.6g", value);
    return text;
}

const char *bf__interval_text(const bf_interval *i, char text[96]) {
    char low[32], high[32];
    text[0] = '\0';
    if (i->level > 0)
        snprintf(text, 96, " (%g%% interval %s to %s)", 100 * i->level, bf__rounded(i->low, i, low),
                 bf__rounded(i->high, i, high));
    return text;
}

/* ---- The answer */

const char *bf__per_step(const bf_problem *problem, char text[64]) {
    if (problem->gamma < 1)
        snprintf(text, 64, "per step at gamma %g", problem->gamma);
    else
        snprintf(text, 64, problem->data->duration ? "per unit of time" : "per step");
    return text;
}

void bf__verdict_words(char *out, size_t size, const bf_trust *t) {
    size_t used = (size_t)snprintf(out, size, "%s", bf_verdict_name(t->verdict));
    for (int i = 0, said = 0; i < t->reason_count && used < size; i++)
        if (t->reasons[i].distrust || t->verdict == BF_VERDICT_LOOK)
            used += (size_t)snprintf(out + used, size - used, "%s%s", said++ == 0 ? ": " : ", ",
                                     t->reasons[i].code);
}

void bf__method_text(char *out, size_t size, const bf_answer *answer) {
    bool moved = answer->estimate->aside != 0; /* then it is no longer that of its maker */
    const bf_estimator *method =
        moved ? answer->estimator : bf__maker(answer->estimate, answer->estimator, NULL);
    const char *model = moved ? NULL : answer->estimate->model;
    bool weights = method->options && bf_options_find(method->options, "weights");
    if (!model)
        snprintf(out, size, "%s", method->name);
    else
        snprintf(out, size, weights ? "%s with %s weights" : "%s (%s)", method->name, model);
}

void bf__summary_answer(char out[BF__SENTENCE], const bf_answer *answer) {
    bf_trust trust = bf__trust_of(answer);
    char verdict[512], interval[96], per_step[64];
    bf__verdict_words(verdict, sizeof verdict, &trust);
    verdict[0] = (char)toupper((unsigned char)verdict[0]);
    bf__interval_text(&trust.value, interval);
    snprintf(out, BF__SENTENCE, "The target policy earns %.6g %s%s; the log earned %.6g. %s.",
             answer->estimate->value, bf__per_step(answer->problem, per_step),
             interval[0] ? interval : " (no interval)", bf__naive_of(answer), verdict);
}

bool bf__summary_episodes(char out[BF__SENTENCE], const bf_answer *answer) {
    bf_trust trust = bf__trust_of(answer);
    const bf_dataset *data = answer->problem->data;
    double earned = bf__diagnosed(answer->estimate, BF__D_EPISODE_RETURN);
    double steps = bf__diagnosed(answer->estimate, BF__D_EPISODE_LENGTH), ended = 0, sum = 0;
    char interval[2][96], value[2][32], log[96] = "";
    if (!isfinite(earned) || !isfinite(steps))
        return false;
    bf__row_weights rows = bf__row_weights_of(data);
    for (int64_t i = 0; i < data->n; i++) {
        ended += data->terminated && data->terminated[i] ? bf__row_weight(&rows, i) : 0;
        sum += bf__row_weight(&rows, i) * data->reward[i];
    }
    if (ended > 0)
        snprintf(log, sizeof log, "; those of the log returned %.4g in %.4g", sum / ended,
                 (double)data->n / ended);
    snprintf(out, BF__SENTENCE, "Its episodes return %s%s in %s steps%s%s.",
             bf__rounded(earned, &trust.episode_return, value[0]),
             bf__interval_text(&trust.episode_return, interval[0]),
             bf__rounded(steps, &trust.episode_length, value[1]),
             bf__interval_text(&trust.episode_length, interval[1]), log);
    return true;
}

/* ---- What else there is to say */

/* Lines are added while there is room. */
typedef struct lines {
    bf__line *line;
    int count, room;
} lines;

static void add(lines *out, bf__mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(lines *out, bf__mark mark, const char *format, ...) {
    va_list arguments;
    if (out->count == out->room)
        return;
    bf__line *line = &out->line[out->count++];
    line->mark = mark;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    if (line->text[strspn(line->text, "abcdefghijklmnopqrstuvwxyz")] == ' ') /* no file's name */
        line->text[0] = (char)toupper((unsigned char)line->text[0]);
}

static void add_reasons(lines *out, const bf_trust *t, int most) {
    int left = t->reason_count > most ? t->reason_count - (most - 1) : 0;
    int said = 0;
    for (int grave = 1; grave >= 0; grave--)
        for (int i = 0; i < t->reason_count; i++)
            if (t->reasons[i].distrust == (grave == 1) && said < t->reason_count - left) {
                const bf_warning *w = &t->reasons[i];
                add(out, bf__mark_of_reason(w), "%s. %s", w->text, w->advice);
                said++;
            }
    if (left > 0)
        add(out, BF__MARK_NONE, "%d more reasons to doubt the answer: `verbose`.", left);
}

/* The mark of the diagnostic if it is there and nothing is wrong with it; a reason that was given
 * says all that there is to say. */
static bool is_good(const bf_estimate *e, const bf_trust *t, bf__diagnostic_id id) {
    return isfinite(bf__diagnosed(e, id)) &&
           bf__mark_of(t, bf__diagnostic_at((int)id)->key) == BF__MARK_GOOD;
}

static void add_facts(lines *out, const bf_answer *answer, const bf_trust *t) {
    const bf_estimate *e = answer->estimate;
    static const bf__diagnostic_id coverages[] = {BF__D_COVERAGE, BF__D_COVERAGE_MODEL,
                                                  BF__D_COVERAGE_ACTIONS};
    char rows[32], all[32];
    double ess = bf__diagnosed(e, BF__D_ESS), n = (double)bf__rows_of(answer);
    double before = bf__diagnosed(e, BF__D_FLOW_RESIDUAL_UNIFORM);
    if (is_good(e, t, BF__D_FLOW_RESIDUAL) && isfinite(before))
        add(out, BF__MARK_GOOD,
            "Balance of the flow: %.3g before weighting, %.3g after; 0 is best.", before,
            bf__diagnosed(e, BF__D_FLOW_RESIDUAL));
    for (size_t k = 0; k < sizeof coverages / sizeof *coverages; k++)
        if (is_good(e, t, coverages[k])) {
            add(out, BF__MARK_GOOD, "The log shows %.4g%% of what the target policy does%s.",
                100 * bf__diagnosed(e, coverages[k]), k == 0 ? " next" : "");
            break;
        }
    if (is_good(e, t, BF__D_OFF_HULL))
        add(out, BF__MARK_GOOD,
            "What the target does next lies among logged neighbours, %.2g deviations off them.",
            bf__diagnosed(e, BF__D_OFF_HULL));
    if (is_good(e, t, BF__D_ESS_EPISODES))
        add(out, BF__MARK_GOOD, "The ratios leave %.3g effective episodes.",
            bf__diagnosed(e, BF__D_ESS_EPISODES));
    else if (is_good(e, t, BF__D_ESS)) {
        snprintf(rows, sizeof rows, "%.3g", ess);
        add(out, BF__MARK_GOOD,
            "All %s rows count for as much as %s equally weighted ones (%.3g%%).",
            bf__grouped(bf__rows_of(answer), all),
            ess < 100 ? rows : bf__grouped((int64_t)llround(ess), rows), 100 * ess / n);
    }
}

bool bf__summary_part(char out[BF__SENTENCE], const bf_estimate *e, int i) {
    if (i >= e->part_count)
        return false;
    const bf__part *part = &e->parts[i];
    if (part->share > 0 && part->share < 1)
        snprintf(out, BF__SENTENCE, "%.2g of the answer is from %s, which says %.6g: %s.",
                 part->share, part->method, part->value, part->why);
    else if (part->share > 0)
        snprintf(out, BF__SENTENCE, "The answer is that of %s: %s.", part->method, part->why);
    else if (isfinite(part->value))
        snprintf(out, BF__SENTENCE, "%s would have said %.6g: %s.", part->method, part->value,
                 part->why);
    else
        snprintf(out, BF__SENTENCE, "%s has no answer: %s.", part->method, part->why);
    return true;
}

int bf__summary_lines(bf__line *out, int room, const bf_answer *answer) {
    bf_trust trust = bf__trust_of(answer);
    lines list = {out, 0, room};
    char sentence[BF__SENTENCE];
    int none = trust.none != NULL, parts = answer->estimate->part_count;
    add_reasons(&list, &trust, room - none - (parts > 1 ? parts : 0));
    for (int i = 0; parts > 1 && bf__summary_part(sentence, answer->estimate, i); i++)
        add(&list, BF__MARK_NONE, "%s", sentence);
    if (none)
        add(&list, BF__MARK_NONE, "%s%s",
            strncmp(trust.none, "No ", 3) == 0 ? "" : "No interval: ", trust.none);
    add_facts(&list, answer, &trust);
    return list.count;
}

/* ---- Printing */

enum { MARK = 6 }; /* the column of marks */

void bf__marked(FILE *out, bf__mark mark, const char *text) {
    fprintf(out, "  %-*s", MARK, bf__mark_name(mark));
    bf_paragraph(out, text, MARK + 2);
}

void bf__tell_reason(bf__teller *t, const char *about, const bf_warning *w) {
    char text[BF__SENTENCE];
    if (!t->verbose && t->said == t->most) {
        t->left++;
        return;
    }
    snprintf(text, sizeof text, "%s%s%s%s%s", about, *about ? ": " : "", w->text,
             t->verbose ? "" : ". ", t->verbose ? "" : w->advice);
    if (t->verbose || t->said == 0)
        fputc('\n', t->out);
    bf__marked(t->out, bf__mark_of_reason(w), text);
    if (t->verbose) {
        fprintf(t->out, "  %*sWhat to do: ", MARK, "");
        bf_paragraph(t->out, w->advice, MARK + 14);
    }
    t->said++;
}

void bf__tell_end(bf__teller *t) {
    char text[64];
    snprintf(text, sizeof text, "%d more with `verbose`.", t->left);
    if (t->left > 0)
        bf__marked(t->out, BF__MARK_NONE, text);
}
