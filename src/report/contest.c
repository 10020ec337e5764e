/* contest.c - Several policies on one log: a table with a forest plot, sentences, and JSON. */
#include <math.h>
#include <string.h>

#include "backflow/version.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "report/report.h"
#include "report/settings.h"
#include "report/summary.h"
#include "report/trust.h"

enum { PLOT = 36, NAME = 14, LINES = 6 }; /* reasons, unless all are asked for */

/* The marks of the plot. */
typedef struct marks {
    const char *low, *high, *line, *point, *zero;
} marks;
static const marks unicode_marks = {"├", "┤", "─", "●", "│"},
                   ascii_marks = {"|", "|", "-", "o", ":"};

/* The range that a plot shows. */
typedef struct range {
    double low, high;
} range;

static int place(const range *r, double value) {
    double share = r->high > r->low ? (value - r->low) / (r->high - r->low) : 0.5;
    return (int)lround(fmin(fmax(share, 0), 1) * (PLOT - 1));
}

/* One row: an interval from low to high around value, with a line at `zero` if it is in range. */
static void plot(FILE *out, const range *r, double low, double value, double high, double zero,
                 const marks *m) {
    bool known = isfinite(low) && isfinite(high);
    int from = known ? place(r, low) : -1, to = known ? place(r, high) : -1;
    int at = isfinite(value) ? place(r, value) : -1;
    int mark = zero >= r->low && zero <= r->high ? place(r, zero) : -1;
    int end = to > at ? to : at;
    for (int k = 0; k <= (end > mark ? end : mark); k++)
        fputs(k == at                  ? m->point
              : k == from && from < at ? m->low
              : k == to && to > at     ? m->high
              : k > from && k < to     ? m->line
              : k == mark              ? m->zero
                                       : " ",
              out);
}

static void widen(range *r, double value) {
    if (!isfinite(value))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

/* ---- Text */

static void interval_text(char text[64], double level, double low, double high) {
    snprintf(text, 64, "-");
    if (level > 0)
        snprintf(text, 64, "%.4g to %.4g", low, high);
}

static void values(FILE *out, const bf_contest *contest, const marks *m) {
    range r = {INFINITY, -INFINITY};
    bf_contestant e;
    bf_interval i;
    for (int k = 0; bf_contest_entry(contest, k, &e); k++) {
        widen(&r, e.value);
        if (bf_trust_interval(e.trust, &i)) {
            widen(&r, i.low);
            widen(&r, i.high);
        }
    }
    fprintf(out, "\n  %-*s %-12s %-22s %s\n", NAME, "policy", "estimate", "interval", "best");
    for (int k = 0; bf_contest_entry(contest, k, &e); k++) {
        char interval[64], best[16] = "-";
        bool known = bf_trust_interval(e.trust, &i);
        interval_text(interval, known ? i.level : 0, i.low, i.high);
        if (isfinite(e.best))
            snprintf(best, sizeof best, "%.0f%%", 100 * e.best);
        fprintf(out, "  %-*s %-12.6g %-22s %-5s  ", NAME, e.name, e.value, interval, best);
        plot(out, &r, known ? i.low : NAN, e.value, known ? i.high : NAN, NAN, m);
        fprintf(out, "%s\n", bf_trust_verdict(e.trust) == BF_VERDICT_CANNOT_TELL ? " !" : "");
    }
}

static void differences(FILE *out, const bf_contest *contest, const marks *m) {
    range r = {0, 0};
    bf_pair p;
    bf_contestant a, b;
    for (int k = 0; bf_contest_pair(contest, k, &p); k++) {
        widen(&r, p.low);
        widen(&r, p.high);
    }
    fprintf(out, "\n  %-*s %-12s %-22s %s\n", NAME, "difference", "", "interval", "p");
    for (int k = 0; bf_contest_pair(contest, k, &p); k++) {
        char name[160], interval[64], value[16] = "-";
        bf_contest_entry(contest, p.a, &a);
        bf_contest_entry(contest, p.b, &b);
        snprintf(name, sizeof name, "%s - %s", a.name, b.name);
        interval_text(interval, p.level, p.low, p.high);
        if (isfinite(p.holm))
            snprintf(value, sizeof value, p.holm < 0.0005 ? "<.001" : "%.3f", p.holm);
        fprintf(out, "  %-*s %-12.6g %-22s %-5s  ", NAME, name, p.difference, interval, value);
        plot(out, &r, p.low, p.difference, p.high, 0, m);
        fputc('\n', out);
    }
}

/* The highest value, if nothing more can be said. */
static void highest(FILE *out, const bf_contest *contest, const char *why) {
    bf_contestant e, best;
    char text[512];
    bf_contest_entry(contest, 0, &best);
    for (int k = 1; bf_contest_entry(contest, k, &e); k++)
        if (e.value > best.value)
            best = e;
    snprintf(text, sizeof text,
             "%s has the highest estimate, %.6g; whether it is better cannot be told. %s",
             best.name, best.value, why);
    bf_paragraph(out, text, 0);
}

static void sentences(FILE *out, const bf_contest *contest) {
    char text[1024];
    const char *none = bf_contest_why_none(contest);
    if (none)
        highest(out, contest, none);
    for (int k = 0; !none && bf_contest_sentence(contest, k, text, sizeof text) > 0; k++)
        bf_paragraph(out, text, 0);
}

static void reasons(bf__teller *teller, const bf_contest *contest, bool grave) {
    bf_contestant e;
    for (int k = 0; bf_contest_entry(contest, k, &e); k++)
        for (int i = 0; i < e.trust->reason_count; i++)
            if (e.trust->reasons[i].distrust == grave)
                bf__tell_reason(teller, e.name, &e.trust->reasons[i]);
}

bf_status bf_report_contest_text(const char **out, const bf_contest_answer *answer, bool unicode,
                                 bf_arena *arena, bf_error *err) {
    const bf_contest *contest = answer->contest;
    const marks *m = unicode ? &unicode_marks : &ascii_marks;
    bf_contestant first, e;
    bf__page page;
    char per_step[64];
    double seconds = 0;
    BF_TRY(bf__page_open(&page, err));
    bf_contest_entry(contest, 0, &first);
    for (int k = 0; bf_contest_entry(contest, k, &e); k++)
        seconds += e.seconds;
    bf__teller teller = {
        .out = page.file, .verbose = BF__HAS(answer, bf_contest_answer, verbose), .most = LINES};
    sentences(page.file, contest);
    fputs("\n  ", page.file);
    bf__describe_log(page.file, first.problem->data);
    if (first.problem->gamma < 1)
        fprintf(page.file, "\n  discounted reward of each policy (gamma %g), times 1 - gamma\n",
                first.problem->gamma);
    else
        fprintf(page.file, "\n  reward %s of each policy in the long run\n",
                bf__per_step(first.problem, per_step));
    values(page.file, contest, m);
    differences(page.file, contest, m);
    reasons(&teller, contest, true);
    reasons(&teller, contest, false);
    bf__tell_end(&teller);
    if (teller.verbose)
        fprintf(page.file, "\n  read in %.2f s, estimated in %.2f s\n", answer->seconds_read,
                seconds);
    return bf__page_close(&page, out, arena, err);
}

/* ---- JSON */

static json_t *pair_json(const bf_contest *contest, int k, const bf_pair *p) {
    char text[1024];
    bf_contestant a, b;
    bf_contest_entry(contest, p->a, &a);
    bf_contest_entry(contest, p->b, &b);
    bf_contest_sentence(contest, k, text, sizeof text);
    json_t *interval = p->level > 0
                           ? json_pack("{s:f, s:o, s:o}", "level", p->level, "low",
                                       bf__json_number(p->low), "high", bf__json_number(p->high))
                           : json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:s}", "a", a.name,
                     "b", b.name, "difference", bf__json_number(p->difference), "se",
                     bf__json_number(p->se), "df", bf__json_number(p->df), "interval", interval,
                     "p", bf__json_number(p->p), "p_holm", bf__json_number(p->holm), "decided",
                     p->decided, "smallest", bf__json_number(p->smallest), "more_log",
                     bf__json_number(p->more), "sentence", text);
}

static json_t *entry_json(const bf_contest_answer *answer, const bf_contestant *e) {
    bf_answer own = {.problem = e->problem,
                     .estimator = e->estimator,
                     .estimate = e->estimate,
                     .settings = answer->settings,
                     .settings_count = answer->settings_count,
                     .seconds_read = answer->seconds_read,
                     .seconds_estimate = e->seconds,
                     .size = sizeof own,
                     .trust = e->trust};
    json_t *object = bf__json_answer(&own);
    json_object_set_new(object, "name", json_string(e->name));
    json_object_set_new(object, "log", json_boolean(e->log));
    json_object_set_new(object, "best", bf__json_number(e->best));
    return object;
}

bf_status bf_report_contest_json(const char **out, const bf_contest_answer *answer, bf_arena *arena,
                                 bf_error *err) {
    const bf_contest *contest = answer->contest;
    json_t *entries = json_array(), *pairs = json_array(), *settings = json_object();
    bf_contestant e;
    bf_pair p;
    for (int k = 0; bf_contest_entry(contest, k, &e); k++)
        json_array_append_new(entries, entry_json(answer, &e));
    for (int k = 0; bf_contest_pair(contest, k, &p); k++)
        json_array_append_new(pairs, pair_json(contest, k, &p));
    for (int k = 0; k < answer->settings_count; k++)
        if (!bf__json_settings(settings, answer->settings[k].table, answer->settings[k].options))
            settings = bf__json_whole(settings, false);
    bf_contest_entry(contest, 0, &e);
    json_t *object =
        json_pack("{s:i, s:o, s:o, s:s?, s:s, s:I, s:o, s:o, s:s}", "schema", BF_ANSWER_SCHEMA,
                  "policies", entries, "pairs", pairs, "why_none", bf_contest_why_none(contest),
                  "method", e.estimator->name, "n", (json_int_t)e.problem->data->n, "gamma",
                  bf__json_number(e.problem->gamma), "settings", settings, "version", bf_version());
    return bf__json_text(out, object, arena, err);
}
