/* write_npz.c - A log as an .npz archive: one .npy per array, not compressed, like numpy.savez.
 *
 *     x.npy:  "\x93NUMPY" 1 0, length of the header (2 bytes), header, numbers
 *
 * The header is padded so that the numbers begin at a multiple of 64 bytes. Arrays are row-major
 * (n, width), but the log is stored column after column, so the archive is made from transposed
 * copies. The time stamps are those of the first day that a zip file can express, so that equal
 * logs give equal files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "core/context.h"
#include "core/fail.h"
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

/* Writes the shape as numpy does: (n,), (n, width) or, for sampled actions, (n, M, k). */
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
        to[k] = (unsigned char)(bits >> 8 * k); /* little-endian on every machine */
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

/* ---- The archive as libzip sees it: an empty file, to be written into ours */

typedef struct sink {
    FILE *file;
    zip_error_t error;
} sink;

static zip_int64_t sink_fail(sink *to) {
    zip_error_set(&to->error, ZIP_ER_WRITE, errno);
    return -1;
}

static zip_int64_t sink_seek(sink *to, void *data, zip_uint64_t length) {
    const zip_source_args_seek_t *where =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &to->error);
    if (!where)
        return -1;
    return fseeko(to->file, (off_t)where->offset, where->whence) == 0 ? 0 : sink_fail(to);
}

static zip_int64_t sink_call(void *state, void *data, zip_uint64_t length, zip_source_cmd_t what) {
    sink *to = state;
    zip_stat_t *about = data;
    switch (what) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT:
        zip_stat_init(about);
        about->valid = ZIP_STAT_SIZE;
        about->size = 0;
        return sizeof *about;
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&to->error, data, length);
    case ZIP_SOURCE_WRITE:
        return fwrite(data, 1, length, to->file) == length ? (zip_int64_t)length : sink_fail(to);
    case ZIP_SOURCE_SEEK_WRITE:
        return sink_seek(to, data, length);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)ftello(to->file);
    case ZIP_SOURCE_COMMIT_WRITE:
        return fflush(to->file) == 0 ? 0 : sink_fail(to);
    default: /* there is nothing to read, to begin or to take back */
        return 0;
    }
}

static bf_status bad_zip(const bf__output *out, const char *why, bf_error *err) {
    return bf_fail(err, BF_EFILE, "%s: cannot be written: %s", out->path, why);
}

static bf_status fill(const bf__output *out, const bf__block *blocks, int count,
                      const bf_context *context, bf_arena *arena, bf_error *err) {
    if (out->direct)
        return bf_fail(err, BF_EFILE, "%s: an .npz can only be written to a plain file", out->path);
    zip_error_t cause;
    sink to = {.file = out->file};
    zip_error_init(&to.error);
    zip_error_init(&cause);
    zip_source_t *source = zip_source_function_create(sink_call, &to, &cause);
    zip_t *archive =
        source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &cause) : NULL;
    if (!archive) {
        bf_status status = bad_zip(out, zip_error_strerror(&cause), err);
        if (source)
            zip_source_free(source);
        zip_error_fini(&cause);
        return status;
    }
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
        status = bad_zip(out, zip_strerror(archive), err);
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
