/* machine.c - What the computation runs on. */
#include "backflow/machine.h"
#include "backflow/version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/blas.h"
#include "core/context.h"

#define TEXT_OF(x)       #x
#define VERSION(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *bf_version(void) {
    return VERSION(BF_VERSION_MAJOR, BF_VERSION_MINOR, BF_VERSION_PATCH);
}

bf_machine bf_machine_describe(void) {
    bf_machine machine = {.simd = bf__simd_level(), .threads = bf__threads(NULL)};
    const bf__blas *blas;
    bf_error err;
    if (bf__blas_load(&blas, 1, &err) == BF_OK) {
        char name[32] = "", release[32] = "";
        sscanf(blas->config(), "%31s %31s", name, release);
        snprintf(machine.blas, sizeof machine.blas, "%s %s, %s kernels", name, release,
                 blas->corename());
    } else {
        snprintf(machine.blas, sizeof machine.blas, "%s", err.message);
    }
    return machine;
}

/* ---- Memory */

/* The number after `name` in a file, or the first one if `name` is NULL; NaN if there is none. */
static double number_in(const char *path, const char *name) {
    char line[256];
    double value = NAN;
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    while (isnan(value) && fgets(line, sizeof line, file)) {
        size_t length = name ? strlen(name) : 0;
        if ((!name || strncmp(line, name, length) == 0) &&
            sscanf(line + length, " %lf", &value) != 1)
            value = NAN;
    }
    fclose(file);
    return value;
}

double bf_machine_memory(void) {
    const double kibi = 1024;
    double most = INFINITY, left = kibi * number_in("/proc/meminfo", "MemAvailable:");
    double group = number_in("/sys/fs/cgroup/memory.max", NULL) -
                   number_in("/sys/fs/cgroup/memory.current", NULL);
    struct rlimit limit;
    if (left >= 0)
        most = left;
    if (group >= 0)
        most = fmin(most, group);
    double own = kibi * number_in("/proc/self/status", "VmSize:");
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && own >= 0)
        most = fmin(most, fmax((double)limit.rlim_cur - own, 0));
    return most;
}
