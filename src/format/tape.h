/* tape.h - Ranges of bytes from what can only be read forward: a compressed file, or an entry of an
 * archive.
 *
 * A range that begins within the one before is served from memory as far as that goes, and the rest
 * is read on. So ranges that come in order and overlap are read once. A range that begins earlier
 * winds the tape back to its begin. */
#ifndef BF_FORMAT_TAPE_H
#define BF_FORMAT_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/memory.h"

typedef struct bf__tape {
    /* Set by the caller. */
    void *self;
    bf_status (*rewind)(void *self, bf_error *err); /* to byte 0 */
    /* Up to `size` bytes from where it is; *got is 0 at the end only. */
    bf_status (*next)(void *self, unsigned char *to, size_t size, size_t *got, bf_error *err);
    bool (*seek)(void *self, int64_t to); /* false: it cannot; NULL: it never can */
    bf_arena *arena;                      /* for the bytes that are kept */
    /* Its own. */
    bool begun;
    int64_t at; /* where it is */
    unsigned char *kept;
    int64_t kept_from, kept_size, kept_room;
} bf__tape;

/* Bytes [from, from + size), as far as they are there; *got is how many were. */
bf_status bf__tape_read(bf__tape *tape, unsigned char *to, int64_t from, int64_t size, int64_t *got,
                        bf_error *err);

/* Where the tape ends: reads on from where it is. What checks the bytes as a whole has then done
 * so. */
bf_status bf__tape_end(bf__tape *tape, int64_t *size, bf_error *err);

/* ---- A compressed file as a tape */

typedef struct bf__packed_file bf__packed_file;

/* The file has to be compressed (unpack.h). `path` has to outlive it. To be closed, also after a
 * failure; NULL is fine. */
bf_status bf__packed_file_open(bf__packed_file **out, const char *path, bf_arena *arena,
                               bf_error *err);
void bf__packed_file_close(bf__packed_file *file);
bf__tape bf__packed_file_tape(bf__packed_file *file, bf_arena *arena);

#endif
