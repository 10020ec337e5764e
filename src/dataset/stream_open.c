/* stream_open.c - Files of a log in pieces: what is open of them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/fail.h"
#include "dataset/stream.h"

void bf__open_file_close(bf__open_file *open) {
    if (!open->of)
        return;
    if (open->rows.reader)
        bf__file_close(&open->rows);
    bf__packed_file_close(open->packed);
    if (open->descriptor >= 0)
        close(open->descriptor);
    bf_arena_destroy(open->arena);
    *open = (bf__open_file){.of = NULL};
}

static bf_status open_text(bf__open_file *o, bf_error *err) {
    if (o->of->packed) {
        BF_TRY(bf__packed_file_open(&o->packed, o->of->path, o->arena, err));
        o->tape = bf__packed_file_tape(o->packed, o->arena);
        return BF_OK;
    }
    o->descriptor = open(o->of->path, O_RDONLY | O_CLOEXEC);
    return o->descriptor >= 0
               ? BF_OK
               : bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", o->of->path, strerror(errno));
}

static bf_status open_rows(bf__open_file *o, const bf_read_options *options,
                           const bf_context *context, bf_error *err) {
    o->rows = (bf__file){.path = o->of->path,
                         .reader = o->of->reader,
                         .bytes = {NULL, (size_t)o->of->bytes, false},
                         .delimiter = options->delimiter,
                         .decimal = options->decimal};
    BF_TRY(o->rows.reader->open(&o->rows, context, o->arena, err));
    o->row_count = o->rows.rows;
    return BF_OK;
}

bf_status bf__open_file_take(bf__open_file *open, const bf__streamed *of,
                             const bf_read_options *options, const bf_context *context,
                             const bf_allocator *allocator, bf_error *err) {
    if (open->of == of)
        return BF_OK;
    bf__open_file_close(open);
    BF_TRY(bf_arena_create(&open->arena, allocator, err));
    open->of = of;
    open->descriptor = -1;
    bf_status status =
        of->cut == BF__BY_ROW ? open_rows(open, options, context, err) : open_text(open, err);
    if (status != BF_OK)
        bf__open_file_close(open);
    return status;
}

bf_status bf__open_file_bytes(bf__open_file *open, unsigned char *to, int64_t from, int64_t size,
                              bf_error *err) {
    const char *path = open->of->path;
    int64_t got = 0;
    if (open->packed)
        BF_TRY(bf__tape_read(&open->tape, to, from, size, &got, err));
    while (!open->packed && got < size) {
        ssize_t some = pread(open->descriptor, to + got, (size_t)(size - got), from + got);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
        if (some == 0)
            break;
        got += some;
    }
    return got == size ? BF_OK
                       : bf_fail(err, BF_EFILE, "%s: became shorter while it was being read", path);
}
