/* test_linalg.c - Exponentials against libm; dense algebra against plain loops. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/exp.h"
#include "linalg/rpcholesky.h"

static double ulps_f(float got, double want) {
    float near = (float)want;
    return fabs((double)got - want) / (double)(nextafterf(near, INFINITY) - near);
}

static void float_exp_is_within_2_ulps(void **state) {
    (void)state;
    double worst = 0, worst2 = 0;
    for (int k = 0; k <= 2000000; k++) {
        float x = (float)(-86.97 + k * (175.69 / 2000000));
        worst = fmax(worst, ulps_f(bf__expf_inline(x), exp((double)x)));
        if (fabsf(x) <= 86)
            assert_true(bf__expf_within_inline(x) == bf__expf_inline(x));
        float t = (float)(-124.9 * k / 2000000);
        worst2 = fmax(worst2, ulps_f(bf__exp2f_inline(t), exp2((double)t)));
    }
    assert_true(worst <= 2);
    assert_true(worst2 <= 3);
    assert_true(bf__expf_inline(0) == 1.0f);
    assert_true(bf__exp2f_inline(0) == 1.0f);
    assert_true(bf__exp2f_inline(-INFINITY) == 0.0f);
    for (float x = -87; x > -1e38f; x *= 1.5f) {
        assert_true(bf__expf_inline(x) == 0.0f);
        assert_true(bf__exp2f_inline(2 * x) == 0.0f);
    }
    assert_true(bf__expf_inline(-INFINITY) == 0.0f);
    assert_true(isinf(bf__expf_inline(89.0f)) && isinf(bf__expf_inline(INFINITY)));
    assert_true(isnan(bf__expf_inline(NAN)));
}

static void double_exp_is_within_2_ulps(void **state) {
    (void)state;
    double worst = 0;
    for (int k = 0; k <= 2000000; k++) {
        double x = -707.9 + k * (1417.6 / 2000000), got = bf__exp_inline(x), want = exp(x);
        worst = fmax(worst, fabs(got - want) / (nextafter(want, INFINITY) - want));
    }
    assert_true(worst <= 2);
    assert_true(bf__exp_inline(0) == 1.0);
    for (double x = -708.1; x > -1e300; x *= 1.5)
        assert_true(bf__exp_inline(x) == 0.0);
    assert_true(bf__exp_inline(-INFINITY) == 0.0);
    assert_true(isinf(bf__exp_inline(709.9)) && isinf(bf__exp_inline(INFINITY)));
    assert_true(isnan(bf__exp_inline(NAN)));
}

/* In a loop, as it is meant to be used, and for subnormal and tiny arguments. */
static void exp_in_a_loop_is_the_same(void **state) {
    (void)state;
    float x[1000], y[1000];
    for (int i = 0; i < 1000; i++)
        x[i] = -0.1f * (float)i;
    x[3] = -1e-40f;
#pragma omp simd
    for (int i = 0; i < 1000; i++)
        y[i] = bf__expf_inline(x[i]);
    for (int i = 0; i < 1000; i++)
        assert_near(y[i], exp((double)x[i]), 2.4e-7 * exp((double)x[i]) + 2.4e-38);
}

TEST_ARENA;

static double *numbers(int64_t count, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "test", 0);
    double *x = bf_arena_alloc(arena, count, sizeof *x, &err);
    for (int64_t i = 0; i < count; i++)
        x[i] = bf_rng_normal(&rng);
    return x;
}

static void products_match_plain_loops(void **state) {
    (void)state;
    enum { M = 300, N = 17, K = 31 };
    for (int form = 0; form < 4; form++) {
        bool ta = form & 1, tb = form & 2;
        double *a = numbers(M * K, 1), *b = numbers(K * N, 2), c[M * N];
        float af[M * K], bf[K * N], cf[M * N];
        for (int i = 0; i < M * K; i++)
            af[i] = (float)a[i];
        for (int i = 0; i < K * N; i++)
            bf[i] = (float)b[i];
        assert_ok(bf__matmul(c, a, ta, b, tb, M, N, K, NULL, &err), err);
        assert_ok(bf__matmul_f(cf, af, ta, bf, tb, M, N, K, NULL, &err), err);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < K; k++)
                    sum += a[ta ? k * M + i : i * K + k] * b[tb ? j * K + k : k * N + j];
                assert_near(c[i * N + j], sum, 1e-12);
                assert_near(cf[i * N + j], sum, 1e-4);
            }
    }
}

static void grams_match_plain_loops_and_any_threads(void **state) {
    (void)state;
    enum { N = 5000, P = 300, Q = 3 };
    double *a = numbers(N * P, 3), *b = numbers(N * Q, 4);
    double *c = numbers(P * P, 0), *twice = numbers(P * P, 0), *cross = numbers(P * Q, 0);
    bf_context one = {.threads = 1}, two = {.threads = 2};
    assert_ok(bf__gram(c, a, P, a, P, N, 0, &one, &err), err);
    assert_ok(bf__gram(cross, a, P, b, Q, N, 0, &two, &err), err);
    assert_ok(bf__gram(twice, a, P, a, P, N, 0, &two, &err), err);
    assert_memory_equal(c, twice, P * P * sizeof *c);
    for (int p = 0; p < P; p += 37)
        for (int q = 0; q < P; q += 41) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += a[i * P + p] * a[i * P + q];
            assert_near(c[p * P + q], sum, 1e-9);
            assert_true(c[p * P + q] == c[q * P + p]);
        }
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i * P + 7] * b[i * Q + 2];
    assert_near(cross[7 * Q + 2], sum, 1e-9);
    /* rows in two blocks */
    assert_ok(bf__gram(twice, a, P, a, P, 1234, 0, &two, &err), err);
    assert_ok(bf__gram(twice, a + 1234 * P, P, a + 1234 * P, P, N - 1234, 1, &two, &err), err);
    assert_near(twice[5 * P + 9], c[5 * P + 9], 1e-9);
    double *y = numbers(N, 0), *back = numbers(P, 0);
    assert_ok(bf__matvec(y, a, false, a, N, P, &two, &err), err);
    assert_ok(bf__matvec(back, a, true, y, N, P, &two, &err), err);
    sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i * P + 11] * y[i];
    assert_near(back[11], sum, 1e-6);
}

static void systems_are_solved(void **state) {
    (void)state;
    enum { M = 120, R = 5 };
    double *a = numbers(M * M, 5), *s = numbers(M * M, 0), *x = numbers(R * M, 6), jitter = -1;
    assert_ok(bf__gram(s, a, M, a, M, M, 0, NULL, &err), err);
    double *l = numbers(M * M, 0), *b = numbers(R * M, 0), *lu = numbers(M * M, 0);
    memcpy(l, s, M * M * sizeof *l);
    assert_ok(bf__cholesky(l, M, &jitter, arena, &err), err);
    assert_true(jitter == 0 && l[1] == 0);
    assert_ok(bf__matmul(b, x, false, s, true, R, M, M, NULL, &err), err);
    assert_ok(bf__cholesky_solve(b, R, l, M, NULL, &err), err);
    for (int i = 0; i < R * M; i++)
        assert_near(b[i], x[i], 1e-6);
    assert_ok(bf__matmul(b, x, false, a, true, R, M, M, NULL, &err), err);
    memcpy(lu, a, M * M * sizeof *l);
    assert_ok(bf__lu_solve(b, R, lu, M, arena, &err), err);
    for (int i = 0; i < R * M; i++)
        assert_near(b[i], x[i], 1e-8);
    memset(lu, 0, M * M * sizeof *lu);
    assert_int_equal(bf__lu_solve(b, R, lu, M, arena, &err), BF_ENUMERIC);
}

static void cholesky_says_what_it_added(void **state) {
    (void)state;
    enum { M = 50 };
    double a[M * M], jitter;
    for (int i = 0; i < M * M; i++)
        a[i] = 1 - 1e-16 * (i % M == i / M); /* rank 1 */
    assert_ok(bf__cholesky(a, M, &jitter, arena, &err), err);
    assert_true(jitter > 0 && jitter < 1e-10);
    double sum = 0; /* row 7 of L L' is still the matrix */
    for (int k = 0; k < M; k++)
        sum += a[7 * M + k] * a[20 * M + k];
    assert_near(sum, 1, 1e-9);
    double bad[4] = {1, 2, 2, 1};
    assert_int_equal(bf__cholesky(bad, 2, &jitter, arena, &err), BF_ENUMERIC);
}

static void eigenvectors_are_rows(void **state) {
    (void)state;
    enum { M = 40 };
    double *a = numbers(M * M, 8), *s = numbers(M * M, 0), *v = numbers(M * M, 0), values[M];
    assert_ok(bf__gram(s, a, M, a, M, M, 0, NULL, &err), err);
    memcpy(v, s, M * M * sizeof *v);
    assert_ok(bf__eigen(values, v, M, arena, &err), err);
    for (int e = 0; e < M; e++) {
        if (e)
            assert_true(values[e] >= values[e - 1]);
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int j = 0; j < M; j++)
                sum += s[i * M + j] * v[e * M + j];
            assert_near(sum, values[e] * v[e * M + i], 1e-10);
        }
    }
}

/* A = B B' of rank 12. */
typedef struct given {
    const double *a;
    int64_t n, selected[BF__PSD_BLOCK];
} given;

static bf_status choose(void *self, const int64_t *columns, int64_t count, bf_error *e) {
    (void)e;
    memcpy(((given *)self)->selected, columns, (size_t)count * sizeof *columns);
    return BF_OK;
}

static void entries(double *out, void *self, int64_t first, int64_t rows, int64_t count) {
    const given *g = self;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = 0; p < count; p++)
            out[i * count + p] = g->a[(first + i) * g->n + g->selected[p]];
}

static void find_the_rank(bool named) {
    enum { N = 400, R = 12, M = 30 };
    double *b = numbers(N * R, 9), *a = numbers(N * N, 0), *f = numbers(N * M, 0), residual[N];
    assert_ok(bf__matmul(a, b, false, b, true, N, N, R, NULL, &err), err);
    given g = {a, N, {0}};
    int64_t pivots[M], rank, name[N];
    bf__psd matrix = {N, &g, choose, entries, named ? name : NULL};
    for (int i = 0; i < N; i++) {
        name[i] = 1000 - i;
        residual[i] = a[i * N + i];
    }
    assert_ok(bf__rpcholesky(f, pivots, &rank, residual, M, &matrix, 1e-12, 1, NULL, arena, &err),
              err);
    assert_int_equal(rank, R);
    for (int i = 0; i < N; i += 7)
        for (int j = 0; j < N; j += 5) {
            double sum = 0;
            for (int k = 0; k < M; k++)
                sum += f[i * M + k] * f[j * M + k];
            assert_near(sum, a[i * N + j], 1e-8);
        }
    for (int p = 0; p < rank; p++)
        for (int q = 0; q < p; q++)
            assert_true(pivots[p] != pivots[q]);
}

static void pivoted_cholesky_finds_the_rank(void **state) {
    (void)state;
    find_the_rank(false);
    find_the_rank(true);
}

/* Pivots of the kernel exp(-10 |x - y|) on all points of a square but every twentieth, from the
 * `from`th on; in `pivots`, by the names of the points, and what they leave of the trace. */
static double pivots_without(int64_t *pivots, int count, int from, bool named, uint64_t seed) {
    enum { N = 1000 };
    double *x = numbers(2 * N, 10), *a = numbers(N * N, 0), *f = numbers(N * count, 0), residual[N];
    int64_t name[N], n = 0, rank;
    double left = 0;
    for (int i = 0; i < N; i++)
        if (i % 20 != from)
            name[n++] = i;
    for (int64_t i = 0; i < n; i++) {
        residual[i] = 1;
        for (int64_t j = 0; j < n; j++)
            a[i * n + j] = exp(-10 * hypot(x[2 * name[i]] - x[2 * name[j]],
                                           x[2 * name[i] + 1] - x[2 * name[j] + 1]));
    }
    given g = {a, n, {0}};
    bf__psd matrix = {n, &g, choose, entries, named ? name : NULL};
    assert_ok(
        bf__rpcholesky(f, pivots, &rank, residual, count, &matrix, 1e-12, seed, NULL, arena, &err),
        err);
    assert_int_equal(rank, count);
    for (int64_t i = 0; i < n; i++)
        left += residual[i] / (double)n;
    for (int k = 0; k < count; k++)
        pivots[k] = name[pivots[k]];
    return left;
}

/* How many pivots of two choices, one without some of the rows, are the same. */
static int same_pivots(bool named) {
    enum { M = 100 };
    int64_t one[M], other[M];
    int same = 0;
    pivots_without(one, M, 3, named, 1);
    pivots_without(other, M, -1, named, 1);
    for (int p = 0; p < M; p++)
        for (int q = 0; q < M; q++)
            same += one[p] == other[q];
    return same;
}

/* Rows that come or go change few pivots of rows with names, and most of those without; either way
 * the pivots are as good. */
static void pivots_of_rows_with_names_stay(void **state) {
    (void)state;
    int64_t pivots[100];
    double left[2] = {0, 0};
    int kept = same_pivots(true), others = same_pivots(false);
    if (kept < 70 || others > 50)
        fail_msg("%d of 100 pivots with names are the same, and %d without", kept, others);
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int named = 0; named < 2; named++)
            left[named] += pivots_without(pivots, 100, -1, named, seed) / 8;
    assert_near(left[1] / left[0], 1, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_exp_is_within_2_ulps),
        cmocka_unit_test(double_exp_is_within_2_ulps),
        cmocka_unit_test(exp_in_a_loop_is_the_same),
        cmocka_unit_test(products_match_plain_loops),
        cmocka_unit_test(grams_match_plain_loops_and_any_threads),
        cmocka_unit_test(systems_are_solved),
        cmocka_unit_test(cholesky_says_what_it_added),
        cmocka_unit_test(eigenvectors_are_rows),
        cmocka_unit_test(pivoted_cholesky_finds_the_rank),
        cmocka_unit_test(pivots_of_rows_with_names_stay),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
