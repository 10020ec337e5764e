/* npz.c - Any bytes as a log in the form "npz". */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_log(data, size, "npz");
    return 0;
}
