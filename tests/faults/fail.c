/* fail.c - A library to preload: the k-th call of one kind fails, as it does on a bad day.
 *
 *     FAULT_CALL   write, open, rename, fsync, link or memory; or shorten or lengthen, where
 *                  another program does that to a file just before the k-th read of it; or kill:
 *                  just after the k-th write, a process is killed
 *     FAULT_PID    a file with the number of that process, which then is not this one; this one
 *                  does nothing more
 *     FAULT_AT     which call fails, from 1; all later ones succeed. 0: none
 *     FAULT_LEAST  bytes from which on memory counts; 4,096 unless it is said
 *     FAULT_COUNT  a file that receives the number of calls, when the process ends
 *
 * Only calls of the program count that concern files below FAULT_FOLDER, so that what the C library
 * and the system do for themselves stays out of it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int wanted, seen;
static size_t least = 4096;
static char kind[16], folder[4096];

__attribute__((constructor)) static void start(void) {
    const char *at = getenv("FAULT_AT"), *call = getenv("FAULT_CALL"), *in = getenv("FAULT_FOLDER");
    wanted = at ? atoi(at) : 0;
    if (getenv("FAULT_LEAST"))
        least = (size_t)atol(getenv("FAULT_LEAST"));
    snprintf(kind, sizeof kind, "%s", call ? call : "");
    snprintf(folder, sizeof folder, "%s", in ? in : "/");
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNT");
    int (*real_open)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int file = path ? real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0)
        dprintf(file, "%d\n", __atomic_load_n(&seen, __ATOMIC_SEQ_CST));
}

/* Whether this call is the one that fails. */
static int is_the_one(const char *what) {
    return strcmp(kind, what) == 0 && __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) == wanted;
}

static int is_ours(const char *path) {
    return path[0] != '/' || strncmp(path, folder, strlen(folder)) == 0;
}

static int is_our_file(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

/* Makes a file that is being read shorter by a byte or longer. */
static void resize(int file, off_t by) {
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (fstat(file, &about) != 0 || truncate(path, about.st_size + by) != 0)
        abort();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int fail_with(int code) {
    errno = code;
    return -1;
}

static void kill_process(void) {
    const char *path = getenv("FAULT_PID");
    FILE *file = path ? fopen(path, "r") : NULL;
    int process = getpid();
    if (path && (!file || fscanf(file, "%d", &process) != 1))
        abort();
    kill(process, SIGKILL);
    for (;;)
        pause();
}

ssize_t write(int file, const void *data, size_t size) {
    if (is_our_file(file) && is_the_one("write"))
        return fail_with(ENOSPC);
    ssize_t wrote = REAL(write)(file, data, size);
    if (is_our_file(file) && is_the_one("kill"))
        kill_process();
    return wrote;
}

ssize_t read(int file, void *data, size_t size) {
    if (is_our_file(file) && is_the_one("shorten"))
        resize(file, -1);
    if (is_our_file(file) && is_the_one("lengthen"))
        resize(file, 1);
    return REAL(read)(file, data, size);
}

static int opened(const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (is_ours(path) && is_the_one("open"))
        return fail_with(EMFILE);
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return opened(path, flags, mode);
}

int rename(const char *from, const char *to) {
    return is_the_one("rename") ? fail_with(EIO) : REAL(rename)(from, to);
}

int fsync(int file) {
    return is_the_one("fsync") ? fail_with(EIO) : REAL(fsync)(file);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return is_the_one("link") ? fail_with(EIO)
                              : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

/* dlsym itself may ask for memory before it has found malloc. */
void *__libc_malloc(size_t size);
void *malloc(size_t size) {
    if (wanted >= 0 && size >= least && is_the_one("memory")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}
