/* test_spread.c - Bias, spread and error of repeated answers, by hand and against theory.
 *
 * Quartiles are those of NumPy's default, linear between neighbours. Standard errors come from the
 * bootstrap; on many normal draws theory knows what they have to be. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

#include "stats/spread.h"

TEST_ARENA;

static bf__spread spread_of(const double *error, int64_t n) {
    bf__spread out;
    assert_ok(bf__spread_of(&out, error, n, 1, arena, &err), err);
    return out;
}

static bf_mean difference(const double *a, const double *b, int64_t n) {
    bf_mean out;
    assert_ok(bf__rmse_difference(&out, a, b, n, 1, arena, &err), err);
    return out;
}

/* Normal draws (n) with a mean and a standard deviation. */
static double *draws(int64_t n, double mean, double sd, uint64_t stream) {
    bf_rng rng = bf_rng_make(7, "spread", stream);
    double *x = bf_arena_alloc(arena, n, sizeof *x, &err);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = mean + sd * bf_rng_normal(&rng);
    return x;
}

static void by_hand(void **state) {
    (void)state;
    const double four[] = {-3, 1, 2, 4};
    bf__spread s = spread_of(four, 4);
    assert_int_equal(s.runs, 4);
    assert_near(s.bias.value, 1, 1e-15);
    assert_near(s.sd.value, sqrt(26.0 / 3), 1e-14);
    assert_near(s.rmse.value, sqrt(30.0 / 4), 1e-15);
    assert_near(s.low, 1.75, 1e-15); /* of 1, 2, 3, 4 */
    assert_near(s.median, 2.5, 1e-15);
    assert_near(s.high, 3.25, 1e-15);
    const double five[] = {0.5, -0.25, 8, -1, 2};
    s = spread_of(five, 5);
    assert_near(s.low, 0.5, 1e-15);
    assert_near(s.median, 1, 1e-15);
    assert_near(s.high, 2, 1e-15);
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Where the k-th of n sorted values is the (k / (n - 1))-quantile, nothing is to be interpolated:
 * with n = 4 m + 1 the quartiles are the values m, 2 m and 3 m. */
static void against_plain_sums(void **state) {
    (void)state;
    enum { N = 401 };
    double *x = draws(N, 0.3, 2, 1), mean = 0, around = 0, square = 0;
    bf__spread s = spread_of(x, N);
    for (int i = 0; i < N; i++)
        mean += x[i] / N;
    for (int i = 0; i < N; i++) {
        around += (x[i] - mean) * (x[i] - mean) / (N - 1);
        square += x[i] * x[i] / N;
        x[i] = fabs(x[i]);
    }
    qsort(x, N, sizeof *x, by_size);
    assert_near(s.bias.value, mean, 1e-13);
    assert_near(s.sd.value, sqrt(around), 1e-13);
    assert_near(s.rmse.value, sqrt(square), 1e-13);
    assert_near(s.low, x[100], 0);
    assert_near(s.median, x[200], 0);
    assert_near(s.high, x[300], 0);
}

/* Every log gives the same answer: there is no spread, however large the bias. */
static void a_small_spread_beside_a_large_bias(void **state) {
    (void)state;
    double same[50], near[50];
    for (int i = 0; i < 50; i++) {
        same[i] = 0.3;
        near[i] = 1e6 + (i % 2 ? 1e-3 : -1e-3);
    }
    bf__spread s = spread_of(same, 50);
    assert_near(s.sd.value, 0, 1e-15);
    assert_near(s.sd.error, 0, 1e-15);
    assert_near(s.bias.value, 0.3, 1e-15);
    assert_near(s.rmse.value, 0.3, 1e-15);
    s = spread_of(near, 50);
    assert_near(s.sd.value, 1e-3 * sqrt(50.0 / 49), 1e-8);
    assert_near(s.bias.error, 1e-3 / sqrt(50), 2e-5);
}

/* Of n normal values: sd of the mean sigma / sqrt(n), of the standard deviation and, without bias,
 * of the root mean square sigma / sqrt(2 n). 2000 draws know a standard error to 1.6 %, and n
 * values their own sigma to 0.8 %: 10 % is far out. */
static void standard_errors(void **state) {
    (void)state;
    enum { N = 8000 };
    bf__spread s = spread_of(draws(N, 0, 3, 2), N);
    assert_near(s.bias.error / (3 / sqrt(N)), 1, 0.1);
    assert_near(s.sd.error / (3 / sqrt(2.0 * N)), 1, 0.1);
    assert_near(s.rmse.error / (3 / sqrt(2.0 * N)), 1, 0.1);
    /* With bias b: rms^2 has variance (2 sigma^4 + 4 b^2 sigma^2) / n, rms that / (2 rms)^2. */
    s = spread_of(draws(N, 4, 3, 3), N);
    assert_near(s.rmse.error / sqrt((2 * 81 + 4 * 16 * 9) / (4.0 * 25 * N)), 1, 0.1);
}

static void difference_of_two(void **state) {
    (void)state;
    enum { N = 8000 };
    double *a = draws(N, 0, 3, 4), *b = draws(N, 0, 1, 5);
    bf_mean d = difference(a, b, N);
    assert_near(d.value, spread_of(a, N).rmse.value - spread_of(b, N).rmse.value, 1e-12);
    assert_near(d.error / sqrt((9 + 1) / (2.0 * N)), 1, 0.1);
    /* Drawn together: what both have in common falls out. */
    for (int i = 0; i < N; i++)
        b[i] = -2 * a[i];
    d = difference(a, b, N);
    assert_near(d.value, -spread_of(a, N).rmse.value, 1e-12);
    assert_near(d.error / (3 / sqrt(2.0 * N)), 1, 0.1);
    d = difference(a, a, N);
    assert_true(d.value == 0);
    assert_true(d.error == 0);
}

static void no_answer(void **state) {
    (void)state;
    const double holes[] = {NAN, -3, 1, NAN, 2, 4, NAN}, whole[] = {-3, 1, 2, 4};
    bf__spread s = spread_of(holes, 7), t = spread_of(whole, 4);
    assert_memory_equal(&s, &t, sizeof s);
    const double a[] = {NAN, 1, 2, 5}, b[] = {1, 3, NAN, 2}, c[] = {1, 5}, d[] = {3, 2};
    bf_mean x = difference(a, b, 4), y = difference(c, d, 2);
    assert_near(x.value, sqrt(13) - sqrt(6.5), 1e-15);
    assert_memory_equal(&x, &y, sizeof x);
    const double none[] = {NAN, NAN};
    s = spread_of(none, 2);
    assert_int_equal(s.runs, 0);
    assert_true(isnan(s.bias.value) && isnan(s.bias.error) && isnan(s.sd.value));
    assert_true(isnan(s.rmse.value) && isnan(s.rmse.error));
    assert_true(isnan(s.low) && isnan(s.median) && isnan(s.high));
    x = difference(none, c, 2);
    assert_true(isnan(x.value) && isnan(x.error));
}

/* One value has a bias and an error, but no standard errors. */
static void one_answer(void **state) {
    (void)state;
    const double one[] = {NAN, -2, NAN}, other[] = {NAN, 1, 1};
    bf__spread s = spread_of(one, 3);
    assert_int_equal(s.runs, 1);
    assert_near(s.bias.value, -2, 0);
    assert_near(s.rmse.value, 2, 0);
    assert_near(s.low, 2, 0);
    assert_near(s.median, 2, 0);
    assert_near(s.high, 2, 0);
    assert_true(isnan(s.sd.value) && isnan(s.sd.error));
    assert_true(isnan(s.bias.error) && isnan(s.rmse.error));
    bf_mean d = difference(one, other, 3);
    assert_near(d.value, 1, 0);
    assert_true(isnan(d.error));
}

static void the_seed_decides(void **state) {
    (void)state;
    double *x = draws(30, 0, 1, 6);
    bf__spread a = spread_of(x, 30), b = spread_of(x, 30), c;
    assert_memory_equal(&a, &b, sizeof a);
    assert_ok(bf__spread_of(&c, x, 30, 2, arena, &err), err);
    assert_true(c.rmse.value == a.rmse.value);
    assert_true(c.rmse.error != a.rmse.error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(by_hand),           arena_test(against_plain_sums),
        arena_test(standard_errors),   arena_test(a_small_spread_beside_a_large_bias),
        arena_test(difference_of_two), arena_test(no_answer),
        arena_test(one_answer),        arena_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
