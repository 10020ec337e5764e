/* write_npz.c - A log as an .npz archive: one .npy per array, not compressed, as numpy.savez.
 *
 *     x.npy:  "\x93NUMPY" 1 0, length of the header (2 bytes), header, numbers
 *
 * The header is padded so that the numbers begin at a multiple of 64 bytes. Arrays are row-major
 * (n, width), the log is column after column: the archive is made from transposed copies. The time
 * stamps are those of the first day that a zip file knows, so that equal logs are equal files. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "core/fail.h"
#include "core/log.h"
#include "core/output.h"
#include "dataset/write.h"

static const struct {
    const char *code;
    size_t size;
} types[] = {
    [BF_BLOCK_REAL] = {"<f8", 8},
    [BF_BLOCK_WHOLE] = {"<i8", 8},
    [BF_BLOCK_FLAG] = {"|b1", 1},
};

/* The shape as numpy writes it: (n,), (n, width) or, of sampled actions, (n, M, k). */
static void shape(char *text, size_t size, const bf__block *block) {
    long long n = (long long)block->n;
    if (block->inner)
        snprintf(text, size, "(%lld, %d, %d)", n, block->width / block->inner, block->inner);
    else if (block->width)
        snprintf(text, size, "(%lld, %d)", n, block->width);
    else
        snprintf(text, size, "(%lld,)", n);
}

static void put(unsigned char *to, const bf__block *block, int64_t at) {
    uint64_t bits;
    if (block->type == BF_BLOCK_FLAG) {
        *to = block->flag[at] != 0;
        return;
    }
    if (block->type == BF_BLOCK_REAL)
        memcpy(&bits, &block->real[at], sizeof bits);
    else
        memcpy(&bits, &block->whole[at], sizeof bits);
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(bits >> 8 * k); /* little-endian wherever we are */
}

/* The bytes of an .npy file. */
static bf_status array(unsigned char **out, size_t *length, const bf__block *block, bf_arena *arena,
                       bf_error *err) {
    char dimensions[96], head[256];
    shape(dimensions, sizeof dimensions, block);
    int used = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                        types[block->type].code, dimensions);
    size_t start = ((size_t)used + 11 + 63) / 64 * 64; /* 10 bytes before, a newline after */
    int64_t width = block->width ? block->width : 1;
    size_t size = types[block->type].size;
    *length = start + (size_t)(block->n * width) * size;
    BF_ALLOC(*out, arena, (int64_t)*length, err);
    unsigned char *bytes = *out;
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (unsigned char)((start - 10) & 255);
    bytes[9] = (unsigned char)((start - 10) >> 8);
    memset(bytes + 10, ' ', start - 10);
    memcpy(bytes + 10, head, (size_t)used);
    bytes[start - 1] = '\n';
    for (int64_t i = 0; i < block->n; i++)
        for (int64_t j = 0; j < width; j++)
            put(bytes + start + (size_t)(i * width + j) * size, block, j * block->n + i);
    return BF_OK;
}

static bf_status add(zip_t *archive, const bf__block *block, const char *path, bf_arena *arena,
                     bf_error *err) {
    unsigned char *bytes;
    size_t length;
    char name[32];
    snprintf(name, sizeof name, "%s.npy", block->key);
    BF_TRY(array(&bytes, &length, block, arena, err));
    zip_source_t *source = zip_source_buffer(archive, bytes, length, 0);
    zip_int64_t index = source ? zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0 || zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 1 << 5 | 1, 0) != 0) {
        if (index < 0)
            zip_source_free(source);
        return bf_fail(err, BF_EFILE, "%s: cannot be written: %s", path, zip_strerror(archive));
    }
    return BF_OK;
}

/* libzip writes beside and renames by itself: what it makes takes the place of out->beside. */
static bf_status fill(const bf__output *out, const bf__block *blocks, int count,
                      const bf_context *context, bf_arena *arena, bf_error *err) {
    if (strcmp(out->beside, out->path) == 0)
        return bf_fail(err, BF_EFILE, "%s: an .npz can only be written to a plain file", out->path);
    int code;
    zip_t *archive = zip_open(out->beside, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!archive)
        return bf_fail(err, BF_EFILE, "%s: cannot be written (libzip error %d)", out->path, code);
    bf_status status = BF_OK;
    for (int b = 0; b < count && status == BF_OK; b++) {
        if (!bf__progress(context, "writing", b, count, out->path))
            status = bf_fail(err, BF_ECANCELLED, "%s: not written: interrupted", out->path);
        else
            status = add(archive, &blocks[b], out->path, arena, err);
    }
    if (status == BF_OK && zip_close(archive) == 0)
        return BF_OK;
    if (status == BF_OK)
        status =
            bf_fail(err, BF_EFILE, "%s: cannot be written: %s", out->path, zip_strerror(archive));
    zip_discard(archive);
    return status;
}

bf_status bf__write_npz(const bf__block *blocks, int count, const char *path,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__output out;
    BF_TRY(bf__output_open(&out, path, err));
    bf_status status = fill(&out, blocks, count, context, arena, err);
    if (status == BF_OK)
        return bf__output_commit(&out, err);
    bf__output_abandon(&out);
    return status;
}
