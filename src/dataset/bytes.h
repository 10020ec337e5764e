/* bytes.h - The whole content of a file as memory. */
#ifndef BF_DATASET_BYTES_H
#define BF_DATASET_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/memory.h"

typedef struct bf__bytes {
    const unsigned char *data;
    size_t size;
    bool mapped; /* by the system; otherwise read into the arena */
} bf__bytes;

/* A regular file is mapped, anything else (a pipe) is read to its end into `arena`. */
bf_status bf__bytes_open(bf__bytes *out, const char *path, bf_arena *arena, bf_error *err);
/* Safe on a zeroed struct, and twice. */
void bf__bytes_close(bf__bytes *bytes);

/* Whether `path` ends in `suffix` (".csv"), in letters of either case. */
bool bf__has_suffix(const char *path, const char *suffix);

#endif
