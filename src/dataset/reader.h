/* reader.h - What a reader of logs is made of: a file becomes named columns of numbers.
 *
 * Reading is in two steps, so that columns are allocated once, over all files, and filled in
 * place: `open` finds the names and the number of rows, `fill` writes the numbers of the columns
 * that are wanted. What the names mean is known to columns.c alone. */
#ifndef BF_DATASET_READER_H
#define BF_DATASET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataset/bytes.h"
#include "dataset/dataset.h"

typedef struct bf__reader bf__reader;

/* A file while it is being read. */
typedef struct bf__file {
    const char *path;
    const bf__reader *reader;
    bf__bytes bytes;
    bool bare;          /* asked for: the file has no line of names; they are pi0, pi1, ... */
    int64_t rows;       /* by `open` */
    int count;          /* by `open`: number of columns */
    const char **names; /* by `open`: (count) */
    void *own;          /* by `open`: whatever the reader has to remember */
} bf__file;

/* Where the numbers of a column go. */
typedef struct bf__sink {
    double *values; /* (rows); NULL: nobody wants this column, it may hold anything */
    bool flag;      /* "true" and "false" stand for 1 and 0 */
} bf__sink;

struct bf__reader {
    const char *name, *summary;
    const char *suffix; /* ".csv" */
    bool by_line;       /* rows are told by line of the file, from 1; otherwise by index, from 0 */
    /* Whether the file is in this form, by its first bytes. */
    bool (*claims)(const unsigned char *head, size_t length);
    bf_status (*open)(bf__file *file, const bf_context *context, bf_arena *scratch, bf_error *err);
    /* sinks (count); row (rows) receives the line or index of each row. */
    bf_status (*fill)(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err);
    void (*close)(bf__file *file); /* what `open` left outside the arena; NULL: nothing */
};

/* Every reader, in the order of readers.def; NULL past the end. */
const bf__reader *bf__reader_at(int index);

/* Opens `path` with the reader that its content, or else its suffix, asks for (format 0), or with
 * reader format - 1. Must be closed, also after a failure. */
bf_status bf__file_open(bf__file *out, const char *path, int format, bool bare,
                        const bf_context *context, bf_arena *scratch, bf_error *err);
void bf__file_close(bf__file *file);

/* A log from one source that is no file: `reader` finds what it has to know in file->own. `name`
 * stands in messages where the path would. */
bf_status bf__dataset_from(bf_dataset *out, const char *name, const bf__reader *reader, void *own,
                           const bf_context *context, bf_arena *arena, bf_error *err);

#endif
