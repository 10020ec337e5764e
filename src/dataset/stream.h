/* stream.h - Inside a log in pieces: its files, and what of them is open. */
#ifndef BF_DATASET_STREAM_H
#define BF_DATASET_STREAM_H

#include "dataset/piece.h"
#include "dataset/reader.h"
#include "format/tape.h"

typedef enum bf__cut {
    BF__UNCUT,   /* the file is one piece */
    BF__BY_BYTE, /* text, which may be compressed: pieces are ranges of its bytes */
    BF__BY_ROW,  /* arrays: pieces are ranges of their rows */
} bf__cut;

/* One file of a log. */
typedef struct bf__streamed {
    const char *path;
    bf__cut cut;
    const bf__reader *reader;
    bool packed;    /* text, compressed */
    int64_t bytes;  /* of the file itself */
    int64_t size;   /* bytes of text as it was before it was compressed; or rows */
    int64_t unit;   /* bytes of memory that one of `size` stands for */
    int64_t header; /* of text: bytes up to the first row */
    int64_t header_lines;
    unsigned char *head; /* (header) */
} bf__streamed;

/* The file that is open, if any is. Pieces of one file come one after the other, as a rule, so that
 * it is opened once for all of them. */
typedef struct bf__open_file {
    const bf__streamed *of; /* NULL: none */
    bf_arena *arena;        /* of what is open */
    int descriptor;         /* of text */
    bf__packed_file *packed;
    bf__tape tape;
    bf__file rows; /* of arrays, as their reader has opened them; rows.rows: all */
    int64_t row_count;
} bf__open_file;

/* A piece of a file: [begin, end) of its bytes, or of its rows. */
typedef struct bf__range_of {
    int64_t begin, end;
} bf__range_of;

/* Opens the file, unless it is open; whatever was open before is closed. */
bf_status bf__open_file_take(bf__open_file *open, const bf__streamed *of,
                             const bf_read_options *options, const bf_context *context,
                             const bf_allocator *allocator, bf_error *err);
void bf__open_file_close(bf__open_file *open);

/* Bytes [from, from + size) of text; all of them have to be there. */
bf_status bf__open_file_bytes(bf__open_file *open, unsigned char *to, int64_t from, int64_t size,
                              bf_error *err);

/* Finds where the rows of text begin; fills header, header_lines and head. */
bf_status bf__stream_header(bf__streamed *of, bf__open_file *open, bf_arena *arena, bf_error *err);

/* Reads a piece of text. `lines` are those before it, -1: not known; *own_lines takes those that it
 * has. */
bf_status bf__stream_text(bf_dataset *out, bf__piece *piece, double *own_lines, bf__open_file *open,
                          const bf__range_of *range, int64_t lines, const bf_read_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* Reads a piece of arrays. */
bf_status bf__stream_rows(bf_dataset *out, bf__piece *piece, bf__open_file *open,
                          const bf__range_of *range, const bf_read_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err);

#endif
