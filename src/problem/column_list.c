/* column_list.c - State columns with a number each: reading "s0:360,s3", and what is absurd.
 *
 *     text = item { "," item }
 *     item = column [ ":" number ]
 *     column = "s" digits | "s"     ("s" is the only column there is)
 *
 * Numbers lie between 1e-12 and 1e12; a unit may be 0. The squares of what is divided by them are
 * far from where doubles end, and no column of a log is measured in such units. */
#include "problem/column_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"

#define TAU 6.283185307179586476925286766559

enum { ANY = 1 << 20, MOST = 64 };

static const double least = 1e-12, most = 1e12, turns = 1e6;

typedef struct item {
    int column; /* its number; 0 for "s" too */
    bool only;  /* written "s" */
    double number;
} item;

/* One item; `missing` is its number if it has none, and 0: it has to have one, which may be 0. */
static bf_status parse_item(item *out, const char *name, const char *word, double missing,
                            bf_error *err) {
    char column[64], *end;
    const char *colon = strchr(word, ':');
    snprintf(column, sizeof column, "%.*s", (int)strcspn(word, ":"), word);
    *out = (item){.number = missing, .only = strcmp(column, "s") == 0};
    long number = isdigit((unsigned char)column[1]) ? strtol(column + 1, &end, 10) : -1;
    if (column[0] != 's' || (!out->only && (number < 0 || number >= ANY || *end)))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is no state column: they are s0, s1, ...", name,
                       column);
    out->column = out->only ? 0 : (int)number;
    if (!colon && !(missing > 0))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' should be COLUMN:UNIT", name, word);
    bool right =
        colon && bf__parse_real(colon + 1, &out->number) &&
        ((out->number >= least && out->number <= most) || (out->number == 0 && missing == 0));
    if (colon && !right)
        return bf_fail(err, BF_EUSAGE, "%s: %s: '%s' is not a number from %g to %g%s", name, column,
                       colon + 1, least, most, missing > 0 ? "" : ", or 0");
    return BF_OK;
}

/* All items of `text`; a column is there once. */
static bf_status parse(item *out, int *count, const char *name, const char *text, double missing,
                       bf_error *err) {
    *count = 0;
    for (const char *rest = text; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        char word[128];
        int length = snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, ","), rest);
        if (*count == MOST || length >= (int)sizeof word)
            return bf_fail(err, BF_EUSAGE, "%s: more than %d columns, or a very long one", name,
                           MOST);
        BF_TRY(parse_item(&out[*count], name, word, missing, err));
        for (int i = 0; i < *count; i++)
            if (out[i].column == out[*count].column)
                return bf_fail(err, BF_EUSAGE, "%s: column s%d is there twice", name,
                               out[i].column);
        ++*count;
    }
    return BF_OK;
}

static bool names_none(const char *text) {
    return !text || strcmp(text, "auto") == 0 || strcmp(text, "none") == 0;
}

bf_status bf__periodic_check(const bf_option *row, const char *text, bf_error *err) {
    item items[MOST];
    int count;
    return names_none(text) ? BF_OK : parse(items, &count, row->field, text, TAU, err);
}

bf_status bf__scale_check(const bf_option *row, const char *text, bf_error *err) {
    item items[MOST];
    int count;
    return names_none(text) ? BF_OK : parse(items, &count, row->field, text, 0, err);
}

static bf_status read_columns(double *out, const char *name, const char *text, double missing,
                              int d, bf_error *err) {
    item items[MOST];
    int count;
    BF_TRY(parse(items, &count, name, text, missing, err));
    for (int i = 0; i < count; i++) {
        char column[32] = "s";
        if (!items[i].only)
            snprintf(column, sizeof column, "s%d", items[i].column);
        if (items[i].column >= d || (items[i].only && d > 1))
            return bf_fail(err, BF_EUSAGE, "%s: the log has no state column '%s'; it has %s", name,
                           column, d == 1 ? "s0 (or s)" : "s0, s1, ...");
        out[items[i].column] = items[i].number;
    }
    return BF_OK;
}

bf_status bf__periodic_read(double *period, const char *text, int d, bf_error *err) {
    return names_none(text) ? BF_OK : read_columns(period, "periodic", text, TAU, d, err);
}

bf_status bf__scale_read(double *unit, bool *left_out, const char *text, int d, bf_error *err) {
    int left = 0;
    if (names_none(text))
        return BF_OK;
    for (int j = 0; j < d; j++)
        unit[j] = NAN;
    BF_TRY(read_columns(unit, "scale", text, 0, d, err));
    for (int j = 0; j < d; j++) {
        left_out[j] = unit[j] == 0;
        left += !left_out[j];
        unit[j] = isnan(unit[j]) ? 0 : unit[j];
    }
    if (left == 0)
        return bf_fail(err, BF_EUSAGE, "scale: %s leaves out every column of the state", text);
    return BF_OK;
}

bf_status bf__period_fits(double period, int column, const double *x, int64_t n, bf_error *err) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    double span = high - low;
    if (span > 0 && (span > turns * period || span < period / turns))
        return bf_fail(err, BF_EUSAGE,
                       "periodic: s%d spans %g in the log, which is %g times the period %g: it "
                       "should be between 1e-6 and 1e6 times",
                       column, span, span / period, period);
    return BF_OK;
}
