/* csv_fields.c - Fields of delimited text: where they end, what they say. */
#include "dataset/csv_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/fail.h"
#include "format/number.h"
#include "format/timestamp.h"

static inline bool is_blank(const bf__dialect *d, char c) {
    return (c == ' ' || c == '\t') && c != d->delimiter;
}

const char *bf__skip_blanks(const bf__dialect *d, const char *p, const char *end) {
    while (p < end && is_blank(d, *p))
        p++;
    return p;
}

const char *bf__field_end(const bf__dialect *d, const char *p, const char *end) {
    const char *start = bf__skip_blanks(d, p, end);
    if (start < end && *start == '"') {
        for (p = start + 1; p < end; p++)
            if (*p == '"' && !(p + 1 < end && p[1] == '"' && p++))
                break;
    }
    while (p < end && *p != d->delimiter && !bf__at_end(p, end))
        p++;
    return p;
}

int bf__field_text(const bf__dialect *d, const char *p, const char *end, char *text, int size) {
    p = bf__skip_blanks(d, p, end);
    while (end > p && is_blank(d, end[-1]))
        end--;
    if (end - p >= 2 && *p == '"' && end[-1] == '"') {
        p = bf__skip_blanks(d, p + 1, end - 1);
        end--;
        while (end > p && is_blank(d, end[-1]))
            end--;
    }
    int length = 0;
    for (; p < end && length < size - 1; p++) {
        if (*p == '"' && p + 1 < end && p[1] == '"')
            p++;
        text[length++] = *p;
        if ((unsigned char)*p < ' ' || *p == 127)
            text[length - 1] = '?';
    }
    text[length] = '\0';
    return p < end ? -1 : length;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

bool bf__is_gap(const char *text, size_t length) {
    return length == 0 || is_word(text, length, "na") || is_word(text, length, "n/a") ||
           is_word(text, length, "nan") || is_word(text, length, "null");
}

/* ---- Numbers */

/* The number that all of the text is; false if it is none. */
static bool whole_number(const bf__dialect *d, const char *text, size_t length, double *out) {
    char point[BF__FIELD_ROOM];
    if (length == 0)
        return false;
    if (d->decimal != '.') {
        if (length >= sizeof point || memchr(text, '.', length))
            return false;
        for (size_t i = 0; i < length; i++)
            point[i] = (char)(text[i] == d->decimal ? '.' : text[i]);
        text = point;
    }
    return bf__number(text, text + length, out) == text + length;
}

static bool whole_flag(const char *text, size_t length, double *out) {
    *out = is_word(text, length, "true");
    return *out == 1 || is_word(text, length, "false");
}

/* A field in quotes, a decimal comma, a truth value, a time or a gap; NULL if it is no number. */
static const char *unusual(const bf__dialect *d, const char *p, const char *end,
                           const bf__sink *sink, double *out) {
    char text[BF__FIELD_ROOM];
    const char *after = bf__field_end(d, p, end);
    int length = bf__field_text(d, p, after, text, sizeof text);
    if (length < 0)
        return NULL;
    size_t size = (size_t)length;
    if (sink->gaps && bf__is_gap(text, size)) {
        *out = NAN;
        return after;
    }
    bool known = (sink->flag && whole_flag(text, size, out)) || whole_number(d, text, size, out) ||
                 (sink->time && bf__timestamp(text, size, out));
    return known && isfinite(*out) ? after : NULL;
}

const char *bf__field_number(const bf__dialect *d, const char *p, const char *end,
                             const bf__sink *sink, double *out) {
    if (d->decimal == '.') {
        const char *after = bf__number(p, end, out);
        if (!after || after == end || *after != d->delimiter) {
            after = bf__number(bf__skip_blanks(d, p, end), end, out);
            after = after ? bf__skip_blanks(d, after, end) : NULL;
        }
        if (after && ((after < end && *after == d->delimiter) || bf__at_end(after, end)))
            return *out - *out == 0 ? after : NULL;
    }
    return unusual(d, p, end, sink, out);
}

/* ---- Words */

bf_status bf__field_word(const char **after, const bf__dialect *d, const char *p, const char *end,
                         const bf__sink *sink, bf__words *words, double *out, bf_error *err) {
    char text[BF__FIELD_ROOM];
    const char *stop = bf__field_end(d, p, end);
    int length = bf__field_text(d, p, stop, text, sizeof text);
    bool gap = length >= 0 && bf__is_gap(text, (size_t)length);
    int64_t code;
    *out = NAN;
    *after = length < 0 || (gap && !sink->gaps) ? NULL : stop;
    if (gap || !*after)
        return BF_OK;
    BF_TRY(bf__words_add(words, text, (size_t)length, &code, err));
    *out = (double)code;
    return BF_OK;
}

/* ---- What a field is */

void bf__field_look(bf__look *look, const bf__dialect *d, const char *p, const char *end) {
    char text[BF__FIELD_ROOM];
    double value;
    int length = bf__field_text(d, p, end, text, sizeof text);
    size_t size = (size_t)length;
    const char *word = text + (*text == '-' || *text == '+');
    const bf__dialect other = {d->delimiter,
                               ','}; /* 1,5 is a number that cannot be read, no name */
    if (length < 0)
        look->texts++;
    else if (bf__is_gap(text, size))
        look->gaps++;
    else if (whole_number(d, text, size, &value) || whole_number(&other, text, size, &value) ||
             is_word(word, strlen(word), "inf") || is_word(word, strlen(word), "infinity"))
        look->numbers++;
    else if (whole_flag(text, size, &value))
        look->flags++;
    else if (bf__timestamp(text, size, &value))
        look->times++;
    else
        look->texts++;
}

bf_status bf__field_wrong(const bf__dialect *d, const char *p, const char *end,
                          const bf__sink *sink, const char *where, const char *name,
                          bf_error *err) {
    char text[48];
    double value;
    const char *after = bf__field_end(d, p, end);
    int length = bf__field_text(d, p, after, text, sizeof text);
    const char *want = sink->words ? "a value" : sink->time ? "a time" : "a number";
    p = bf__skip_blanks(d, p, end);
    if (p < end && *p == '"' && (after - p == 1 || !memchr(p + 1, '"', (size_t)(after - p - 1))))
        return bf_fail(err, BF_EFORMAT, "%s: %s: a quote is opened and never closed", where, name);
    if (length == 0)
        return bf_fail(err, BF_EFORMAT, "%s: %s: empty, but every row needs %s here", where, name,
                       want);
    if (sink->words)
        return length < 0 || !bf__is_gap(text, (size_t)length)
                   ? bf_fail(err, BF_EFORMAT, "%s: %s: '%s...' is longer than a name can be", where,
                             name, text)
                   : bf_fail(err, BF_EDATA, "%s: %s: '%s' stands for a missing value", where, name,
                             text);
    const char *word = text + (*text == '-' || *text == '+');
    if (length > 0 && (whole_number(d, text, (size_t)length, &value) ||
                       !strncasecmp(word, "nan", 3) || !strncasecmp(word, "inf", 3)))
        return bf_fail(err, BF_EDATA, "%s: %s: '%s' is not a finite number", where, name, text);
    const bf__dialect other = {d->delimiter, ','};
    bool comma = d->decimal == '.' && d->delimiter != ',' && length > 0 &&
                 whole_number(&other, text, (size_t)length, &value);
    if (comma)
        return bf_fail(err, BF_EFORMAT,
                       "%s: %s: '%s' is not a number; with `decimal` , it would be", where, name,
                       text);
    return bf_fail(err, BF_EFORMAT, "%s: %s: '%s%s' is %s", where, name, text,
                   length < 0 ? "..." : "",
                   sink->flag   ? "neither 0 nor 1"
                   : sink->time ? "neither a number nor a time such as 2026-11-16T11:52:19"
                                : "not a number");
}
