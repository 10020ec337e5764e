/* tape.c - Ranges of bytes from what can only be read forward.
 *
 * Cost    every byte once, if ranges come in order; once more from the first for a range that
 *         begins before the last one did
 * Memory  the bytes of the last range */
#include "format/tape.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/grow.h"
#include "format/unpack.h"

enum { BUFFER = 1 << 18, FAR = 1 << 20 };

/* ---- Ranges */

static bf_status go_back(bf__tape *t, bf_error *err) {
    BF_TRY(t->rewind(t->self, err));
    t->begun = true;
    t->at = 0;
    return BF_OK;
}

/* Reads on from t->at, up to `size` bytes; *got is less at the end only. */
static bf_status read_on(bf__tape *t, unsigned char *to, int64_t size, int64_t *got,
                         bf_error *err) {
    for (*got = 0; *got < size;) {
        size_t some;
        BF_TRY(t->next(t->self, to + *got, (size_t)(size - *got), &some, err));
        if (some == 0)
            break;
        *got += (int64_t)some;
        t->at += (int64_t)some;
    }
    return BF_OK;
}

/* Moves to byte `to`, or to the end if that comes first. */
static bf_status move(bf__tape *t, int64_t to, bf_error *err) {
    if (!t->begun || t->at > to)
        BF_TRY(go_back(t, err));
    /* A jump is cheap, but what is jumped over is not checked. */
    if (to - t->at > FAR && t->seek && t->seek(t->self, to)) {
        t->at = to;
        return BF_OK;
    }
    for (int64_t got = 1; t->at < to && got > 0;) {
        unsigned char skipped[1 << 14];
        int64_t left = to - t->at, some = (int64_t)sizeof skipped;
        BF_TRY(read_on(t, skipped, left < some ? left : some, &got, err));
    }
    return BF_OK;
}

static bf_status keep(bf__tape *t, const unsigned char *bytes, int64_t from, int64_t size,
                      bf_error *err) {
    if (size > t->kept_room) {
        int64_t room = size + size / 4;
        BF__GROW(t->kept, 0, room, t->arena, err);
        t->kept_room = room;
    }
    if (size > 0)
        memcpy(t->kept, bytes, (size_t)size);
    t->kept_from = from;
    t->kept_size = size;
    return BF_OK;
}

bf_status bf__tape_read(bf__tape *t, unsigned char *to, int64_t from, int64_t size, int64_t *got,
                        bf_error *err) {
    int64_t had = t->kept_from + t->kept_size - from, more;
    had = from < t->kept_from || had < 0 ? 0 : had < size ? had : size;
    if (had > 0)
        memcpy(to, t->kept + (from - t->kept_from), (size_t)had);
    *got = had;
    if (had < size) {
        BF_TRY(move(t, from + had, err));
        if (t->at == from + had) {
            BF_TRY(read_on(t, to + had, size - had, &more, err));
            *got += more;
        }
    }
    return keep(t, to, from, *got, err);
}

bf_status bf__tape_end(bf__tape *t, int64_t *size, bf_error *err) {
    unsigned char skipped[1 << 14];
    int64_t got = 1;
    if (!t->begun)
        BF_TRY(go_back(t, err));
    while (got > 0)
        BF_TRY(read_on(t, skipped, (int64_t)sizeof skipped, &got, err));
    *size = t->at;
    return BF_OK;
}

/* ---- Compressed files */

struct bf__packed_file {
    const char *path;
    int file;
    bf__unpacking *unpacking;
    size_t size, taken; /* of what is in the buffer */
    bool last, over;
    unsigned char buffer[BUFFER];
};

/* Moves what is left of the buffer to its front, and reads more. */
static bf_status refill(bf__packed_file *f, bf_error *err) {
    memmove(f->buffer, f->buffer + f->taken, f->size - f->taken);
    f->size -= f->taken;
    f->taken = 0;
    while (!f->last && f->size < BUFFER) {
        ssize_t got = read(f->file, f->buffer + f->size, BUFFER - f->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", f->path, strerror(errno));
        f->last = got == 0;
        f->size += (size_t)got;
    }
    return BF_OK;
}

static bf_status rewind_packed(void *self, bf_error *err) {
    bf__packed_file *f = self;
    bf__unpacking_close(f->unpacking);
    f->unpacking = NULL;
    f->size = f->taken = 0;
    f->last = f->over = false;
    if (lseek(f->file, 0, SEEK_SET) != 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", f->path, strerror(errno));
    BF_TRY(refill(f, err));
    const char *as = bf__packed_as(f->buffer, f->size);
    if (!as)
        return bf_fail(err, BF_EFILE, "%s: has changed since it was first read", f->path);
    return bf__unpacking_open(&f->unpacking, as, f->path, err);
}

static bf_status next_packed(void *self, unsigned char *to, size_t size, size_t *got,
                             bf_error *err) {
    bf__packed_file *f = self;
    for (*got = 0; *got == 0 && !f->over;) {
        if (!f->last && f->size - f->taken < BUFFER / 2)
            BF_TRY(refill(f, err));
        BF_TRY(bf__unpacking_step(f->unpacking, f->buffer, f->size, &f->taken, f->last, to, size,
                                  got, &f->over, err));
    }
    return BF_OK;
}

bf_status bf__packed_file_open(bf__packed_file **out, const char *path, bf_arena *arena,
                               bf_error *err) {
    *out = NULL;
    BF_ZALLOC(*out, arena, 1, err);
    (*out)->path = path;
    (*out)->file = open(path, O_RDONLY | O_CLOEXEC);
    return (*out)->file >= 0
               ? BF_OK
               : bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", path, strerror(errno));
}

void bf__packed_file_close(bf__packed_file *f) {
    if (!f)
        return;
    bf__unpacking_close(f->unpacking);
    f->unpacking = NULL;
    if (f->file >= 0)
        close(f->file);
    f->file = -1;
}

bf__tape bf__packed_file_tape(bf__packed_file *f, bf_arena *arena) {
    return (bf__tape){.self = f, .rewind = rewind_packed, .next = next_packed, .arena = arena};
}
