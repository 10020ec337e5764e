/* text.c - Reading and writing numbers, independent of the locale; lists with commas. */
#include "core/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

/* strtod in the "C" locale, because a host program may have set a locale with decimal commas. */
static double c_strtod(const char *text, char **end) {
    char buffer[128];
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(text);
    if ((point[0] == '.' && !point[1]) || length >= sizeof buffer || point[1])
        return strtod(text, end);
    memcpy(buffer, text, length + 1);
    for (char *c = buffer; *c; c++)
        if (*c == '.')
            *c = point[0];
        else if (*c == point[0])
            *c = '?';
    char *stop;
    double value = strtod(buffer, &stop);
    *end = (char *)text + (stop - buffer);
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
    int length = snprintf(text, 32, "%.15g", value);
    if (strtod(text, NULL) != value)
        length = snprintf(text, 32, "%.17g", value);
    const char *point = localeconv()->decimal_point;
    char *found = point[0] == '.' || point[1] ? NULL : strchr(text, point[0]);
    if (found)
        *found = '.';
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
