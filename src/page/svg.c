/* svg.c - Drawings inside a page. */
#include "page/svg.h"

#include <math.h>
#include <string.h>

#include "page/html.h"

void bf__svg_open(FILE *out, int height, const char *label) {
    fprintf(out, "<svg height=\"%d\" role=\"img\" aria-label=\"", height);
    bf__html_put(out, label);
    fputs("\">", out);
}

void bf__svg_close(FILE *out) {
    fputs("</svg>\n", out);
}

void bf__svg_rect(FILE *out, const char *class, double x0, double x1, double y, double height) {
    fprintf(out, "<rect class=\"%s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.1f\" height=\"%.1f\"/>",
            class, 100 * x0, 100 * fmax(x1 - x0, 0), y, fmax(height, 0));
}

void bf__svg_line(FILE *out, const char *class, double x0, double y0, double x1, double y1) {
    fprintf(out, "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>", class,
            100 * x0, y0, 100 * x1, y1);
}

void bf__svg_dot(FILE *out, const char *class, double x, double y, double radius) {
    fprintf(out, "<circle class=\"%s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"%.1f\"/>", class, 100 * x, y,
            radius);
}

void bf__svg_text(FILE *out, double x, double y, const char *text) {
    const char *anchor = x < 0.06 ? "start" : x > 0.94 ? "end" : "middle";
    fprintf(out, "<text x=\"%.2f%%\" y=\"%.1f\" text-anchor=\"%s\">", 100 * x, y, anchor);
    bf__html_put(out, text);
    fputs("</text>", out);
}

int bf__ticks(double *out, int room, double low, double high, int want) {
    static const double steps[] = {1, 2, 5, 10}; /* the largest of them that gives `want` */
    if (!(high > low) || !isfinite(high - low))
        return 0;
    double rough = (high - low) / want, power = pow(10, floor(log10(rough))), step = power;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (steps[k] * power <= rough * (1 + 1e-9))
            step = steps[k] * power;
    int count = 0;
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && count < room; k++)
        out[count++] = k == 0 ? 0 : k * step;
    return count;
}

double bf__place(double value, double low, double high) {
    return high > low ? fmin(fmax((value - low) / (high - low), 0), 1) : 0.5;
}

void bf__svg_axis(FILE *out, double y, double low, double high) {
    double tick[8];
    char text[32];
    int count = bf__ticks(tick, 8, low, high, 3);
    bf__svg_line(out, "axis", 0, y, 1, y);
    for (int k = 0; k < count; k++) {
        double x = bf__place(tick[k], low, high);
        bf__svg_line(out, "axis", x, y, x, y + 4);
        snprintf(text, sizeof text, "%.6g", tick[k]);
        bf__svg_text(out, x, y + 17, text);
    }
}
