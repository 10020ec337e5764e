/* test_kernel.c - Fused rows against the plain profile; widths; coordinates. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/bandwidth.h"
#include "kernel/coordinates.h"
#include "kernel/kernel.h"

TEST_ARENA;

static double *normal(int64_t count, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "test", 0);
    double *x = bf_arena_alloc(arena, count, sizeof *x, &err);
    for (int64_t i = 0; i < count; i++)
        x[i] = bf_rng_normal(&rng);
    return x;
}

static void compare_rows(const bf__kernel *kernel, int d, int64_t n) {
    double *z = normal(d * n, (uint64_t)d), *row = normal(n, 0);
    float *zf = bf_arena_alloc(arena, d * n, sizeof *zf, &err);
    float *rowf = bf_arena_alloc(arena, n, sizeof *rowf, &err);
    for (int c = 0; c < d; c++) /* two equal points, and one far away */
        z[c * n + n / 2] = z[c * n + n - 1];
    z[n / 3] = 1e9;
    for (int64_t i = 0; i < d * n; i++) {
        zf[i] = (float)z[i];
        z[i] = (double)zf[i];
    }
    int64_t i = n - 1;
    kernel->kind->row_d(row, z + i, n, z, n, d, n, kernel->scale_d, kernel->widths);
    kernel->kind->row_f(rowf, zf + i, n, zf, n, d, n, kernel->scale_f, kernel->widths);
    for (int64_t j = 0; j < n; j++) {
        double want = bf__kernel_plain(kernel, z + i, n, z + j, n, d);
        assert_near(row[j], want, 1e-14 + 1e-13 * want);
        assert_near(rowf[j], want, 1e-6);
    }
    assert_near(row[i], 1, 1e-15);
    assert_near(rowf[i], 1, 3e-7);
}

static void every_kernel_is_its_profile(void **state) {
    (void)state;
    const double widths[] = {1.3, 0.4, 5.0};
    const int dims[] = {1, 2, 3, 4, 5, 6, 7, 12, 100};
    for (int k = 0; bf__kernel_at(k); k++)
        for (int w = 1; w <= 3; w++) {
            bf__kernel kernel;
            assert_ok(bf__kernel_set(&kernel, bf__kernel_at(k), widths, w, &err), err);
            for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
                compare_rows(&kernel, dims[d], 1);
                compare_rows(&kernel, dims[d], 531);
            }
        }
}

static void profiles_are_what_they_say(void **state) {
    (void)state;
    const double h = 2, x[2] = {0, 0}, y[2] = {3, 4}; /* distance 5 */
    const struct {
        const char *name;
        double value;
    } known[] = {{"gaussian", 0.04393693362340742},
                 {"matern", 0.07017578643093343},
                 {"laplace", 0.0820849986238988},
                 {"imq", 0.3713906763541037},
                 {"delta", 0}};
    for (int k = 0; bf__kernel_at(k); k++) {
        bf__kernel kernel;
        assert_string_equal(bf__kernel_at(k)->name, known[k].name);
        assert_ptr_equal(bf__kernel_find(known[k].name), bf__kernel_at(k));
        assert_ok(bf__kernel_set(&kernel, bf__kernel_at(k), &h, 1, &err), err);
        assert_near(bf__kernel_plain(&kernel, x, 1, y, 1, 2), known[k].value, 1e-15);
        assert_near(bf__kernel_plain(&kernel, x, 1, x, 1, 2), 1, 0);
    }
    assert_null(bf__kernel_find("no such kernel"));
}

static void blocks_are_rows(void **state) {
    (void)state;
    enum { N = 37, M = 29, D = 3 };
    double *x = normal(D * N, 1), *z = normal(D * M, 2), out[N * M], h = 1.5;
    bf__kernel kernel;
    assert_ok(bf__kernel_set(&kernel, bf__kernel_at(0), &h, 1, &err), err);
    bf__kernel_block_d(out, &kernel, x, N, z, M, D, 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            assert_near(out[i * M + j], bf__kernel_plain(&kernel, x + i, N, z + j, M, D), 1e-15);
}

static bf_status widths_of(bf__kernel *kernel, const char *text, const double *z, int64_t n,
                           int d) {
    return bf__kernel_make(kernel, "gaussian", text, z, n, d, 1, arena, &err);
}

static void widths_as_a_user_writes_them(void **state) {
    (void)state;
    /* Points 0, 1, 3, 7 on a line: distances 1 2 3 4 6 7. */
    const double z[] = {0, 1, 3, 7};
    bf__kernel kernel;
    assert_ok(widths_of(&kernel, "p0", z, 4, 1), err);
    assert_near(kernel.width[0], 1, 1e-15);
    assert_ok(widths_of(&kernel, "p100", z, 4, 1), err);
    assert_near(kernel.width[0], 7, 1e-15);
    assert_ok(widths_of(&kernel, "median", z, 4, 1), err);
    assert_near(kernel.width[0], 4, 1e-15);
    assert_ok(widths_of(&kernel, "p20,median*0.5,0.7,2*3", z, 4, 1), err);
    assert_int_equal(kernel.widths, 4);
    assert_near(kernel.width[0], 2, 1e-15);
    assert_near(kernel.width[1], 2, 1e-15);
    assert_near(kernel.width[2], 0.7, 0);
    assert_near(kernel.width[3], 6, 0);
    const char *bad[] = {
        "",      "wide",     "p",       "p101",     "p-1",  "0",  "-1",
        "nan",   "inf",      "median*", "median*0", "1,,2", "1,", "1,2,3,4,5,6,7,8,9",
        "1e300", "median0.5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(widths_of(&kernel, bad[i], z, 4, 1), BF_EUSAGE);
        assert_true(strlen(err.message) > 10);
    }
    assert_int_equal(bf__kernel_make(&kernel, "cubic", "1", z, 4, 1, 1, arena, &err), BF_EUSAGE);
    assert_non_null(strstr(err.message, "cubic"));
}

static void widths_of_odd_points(void **state) {
    (void)state;
    bf__kernel kernel;
    double same[100] = {0}, mostly[100] = {0};
    mostly[3] = 5;
    assert_ok(widths_of(&kernel, "median", same, 100, 1), err);
    assert_near(kernel.width[0], 1, 0);
    assert_ok(widths_of(&kernel, "median", same, 1, 1), err);
    assert_near(kernel.width[0], 1, 0);
    assert_ok(widths_of(&kernel, "median", mostly, 100, 1), err);
    assert_near(kernel.width[0], 5, 1e-15);
    /* A sample of many points: the median distance of normal points in 3 dimensions. */
    enum { N = 30000 };
    double *z = normal(3 * N, 7), first;
    assert_ok(widths_of(&kernel, "median", z, N, 3), err);
    first = kernel.width[0];
    assert_near(first, 1.41421356 * 1.5381722, 0.04);
    assert_ok(widths_of(&kernel, "median", z, N, 3), err);
    assert_near(kernel.width[0], first, 0);
}

static void coordinates_are_standard(void **state) {
    (void)state;
    enum { N = 1000, D = 5 };
    double *x = normal(D * N, 3), z[D * N];
    bf__coordinates c;
    for (int i = 0; i < N; i++) {
        x[0 * N + i] = 5e12 + 1e12 * x[0 * N + i];
        x[1 * N + i] = 1e-12 * x[1 * N + i];
        x[2 * N + i] = 0.1;
        x[3 * N + i] = 1e200 * x[3 * N + i];
        x[4 * N + i] = 1e12 / 3; /* constant, mean inexact */
    }
    assert_ok(bf__coordinates_fit(&c, x, N, D, NULL, NULL, arena, &err), err);
    assert_int_equal(c.out, D);
    bf__coordinates_apply(z, &c, x, N);
    for (int k = 0; k < D; k++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < N; i++) {
            assert_true(isfinite(z[k * N + i]));
            sum += z[k * N + i] / N;
            squares += z[k * N + i] * z[k * N + i] / N;
        }
        assert_near(sum, 0, 1e-9);
        assert_near(squares, k == 2 || k == 4 ? 0 : 1, 1e-9);
    }
}

static void scales_and_periods_can_be_given(void **state) {
    (void)state;
    enum { N = 4 };
    const double tau = 6.283185307179586;
    const double x[2 * N] = {0, 1, 2, 3, 0, 90, 180, 270 + 360e6};
    const double scale[2] = {10, 0}, period[2] = {0, 360};
    double z[3 * N];
    bf__coordinates c;
    assert_ok(bf__coordinates_fit(&c, x, N, 2, scale, period, arena, &err), err);
    assert_int_equal(c.out, 3);
    bf__coordinates_apply(z, &c, x, N);
    for (int i = 0; i < N; i++) {
        assert_near(z[i], ((double)i - 1.5) / 10, 1e-15);
        /* four points round the circle: variance 1/2 of each, one scale for both */
        assert_near(z[N + i], cos(tau * i / 4) / sqrt(0.5), 1e-6);
        assert_near(z[2 * N + i], sin(tau * i / 4) / sqrt(0.5), 1e-6);
    }
    const double wrong[2] = {0, -1};
    assert_int_equal(bf__coordinates_fit(&c, x, N, 2, wrong, NULL, arena, &err), BF_EUSAGE);
    assert_int_equal(bf__coordinates_fit(&c, x, N, 2, NULL, wrong, arena, &err), BF_EUSAGE);
    /* an angle that never changes */
    const double still[N] = {1, 1, 1, 1}, full[1] = {1};
    assert_ok(bf__coordinates_fit(&c, still, N, 1, NULL, full, arena, &err), err);
    bf__coordinates_apply(z, &c, still, N);
    for (int i = 0; i < 2 * N; i++)
        assert_near(z[i], 0, 1e-12);
}

static int by_size(const void *left, const void *right) {
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Percentiles of all distances against sorting them: few and many, with and without points that
 * are the same. */
static void percentiles_are_those_of_sorted_distances(void **state) {
    (void)state;
    const double percents[] = {0, 1, 25, 50, 75, 100};
    const int64_t sizes[] = {2, 40, 300, 700};
    for (int s = 0; s < 4; s++)
        for (int same = 0; same < 3; same++) { /* none, some, all but one */
            int64_t n = sizes[s], count = 0, zeros = 0;
            double *z = normal(2 * n, (uint64_t)(s + 1));
            double *all = bf_arena_alloc(arena, n * n, sizeof *all, &err);
            for (int64_t i = 0; i < n; i++)
                if (same == 2 ? i > 1 : same == 1 && i % 3 == 0) {
                    z[i] = z[0];
                    z[n + i] = z[n];
                }
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++) {
                    double x = z[i] - z[j], y = z[n + i] - z[n + j];
                    all[count++] = sqrt(x * x + y * y);
                    zeros += all[count - 1] == 0;
                }
            qsort(all, (size_t)count, sizeof *all, by_size);
            for (int p = 0; p < 6; p++) {
                double found, share = percents[p] / 100;
                double want = all[(int64_t)((double)(count - 1) * share + 0.5)];
                if (want == 0)
                    want = all[zeros + (int64_t)((double)(count - zeros - 1) * share + 0.5)];
                assert_ok(bf__distance_percentile(&found, percents[p], z, n, 2, 1, arena, &err),
                          err);
                assert_near(found, want, 1e-15 * want);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_its_profile),
        cmocka_unit_test(profiles_are_what_they_say),
        cmocka_unit_test(blocks_are_rows),
        cmocka_unit_test(widths_as_a_user_writes_them),
        cmocka_unit_test(widths_of_odd_points),
        cmocka_unit_test(percentiles_are_those_of_sorted_distances),
        cmocka_unit_test(coordinates_are_standard),
        cmocka_unit_test(scales_and_periods_can_be_given),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
