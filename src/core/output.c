/* output.c - Files that are whole or not there: written out of sight, then put into place.
 *
 * Where the file system can, the new file has no name until it is complete (O_TMPFILE): whatever
 * ends the process, even a signal that no program can catch, nothing is left behind. Elsewhere the
 * new file stands beside the target under a random name, created by us alone and never through a
 * link that somebody else has put there. The target itself may be a symbolic link: then the file
 * that it points at is replaced, and the link stays. */
#include "core/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backflow/file.h"
#include "core/fail.h"

#define MOST_LINKS 40 /* as the kernel */
#define ATTEMPTS   100

static bf_status failed(const bf__output *out, bf_error *err) {
    return bf_fail(err, BF_EFILE, "%s: cannot be written: %s", out->path, strerror(errno));
}

/* ---- Names */

/* The folder of `path`, with its last slash; "" where the path has none. */
static void folder_of(const char *path, char folder[BF__PATH_SIZE]) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, BF__PATH_SIZE, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
}

/* Goes through symbolic links from `path` to the file, which need not exist. False, with errno,
 * where there is no end to them. *special tells of a link that the system makes up, such as
 * /dev/stdout: what it says about itself is no path. */
static bool follow(const char *path, char target[BF__PATH_SIZE], bool *special) {
    char link[BF__PATH_SIZE], folder[BF__PATH_SIZE], next[2 * BF__PATH_SIZE];
    *special = false;
    snprintf(target, BF__PATH_SIZE, "%s", path);
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return true;
        link[length] = '\0';
        *special |= strncmp(target, "/proc/", 6) == 0;
        folder_of(target, folder);
        snprintf(next, sizeof next, "%s%s", link[0] == '/' ? "" : folder, link);
        if (strlen(next) >= BF__PATH_SIZE) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(target, next, strlen(next) + 1);
    }
    errno = ELOOP;
    return false;
}

/* A name beside the target that nobody can guess. */
static bool random_name(bf__output *out) {
    unsigned long long number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    snprintf(out->beside, sizeof out->beside, "%.*s.%016llx.tmp", BF__PATH_SIZE - 32, out->target,
             number);
    return true;
}

bool bf_file_same(const char *a, const char *b) {
    char target[2][BF__PATH_SIZE], folder[2][BF__PATH_SIZE];
    const char *const paths[2] = {a, b}, *name[2];
    struct stat info[2];
    bool special, there[2];
    for (int i = 0; i < 2; i++) {
        if (!follow(paths[i], target[i], &special))
            return false;
        there[i] = stat(paths[i], &info[i]) == 0;
        if (there[i] && !S_ISREG(info[i].st_mode))
            return false;
    }
    if (there[0] && there[1])
        return info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
    if (there[0] || there[1])
        return false;
    for (int i = 0; i < 2; i++) {
        folder_of(target[i], folder[i]);
        name[i] = target[i] + strlen(folder[i]);
        if (stat(*folder[i] ? folder[i] : ".", &info[i]) != 0)
            return false;
    }
    return strcmp(name[0], name[1]) == 0 && info[0].st_dev == info[1].st_dev &&
           info[0].st_ino == info[1].st_ino;
}

/* ---- Opening */

/* A file without a name in the target's folder; -1 where that cannot be, or could not be given a
 * name later. */
static int open_nameless(const bf__output *out) {
    char folder[BF__PATH_SIZE];
    folder_of(out->target, folder);
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    return open(*folder ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

static int open_beside(bf__output *out) {
    for (int i = 0; i < ATTEMPTS && random_name(out); i++) {
        int file = open(out->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

bf_status bf__output_open(bf__output *out, const char *path, bf_error *err) {
    bool special;
    struct stat info;
    *out = (bf__output){.file = NULL};
    if (strlen(path) > BF__PATH_SIZE - 32)
        return bf_fail(err, BF_EFILE, "%.64s...: the name is too long", path);
    snprintf(out->path, sizeof out->path, "%s", path);
    if (!follow(path, out->target, &special))
        return failed(out, err);
    bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return failed(out, err);
    }
    out->direct = special || (there && !S_ISREG(info.st_mode));
    int file = out->direct ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                           : open_nameless(out);
    if (file < 0 && !out->direct)
        file = open_beside(out);
    if (file < 0) {
        out->beside[0] = '\0';
        return failed(out, err);
    }
    if (there && !out->direct && fchmod(file, info.st_mode & 0777) != 0)
        errno = 0; /* the new file keeps the rights that new files have */
    out->file = fdopen(file, "wb");
    if (out->file)
        return BF_OK;
    bf_status status = failed(out, err);
    close(file);
    if (out->beside[0])
        unlink(out->beside);
    return status;
}

/* ---- Putting into place */

/* Gives the nameless file a name: the target's own if that is free, otherwise one beside it. */
static bool give_name(bf__output *out) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(out->file));
    if (linkat(AT_FDCWD, self, AT_FDCWD, out->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    for (int i = 0; i < ATTEMPTS && errno == EEXIST && random_name(out); i++)
        if (linkat(AT_FDCWD, self, AT_FDCWD, out->beside, AT_SYMLINK_FOLLOW) == 0)
            return true;
    out->beside[0] = '\0';
    return false;
}

/* Not every file system can promise that the bytes are on the disk; one that cannot says so. */
static bool bring_to_disk(FILE *file) {
    return fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

bf_status bf__output_commit(bf__output *out, bf_error *err) {
    bool good = ferror(out->file) == 0;
    good = fflush(out->file) == 0 && good;
    if (good && !out->direct)
        good = bring_to_disk(out->file) && (out->beside[0] || give_name(out));
    int reason = errno;
    if (fclose(out->file) != 0 && good) {
        good = false;
        reason = errno;
    }
    out->file = NULL;
    if (good && out->beside[0] && rename(out->beside, out->target) != 0) {
        good = false;
        reason = errno;
    }
    if (good)
        return BF_OK;
    if (out->beside[0])
        unlink(out->beside);
    errno = reason;
    return failed(out, err);
}

void bf__output_abandon(bf__output *out) {
    if (!out->file)
        return;
    fclose(out->file);
    out->file = NULL;
    if (out->beside[0])
        unlink(out->beside);
}

bf_status bf_file_write(const char *path, const char *text, size_t size, bf_error *err) {
    bf__output output;
    BF_TRY(bf__output_open(&output, path, err));
    fwrite(text, 1, size, output.file);
    return bf__output_commit(&output, err);
}

/* A device or a pipe is only looked at: to open and close it would be an end to its reader. */
bf_status bf_file_check(const char *path, bf_error *err) {
    bf__output output;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return access(path, W_OK) == 0
                   ? BF_OK
                   : bf_fail(err, BF_EFILE, "%s: cannot be written: %s", path, strerror(errno));
    BF_TRY(bf__output_open(&output, path, err));
    bf__output_abandon(&output);
    return BF_OK;
}
