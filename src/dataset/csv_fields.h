/* csv_fields.h - Fields of delimited text: where they end, what they say.
 *
 * A field is what stands between two delimiters. It may be in quotes (doubled inside), with blanks
 * around it. */
#ifndef BF_DATASET_CSV_FIELDS_H
#define BF_DATASET_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "dataset/reader.h"

enum { BF__FIELD_ROOM = 1024 }; /* bytes of a text; a longer one is refused */

/* How the text is written. */
typedef struct bf__dialect {
    char delimiter; /* between fields */
    char decimal;   /* in numbers: '.' or ',' */
} bf__dialect;

/* Says if p is at the end of a record: a line feed, with or without a carriage return, or the
 * end. */
static inline bool bf__at_end(const char *p, const char *end) {
    return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

const char *bf__skip_blanks(const bf__dialect *d, const char *p, const char *end);

/* The character after the field at p: a delimiter or the end of the record. */
const char *bf__field_end(const bf__dialect *d, const char *p, const char *end);

/* The text of the field [p, end) without blanks and quotes, into `text`; returns its length, or -1
 * if it does not fit. What cannot be printed becomes '?'. */
int bf__field_text(const bf__dialect *d, const char *p, const char *end, char *text, int size);

/* Whether the text stands for a missing value: nothing, NA, N/A, nan or null. */
bool bf__is_gap(const char *text, size_t length);

/* Counts the field [p, end) among the values of its column. */
void bf__field_look(bf__look *look, const bf__dialect *d, const char *p, const char *end);

/* The field at p as the number that `sink` wants, and the character after it; NULL if it is none.
 * A gap is NaN, if the sink takes gaps. */
const char *bf__field_number(const bf__dialect *d, const char *p, const char *end,
                             const bf__sink *sink, double *out);

/* The field at p as a code in `words`. *after takes the character after it; NULL if it is too long,
 * or a gap that the sink does not take. */
bf_status bf__field_word(const char **after, const bf__dialect *d, const char *p, const char *end,
                         const bf__sink *sink, bf__words *words, double *out, bf_error *err);

/* Says what is wrong with the field at p. `where` and `name` open the message: file:line, column.
 */
bf_status bf__field_wrong(const bf__dialect *d, const char *p, const char *end,
                          const bf__sink *sink, const char *where, const char *name, bf_error *err);

#endif
