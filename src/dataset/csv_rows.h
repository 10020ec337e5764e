/* csv_rows.h - The rows of delimited text: cut into chunks once, parsed by any number of threads.
 */
#ifndef BF_DATASET_CSV_ROWS_H
#define BF_DATASET_CSV_ROWS_H

#include "dataset/csv_fields.h"

/* A piece of the file that ends where a record does. */
typedef struct bf__chunk {
    const char *begin, *end;
    int64_t first_row, rows;
    int64_t first_line; /* 1-based line of `begin` */
    bf_arena *arena;    /* of the words and the faults */
    bf__words **words;  /* (columns): of this chunk; NULL of columns of numbers */
    bf__faults *faults; /* of this chunk; NULL: the first one is an error */
    bf_status status;
    bf_error err;
} bf__chunk;

/* What `open` leaves for `fill`. */
typedef struct bf__layout {
    bf__dialect dialect;
    bool quotes; /* there is a quote, so a record may go over several lines */
    bf__chunk *chunks;
    int64_t count;
} bf__layout;

/* Comments and blank lines are no records. */
static inline bool bf__is_record(const bf__dialect *d, const char *p, const char *end) {
    if (p<end && * p> ' ')
        return *p != '#';
    return !bf__at_end(bf__skip_blanks(d, p, end), end);
}

/* The line feed that ends the record at p, or `end`. A quote means something only where a field
 * starts with it. */
const char *bf__record_end(const bf__dialect *d, const char *p, const char *end, bool quotes);

int64_t bf__count_fields(const bf__dialect *d, const char *p, const char *end);

/* Cuts [p, end) at the ends of records and counts the rows; `line` is that of p. */
bf_status bf__rows_cut(bf__file *file, bf__layout *own, const char *p, const char *end,
                       int64_t line, bf_arena *scratch, bf_error *err);

/* As bf__reader.fill. */
bf_status bf__rows_fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                        const bf_context *context, bf_arena *scratch, bf_error *err);

#endif
