/* machine.c - What the computation runs on. */
#include "backflow/machine.h"
#include "backflow/version.h"

#include <stdio.h>
#include <string.h>

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
