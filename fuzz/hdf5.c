/* hdf5.c - Any bytes as a log in the form "hdf5".
 *
 * libhdf5 is a library of the system, without sanitizers inside: what is looked at here is what we
 * make of its answers. It leaks if it cannot open a damaged file, so that leaks are
 * not counted. */
#include "fuzz.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_log(data, size, "hdf5");
    return 0;
}
