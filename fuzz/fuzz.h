/* fuzz.h - What every harness shares: bytes as a file, an arena, and a check that stops the run.
 *
 * A harness is one file, fuzz/<name>.c, with LLVMFuzzerTestOneInput; its seeds are the files of
 * fuzz/corpus/<name>. CMake finds both by name. */
#ifndef BF_FUZZ_H
#define BF_FUZZ_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backflow/backflow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* A call failed as calls do: with a status and a sentence. */
static inline void must_explain(bf_status status, const bf_error *err) {
    MUST(status > BF_OK && status < BF_STATUS_COUNT);
    MUST(err->status == status && err->message[0] != '\0');
    if (getenv("FUZZ_SHOW")) /* for a look at what was found */
        fprintf(stderr, "%s\n", err->message);
}

/* The bytes as a file without a name; `path` opens it while the result is open. */
static inline int file_of(const uint8_t *data, size_t size, char path[64]) {
    int file = memfd_create("fuzz", 0);
    MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

static inline bf_arena *new_arena(void) {
    bf_arena *arena;
    MUST(bf_arena_create(&arena, NULL, NULL) == BF_OK);
    return arena;
}

/* Reads a file as a log of the given form. A log that is accepted has rows, columns of as many
 * numbers, and episodes that name every row once; one that is not is explained. */
static inline bf_status read_file(const bf_dataset **out, const char *path, const char *form,
                                  bf_arena *arena) {
    char where[128];
    bf_error err;
    bf_context context = {.threads = 1};
    bf_read_options options = {.format = form};
    bf_status status = bf_dataset_read(out, &path, 1, &options, &context, arena, &err);
    if (status != BF_OK) {
        must_explain(status, &err);
        return status;
    }
    int64_t n = bf_dataset_rows(*out);
    static const char *const names[] = {"s", "ns", "r", "mu", "pi", "npi", "na"};
    MUST(n > 0);
    bf_dataset_where(*out, n - 1, where, sizeof where);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bf_array column;
        if (bf_dataset_column(&column, *out, names[k]))
            MUST(column.shape[0] == n);
    }
    const int64_t *begin, *order;
    int64_t episodes = bf_dataset_episodes(*out, &begin, &order, NULL), rows = 0;
    for (int64_t e = 0; e < episodes; e++) {
        MUST(begin[e + 1] > begin[e]);
        rows += begin[e + 1] - begin[e];
    }
    MUST(episodes == 0 || rows == n);
    return BF_OK;
}

/* Reads the bytes as a log of the given form. */
static inline void read_log(const uint8_t *data, size_t size, const char *form) {
    char path[64];
    bf_arena *arena = new_arena();
    const bf_dataset *log;
    int file = file_of(data, size, path);
    read_file(&log, path, form, arena);
    close(file);
    bf_arena_destroy(arena);
}

#endif
