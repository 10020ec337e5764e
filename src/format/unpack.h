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

/* ---- Step by step */

typedef struct bf__unpacking bf__unpacking;

/* `as` is what bf__packed_as says of the first bytes. To be closed, also after a failure; *out is
 * then NULL, which is fine. */
bf_status bf__unpacking_open(bf__unpacking **out, const char *as, const char *path, bf_error *err);
void bf__unpacking_close(bf__unpacking *unpacking);

/* Unpacks some of in[*taken, size) to out[*used, room), and moves *taken and *used. `last`: nothing
 * follows `in`. If neither moves, more of `in` is needed. *over: there is no more. */
bf_status bf__unpacking_step(bf__unpacking *unpacking, const unsigned char *in, size_t size,
                             size_t *taken, bool last, unsigned char *out, size_t room,
                             size_t *used, bool *over, bf_error *err);

#endif
