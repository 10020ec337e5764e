/* test_core.c - Status table, arena, options, random streams, kinds, output files. */
#include "harness.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/equals.h"
#include "core/fail.h"
#include "core/output.h"

static void every_status_has_its_own_exit(void **state) {
    (void)state;
    for (int i = 0; i < BF_STATUS_COUNT; i++) {
        assert_true(strlen(bf_status_text((bf_status)i)) > 0);
        assert_int_not_equal(bf_status_exit((bf_status)i), 1); /* kept for --strict */
        for (int j = 0; j < i; j++)
            assert_int_not_equal(bf_status_exit((bf_status)i), bf_status_exit((bf_status)j));
    }
    assert_string_equal(bf_status_name((bf_status)999), "unknown");
    assert_int_equal(bf_fail(NULL, BF_EDATA, "no one listens"), BF_EDATA);
}

static void arena_pieces_are_aligned_and_separate(void **state) {
    (void)state;
    bf_error err;
    bf_arena *arena;
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    unsigned char *last = NULL;
    for (int64_t size = 0; size < 300000; size = size * 2 + 1) {
        unsigned char *piece = bf_arena_alloc(arena, size, 1, &err);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % 64, 0);
        memset(piece, 0xAB, (size_t)size);
        if (last)
            assert_int_equal(last[0], 0xCD);
        last = bf_arena_zalloc(arena, 1, 1, &err);
        assert_int_equal(last[0], 0);
        last[0] = 0xCD;
    }
    bf_mark mark = bf_arena_mark(arena);
    size_t held = bf_arena_bytes(arena);
    void *first = bf_arena_alloc(arena, 100, 1, &err);
    assert_non_null(bf_arena_alloc(arena, 100 << 20, 1, &err));
    assert_true(bf_arena_bytes(arena) > held);
    bf_arena_rewind(arena, mark);
    assert_true(bf_arena_alloc(arena, 100, 1, &err) == first);
    assert_null(bf_arena_alloc(arena, INT64_MAX, 8, &err));
    assert_int_equal(err.status, BF_ENOMEM);
    assert_null(bf_arena_alloc(arena, -1, 8, &err));
    bf_arena_destroy(arena);
    bf_arena_destroy(NULL);
}

/* Philox 4x64-10 of the all-zero counter and key, from the known-answer file of Random123. */
static void random_stream_is_philox(void **state) {
    (void)state;
    bf_rng rng = {.left = 0};
    assert_true(bf_rng_u64(&rng) == 0x16554d9eca36314cu);
    assert_true(bf_rng_u64(&rng) == 0xdb20fe9d672d0fdcu);
    assert_true(bf_rng_u64(&rng) == 0xd7e772cee186176bu);
    assert_true(bf_rng_u64(&rng) == 0x7e68b68aec7ba23bu);
}

static void random_streams_are_separate_and_even(void **state) {
    (void)state;
    bf_rng a = bf_rng_make(1, "a", 0), b = bf_rng_make(1, "a", 1), c = bf_rng_make(1, "b", 0),
           again = bf_rng_make(1, "a", 0);
    uint64_t first = bf_rng_u64(&a);
    assert_true(first == bf_rng_u64(&again));
    assert_true(first != bf_rng_u64(&b) && first != bf_rng_u64(&c));
    enum { N = 200000 };
    double sum = 0, squares = 0, uniform = 0;
    int64_t counts[7] = {0};
    for (int i = 0; i < N; i++) {
        double z = bf_rng_normal(&a), u = bf_rng_uniform(&a);
        assert_true(u >= 0 && u < 1);
        sum += z;
        squares += z * z;
        uniform += u;
        counts[bf_rng_below(&a, 7)]++;
    }
    assert_near(sum / N, 0, 5 / sqrt(N));
    assert_near(squares / N, 1, 5 * sqrt(2.0 / N));
    assert_near(uniform / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    for (int k = 0; k < 7; k++)
        assert_near((double)counts[k], N / 7.0, 5 * sqrt(N / 7.0));
    const double p[] = {0, 0.25, 0, 0.75, 0};
    int64_t ones = 0;
    for (int i = 0; i < N; i++) {
        int k = bf_rng_choice(&a, p, 1, 5);
        assert_true(k == 1 || k == 3);
        ones += k == 1;
    }
    assert_near((double)ones, N / 4.0, 5 * sqrt(N * 0.1875));
}

static uint64_t few_hashes(const void *self, int64_t i) { /* things that differ collide, too */
    return (uint64_t)((const int *)self)[i] % 3;
}

static bool same_number(const void *self, int64_t i, int64_t j) {
    return ((const int *)self)[i] == ((const int *)self)[j];
}

static void kinds_are_numbered_as_they_come(void **state) {
    (void)state;
    enum { N = 400, KINDS = 90 };
    bf_arena *arena;
    bf_error err;
    int things[N], seen[KINDS] = {0};
    int64_t of[N], first[N], kinds, most = 0;
    bf_rng rng = bf_rng_make(1, "kinds", 0);
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    for (int i = 0; i < N; i++)
        things[i] = (int)bf_rng_below(&rng, KINDS);
    bf__things what = {things, few_hashes, same_number};
    assert_ok(bf__equals_find(&kinds, of, first, N, N, &what, arena, &err), err);
    for (int i = 0; i < N; i++) {
        if (!seen[things[i]]) {
            assert_int_equal(first[most], i);
            seen[things[i]] = (int)++most;
        }
        assert_int_equal(of[i], seen[things[i]] - 1);
    }
    assert_int_equal(kinds, most);
    assert_ok(bf__equals_find(&kinds, of, first, N, most, &what, arena, &err), err);
    assert_int_equal(kinds, most);
    assert_ok(bf__equals_find(&kinds, of, first, N, most - 1, &what, arena, &err), err);
    assert_int_equal(kinds, 0);
    assert_ok(bf__equals_find(&kinds, of, first, 1, 0, &what, arena, &err), err);
    assert_int_equal(kinds, 0);
    bf_arena_destroy(arena);
}

static void output_is_whole_or_absent(void **state) {
    (void)state;
    bf_error err;
    char folder[] = "/tmp/backflow-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    bf__output out;
    assert_ok(bf__output_open(&out, path, &err), err);
    fputs("half", out.file);
    bf__output_abandon(&out);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(bf__output_open(&out, path, &err), err);
    fputs("whole", out.file);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(bf__output_commit(&out, &err), err);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(bf__output_open(&out, folder, &err), BF_EFILE);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing was left beside */
    assert_int_equal(bf__output_open(&out, path, &err), BF_EFILE);
}

/* Links, names that are not there yet, and devices. */
static void the_same_file_is_known_by_any_name(void **state) {
    (void)state;
    char folder[] = "/tmp/backflow-test-XXXXXX", a[64], b[64], link[64], dots[96];
    assert_non_null(mkdtemp(folder));
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(dots, sizeof dots, "%s/../%s/a", folder, strrchr(folder, '/') + 1);
    assert_int_equal(symlink("a", link), 0);
    for (int there = 0; there < 2; there++) {
        assert_true(bf_file_same(a, a));
        assert_true(bf_file_same(a, dots));
        assert_true(bf_file_same(a, link));
        assert_false(bf_file_same(a, b));
        if (!there)
            fclose(fopen(a, "w"));
    }
    assert_int_equal(linkat(AT_FDCWD, a, AT_FDCWD, b, 0), 0);
    assert_true(bf_file_same(link, b));
    assert_false(bf_file_same("/dev/null", "/dev/null"));
    unlink(a), unlink(b), unlink(link);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_exit),
        cmocka_unit_test(arena_pieces_are_aligned_and_separate),
        cmocka_unit_test(random_stream_is_philox),
        cmocka_unit_test(random_streams_are_separate_and_even),
        cmocka_unit_test(kinds_are_numbered_as_they_come),
        cmocka_unit_test(output_is_whole_or_absent),
        cmocka_unit_test(the_same_file_is_known_by_any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
