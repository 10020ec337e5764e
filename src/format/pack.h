/* pack.h - Numbers as bytes, the same on every machine: little-endian, doubles by their bits.
 *
 * A writer grows in an arena. A reader never goes past the end: it hands out zeros there and
 * remembers, so that a parser asks once, at the end, whether all was there. */
#ifndef BF_FORMAT_PACK_H
#define BF_FORMAT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/memory.h"
#include "core/total.h"

typedef struct bf__packer {
    unsigned char *bytes;
    size_t size, room;
    bf_arena *arena;
    bool failed; /* there was no memory for all of it */
} bf__packer;

void bf__pack_u64(bf__packer *p, uint64_t value);
void bf__pack_i64(bf__packer *p, int64_t value);
void bf__pack_f64(bf__packer *p, double value);
void bf__pack_i64s(bf__packer *p, const int64_t *values, int64_t count);
void bf__pack_f64s(bf__packer *p, const double *values, int64_t count);
void bf__pack_totals(bf__packer *p, const bf__total *sums, int64_t count);
void bf__pack_bytes(bf__packer *p, const void *bytes, size_t size);
void bf__pack_text(bf__packer *p, const char *text);

typedef struct bf__unpacker {
    const unsigned char *bytes;
    size_t size, at;
    bool bad; /* something was past the end, or out of its range */
} bf__unpacker;

uint64_t bf__unpack_u64(bf__unpacker *u);
int64_t bf__unpack_i64(bf__unpacker *u);
double bf__unpack_f64(bf__unpacker *u);
/* A number that has to be in low .. high; otherwise it is `low`, and the bytes are bad. */
int64_t bf__unpack_in(bf__unpacker *u, int64_t low, int64_t high);
/* A number of items that take at least `each` bytes of what is left. */
int64_t bf__unpack_count(bf__unpacker *u, size_t each);
void bf__unpack_i64s(bf__unpacker *u, int64_t *values, int64_t count, int64_t low, int64_t high);
void bf__unpack_f64s(bf__unpacker *u, double *values, int64_t count);
void bf__unpack_totals(bf__unpacker *u, bf__total *sums, int64_t count);
/* A text of at most `most` bytes, in the arena; "" if the bytes are bad. */
bf_status bf__unpack_text(const char **out, bf__unpacker *u, int64_t most, bf_arena *arena,
                          bf_error *err);

/* A checksum of 64 bits: any change of one byte changes it. */
uint64_t bf__checksum(const void *bytes, size_t size);

#endif
