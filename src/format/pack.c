/* pack.c - Numbers as bytes, the same on every machine. */
#include "format/pack.h"

#include <string.h>

/* ---- Writing */

/* Room for `more` bytes at the end; NULL if there is none. */
static unsigned char *extend(bf__packer *p, size_t more) {
    if (p->failed)
        return NULL;
    if (p->room - p->size < more) {
        size_t room = 2 * p->room + more + 256;
        unsigned char *bytes = bf_arena_alloc(p->arena, (int64_t)room, 1, NULL);
        if (!bytes) {
            p->failed = true;
            return NULL;
        }
        if (p->size > 0)
            memcpy(bytes, p->bytes, p->size);
        p->bytes = bytes;
        p->room = room;
    }
    p->size += more;
    return p->bytes + p->size - more;
}

void bf__pack_bytes(bf__packer *p, const void *bytes, size_t size) {
    unsigned char *to = extend(p, size);
    if (to && size > 0)
        memcpy(to, bytes, size);
}

void bf__pack_text(bf__packer *p, const char *text) {
    uint64_t length = strlen(text);
    bf__pack_u64(p, length);
    bf__pack_bytes(p, text, length);
}

void bf__pack_u64(bf__packer *p, uint64_t value) {
    unsigned char *to = extend(p, 8);
    for (int k = 0; to && k < 8; k++)
        to[k] = (unsigned char)(value >> (8 * k));
}

void bf__pack_i64(bf__packer *p, int64_t value) {
    bf__pack_u64(p, (uint64_t)value);
}

void bf__pack_f64(bf__packer *p, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bf__pack_u64(p, bits);
}

void bf__pack_i64s(bf__packer *p, const int64_t *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        bf__pack_i64(p, values[i]);
}

void bf__pack_f64s(bf__packer *p, const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        bf__pack_f64(p, values[i]);
}

void bf__pack_totals(bf__packer *p, const bf__total *sums, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        bf__pack_u64(p, (uint64_t)sums[k]);
        bf__pack_i64(p, (int64_t)(sums[k] >> 64));
    }
}

/* ---- Reading */

uint64_t bf__unpack_u64(bf__unpacker *u) {
    uint64_t value = 0;
    if (u->size - u->at < 8) {
        u->bad = true;
        return 0;
    }
    for (int k = 0; k < 8; k++)
        value |= (uint64_t)u->bytes[u->at + (size_t)k] << (8 * k);
    u->at += 8;
    return value;
}

int64_t bf__unpack_i64(bf__unpacker *u) {
    return (int64_t)bf__unpack_u64(u);
}

double bf__unpack_f64(bf__unpacker *u) {
    uint64_t bits = bf__unpack_u64(u);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t bf__unpack_in(bf__unpacker *u, int64_t low, int64_t high) {
    int64_t value = bf__unpack_i64(u);
    if (value >= low && value <= high)
        return value;
    u->bad = true;
    return low;
}

int64_t bf__unpack_count(bf__unpacker *u, size_t each) {
    uint64_t count = bf__unpack_u64(u);
    if (!u->bad && count <= (u->size - u->at) / each)
        return (int64_t)count;
    u->bad = true;
    return 0;
}

void bf__unpack_i64s(bf__unpacker *u, int64_t *values, int64_t count, int64_t low, int64_t high) {
    for (int64_t i = 0; i < count; i++)
        values[i] = bf__unpack_in(u, low, high);
}

void bf__unpack_f64s(bf__unpacker *u, double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        values[i] = bf__unpack_f64(u);
}

void bf__unpack_totals(bf__unpacker *u, bf__total *sums, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t low = bf__unpack_u64(u);
        sums[k] = (bf__total)bf__unpack_i64(u) * ((bf__total)1 << 64) + low;
    }
}

bf_status bf__unpack_text(const char **out, bf__unpacker *u, int64_t most, bf_arena *arena,
                          bf_error *err) {
    int64_t length = bf__unpack_count(u, 1);
    char *text;
    *out = "";
    u->bad = u->bad || length > most;
    if (u->bad)
        return BF_OK;
    BF_ZALLOC(text, arena, length + 1, err);
    memcpy(text, u->bytes + u->at, (size_t)length);
    u->at += (size_t)length;
    u->bad = strlen(text) != (size_t)length;
    *out = text;
    return BF_OK;
}

/* ---- FNV-1a in words of 8 bytes, then mixed: each step is a bijection of the state. */
uint64_t bf__checksum(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = 0xCBF29CE484222325u ^ size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < size; k++)
            word |= (uint64_t)at[i + k] << (8 * k);
        hash = (hash ^ word) * 0x100000001B3u;
        hash ^= hash >> 32;
    }
    return hash;
}
