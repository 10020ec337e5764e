/* bytes.h - The whole content of a file as memory. */
#ifndef BF_FORMAT_BYTES_H
#define BF_FORMAT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/memory.h"

typedef struct bf__bytes {
    const unsigned char *data;
    size_t size;
    bool mapped; /* pages of our own; otherwise in the arena */
} bf__bytes;

#define BF__STANDARD_INPUT "standard input" /* what "-" is called in messages */

/* Reads the file, whole: what happens to it afterwards does not matter. A file that is changed
 * meanwhile is an error. "-" is standard input. What is compressed with gzip or zstd is unpacked,
 * whatever it is called. A regular file goes into pages that bf__bytes_close gives back, anything
 * else (a pipe) into `arena`. */
bf_status bf__bytes_open(bf__bytes *out, const char *path, bf_arena *arena, bf_error *err);
/* The first `count` bytes are not needed any more; the pages among them go back to the system. */
void bf__bytes_forget(const bf__bytes *bytes, size_t count);
/* Safe on a zeroed struct, and safe to call twice. */
void bf__bytes_close(bf__bytes *bytes);

/* Says if `path` ends in `suffix` (".csv"), in upper or lower case. */
bool bf__has_suffix(const char *path, const char *suffix);

#endif
