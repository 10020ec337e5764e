/* text.c - Reading and writing numbers, independent of the locale; lists with commas. */
#include "core/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/numeric.h"

/* strtod in the "C" locale: a host program may have set one with decimal commas. */
static double c_strtod(const char *text, char **end) {
    locale_t before = bf__numeric_begin();
    double value = strtod(text, end);
    bf__numeric_end(before);
    return value;
}

bool bf__parse_real(const char *text, double *out) {
    char *end;
    if (isspace((unsigned char)text[0]))
        return false;
    *out = c_strtod(text, &end);
    return end != text && *end == '\0' && !strpbrk(text, "xX(");
}

int bf__format_real(char *text, double value) {
    if (fabs(value) < 1e9 && value == (double)(int)value && !(value == 0 && signbit(value)))
        return snprintf(text, 32, "%d", (int)value);
    int length = bf__format(text, 32, "%.15g", value);
    if (c_strtod(text, NULL) != value)
        length = bf__format(text, 32, "%.17g", value);
    return length;
}

int bf__format(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    int length = vsnprintf(text, size, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    return length;
}

bf_status bf__split(char ***out, int *count, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    int room = 1;
    for (const char *c = text; *c; c++)
        room += *c == ',';
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    BF_ALLOC(*out, arena, room, err);
    strcpy(copy, text);
    *count = 0;
    for (char *word = copy, *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        (*out)[(*count)++] = word;
    }
    return BF_OK;
}
