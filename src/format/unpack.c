/* unpack.c - Compressed files: gzip by zlib, zstd by libzstd.
 *
 * Both unpack piece by piece into pages that double as they fill up. Several streams one after
 * another are one content, as `cat a.gz b.gz` makes them. Checksums are checked by the libraries.
 * Cost: one pass; memory for the content twice, for a moment, if the system has to move pages. */
#include "format/unpack.h"

#include <stdint.h>
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

static bf_status damaged(const pages *p, const char *why, bf_error *err) {
    return bf_fail(err, BF_EFORMAT, "%s: cannot be unpacked: %s", p->path, why);
}

/* ---- gzip */

/* One step of zlib: as much as fits. */
static bf_status inflate_step(pages *p, z_stream *z, const unsigned char *end, bool *over,
                              bf_error *err) {
    if (p->used == p->room)
        BF_TRY(grow(p, err));
    size_t left = (size_t)(end - z->next_in), room = p->room - p->used;
    z->avail_in = (uInt)(left < PIECE ? left : PIECE);
    z->avail_out = (uInt)(room < PIECE ? room : PIECE);
    z->next_out = p->data + p->used;
    int status = inflate(z, Z_NO_FLUSH);
    p->used = (size_t)(z->next_out - p->data);
    if (status == Z_STREAM_END) {
        *over = z->next_in == end || !bf__packed_as(z->next_in, (size_t)(end - z->next_in));
        for (const unsigned char *c = z->next_in; *over && c < end; c++)
            if (*c) /* zeros are padding */
                return damaged(p, "something else follows the gzip stream", err);
        return inflateReset(z) == Z_OK ? BF_OK : damaged(p, "zlib cannot go on", err);
    }
    if (status == Z_MEM_ERROR)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory", p->path);
    if (status != Z_OK && status != Z_BUF_ERROR)
        return damaged(p, z->msg ? z->msg : "the gzip stream is damaged", err);
    if (z->next_in == end && p->used < p->room)
        return damaged(p, "the gzip stream is cut off", err);
    return BF_OK;
}

static bf_status from_gzip(pages *p, const unsigned char *bytes, size_t size, bf_error *err) {
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes};
    bool over = false;
    bf_status status = BF_OK;
    if (inflateInit2(&z, 15 + 16) != Z_OK) /* 16: a gzip header */
        return bf_fail(err, BF_ENOMEM, "%s: out of memory", p->path);
    while (!over && status == BF_OK)
        status = inflate_step(p, &z, bytes + size, &over, err);
    inflateEnd(&z);
    return status;
}

/* ---- zstd */

static bf_status from_zstd(pages *p, const unsigned char *bytes, size_t size, bf_error *err) {
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1; /* 0: at the end of a frame */
    bf_status status = stream ? BF_OK : bf_fail(err, BF_ENOMEM, "%s: out of memory", p->path);
    while (status == BF_OK && (in.pos < size || left)) {
        if (p->used == p->room && (status = grow(p, err)) != BF_OK)
            break;
        ZSTD_outBuffer out = {p->data, p->room, p->used};
        size_t before = in.pos;
        left = ZSTD_decompressStream(stream, &out, &in);
        bool stuck = in.pos == before && out.pos == p->used;
        p->used = out.pos;
        if (ZSTD_isError(left))
            status = damaged(p, ZSTD_getErrorName(left), err);
        else if (left && stuck)
            status = damaged(p, "the zstd stream is cut off", err);
    }
    ZSTD_freeDStream(stream);
    return status;
}

bf_status bf__unpack(unsigned char **out, size_t *out_size, const unsigned char *bytes, size_t size,
                     const char *path, bf_error *err) {
    pages p = {.path = path, .packed = size};
    bool gzip = strcmp(bf__packed_as(bytes, size), "gzip") == 0;
    bf_status status = gzip ? from_gzip(&p, bytes, size, err) : from_zstd(&p, bytes, size, err);
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
