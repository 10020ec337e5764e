/* charts.h - What the page draws. */
#ifndef BF_PAGE_CHARTS_H
#define BF_PAGE_CHARTS_H

#include <stdio.h>

#include "backflow/detail.h"
#include "backflow/report.h"
#include "page/columns.h"
#include "report/marks.h"

/* ---- Rows with a name, a strip and numbers: intervals on one axis */

typedef struct bf__forest_row {
    const char *name, *link; /* `link`: a place in the page, or NULL */
    double value, low, high; /* low and high NaN: no interval */
    bool log;                /* the log's own behaviour */
    const char *text;        /* beside it */
    const char *badge;       /* a word behind it, or NULL */
    bf__mark mark;           /* and its colour */
} bf__forest_row;

/* `zero`: with a line at 0. */
void bf__chart_forest(FILE *out, const bf__forest_row *rows, int count, bool zero);

/* ---- Where the target goes */

/* "Where the log went" and "where the target goes", with their colours. */
void bf__chart_key(FILE *out);

/* Its bars, `logged` over `target` for every bin, with the labels. */
void bf__chart_bars(FILE *out, const bf__column *column);

/* One column with its name: bars for values, a histogram for numbers. */
void bf__chart_column(FILE *out, const bf__column *column);

/* Two columns against each other, the log and the target side by side. */
bf_status bf__chart_map(FILE *out, const bf__column *across, const bf__column *up,
                        const double *weights, bf_arena *arena, bf_error *err);

/* ---- The rest */

/* Rows with a name, a bar for `value` of at most `most`, and a text. */
void bf__chart_bar(FILE *out, const char *name, double value, double most, const char *text);

void bf__chart_balance(FILE *out, const bf_balance *list, int count);

void bf__chart_horizon(FILE *out, const bf_horizon *horizon, double answer);

#endif
