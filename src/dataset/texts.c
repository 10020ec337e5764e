/* texts.c - Texts of a program as a column wants them: the rules are those of text in files. */
#include "dataset/texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dataset/csv_fields.h"

static const bf__dialect plain = {'\0', '.'};

static bool has_newline(const char *text, size_t length) {
    return memchr(text, '\n', length) || memchr(text, '\r', length);
}

bf_status bf__text_take(double *out, const bf__sink *sink, const char *text, size_t length,
                        const char *source, int64_t row, const char *column, bf_error *err) {
    if (!text) {
        text = "";
        length = 0;
    }
    bool gap = bf__is_gap(text, length);
    if (sink->words && !gap) {
        int64_t code;
        BF_TRY(bf__words_add(sink->words, text, length, &code, err));
        *out = (double)code;
        return BF_OK;
    }
    *out = NAN;
    if ((gap && sink->gaps) || (!gap && !has_newline(text, length) &&
                                bf__field_number(&plain, text, text + length, sink, out)))
        return BF_OK;
    char where[320];
    snprintf(where, sizeof where, "%.280s: row %lld", source, (long long)row);
    return bf__field_wrong(&plain, text, text + length, sink, where, column, err);
}

void bf__text_look(bf__look *look, const char *text, size_t length) {
    bf__field_look(look, &plain, text, text + length);
}
