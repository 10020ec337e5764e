/* studies.h - A folder, and studies that are planned and run in it. */
#ifndef BF_TESTS_STUDIES_H
#define BF_TESTS_STUDIES_H

#include "ration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env/simulate.h"
#include "experiment/agenda.h"
#include "experiment/control.h"
#include "experiment/files.h"

TEST_ARENA;

static char folder[64], path[128];

static inline int make_folder(void **state) {
    strcpy(folder, "/tmp/backflow-experiment-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/runs.csv", folder);
    return make_arena(state);
}

static inline int drop_folder(void **state) {
    remove(path);
    rmdir(folder);
    return drop_arena(state);
}

/* "option", "value", ..., NULL */
static inline bf_status try_plan(bf__study *out, const char *name, const char *const *settings,
                                 uint64_t seed, bf_arena *in) {
    const bf__experiment *e = bf__experiment_find(name);
    assert_non_null(e);
    void *options = bf_arena_zalloc(in, 1, e->options->size, &err);
    if (!options)
        return BF_ENOMEM;
    bf_status status = bf_options_init(e->options, options, &err);
    for (; settings[0] && status == BF_OK; settings += 2) {
        const bf_option *row = bf_options_find(e->options, settings[0]);
        assert_non_null(row);
        status = bf_options_set(row, options, settings[1], &err);
    }
    *out = (bf__study){.experiment = e, .options = options, .seed = seed, .arena = in};
    return status == BF_OK ? e->plan(out, options, &err) : status;
}
#define LIST(...)                                                                                  \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

static inline bf__study plan(const char *name, const char *const *settings, uint64_t seed) {
    bf__study study;
    assert_ok(try_plan(&study, name, settings, seed, arena), err);
    return study;
}

static const bf__truth_effort effort = {.steps = 20000, .single = 100};

static inline bf_status try_run(bf__study *studies, int count, bool fresh, int threads,
                                bf_arena *in) {
    bf__store *store = NULL;
    bf_arena *records = NULL;
    bf_context context = {.seed = studies[0].seed, .threads = threads};
    bf_status status = bf_arena_create(&records, bf_arena_allocator(in), &err);
    if (status == BF_OK)
        status = bf__store_open(&store, folder, fresh, &context, records, &err);
    if (status == BF_OK)
        status = bf__studies_run(studies, count, &effort, store, &context, NULL, in, &err);
    bf__store_close(store);
    bf_arena_destroy(records);
    return status;
}

static inline void run(bf__study *studies, int count, bool fresh, int threads) {
    assert_ok(try_run(studies, count, fresh, threads, arena), err);
}

static inline char *read_file(void) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = bf_arena_zalloc(arena, 1 << 20, 1, &err);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static inline void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Lines below the first. */
static inline int lines(void) {
    int count = 0;
    for (const char *c = read_file(); *c; c++)
        count += *c == '\n';
    return count - 1;
}

static inline void assert_same(const bf__study *a, const bf__study *b) {
    assert_int_equal(a->group_count, b->group_count);
    for (int64_t g = 0; g < a->group_count; g++) {
        const bf__run_group *x = &a->groups[g], *y = &b->groups[g];
        assert_int_equal(x->runs, y->runs);
        assert_memory_equal(&x->truth, &y->truth, sizeof x->truth);
        assert_memory_equal(x->value, y->value, (size_t)x->runs * sizeof *x->value);
        assert_memory_equal(&x->spread, &y->spread, sizeof x->spread);
    }
}

#define folder_test(f) cmocka_unit_test_setup_teardown(f, make_folder, drop_folder)

#endif
