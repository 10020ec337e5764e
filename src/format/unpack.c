/* unpack.c - Compressed files: gzip by zlib, zstd by libzstd.
 *
 * Both unpack step by step. Several streams one after another are one content, as `cat a.gz b.gz`
 * makes them. Checksums are checked by the libraries. A whole content goes into pages that double
 * as they fill up.
 *
 * Cost  one pass; memory for the content twice, for a moment, if the system has to move pages */
#include "format/unpack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "core/fail.h"

#define PIECE  ((size_t)1 << 30) /* zlib counts in 32 bits */
#define RATIO  1100              /* what a file may unpack to, of its own size: gzip reaches 1032 */
#define ALWAYS ((size_t)1 << 24) /* a file may unpack to this much, however small it is */

const char *bf__packed_as(const unsigned char *bytes, size_t size) {
    if (size >= 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0)
        return "gzip";
    return size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ? "zstd" : NULL;
}

/* ---- Steps */

struct bf__unpacking {
    const char *path;
    bool gzip, between, ended; /* between two streams; after the last one */
    z_stream z;
    ZSTD_DStream *zstd;
    size_t left; /* zstd: 0 at the end of a frame */
};

static bf_status damaged(const bf__unpacking *u, const char *why, bf_error *err) {
    return bf_fail(err, BF_EFORMAT, "%s: cannot be unpacked: %s", u->path, why);
}

bf_status bf__unpacking_open(bf__unpacking **out, const char *as, const char *path, bf_error *err) {
    bf__unpacking *u = *out = calloc(1, sizeof *u);
    if (!u)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory", path);
    u->path = path;
    u->gzip = strcmp(as, "gzip") == 0;
    u->left = 1;
    if (!u->gzip)
        u->zstd = ZSTD_createDStream();
    if (u->gzip ? inflateInit2(&u->z, 15 + 16) == Z_OK : u->zstd != NULL) /* 16: a gzip header */
        return BF_OK;
    free(u);
    *out = NULL;
    return bf_fail(err, BF_ENOMEM, "%s: out of memory", path);
}

void bf__unpacking_close(bf__unpacking *u) {
    if (!u)
        return;
    if (u->gzip)
        inflateEnd(&u->z);
    ZSTD_freeDStream(u->zstd);
    free(u);
}

/* What follows a stream of gzip: another one, zeros that fill up the file, or nothing. */
static bf_status look_behind(bf__unpacking *u, const unsigned char *in, size_t size, size_t *taken,
                             bool last, bool *over, bf_error *err) {
    if (u->between && size - *taken < 3 && !last)
        return BF_OK;
    if (u->between && bf__packed_as(in + *taken, size - *taken)) {
        u->between = false;
        return inflateReset(&u->z) == Z_OK ? BF_OK : damaged(u, "zlib cannot go on", err);
    }
    u->between = false;
    u->ended = true;
    for (; *taken < size; ++*taken)
        if (in[*taken])
            return damaged(u, "something else follows the gzip stream", err);
    *over = last;
    return BF_OK;
}

static bf_status inflate_step(bf__unpacking *u, const unsigned char *in, size_t size, size_t *taken,
                              bool last, unsigned char *out, size_t room, size_t *used, bool *over,
                              bf_error *err) {
    z_stream *z = &u->z;
    if (u->between || u->ended)
        BF_TRY(look_behind(u, in, size, taken, last, over, err));
    if (u->between || u->ended)
        return BF_OK;
    size_t some = size - *taken, free_room = room - *used;
    z->next_in = (unsigned char *)(uintptr_t)in + *taken;
    z->avail_in = (uInt)(some < PIECE ? some : PIECE);
    z->next_out = out + *used;
    z->avail_out = (uInt)(free_room < PIECE ? free_room : PIECE);
    int status = inflate(z, Z_NO_FLUSH);
    *taken = (size_t)(z->next_in - in);
    *used = (size_t)(z->next_out - out);
    u->between = status == Z_STREAM_END;
    if (u->between)
        return look_behind(u, in, size, taken, last, over, err);
    if (status == Z_MEM_ERROR)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory", u->path);
    if (status != Z_OK && status != Z_BUF_ERROR)
        return damaged(u, z->msg ? z->msg : "the gzip stream is damaged", err);
    if (last && *taken == size && *used < room)
        return damaged(u, "the gzip stream is cut off", err);
    return BF_OK;
}

static bf_status zstd_step(bf__unpacking *u, const unsigned char *in, size_t size, size_t *taken,
                           bool last, unsigned char *out, size_t room, size_t *used, bool *over,
                           bf_error *err) {
    ZSTD_inBuffer from = {in, size, *taken};
    ZSTD_outBuffer to = {out, room, *used};
    if (*taken < size || u->left)
        u->left = ZSTD_decompressStream(u->zstd, &to, &from);
    bool stuck = from.pos == *taken && to.pos == *used;
    *taken = from.pos;
    *used = to.pos;
    if (ZSTD_isError(u->left))
        return damaged(u, ZSTD_getErrorName(u->left), err);
    if (last && u->left && stuck)
        return damaged(u, "the zstd stream is cut off", err);
    *over = last && *taken == size && !u->left;
    return BF_OK;
}

bf_status bf__unpacking_step(bf__unpacking *u, const unsigned char *in, size_t size, size_t *taken,
                             bool last, unsigned char *out, size_t room, size_t *used, bool *over,
                             bf_error *err) {
    *over = false;
    return u->gzip ? inflate_step(u, in, size, taken, last, out, room, used, over, err)
                   : zstd_step(u, in, size, taken, last, out, room, used, over, err);
}

/* ---- Pages that grow */

typedef struct pages {
    unsigned char *data;
    size_t used, room;
    size_t packed; /* the size of the file */
    const char *path;
} pages;

static bf_status grow(pages *p, bf_error *err) {
    size_t room = p->room ? 2 * p->room : (size_t)1 << 20;
    if (p->used > ALWAYS && p->used / RATIO > p->packed)
        return bf_fail(err, BF_EFORMAT,
                       "%s: unpacks to more than %d times its %zu bytes, which no log does: unpack "
                       "it yourself if it is right",
                       p->path, RATIO, p->packed);
    void *data = p->data
                     ? mremap(p->data, p->room, room, MREMAP_MAYMOVE)
                     : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room < p->room || data == MAP_FAILED)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory: it unpacks to more than %zu bytes",
                       p->path, p->used);
    p->data = data;
    p->room = room;
    return BF_OK;
}

bf_status bf__unpack(unsigned char **out, size_t *out_size, const unsigned char *bytes, size_t size,
                     const char *path, bf_error *err) {
    pages p = {.path = path, .packed = size};
    bf__unpacking *u;
    size_t taken = 0;
    bool over = false;
    bf_status status = bf__unpacking_open(&u, bf__packed_as(bytes, size), path, err);
    while (!over && status == BF_OK) {
        if (p.used == p.room)
            status = grow(&p, err);
        if (status == BF_OK)
            status = bf__unpacking_step(u, bytes, size, &taken, true, p.data, p.room, &p.used,
                                        &over, err);
    }
    bf__unpacking_close(u);
    if (p.data && (status != BF_OK || p.used == 0)) {
        munmap(p.data, p.room);
        p.data = NULL;
    }
    if (p.data) { /* the rest of the room goes back */
        void *fitted = mremap(p.data, p.room, p.used, MREMAP_MAYMOVE);
        if (fitted == MAP_FAILED) {
            munmap(p.data, p.room);
            return bf_fail(err, BF_ENOMEM, "%s: out of memory", path);
        }
        p.data = fitted;
    }
    *out = p.data;
    *out_size = p.data ? p.used : 0;
    return status;
}
