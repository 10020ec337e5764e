/* horizon.c - Value against horizon, for people and for programs. */
#include <math.h>

#include "report/report.h"
#include "report/settings.h"

static void settling(FILE *out, const bf_horizon *h) {
    double after = bf_horizon_get(h, "settles_after"), limit = bf_horizon_get(h, "limit");
    char text[256];
    if (!isfinite(limit))
        return;
    if (isfinite(after))
        snprintf(text, sizeof text,
                 "After %.0f steps the mean stays within 5%% of a standard deviation of the log's "
                 "rewards of its long-run value.",
                 after);
    else
        snprintf(text, sizeof text,
                 "The target mixes so slowly that the mean had not come within 5%% of a standard "
                 "deviation of the log's rewards of its long-run value when the walk was stopped.");
    fputs("  ", out);
    bf_paragraph(out, text, 2);
}

static void reach(FILE *out, const bf_horizon *h) {
    double beyond = bf_horizon_get(h, "beyond"), within = bf_horizon_get(h, "within"),
           longest = bf_horizon_get(h, "longest");
    char text[384], share[96] = "", mean[96] = "";
    if (isfinite(beyond))
        snprintf(share, sizeof share, " %.3g%% of the answer lies beyond that.", 100 * beyond);
    if (isfinite(within))
        snprintf(mean, sizeof mean, " Over that many steps the target earns %.6g per step.",
                 within);
    snprintf(text, sizeof text, "The longest trajectory of the log has %.0f step%s.%s%s", longest,
             longest == 1 ? "" : "s", share, mean);
    fputs("  ", out);
    bf_paragraph(out, text, 2);
}

void bf__report_horizon(FILE *out, const bf_horizon *h) {
    int64_t steps;
    double value, covered, limit = bf_horizon_get(h, "limit");
    fprintf(out, "\n  first steps  reward per step of the target policy, from the log's starts\n");
    for (int k = 0; bf_horizon_at(h, k, &steps, &value, &covered); k++) {
        bf_interval i;
        fprintf(out, "  %-12lld %.6g", (long long)steps, value);
        if (bf_horizon_interval(h, k, &i))
            fprintf(out, " (%.4g to %.4g)", i.low, i.high);
        if (covered < 1 - 1e-9)
            fprintf(out, "  (%.3g%% of these steps lead to pairs that the log never shows)",
                    100 * (1 - covered));
        fputc('\n', out);
    }
    if (isfinite(limit))
        fprintf(out, "  %-12s %.6g  of the same chain\n", "long run", limit);
    settling(out, h);
    reach(out, h);
}

json_t *bf__json_horizon(const bf_horizon *h) {
    static const char *const names[] = {"limit", "settles_after", "longest", "within", "beyond"};
    json_t *values = json_array(), *curve = json_array();
    int64_t steps;
    double value, covered;
    bf_interval i;
    for (int k = 0; bf_horizon_at(h, k, &steps, &value, &covered); k++) {
        bool known = bf_horizon_interval(h, k, &i);
        json_array_append_new(
            values,
            json_pack("{s:I, s:o, s:o, s:o}", "horizon", (json_int_t)steps, "value",
                      bf__json_number(value), "interval",
                      known ? json_pack("{s:f, s:o, s:o}", "level", i.level, "low",
                                        bf__json_number(i.low), "high", bf__json_number(i.high))
                            : json_null(),
                      "covered", bf__json_number(covered)));
    }
    for (int k = 0; bf_horizon_curve(h, k, &steps, &value); k++)
        json_array_append_new(curve, json_pack("{s:I, s:o}", "horizon", (json_int_t)steps, "value",
                                               bf__json_number(value)));
    json_t *object = json_pack("{s:s, s:o}", "chain", bf_horizon_chain(h), "values", values);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        json_object_set_new(object, names[k], bf__json_number(bf_horizon_get(h, names[k])));
    json_object_set_new(object, "curve", curve);
    return object;
}
