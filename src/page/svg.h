/* svg.h - Drawings inside a page.
 *
 * A drawing is as wide as its box: x is a share of the width, from 0 to 1, and y is in pixels. So
 * letters keep their size on every screen. Colours are classes of the page's style: "log",
 * "target", "axis", ... */
#ifndef BF_PAGE_SVG_H
#define BF_PAGE_SVG_H

#include <stdio.h>

/* `label` says what is drawn, for those who cannot see it. */
void bf__svg_open(FILE *out, int height, const char *label);
void bf__svg_close(FILE *out);

void bf__svg_rect(FILE *out, const char *class, double x0, double x1, double y, double height);
void bf__svg_line(FILE *out, const char *class, double x0, double y0, double x1, double y1);
void bf__svg_dot(FILE *out, const char *class, double x, double y, double radius);
/* Centred at x, but for the ends of the drawing, which text does not leave. */
void bf__svg_text(FILE *out, double x, double y, const char *text);

/* Round numbers within [low, high], evenly spaced: `want` to about 2.5 times as many, and at most
 * `room`; returns how many. */
int bf__ticks(double *out, int room, double low, double high, int want);

/* Where `value` lies between low and high, as a share, cut to 0 to 1; 0.5 if they are equal. */
double bf__place(double value, double low, double high);

/* A line at y with ticks and their numbers from low to high under it; it takes 20 pixels. */
void bf__svg_axis(FILE *out, double y, double low, double high);

#endif
