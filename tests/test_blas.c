/* test_blas.c - OpenBLAS as we load it: the right kernels, the environment as it was, and the right
 * answers from every routine of blas.def, against plain loops. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/blas.h"

enum { M = 37, N = 29, K = 53 }; /* no multiples of any tile */

static const bf__blas *blas;

/* Loads with a user's own number of threads in the environment, which has to be there after. */
static int load(void **state) {
    (void)state;
    bf_error err;
    unsetenv("OPENBLAS_CORETYPE");
    setenv("OPENBLAS_NUM_THREADS", "3", 1);
    if (bf__blas_load(&blas, 1, &err) == BF_OK)
        return 0;
    print_error("%s\n", err.message);
    return -1;
}

/* Reproducible numbers in [-1, 1). */
static void fill(double *x, int count, unsigned seed) {
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / (1 << 23) - 1;
    }
}

/* A symmetric matrix (N, N) that is safely positive definite. */
static void fill_definite(double *a) {
    static double b[N * N];
    fill(b, N * N, 5);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = i == j ? 1 : 0;
            for (int k = 0; k < N; k++)
                sum += b[i * N + k] * b[j * N + k];
            a[i * N + j] = sum;
        }
}

static void environment_is_restored(void **state) {
    (void)state;
    assert_null(getenv("OPENBLAS_CORETYPE"));
    assert_string_equal(getenv("OPENBLAS_NUM_THREADS"), "3");
}

/* Not what OpenBLAS would pick, which depends on whether its release knows the CPU, but what we ask
 * for by instruction sets. */
static void kernels_fit_the_cpu(void **state) {
    (void)state;
    if (strcmp(bf__simd_level(), "AVX-512") == 0)
        assert_string_equal(blas->corename(), "SkylakeX");
    else if (strcmp(bf__simd_level(), "AVX2") == 0)
        assert_string_equal(blas->corename(), "Haswell");
}

/* The line of `backflow --version --verbose` that begins with "BLAS: ", in a process of its own. */
static void version_line(const char *environment, char *line, int size) {
    char command[4096];
    snprintf(command, sizeof command, "env -u OPENBLAS_CORETYPE %s '%s' --version --verbose",
             environment, TOOL);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    bool found = false;
    while (!found && fgets(line, size, output))
        found = strncmp(line, "BLAS: ", 6) == 0;
    char rest[256];
    while (fgets(rest, sizeof rest, output))
        continue;
    assert_int_equal(pclose(output), 0);
    assert_true(found);
}

static void choice_of_the_user_wins(void **state) {
    (void)state;
    char ours[256], theirs[256];
    version_line("", ours, sizeof ours);
    if (!strstr(ours, blas->corename()))
        fail_msg("the tool has other kernels than %s: %s", blas->corename(), ours);
#if defined(__x86_64__)
    version_line("OPENBLAS_CORETYPE=Nehalem", theirs, sizeof theirs);
    if (!strstr(theirs, "Nehalem kernels"))
        fail_msg("asked for Nehalem, got: %s", theirs);
#else
    (void)theirs;
#endif
}

static void gemm_is_right(void **state) {
    (void)state;
    static double a[M * K], b[N * K], c[M * N], want[M * N];
    static float a32[M * K], b32[N * K], c32[M * N];
    fill(a, M * K, 1);
    fill(b, N * K, 2);
    fill(c, M * N, 3);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[j * K + k];
            want[i * N + j] = 2 * sum - 0.5 * c[i * N + j];
        }
    for (int i = 0; i < M * K; i++)
        a32[i] = (float)a[i];
    for (int i = 0; i < N * K; i++)
        b32[i] = (float)b[i];
    for (int i = 0; i < M * N; i++)
        c32[i] = (float)c[i];
    blas->dgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__TRANS, M, N, K, 2, a, K, b, K, -0.5, c, N);
    blas->sgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__TRANS, M, N, K, 2, a32, K, b32, K, -0.5f, c32, N);
    for (int i = 0; i < M * N; i++) {
        assert_near(c[i], want[i], 1e-13);
        assert_near(c32[i], want[i], 1e-5);
    }
}

static void gemv_and_syrk_are_right(void **state) {
    (void)state;
    static double a[N * K], x[K], y[N], c[N * N];
    fill(a, N * K, 1);
    fill(x, K, 2);
    fill(y, N, 3);
    fill(c, N * N, 4);
    double y_before[N];
    memcpy(y_before, y, sizeof y);
    blas->dgemv(BF__ROW_MAJOR, BF__NO_TRANS, N, K, 1.5, a, K, x, 1, 2, y, 1);
    blas->dsyrk(BF__ROW_MAJOR, BF__UPPER, BF__NO_TRANS, N, K, 1, a, K, 0, c, N);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += a[i * K + k] * x[k];
        assert_near(y[i], 1.5 * sum + 2 * y_before[i], 1e-13);
        for (int j = i; j < N; j++) {
            double product = 0;
            for (int k = 0; k < K; k++)
                product += a[i * K + k] * a[j * K + k];
            assert_near(c[i * N + j], product, 1e-13);
        }
    }
}

/* L L' = A, then L (L' x) = b through the triangular solvers. */
static void cholesky_is_right(void **state) {
    (void)state;
    static double a[N * N], l[N * N], b[N], b2[2 * N];
    int n = N, info = -1;
    fill_definite(a);
    memcpy(l, a, sizeof a);
    blas->dpotrf("U", &n, l, &n, &info); /* column-major upper: row-major lower */
    assert_int_equal(info, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += l[i * N + k] * l[j * N + k];
            assert_near(sum, a[i * N + j], 1e-12);
        }
    double x[N];
    fill(x, N, 7);
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += a[i * N + j] * x[j];
        b2[2 * i] = b[i];
        b2[2 * i + 1] = -3 * b[i];
    }
    blas->dtrsv(BF__ROW_MAJOR, BF__LOWER, BF__NO_TRANS, BF__NON_UNIT, N, l, N, b, 1);
    blas->dtrsv(BF__ROW_MAJOR, BF__LOWER, BF__TRANS, BF__NON_UNIT, N, l, N, b, 1);
    for (int step = 0; step < 2; step++)
        blas->dtrsm(BF__ROW_MAJOR, BF__LEFT, BF__LOWER, step ? BF__TRANS : BF__NO_TRANS,
                    BF__NON_UNIT, N, 2, 1, l, N, b2, 2);
    for (int i = 0; i < N; i++) {
        assert_near(b[i], x[i], 1e-10);
        assert_near(b2[2 * i], x[i], 1e-10);
        assert_near(b2[2 * i + 1], -3 * x[i], 1e-10);
    }
    a[0] = -1; /* not definite: says so at the first pivot */
    blas->dpotrf("U", &n, a, &n, &info);
    assert_int_equal(info, 1);
}

static void lu_is_right(void **state) {
    (void)state;
    static double a[N * N], lu[N * N], x[N], b[N];
    int n = N, one = 1, info = -1, pivots[N];
    fill(a, N * N, 11);
    fill(x, N, 12);
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += a[j * N + i] * x[j]; /* column-major */
    }
    memcpy(lu, a, sizeof a);
    blas->dgetrf(&n, &n, lu, &n, pivots, &info);
    assert_int_equal(info, 0);
    blas->dgetrs("N", &n, &one, lu, &n, pivots, b, &n, &info);
    assert_int_equal(info, 0);
    for (int i = 0; i < N; i++)
        assert_near(b[i], x[i], 1e-10);
    memset(lu, 0, sizeof lu); /* singular: says so at the first pivot */
    blas->dgetrf(&n, &n, lu, &n, pivots, &info);
    assert_int_equal(info, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_is_restored),
        cmocka_unit_test(kernels_fit_the_cpu),
        cmocka_unit_test(choice_of_the_user_wins),
        cmocka_unit_test(gemm_is_right),
        cmocka_unit_test(gemv_and_syrk_are_right),
        cmocka_unit_test(cholesky_is_right),
        cmocka_unit_test(lu_is_right),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
