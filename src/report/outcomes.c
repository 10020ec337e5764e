/* outcomes.c - Quantiles, tail means and groups, for people and for programs. */
#include <math.h>

#include "report/report.h"
#include "report/settings.h"

static void number(FILE *out, double value, const bf_interval *i) {
    char text[80] = "";
    if (i->level > 0)
        snprintf(text, sizeof text, " (%.4g to %.4g)", i->low, i->high);
    fprintf(out, i->level > 0 ? "%-10.5g%s" : "%.5g%s", value, text);
}

void bf__report_outcomes(FILE *out, const bf_outcomes *outcomes, const char *by, bool timed) {
    bf_risk r;
    bf_group g;
    for (int k = 0; bf_outcomes_risk(outcomes, k, &r); k++) {
        if (k == 0)
            fprintf(out, "\n  reward of single steps of the target policy\n");
        char label[64];
        snprintf(label, sizeof label, "%g%% of steps earn at most", 100 * r.share);
        fprintf(out, "  %-52s ", label);
        number(out, r.quantile, &r.quantile_interval);
        snprintf(label, sizeof label, "mean of the lowest %g%% of steps", 100 * r.share);
        fprintf(out, "\n  %-52s ", label);
        number(out, r.tail_mean, &r.tail_interval);
        fputc('\n', out);
    }
    for (int k = 0; bf_outcomes_group(outcomes, k, &g); k++) {
        if (k == 0)
            fprintf(out, "\n  %-12s %10s  %-34s %s\n", by, "rows",
                    timed ? "share of the target's time" : "share of the target's steps",
                    timed ? "its reward per unit of time" : "its reward per step");
        if (g.name)
            fprintf(out, "  %-12s %10lld  ", g.name, (long long)g.rows);
        else
            fprintf(out, "  %-12.10g %10lld  ", g.value, (long long)g.rows);
        char share[80] = "";
        if (g.share_interval.level > 0)
            snprintf(share, sizeof share, " (%.4g to %.4g)", g.share_interval.low,
                     g.share_interval.high);
        char text[112];
        snprintf(text, sizeof text, "%-10.4g%s", g.share, share);
        fprintf(out, "%-34s ", text);
        if (isfinite(g.mean))
            number(out, g.mean, &g.mean_interval);
        else
            fputs("never there", out);
        fputc('\n', out);
    }
    if (bf_outcomes_why_none(outcomes)) {
        fputs("  ", out);
        bf_paragraph(out, bf_outcomes_why_none(outcomes), 2);
    }
}

static json_t *interval(const bf_interval *i) {
    if (!(i->level > 0))
        return json_null();
    return json_pack("{s:f, s:o, s:o}", "level", i->level, "low", bf__json_number(i->low), "high",
                     bf__json_number(i->high));
}

/* A word that is no UTF-8 goes by its number. */
static json_t *group_name(const bf_group *g) {
    json_t *name = g->name ? json_string(g->name) : NULL;
    return name ? name : bf__json_number(g->value);
}

void bf__json_outcomes(json_t *object, const bf_outcomes *outcomes) {
    json_t *risks = json_array(), *groups = json_array();
    bf_risk r;
    bf_group g;
    for (int k = 0; bf_outcomes_risk(outcomes, k, &r); k++)
        json_array_append_new(risks, json_pack("{s:f, s:o, s:o, s:o, s:o}", "share", r.share,
                                               "quantile", bf__json_number(r.quantile),
                                               "quantile_interval", interval(&r.quantile_interval),
                                               "cvar", bf__json_number(r.tail_mean),
                                               "cvar_interval", interval(&r.tail_interval)));
    for (int k = 0; bf_outcomes_group(outcomes, k, &g); k++)
        json_array_append_new(
            groups, json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "group", group_name(&g), "rows",
                              (json_int_t)g.rows, "share", bf__json_number(g.share),
                              "share_interval", interval(&g.share_interval), "value",
                              bf__json_number(g.mean), "interval", interval(&g.mean_interval)));
    if (json_array_size(risks) > 0)
        json_object_set(object, "risk", risks);
    if (json_array_size(groups) > 0)
        json_object_set(object, "groups", groups);
    json_decref(risks);
    json_decref(groups);
}
