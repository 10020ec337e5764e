/* page.c - report.html: one file with everything in it. It needs no network and no script.
 *
 * The claims come first, then every experiment with its figures (the SVG files as data), its
 * numbers and its settings. Panels stand side by side if there is room, and below each other on a
 * telephone. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backflow/machine.h"
#include "backflow/version.h"
#include "core/fail.h"
#include "core/output.h"
#include "experiment/files.h"

static const char *const style =
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe "
    "UI',Helvetica,Arial,sans-serif;color:#1a1a1a;"
    "background:#fff;margin:0 auto;max-width:1180px;padding:1rem;overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.25}h2{font-size:1.35rem;margin-top:2.5rem;border-top:1px "
    "solid #ccc;padding-top:1rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    "a{color:#00508c}code{font-size:.9em}\n"
    ".place{color:#555;font-weight:normal}.banner{background:#fff3cd;border:1px solid "
    "#d9b84a;padding:.6rem .9rem}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));"
    "gap:1rem}\n"
    "figure{margin:0}figure img{display:block;width:100%;max-width:540px;height:auto;margin:0 "
    "auto}summary{cursor:pointer;padding:.3rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem}th,td{text-align:left;vertical-align:top;"
    "padding:.35rem .6rem;border-bottom:1px solid #ddd}th{background:#f4f4f4}\n"
    ".numbers td+td,.numbers th+th{text-align:right;white-space:nowrap}\n"
    ".wide{overflow-x:auto}\n"
    ".verdict{display:inline-block;padding:.05rem .5rem;border-radius:.3rem;color:#fff;"
    "font-weight:600;white-space:nowrap}\n"
    ".reproduced{background:#00614a}.partly{background:#7a5200}.not{background:#a33a00}\n"
    ".rule{color:#444;font-size:.85rem}\n"
    "@media(max-width:700px){.claims thead{display:none}.claims,.claims tbody,.claims tr,.claims "
    "td{display:block;width:auto}.claims tr{border-bottom:2px solid #bbb;padding:.6rem 0}.claims "
    "td{border:0;padding:.15rem 0}.claims td:nth-child(2)::before{content:'Measured: "
    "';font-weight:600}}\n";

/* ---- Text */

/* Writes `text` and escapes the characters that HTML would interpret. */
static void put(FILE *file, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
}

/* <tag>text</tag> */
static void element(FILE *file, const char *tag, const char *text) {
    fprintf(file, "<%s>", tag);
    put(file, text);
    fprintf(file, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

static void put_base64(FILE *file, const unsigned char *bytes, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[three >> 18], file);
        fputc(digits[three >> 12 & 63], file);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[three & 63] : '=', file);
    }
}

/* ---- Claims */

static void put_claims(FILE *file, const bf__study *studies, int count) {
    fputs("<table class=\"claims\"><thead><tr><th>Claim</th><th>Measured</th><th>Verdict</th></tr>"
          "</thead><tbody>\n",
          file);
    for (int s = 0; s < count; s++)
        for (int i = 0; i < studies[s].claim_count; i++) {
            const bf__claim *c = &studies[s].claims[i];
            const char *verdict = bf__verdict_text(c->verdict);
            fprintf(file, "<tr><td><a href=\"#%s\">%s</a>%s: ", studies[s].experiment->name,
                    studies[s].experiment->place, c->ours ? ", ours" : "");
            put(file, c->claim);
            fputs("<div class=\"rule\">Rule: ", file);
            put(file, c->rule);
            fputs("</div></td><td>", file);
            put(file, c->measured);
            fprintf(file, "</td><td><span class=\"verdict %s\">%s</span></td></tr>\n", verdict,
                    verdict);
        }
    fputs("</tbody></table>\n", file);
}

/* ---- One experiment */

static bf_status put_figure(FILE *file, const bf__study *study, int panel, const char *folder,
                            bf_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/figures/%s-%d.svg", folder, study->experiment->name, panel + 1);
    FILE *drawing = fopen(path, "rb");
    unsigned char block[3 * 4096];
    size_t got;
    if (!drawing)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
    fputs("<figure><img alt=\"", file);
    put(file, study->experiment->title);
    fputs(": ", file);
    put(file, study->panels[panel].title);
    fputs("\" src=\"data:image/svg+xml;base64,", file);
    while ((got = fread(block, 1, sizeof block, drawing)) > 0)
        put_base64(file, block, got);
    fputs("\"></figure>\n", file);
    bool bad = ferror(drawing) != 0;
    fclose(drawing);
    return bad ? bf_fail(err, BF_EFILE, "%s: cannot be read", path) : BF_OK;
}

static void put_number(FILE *file, const bf__run_group *g, bf__quantity quantity, bool single) {
    const bf__spread *s = single ? &g->spread_single : &g->spread;
    if (s->runs == 0) {
        fputs("no answer", file);
        return;
    }
    if (quantity == BF_SHOW_COVERED && g->covering.answered == 0) {
        fputs("no interval", file);
        return;
    }
    if (quantity == BF_SHOW_COVERED) {
        fprintf(file, "%.0f%% of %" PRId64 ", half-width %.2g RMSE",
                100 * g->covering.covered.value, g->covering.answered,
                g->covering.half / g->covering.rmse);
        return;
    }
    if (quantity == BF_SHOW_BOUND)
        fprintf(file, "%.3g", g->covering.half);
    else if (quantity == BF_SHOW_ANSWERS) {
        fprintf(file, "%.4g, RMSE %.3g", g->truth.precise.value + s->bias.value, s->rmse.value);
        if (g->covering.answered > 0)
            fprintf(file, ", %.0f%% of %" PRId64 " intervals hold the truth",
                    100 * g->covering.covered.value, g->covering.answered);
    } else if (quantity == BF_SHOW_QUARTILES)
        fprintf(file, "%.3g [%.2g, %.2g]", s->median, s->low, s->high);
    else {
        bf_mean m = quantity == BF_SHOW_BIAS ? s->bias : quantity == BF_SHOW_SD ? s->sd : s->rmse;
        fprintf(file, "%.3g &plusmn; %.1g", m.value, m.error);
    }
    if (s->runs < g->runs)
        fprintf(file, " (%" PRId64 " of %" PRId64 ")", s->runs, g->runs);
}

/* Whether no group before it has its method and panel. */
static bool is_first(const bf__study *study, int64_t group) {
    const bf__run_group *groups = study->groups;
    for (int64_t g = 0; g < group; g++)
        if (groups[g].panel == groups[group].panel && groups[g].method == groups[group].method)
            return false;
    return true;
}

/* A table with a row per method and a column per place. */
static void put_table(FILE *file, const bf__study *study, const bf__panel *panel, bool single) {
    double x[BF_MAX_PLACES];
    int count = bf__study_places(study, x, BF_MAX_PLACES);
    element(file, "h3", panel->title);
    fputs("<div class=\"wide\"><table class=\"numbers\"><thead><tr><th>", file);
    put(file, study->experiment->x_label);
    fputs("</th>", file);
    for (int i = 0; i < count; i++)
        fprintf(file, "<th>%g</th>", x[i]);
    fputs("</tr></thead><tbody>\n", file);
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *first = &study->groups[g];
        if (first->panel != panel->of || !is_first(study, g))
            continue;
        fputs("<tr><td>", file);
        put(file, first->method->label);
        fputs("</td>", file);
        for (int i = 0; i < count; i++) {
            const bf__run_group *group =
                bf__study_find(study, first->method->name, panel->of, x[i]);
            fputs("<td>", file);
            if (group)
                put_number(file, group, panel->quantity, single);
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div>\n", file);
}

/* Says which truth the errors are measured from. */
static void put_truths(FILE *file, const bf__study *study, bool single) {
    const bf__run_group *before = NULL;
    const bf__measure *measure = study->groups[0].setting.measure;
    if (measure && measure->loss)
        return;
    fputs("<p>True values:", file);
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        bf_mean truth = single ? group->truth.single : group->truth.precise;
        if (before && before->setting.env == group->setting.env &&
            before->setting.gamma == group->setting.gamma &&
            before->setting.asks == group->setting.asks)
            continue;
        fprintf(file, "%s %s%s", before ? ";" : "", group->setting.env->name,
                bf__setting_asks(&group->setting));
        if (group->setting.gamma < 1)
            fprintf(file, " (gamma %g)", group->setting.gamma);
        before = group;
        if (isnan(truth.value)) {
            fputs(" none", file);
            continue;
        }
        fprintf(file, " %.5g", truth.value);
        fprintf(file, truth.error > 0 ? " &plusmn; %.1g" : " exactly", truth.error);
    }
    fputs(".</p>\n", file);
}

/* Whether errors are shown, and every setting has the paper's kind of truth. */
static bool has_single(const bf__study *study) {
    for (int64_t g = 0; g < study->group_count; g++)
        if (isnan(study->groups[g].truth.single.value))
            return false;
    for (int p = 0; p < study->panel_count; p++)
        if (study->panels[p].quantity == BF_SHOW_COVERED)
            return false;
    return true;
}

static void put_numbers(FILE *file, const bf__study *study, const bf__provenance *provenance) {
    fputs("<details><summary>Numbers</summary>\n", file);
    put_truths(file, study, false);
    for (int p = 0; p < study->panel_count; p++)
        put_table(file, study, &study->panels[p], false);
    fputs("</details>\n", file);
    if (!has_single(study))
        return;
    fprintf(file,
            "<details><summary>The same against the paper's kind of truth, one run of %" PRId64
            " steps</summary>\n",
            provenance->effort.single);
    put_truths(file, study, true);
    for (int p = 0; p < study->panel_count; p++)
        put_table(file, study, &study->panels[p], true);
    fputs("</details>\n", file);
}

static void put_settings(FILE *file, const bf__study *study) {
    const bf_option_table *table = study->experiment->options;
    fputs("<p class=\"rule\">Settings:", file);
    for (int i = 0; i < table->count; i++) {
        char value[512];
        bf_options_format(&table->rows[i], study->options, value, sizeof value);
        fputs(i ? "; " : " ", file);
        put(file, table->rows[i].field);
        fputs(" ", file);
        put(file, value);
    }
    fprintf(file,
            ". Data: <code>%s.csv</code>, <code>%s-summary.csv</code>, "
            "<code>%s.json</code>.</p>\n",
            study->experiment->name, study->experiment->name, study->experiment->name);
}

static bf_status put_experiment(FILE *file, const bf__study *study,
                                const bf__provenance *provenance, bool figures, const char *folder,
                                bf_error *err) {
    const bf__experiment *e = study->experiment;
    fprintf(file, "<section><h2 id=\"%s\">", e->name);
    put(file, e->title);
    fprintf(file, " <span class=\"place\">(%s, <code>%s</code>)</span></h2>\n", e->place, e->name);
    element(file, "p", e->text);
    if (figures) {
        fputs("<div class=\"panels\">\n", file);
        for (int p = 0; p < study->panel_count; p++)
            BF_TRY(put_figure(file, study, p, folder, err));
        fputs("</div>\n", file);
    }
    put_numbers(file, study, provenance);
    put_settings(file, study);
    fputs("</section>\n", file);
    return BF_OK;
}

/* ---- The page */

static void put_head(FILE *file, const bf__provenance *provenance) {
    bf_machine machine = bf_machine_describe();
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n"
          "<title>Black-box off-policy estimation, reproduced</title>\n<style>\n",
          file);
    fputs(style, file);
    fputs("</style></head><body>\n<h1>Black-box off-policy estimation, reproduced</h1>\n"
          "<p>The experiments of <i>Black-box Off-policy Estimation for Infinite-Horizon "
          "Reinforcement Learning</i> (Mousavi, Li, Liu, Zhou), run again from seeds, and what "
          "became of each claim.</p>\n",
          file);
    if (provenance->quick)
        fputs(
            "<p class=\"banner\">A small version (<code>--quick</code>): it shows that everything "
            "works. Its numbers are too few to judge by.</p>\n",
            file);
    fputs("<p class=\"rule\">Made by <code>", file);
    put(file, provenance->command);
    fprintf(file, "</code>, backflow %s, seed %" PRIu64 ", %d threads, %s, ", bf_version(),
            provenance->seed, machine.threads, machine.simd);
    put(file, machine.blas);
    fputs(".</p>\n", file);
}

static bf_status put_page(FILE *file, const bf__study *studies, int count,
                          const bf__provenance *provenance, bool figures, const char *folder,
                          bf_error *err) {
    put_head(file, provenance);
    fputs("<section><h2>Claims</h2>\n<p>A claim of the paper in our words, the rule that decides, "
          "and what was measured. Standard errors are by the bootstrap over logs.</p>\n",
          file);
    put_claims(file, studies, count);
    fputs("</section>\n", file);
    for (int s = 0; s < count; s++)
        BF_TRY(put_experiment(file, &studies[s], provenance, figures, folder, err));
    fprintf(file,
            "<section><h2>Two kinds of truth</h2>\n<p>The paper takes one run of %" PRId64
            " steps of the target policy for the truth. Such a run is noisy itself, often more so "
            "than the estimates. Figures and verdicts here use the precise value: exact where the "
            "problem is finite, otherwise a simulation of about %.3g steps in many chains. Both "
            "are in the data.</p></section>\n</body></html>\n",
            provenance->effort.single, (double)provenance->effort.steps);
    return BF_OK;
}

bf_status bf__report_page(const bf__study *studies, int count, const bf__provenance *provenance,
                          bool figures, const char *folder, bf_error *err) {
    char path[4096];
    bf__output out;
    snprintf(path, sizeof path, "%s/report.html", folder);
    BF_TRY(bf__output_open(&out, path, err));
    bf_status status = put_page(out.file, studies, count, provenance, figures, folder, err);
    if (status != BF_OK) {
        bf__output_abandon(&out);
        return status;
    }
    return bf__output_commit(&out, err);
}
