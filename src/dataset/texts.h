/* texts.h - Texts of a program, rather than of a file, as a column wants them. */
#ifndef BF_DATASET_TEXTS_H
#define BF_DATASET_TEXTS_H

#include "dataset/reader.h"

/* One text as the sink wants it: a code, or the number or the time that it says. NULL is a gap.
 * `source`, `row` and `column` open the message if it cannot be. */
bf_status bf__text_take(double *out, const bf__sink *sink, const char *text, size_t length,
                        const char *source, int64_t row, const char *column, bf_error *err);

/* Counts the text among the values of its column. */
void bf__text_look(bf__look *look, const char *text, size_t length);

#endif
