/* logs.h - For tests of reading: text becomes a file, a file becomes a log or a message. */
#ifndef BF_TESTS_LOGS_H
#define BF_TESTS_LOGS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

typedef struct logs {
    bf_arena *arena;
    bf_error err;
    char folder[64], path[4][96];
    int count;
} logs;

static inline int logs_setup(void **state) {
    logs *l = calloc(1, sizeof *l);
    strcpy(l->folder, "/tmp/backflow-logs-XXXXXX");
    *state = l;
    return !mkdtemp(l->folder) || bf_arena_create(&l->arena, NULL, &l->err) != BF_OK;
}

static inline int logs_teardown(void **state) {
    logs *l = *state;
    for (int i = 0; i < l->count; i++)
        unlink(l->path[i]);
    rmdir(l->folder);
    bf_arena_destroy(l->arena);
    free(l);
    return 0;
}

/* Writes bytes to <folder>/<name>; the path. A name used again is written anew. */
static inline const char *logs_write(logs *l, const char *name, const void *bytes, size_t size) {
    char path[96];
    int slot = 0;
    snprintf(path, sizeof path, "%.60s/%.30s", l->folder, name);
    while (slot < l->count && strcmp(l->path[slot], path) != 0)
        slot++;
    assert_true(slot < 4);
    if (slot == l->count)
        strcpy(l->path[l->count++], path);
    unlink(path); /* some file systems wait for the disk where a file is cut and written anew */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return l->path[slot];
}

static inline bf_status logs_read(logs *l, bf_dataset *out, const char *path) {
    return bf__dataset_read(out, &path, 1, NULL, NULL, l->arena, &l->err);
}

/* The text as log.csv, read: it has to be right. */
static inline bf_dataset logs_good(logs *l, const char *text) {
    bf_dataset data;
    assert_ok(logs_read(l, &data, logs_write(l, "log.csv", text, strlen(text))), l->err);
    return data;
}

/* It has to be wrong, with this status and message; "@" in the message is the folder and '/'. */
static inline void logs_expect(logs *l, bf_status status, bf_status wanted, const char *message) {
    char full[1024], *end = full;
    for (const char *p = message; *p && end < full + 900; p++)
        if (*p == '@')
            end += sprintf(end, "%s/", l->folder);
        else
            *end++ = *p;
    *end = '\0';
    assert_string_equal(status == BF_OK ? "(no error)" : l->err.message, full);
    assert_int_equal(status, wanted);
    assert_int_equal(l->err.status, wanted);
}

static inline void logs_bad(logs *l, const char *text, bf_status wanted, const char *message) {
    bf_dataset data;
    const char *path = logs_write(l, "log.csv", text, strlen(text));
    logs_expect(l, logs_read(l, &data, path), wanted, message);
}

#define logs_test(f) cmocka_unit_test_setup_teardown(f, logs_setup, logs_teardown)

#endif
