/* reader.h - What a reader of logs is made of: a file becomes named columns.
 *
 * Reading has two steps, so that columns are allocated once, over all files, and filled in place.
 * `open` finds the names, the number of rows and what the columns look like. `fill` writes the
 * columns that are wanted, each as the kind that was decided for it. A column is always doubles:
 * numbers, seconds, or the codes of words, which are in a dictionary beside it. NaN is a gap. Only
 * columns.c knows what the names mean. */
#ifndef BF_DATASET_READER_H
#define BF_DATASET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataset/dataset.h"
#include "dataset/faults.h"
#include "dataset/kinds.h"
#include "dataset/words.h"
#include "format/bytes.h"

typedef struct bf__reader bf__reader;

/* A file while it is being read. */
typedef struct bf__file {
    const char *path;
    const bf__reader *reader;
    bf__bytes bytes; /* data NULL: the file is not in memory, and ranges of rows are read of it */
    int64_t skip;    /* set by the caller before `fill`: rows before those that are wanted */
    const char *delimiter, *decimal; /* set by the caller, as bf_read_options has them; or NULL */
    bf__faults *faults; /* set by the caller: bad values go here, and become bf__faulty() in the
                           columns; NULL: they are errors */
    bool bare;          /* set by the caller: the file has no header, names are pi0, pi1, ... */
    int64_t line_base; /* set by the caller: lines of the file that are left out after the header */
    struct bf__piece *piece; /* set by the caller: which rows are wanted; NULL: all */
    int64_t rows;            /* by `open`; the caller may make it less, to fill a range */
    int count;               /* by `open`: number of columns */
    const char **names;      /* by `open`: (count) */
    const char **arrays;     /* by `open`: (count) the array that a column is part of; NULL: none */
    const bf__look *looks;   /* by `open`: (count) what columns hold; NULL: numbers */
    const char **labels;     /* by `open`: (count) what people call them; NULL: the names */
    bool by_episode;         /* by `open`: a row is told as episode << 32 | step */
    int actions;             /* by `open`: A, if the file says it; 0: it does not */
    int64_t states;          /* by `open`: S, likewise */
    void *own;               /* by `open`: what the reader has to remember */
} bf__file;

/* The place where a column goes. */
typedef struct bf__sink {
    double *values;   /* (rows); NULL: the column is not used and may hold anything */
    bool flag;        /* "true" and "false" stand for 1 and 0 */
    bool time;        /* ISO 8601 stands for seconds since 1970 */
    bool gaps;        /* a missing value becomes NaN; otherwise it is an error */
    bf__words *words; /* the column is text: values are codes in this dictionary, which grows */
} bf__sink;

struct bf__reader {
    const char *name, *summary;
    const char *suffix; /* ".csv" */
    bool by_line;       /* messages name rows by line, from 1; otherwise by index, from 0 */
    bool by_ranges;     /* `fill` can be called again and again, for ranges of rows */
    /* Says if the file is in this form, judging by its first bytes. */
    bool (*claims)(const unsigned char *head, size_t length);
    bf_status (*open)(bf__file *file, const bf_context *context, bf_arena *scratch, bf_error *err);
    /* Fills sinks (count). row (rows) takes the line or index of each row. */
    bf_status (*fill)(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err);
    void (*close)(bf__file *file); /* releases what `open` left outside the arena; NULL: nothing */
};

/* Every reader, in the order of readers.def; NULL past the end. */
const bf__reader *bf__reader_at(int index);

/* The files that paths, folders and patterns name (places.h). */
bf_status bf__files_find(const char *const **out, int *out_count, const char *const *paths,
                         int count, bf_arena *arena, bf_error *err);

/* The reader of that name. */
const bf__reader *bf__reader_named(const char *name);

/* Opens `path`, which may be "-". If format is 0, the reader is found by the content of the file,
 * or else by its suffix; otherwise it is reader format - 1. The file must be closed, also after a
 * failure. */
bf_status bf__file_open(bf__file *out, const char *path, int format, const bf_read_options *options,
                        const bf_context *context, bf_arena *scratch, bf_error *err);
/* The same for bytes that were read already; they become the file's. `bare`: there is no header. */
bf_status bf__file_parse(bf__file *out, const char *path, const bf__bytes *bytes, int format,
                         bool bare, const bf_context *context, bf_arena *scratch, bf_error *err);
void bf__file_close(bf__file *file);

/* A log from one source that is no file: `source` has its reader, and in `own` what that has to
 * know. Its path stands in messages. `options` may be NULL. */
bf_status bf__dataset_from(bf_dataset *out, bf__file *source, const bf_read_options *options,
                           const bf_context *context, bf_arena *arena, bf_error *err);
/* The same from a file that its reader has opened, and that stays open. */
bf_status bf__dataset_opened(bf_dataset *out, bf__file *source, const bf_read_options *options,
                             const bf_context *context, bf_arena *arena, bf_error *err);

#endif
