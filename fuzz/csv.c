/* csv.c - Any bytes as a log in the form "csv". */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_log(data, size, "csv");
    return 0;
}
