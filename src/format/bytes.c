/* bytes.c - The whole content of a file as memory.
 *
 * The file is read, not mapped. A mapped file that another program cuts short kills whoever looks
 * at the missing part (SIGBUS), and a library must not let that happen to its host. The copy costs
 * about a tenth of the time that parsing takes. */
#include "format/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "format/unpack.h"

/* A pipe does not tell its size, so the room doubles whenever it is used up. */
static bf_status read_all(bf__bytes *out, int file, const char *path, bf_arena *arena,
                          bf_error *err) {
    size_t room = 0, used = 0;
    unsigned char *data = NULL;
    for (;;) {
        if (used == room) {
            unsigned char *larger;
            room = room ? 2 * room : (size_t)1 << 20;
            BF_ALLOC(larger, arena, (int64_t)room, err);
            if (used)
                memcpy(larger, data, used);
            data = larger;
        }
        ssize_t got = read(file, data + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            break;
        used += (size_t)got;
    }
    *out = (bf__bytes){data, used, false};
    return BF_OK;
}

/* A file whose size is known. One that shrinks meanwhile is an error: its last row would be half a
 * row. */
static bf_status read_known(bf__bytes *out, int file, size_t size, const char *path,
                            bf_error *err) {
    unsigned char *data =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory: it has %zu bytes", path, size);
    *out = (bf__bytes){data, size, true};
    madvise(data, size, MADV_HUGEPAGE); /* fewer faults; refused by some systems, without harm */
    for (size_t used = 0; used < size;) {
        ssize_t got = read(file, data + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            return bf_fail(err, BF_EFILE,
                           "%s: became shorter while it was being read: %zu bytes of %zu are there",
                           path, used, size);
        used += (size_t)got;
    }
    return BF_OK;
}

/* A file that another program writes to meanwhile is part of the old content and part of the new.
 */
static bf_status check_unchanged(int file, const struct stat *before, const char *path,
                                 bf_error *err) {
    struct stat now;
    if (fstat(file, &now) != 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
    if (now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == before->st_mtim.tv_nsec)
        return BF_OK;
    return bf_fail(err, BF_EFILE, "%s: was changed while it was being read", path);
}

static bf_status load(bf__bytes *out, int file, const char *path, bf_arena *arena, bf_error *err) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return bf_fail(err, BF_EFILE, "%s: is a folder, not a file", path);
    if (!S_ISREG(about.st_mode) || about.st_size == 0)
        return read_all(out, file, path, arena, err);
    BF_TRY(read_known(out, file, (size_t)about.st_size, path, err));
    return check_unchanged(file, &about, path, err);
}

/* If the content is compressed, what was in it takes its place. */
static bf_status unpack(bf__bytes *bytes, const char *path, bf_error *err) {
    unsigned char *data;
    size_t size;
    if (!bf__packed_as(bytes->data, bytes->size))
        return BF_OK;
    BF_TRY(bf__unpack(&data, &size, bytes->data, bytes->size, path, err));
    bf__bytes_close(bytes);
    /* Nothing may have been packed: that, too, is a place of its own. */
    *bytes = (bf__bytes){data ? data : (const unsigned char *)"", size, data != NULL};
    return BF_OK;
}

bf_status bf__bytes_open(bf__bytes *out, const char *path, bf_arena *arena, bf_error *err) {
    *out = (bf__bytes){0};
    bool input = strcmp(path, "-") == 0;
    const char *name = input ? BF__STANDARD_INPUT : path;
    int file = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", path, strerror(errno));
    bf_status status = load(out, file, name, arena, err);
    if (!input)
        close(file);
    if (status == BF_OK)
        status = unpack(out, name, err);
    if (status != BF_OK)
        bf__bytes_close(out);
    return status;
}

void bf__bytes_forget(const bf__bytes *bytes, size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes->mapped && count >= page)
        madvise((void *)(uintptr_t)bytes->data, count / page * page, MADV_DONTNEED);
}

void bf__bytes_close(bf__bytes *bytes) {
    if (bytes->mapped)
        munmap((void *)(uintptr_t)bytes->data, bytes->size);
    *bytes = (bf__bytes){0};
}

bool bf__has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length >= tail && strcasecmp(path + length - tail, suffix) == 0;
}
