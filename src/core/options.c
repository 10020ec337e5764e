/* options.c - Defaults, parsing and printing of options, all from the rows of a table. */
#include "backflow/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"

bool bf_options_same(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        char x = *a == '-' ? '_' : *a, y = *b == '-' ? '_' : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

const bf_option *bf_options_find(const bf_option_table *table, const char *name) {
    for (int i = 0; i < table->count; i++)
        if (bf_options_same(table->rows[i].field, name))
            return &table->rows[i];
    return NULL;
}

bool bf_options_choice(const char *choices, int index, char *name, size_t size) {
    for (; index > 0 && choices; index--) {
        choices = strchr(choices, '|');
        choices = choices ? choices + 1 : NULL;
    }
    if (!choices || index < 0)
        return false;
    snprintf(name, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

static bf_status out_of_range(const bf_option *row, const char *text, bf_error *err) {
    const char *name = row->field;
    if (isfinite(row->min) && isfinite(row->max))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is outside %.10g to %.10g", name, text, row->min,
                       row->max);
    if (isfinite(row->min))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is below %.10g, the least allowed", name, text,
                       row->min);
    return bf_fail(err, BF_EUSAGE, "%s: '%s' is above %.10g, the most allowed", name, text,
                   row->max);
}

static bf_status set_enum(const bf_option *row, int *field, const char *text, bf_error *err) {
    char choice[64];
    for (int i = 0; bf_options_choice(row->choices, i, choice, sizeof choice); i++)
        if (strcmp(choice, text) == 0) {
            *field = i;
            return BF_OK;
        }
    return bf_fail(err, BF_EUSAGE, "%s: '%s' is not one of %s", row->field, text, row->choices);
}

static bf_status set_bool(const bf_option *row, bool *field, const char *text, bf_error *err) {
    bool yes = !strcmp(text, "yes") || !strcmp(text, "true") || !strcmp(text, "1");
    bool no = !strcmp(text, "no") || !strcmp(text, "false") || !strcmp(text, "0");
    if (!yes && !no)
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is neither yes nor no", row->field, text);
    *field = yes;
    return BF_OK;
}

/* Whole numbers may be written 10000 or 1e4. */
static bf_status set_int(const bf_option *row, int64_t *field, const char *text, bf_error *err) {
    char *end;
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (errno || end == text || *end) {
        double real;
        if (!bf__parse_real(text, &real) || real != floor(real) || fabs(real) > 9e15)
            return bf_fail(err, BF_EUSAGE, "%s: '%s' is not a whole number", row->field, text);
        whole = (long long)real;
    }
    if ((double)whole < row->min || (double)whole > row->max)
        return out_of_range(row, text, err);
    *field = whole;
    return BF_OK;
}

static bf_status set_seed(const bf_option *row, uint64_t *field, const char *text, bf_error *err) {
    char *end;
    errno = 0;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned long long value = strtoull(text, &end, hexadecimal ? 16 : 10); /* 010 is ten */
    if (errno || end == text || *end || !isdigit((unsigned char)text[0]))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is not a whole number from 0 to 2^64 - 1",
                       row->field, text);
    *field = value;
    return BF_OK;
}

static bf_status set_real(const bf_option *row, double *field, const char *text, bf_error *err) {
    double value;
    if (!bf__parse_real(text, &value) || !isfinite(value))
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is not a number", row->field, text);
    if (value < row->min || value > row->max)
        return out_of_range(row, text, err);
    *field = value;
    return BF_OK;
}

static bf_status set_auto(const bf_option *row, bf_auto *field, const char *text, bf_error *err) {
    double value;
    if (strcmp(text, "auto") == 0) {
        *field = (bf_auto){.given = false};
        return BF_OK;
    }
    bool bounded = isfinite(row->min) && isfinite(row->max);
    bool number = bf__parse_real(text, &value) && isfinite(value);
    if (number && !bounded && (value < row->min || value > row->max))
        return out_of_range(row, text, err);
    if (!number && !bounded)
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is neither auto nor a number", row->field, text);
    if (!number || value < row->min || value > row->max)
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is neither auto nor a number from %g to %g",
                       row->field, text, row->min, row->max);
    *field = (bf_auto){true, value};
    return BF_OK;
}

static bf_status set_text(const bf_option *row, void *field, const char *text, bf_error *err) {
    bf_list *list = field;
    if (row->check)
        BF_TRY(row->check(row, text, err));
    if (row->type == BF_OPTION_STRING)
        *(const char **)field = text;
    else if (list->count == BF_LIST_ROOM)
        return bf_fail(err, BF_EUSAGE, "%s: given more than %d times", row->field, BF_LIST_ROOM);
    else
        list->item[list->count++] = text;
    return BF_OK;
}

bf_status bf_options_set(const bf_option *row, void *options, const char *text, bf_error *err) {
    void *field = (char *)options + row->offset;
    switch (row->type) {
    case BF_OPTION_BOOL:
        return set_bool(row, field, text, err);
    case BF_OPTION_INT:
        return set_int(row, field, text, err);
    case BF_OPTION_SEED:
        return set_seed(row, field, text, err);
    case BF_OPTION_REAL:
        return set_real(row, field, text, err);
    case BF_OPTION_ENUM:
        return set_enum(row, field, text, err);
    case BF_OPTION_AUTO:
        return set_auto(row, field, text, err);
    case BF_OPTION_STRING:
    case BF_OPTION_LIST:
        return set_text(row, field, text, err);
    }
    return bf_fail(err, BF_EUSAGE, "%s: unknown type of option", row->field);
}

bf_status bf_options_init(const bf_option_table *table, void *options, bf_error *err) {
    memset(options, 0, table->size);
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].initial)
            BF_TRY(bf_options_set(&table->rows[i], options, table->rows[i].initial, err));
    return BF_OK;
}

/* The items with commas. */
static int format_list(const bf_list *list, char *text, size_t size) {
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (int i = 0; i < list->count; i++) {
        size_t at = used < size ? used : size;
        used += (size_t)snprintf(text + at, size - at, "%s%s", i ? "," : "", list->item[i]);
    }
    return (int)used;
}

int bf_options_format(const bf_option *row, const void *options, char *text, size_t size) {
    const void *field = (const char *)options + row->offset;
    const char *string;
    switch (row->type) {
    case BF_OPTION_BOOL:
        return snprintf(text, size, "%s", *(const bool *)field ? "yes" : "no");
    case BF_OPTION_INT:
        return snprintf(text, size, "%lld", (long long)*(const int64_t *)field);
    case BF_OPTION_SEED:
        return snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
    case BF_OPTION_REAL:
        return bf__format(text, size, "%.15g", *(const double *)field);
    case BF_OPTION_ENUM:
        if (!bf_options_choice(row->choices, *(const int *)field, text, size))
            snprintf(text, size, "?");
        return (int)strlen(text);
    case BF_OPTION_AUTO:
        if (!((const bf_auto *)field)->given)
            return snprintf(text, size, "auto");
        return bf__format(text, size, "%.15g", ((const bf_auto *)field)->value);
    case BF_OPTION_LIST:
        return format_list(field, text, size);
    case BF_OPTION_STRING:
        string = *(const char *const *)field;
        return snprintf(text, size, "%s", string ? string : "");
    }
    return snprintf(text, size, "?");
}
