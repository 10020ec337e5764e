/* unpack.h - Compressed files: gzip and zstd, told by their first bytes. */
#ifndef BF_FORMAT_UNPACK_H
#define BF_FORMAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/status.h"

/* "gzip", "zstd", or NULL if the bytes are not compressed in a way that we know. */
const char *bf__packed_as(const unsigned char *bytes, size_t size);

/* Unpacks into pages of its own, which munmap gives back; *out is NULL if there is nothing in it.
 * Messages begin with `path`. */
bf_status bf__unpack(unsigned char **out, size_t *out_size, const unsigned char *bytes, size_t size,
                     const char *path, bf_error *err);

#endif
