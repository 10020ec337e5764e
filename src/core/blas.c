/* blas.c - Loads OpenBLAS at run time, so that it starts with the right kernels.
 *
 * OpenBLAS picks its kernels when it is loaded, by the model number of the CPU. A release that is
 * older than the CPU does not know the number and takes kernels several times too slow; the way
 * out is OPENBLAS_CORETYPE, which has to stand in the environment before the library is loaded. A
 * program that links OpenBLAS is too late for that. So it is not linked: the first caller sets the
 * variable by the instruction sets that the CPU has, loads the library and puts the environment
 * back. What a user has set wins. A host program that has OpenBLAS loaded already keeps what it
 * has, and so do we.
 *
 * BACKFLOW_BLAS in the environment names the file of another OpenBLAS to load: the wheel of the
 * Python package comes with one.
 *
 * OpenBLAS runs one thread: parallel work is cut into tiles of a fixed size by our own code, so
 * that the digits do not depend on the number of threads.
 *
 * OpenBLAS maps a buffer of 128 MiB of address space for every caller that is inside it, keeps it
 * for the next one, and tries again for ever if the system refuses (a limit on memory). So we ask
 * the system first, and let OpenBLAS take as many buffers as there will be callers while we know
 * that it gets them. Threads of a host program that call the library at the same time are not
 * counted: a host with a limit on its address space leaves them 128 MiB each.
 *
 * The table of routines is the library's only process-wide state: a loaded library is one. */
#include "core/blas.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/fail.h"

#define LIBRARY      "libopenblas.so.0"
#define BUFFER       ((size_t)129 << 20) /* of a caller, with a margin */
#define MOST_BUFFERS 64                  /* OpenBLAS has a table of them */

static bf__blas table;
static char failure[256];
static void *(*take_buffer)(int); /* NULL: this OpenBLAS keeps them to itself */
static void (*give_buffer)(void *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool loaded;
static atomic_int held; /* buffers that OpenBLAS has mapped for us */

#if defined(__x86_64__)
const char *bf__simd_level(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "AVX-512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "AVX2";
    return "baseline";
}

static const char *core_type(void) {
    const char *simd = bf__simd_level();
    return !strcmp(simd, "AVX-512") ? "SKYLAKEX" : !strcmp(simd, "AVX2") ? "HASWELL" : NULL;
}
#else
const char *bf__simd_level(void) {
    return "baseline";
}

static const char *core_type(void) {
    return NULL;
}
#endif

/* If `value` is not NULL, sets the variable `name` to it. Returns a copy of the old value, which
 * the caller restores later. */
static char *swap_variable(const char *name, const char *value) {
    const char *present = getenv(name);
    char *saved = present ? strdup(present) : NULL;
    if (value)
        setenv(name, value, 1);
    return saved;
}

static void restore_variable(const char *name, char *saved) {
    if (saved)
        setenv(name, saved, 1);
    else
        unsetenv(name);
    free(saved);
}

/* A routine of the library. The OpenBLAS of Python's wheels puts a prefix before every name, so
 * that it can stand beside another one in a process. */
static void *find(void *library, const char *name) {
    char prefixed[64];
    snprintf(prefixed, sizeof prefixed, "scipy_%s", name);
    void *found = dlsym(library, name);
    return found ? found : dlsym(library, prefixed);
}

static void load(void) {
    char *type =
        swap_variable("OPENBLAS_CORETYPE", getenv("OPENBLAS_CORETYPE") ? NULL : core_type());
    char *threads = swap_variable("OPENBLAS_NUM_THREADS", "1");
    const char *given = getenv("BACKFLOW_BLAS"), *path = given && *given ? given : LIBRARY;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    restore_variable("OPENBLAS_CORETYPE", type);
    restore_variable("OPENBLAS_NUM_THREADS", threads);
    if (!library) {
        snprintf(failure, sizeof failure, "%s (Debian: install libopenblas0)", dlerror());
        return;
    }
    /* POSIX allows us to use what dlsym returns as a function; ISO C has no cast for it. */
#define BF_BLAS(field, symbol, result, arguments)                                                  \
    *(void **)&table.field = find(library, #symbol);                                               \
    if (!table.field)                                                                              \
        snprintf(failure, sizeof failure, "%.200s has no %s", path, #symbol);
#include "core/blas.def"
#undef BF_BLAS
    *(void **)&take_buffer = dlsym(library, "blas_memory_alloc");
    *(void **)&give_buffer = dlsym(library, "blas_memory_free");
}

/* Whether the system would map one more buffer. */
static bool has_room(void) {
    void *probe = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe != MAP_FAILED && munmap(probe, BUFFER) == 0;
}

/* Lets OpenBLAS hold `count` buffers; false where the system has no room for all of them. */
static bool hold(int count) {
    void *taken[MOST_BUFFERS];
    int got = 0;
    if (!take_buffer || !give_buffer)
        return has_room();
    while (got < count && has_room())
        taken[got++] = take_buffer(0);
    for (int i = 0; i < got; i++)
        give_buffer(taken[i]);
    if (got > held)
        held = got;
    return got == count;
}

static bf_status prepare(int buffers, bf_error *err) {
    bool room = loaded || has_room(); /* loading takes a first buffer */
    if (room && !loaded) {
        load();
        loaded = true;
    }
    if (failure[0])
        return bf_fail(err, BF_EABSENT, "no BLAS: %s", failure);
    if (!room || (held < buffers && !hold(buffers)))
        return bf_fail(err, BF_ENOMEM,
                       "out of memory: matrices on %d thread%s need %d MiB of address space; raise "
                       "the limit (ulimit -v), or take fewer threads",
                       buffers, buffers > 1 ? "s" : "", (int)(BUFFER >> 20) * buffers);
    return BF_OK;
}

bf_status bf__blas_load(const bf__blas **out, int threads, bf_error *err) {
    int buffers = threads * omp_get_num_threads(); /* as many as our own team has members */
    buffers = buffers < 1 ? 1 : buffers > MOST_BUFFERS ? MOST_BUFFERS : buffers;
    *out = &table;
    if (loaded && held >= buffers && !failure[0])
        return BF_OK;
    pthread_mutex_lock(&lock);
    bf_status status = prepare(buffers, err);
    pthread_mutex_unlock(&lock);
    return status;
}

void bf__environment_hold(void) {
    pthread_mutex_lock(&lock);
}

void bf__environment_release(void) {
    pthread_mutex_unlock(&lock);
}
