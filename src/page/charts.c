/* charts.c - What the page draws: forests, columns, maps, bars, curves. */
#include "page/charts.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "page/html.h"
#include "page/svg.h"

/* ---- Rows with a name, a strip and a text */

/* The name and the text; the strip follows. The style puts it between them, or below them on a
 * telephone. */
static void row_begin(FILE *out, const char *name, const char *link, const char *text) {
    fputs("<div>", out);
    if (link) {
        fputs("<a href=\"#", out);
        bf__html_put(out, link);
        fputs("\">", out);
    }
    bf__html_put(out, name);
    fputs(link ? "</a></div><div class=\"text\">" : "</div><div class=\"text\">", out);
    bf__html_put(out, text);
}

static void row_strip(FILE *out) {
    fputs("</div><div class=\"strip\">", out);
}

static void row_end(FILE *out) {
    fputs("</div>\n", out);
}

static void widen(double *low, double *high, double value) {
    if (!isfinite(value))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Room around what is drawn. If it hardly differs, enough for the numbers of the axis to differ. */
static void pad(double *low, double *high, double share) {
    double size = fmax(fabs(*low), fabs(*high)), range = *high - *low;
    double margin = range > 1e-4 * size ? share * range : fmax(0.05 * size, 1e-9);
    *low -= margin;
    *high += margin;
}

void bf__chart_forest(FILE *out, const bf__forest_row *rows, int count, bool zero) {
    double low = zero ? 0 : INFINITY, high = zero ? 0 : -INFINITY;
    for (int k = 0; k < count; k++) {
        widen(&low, &high, rows[k].value);
        widen(&low, &high, rows[k].low);
        widen(&low, &high, rows[k].high);
    }
    pad(&low, &high, 0.04);
    fputs("<div class=\"rows\">\n", out);
    for (int k = 0; k < count; k++) {
        const bf__forest_row *r = &rows[k];
        double at = bf__place(r->value, low, high);
        row_begin(out, r->name, r->link, r->text);
        if (r->badge)
            fprintf(out, " <span class=\"badge %s\">%s</span>", bf__mark_name(r->mark), r->badge);
        row_strip(out);
        bf__svg_open(out, 26, r->text);
        bf__svg_line(out, "axis", 0, 13, 1, 13);
        if (zero)
            bf__svg_line(out, "axis", bf__place(0, low, high), 0, bf__place(0, low, high), 26);
        if (isfinite(r->low) && isfinite(r->high)) {
            double from = bf__place(r->low, low, high), to = bf__place(r->high, low, high);
            bf__svg_line(out, r->log ? "logline" : "step", from, 13, to, 13);
            bf__svg_line(out, r->log ? "logline" : "step", from, 8, from, 18);
            bf__svg_line(out, r->log ? "logline" : "step", to, 8, to, 18);
        }
        bf__svg_dot(out, r->log ? "logpoint" : "target", at, 13, 5);
        bf__svg_close(out);
        row_end(out);
    }
    row_begin(out, "", NULL, "");
    row_strip(out);
    bf__svg_open(out, 22, "axis");
    bf__svg_axis(out, 2, low, high);
    bf__svg_close(out);
    row_end(out);
    fputs("</div>\n", out);
}

void bf__chart_bar(FILE *out, const char *name, double value, double most, const char *text) {
    row_begin(out, name, NULL, text);
    row_strip(out);
    bf__svg_open(out, 16, text);
    bf__svg_rect(out, "target", 0, bf__place(value, 0, most), 3, 10);
    bf__svg_close(out);
    row_end(out);
}

/* ---- Where the target goes */

void bf__chart_key(FILE *out) {
    fputs(
        "<p class=\"key soft\"><span class=\"l\">where the log went</span><span class=\"t\">where "
        "the target goes</span></p>\n",
        out);
}

static double most_of(const bf__column *c) {
    double most = 0;
    for (int k = 0; k < c->count; k++)
        most = fmax(most, fmax(c->logged[k], c->target[k]));
    return most;
}

void bf__chart_bars(FILE *out, const bf__column *c) {
    double most = most_of(c);
    char text[64];
    fputs("<div class=\"rows\">\n", out);
    for (int k = 0; k < c->count; k++) {
        snprintf(text, sizeof text, "%.1f%% → %.1f%%", 100 * c->logged[k], 100 * c->target[k]);
        row_begin(out, c->label[k], NULL, text);
        row_strip(out);
        bf__svg_open(out, 20, text);
        bf__svg_rect(out, "log", 0, bf__place(c->logged[k], 0, most), 2, 7);
        bf__svg_rect(out, "target", 0, bf__place(c->target[k], 0, most), 10, 7);
        bf__svg_close(out);
        row_end(out);
    }
    fputs("</div>\n", out);
}

/* The log in full bars, the target as steps over them. */
static void histogram(FILE *out, const bf__column *c) {
    const double height = 92;
    double most = most_of(c), before = height;
    bf__svg_open(out, 116, c->name);
    for (int k = 0; k < c->count; k++) {
        double from = (double)k / c->count, to = (k + 1.0) / c->count;
        double tall = height * c->logged[k] / most;
        bf__svg_rect(out, "log", from, to - 0.002, height - tall, tall);
    }
    for (int k = 0; k <= c->count; k++) {
        double from = (double)k / c->count, to = (k + 1.0) / c->count;
        double y = k < c->count ? height - height * c->target[k] / most : height;
        if (fabs(y - before) > 0.05)
            bf__svg_line(out, "step", from, before, from, y);
        if (k < c->count)
            bf__svg_line(out, "step", from, y, to, y);
        before = y;
    }
    bf__svg_axis(out, height + 1, c->low, c->high);
    bf__svg_close(out);
}

void bf__chart_column(FILE *out, const bf__column *c) {
    fputs("<div><h4>", out);
    bf__html_put(out, c->name);
    fprintf(out, " <span class=\"soft\">%.0f%% moved</span></h4>\n", 100 * c->distance);
    if (c->values)
        bf__chart_bars(out, c);
    else
        histogram(out, c);
    fputs("</div>\n", out);
}

/* One panel of a map: shares (up->count, across->count) as shades. */
static void panel(FILE *out, const char *title, const char *class, const double *share, double most,
                  const bf__column *across, const bf__column *up) {
    const double height = 240, cell = height / up->count;
    char text[160];
    fputs("<div><h4>", out);
    bf__html_put(out, title);
    fputs("</h4>\n", out);
    snprintf(text, sizeof text, "%s: %s against %s", title, up->name, across->name);
    bf__svg_open(out, 262, text);
    for (int v = 0; v < up->count; v++)
        for (int u = 0; u < across->count; u++) {
            double mass = share[v * across->count + u];
            if (!(mass > 1e-4 * most))
                continue;
            fprintf(out,
                    "<rect class=\"%s\" opacity=\"%.2f\" x=\"%.2f%%\" width=\"%.2f%%\" "
                    "y=\"%.1f\" height=\"%.1f\"/>",
                    class, 0.12 + 0.88 * sqrt(mass / most), 100.0 * u / across->count,
                    100.0 / across->count + 0.05, height - (v + 1) * cell, cell + 0.2);
        }
    fprintf(out, "<rect class=\"frame\" x=\"0\" y=\"0\" width=\"100%%\" height=\"%.0f\"/>", height);
    if (!across->values)
        bf__svg_axis(out, height, across->low, across->high);
    bf__svg_close(out);
    fputs("</div>\n", out);
}

/* "ward from left to right: ICU, general"; "age from below: 18 to 92". */
static void explain(FILE *out, const bf__column *c, const char *direction) {
    char range[80];
    bf__html_put(out, c->name);
    fprintf(out, " %s: ", direction);
    snprintf(range, sizeof range, "%.4g to %.4g", c->low, c->high);
    if (!c->values)
        fputs(range, out);
    for (int k = 0; k < c->count && c->values; k++) {
        fputs(k > 0 ? ", " : "", out);
        bf__html_put(out, c->label[k]);
    }
}

bf_status bf__chart_map(FILE *out, const bf__column *across, const bf__column *up,
                        const double *weights, bf_arena *arena, bf_error *err) {
    int cells = across->count * up->count;
    double *logged, *target, sum = 0, most[2] = {0, 0};
    BF_ZALLOC(logged, arena, cells, err);
    BF_ZALLOC(target, arena, cells, err);
    for (int64_t i = 0; i < across->n; i++)
        sum += weights[i];
    for (int64_t i = 0; i < across->n; i++) {
        int at = bf__column_bin(up, i) * across->count + bf__column_bin(across, i);
        logged[at] += bf__row_weight(&across->rows, i) / (double)across->n;
        target[at] += weights[i] / sum;
    }
    for (int k = 0; k < cells; k++) {
        most[0] = fmax(most[0], logged[k]);
        most[1] = fmax(most[1], target[k]);
    }
    fputs("<p class=\"soft\">", out);
    explain(out, across, "from left to right");
    fputs("; ", out);
    explain(out, up, "from below");
    fputs(".</p>\n", out);
    fputs("<div class=\"two\">\n", out);
    panel(out, "where the log went", "point", logged, most[0], across, up);
    panel(out, "where the target goes", "target", target, most[1], across, up);
    fputs("</div>\n", out);
    return BF_OK;
}

/* ---- The balance of the flow */

/* What is below rounding is 0. */
static double shown(double value) {
    return value < 1e-6 ? 0 : value;
}

void bf__chart_balance(FILE *out, const bf_balance *list, int count) {
    double most[2] = {0.1, 0.05}; /* what is smaller looks small */
    for (int k = 0; k < count; k++)
        most[list[k].share] = fmax(most[list[k].share], fmax(list[k].before, list[k].after));
    fputs("<div class=\"rows\">\n", out);
    for (int k = 0; k < count; k++) {
        const bf_balance *b = &list[k];
        char text[96];
        if (b->share)
            snprintf(text, sizeof text, "%.2g%% → %.2g%%", 100 * shown(b->before),
                     100 * shown(b->after));
        else
            snprintf(text, sizeof text, "%.2g → %.2g deviations", shown(b->before),
                     shown(b->after));
        row_begin(out, b->name, NULL, text);
        row_strip(out);
        bf__svg_open(out, 20, text);
        bf__svg_rect(out, "log", 0, bf__place(b->before, 0, most[b->share]), 2, 7);
        bf__svg_rect(out, "target", 0, bf__place(b->after, 0, most[b->share]), 10, 7);
        bf__svg_close(out);
        row_end(out);
    }
    fputs("</div>\n", out);
}

/* ---- Value against horizon */

enum { CURVE_HEIGHT = 180, MOST_TICKS = 8 };

static double along(double steps, double last) {
    return last > 1 ? log(steps) / log(last) : 0.5;
}

static double tall(double value, double low, double high) {
    return CURVE_HEIGHT - (CURVE_HEIGHT - 8) * bf__place(value, low, high);
}

void bf__chart_horizon(FILE *out, const bf_horizon *h, double answer) {
    double low = answer, high = answer, last = 1, value, tick[MOST_TICKS];
    double x = 0, y = 0, longest = bf_horizon_get(h, "longest");
    int64_t steps;
    char text[32];
    for (int k = 0; bf_horizon_curve(h, k, &steps, &value); k++) {
        widen(&low, &high, value);
        last = fmax(last, (double)steps);
    }
    pad(&low, &high, 0.06);
    bf__svg_open(out, CURVE_HEIGHT + 22, "reward per step against the number of steps");
    int ticks = bf__ticks(tick, MOST_TICKS, low, high, 3);
    for (int k = 0; k < ticks; k++) {
        bf__svg_line(out, "axis", 0, tall(tick[k], low, high), 1, tall(tick[k], low, high));
        snprintf(text, sizeof text, "%.6g", tick[k]);
        fprintf(out, "<text x=\"0\" y=\"%.1f\">%s</text>", tall(tick[k], low, high) - 3, text);
    }
    bf__svg_line(out, "logline", 0, tall(answer, low, high), 1, tall(answer, low, high));
    if (longest > 1 && longest < last)
        bf__svg_line(out, "axis", along(longest, last), 0, along(longest, last), CURVE_HEIGHT);
    for (int k = 0; bf_horizon_curve(h, k, &steps, &value); k++) {
        double nx = along((double)steps, last), ny = tall(value, low, high);
        if (k > 0)
            bf__svg_line(out, "step", x, y, nx, ny);
        x = nx;
        y = ny;
    }
    bf__svg_line(out, "axis", 0, CURVE_HEIGHT, 1, CURVE_HEIGHT);
    double step = pow(10, fmax(1, ceil(log10(last) / 5)));
    for (double at = 1; at <= last * 1.0001; at *= step) {
        bf__svg_line(out, "axis", along(at, last), CURVE_HEIGHT, along(at, last), CURVE_HEIGHT + 4);
        snprintf(text, sizeof text, "%.6g", at);
        bf__svg_text(out, along(at, last), CURVE_HEIGHT + 17, text);
    }
    bf__svg_close(out);
}
