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
 * OpenBLAS runs one thread: parallel work is cut into tiles of a fixed size by our own code, so
 * that the digits do not depend on the number of threads.
 *
 * The table of routines is the library's only process-wide state: a loaded library is one. */
#include "core/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

#define LIBRARY "libopenblas.so.0"

static bf__blas table;
static char failure[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

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

/* Sets `name` where a value is given; returns a copy of what stood there, to be put back. */
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

static void load(void) {
    char *type =
        swap_variable("OPENBLAS_CORETYPE", getenv("OPENBLAS_CORETYPE") ? NULL : core_type());
    char *threads = swap_variable("OPENBLAS_NUM_THREADS", "1");
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    restore_variable("OPENBLAS_CORETYPE", type);
    restore_variable("OPENBLAS_NUM_THREADS", threads);
    if (!library) {
        snprintf(failure, sizeof failure, "%s (Debian: install libopenblas0)", dlerror());
        return;
    }
    /* POSIX: what dlsym returns may be used as a function; ISO C has no cast that says so. */
#define BF_BLAS(field, symbol, result, arguments)                                                  \
    *(void **)&table.field = dlsym(library, #symbol);                                              \
    if (!table.field)                                                                              \
        snprintf(failure, sizeof failure, "%s has no %s", LIBRARY, #symbol);
#include "core/blas.def"
#undef BF_BLAS
}

bf_status bf__blas_load(const bf__blas **out, bf_error *err) {
    *out = &table;
    pthread_once(&once, load);
    if (failure[0])
        return bf_fail(err, BF_EABSENT, "no BLAS: %s", failure);
    return BF_OK;
}
