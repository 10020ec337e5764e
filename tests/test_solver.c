/* test_solver.c - The simplex program against cvxopt's answers; chains against plain elimination.
 */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/chain.h"
#include "solver/simplex_qp.h"

TEST_ARENA;

/* A Q that can only be applied, so that the first-order method is used. */
static double *plain_q;
static int64_t plain_n;

static void plain_apply(void *self, const double *x, double *out) {
    (void)self;
    for (int64_t i = 0; i < plain_n; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < plain_n; j++)
            out[i] += plain_q[i * plain_n + j] * x[j];
    }
}

static void read_numbers(FILE *file, double *out, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(fscanf(file, "%lf", &out[i]), 1);
}

/* A Q of low rank, down to 0, can not be factored as it is; there is an answer all the same. */
static void qp_of_low_rank(void **state) {
    (void)state;
    enum { N = 40 };
    static double a[N][3], q[N][N], x[N];
    for (int rank = 0; rank <= 3; rank++) {
        bf_rng rng = bf_rng_make(3, "low rank", (uint64_t)rank);
        double sum = 0, trace = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 3; k++)
                a[i][k] = k < rank ? bf_rng_normal(&rng) + (k == 0 ? 3 : 0) : 0;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                q[i][j] = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
            trace += q[i][i];
        }
        bf__quadratic form;
        bf__qp_result result;
        assert_ok(bf__quadratic_dense(&form, q[0], N, arena, &err), err);
        assert_ok(bf__simplex_qp(x, &result, &form, NULL, arena, &err), err);
        assert_true(result.gap <= 1e-9 * trace);
        for (int i = 0; i < N; i++) {
            assert_true(x[i] >= 0);
            sum += x[i];
        }
        assert_near(sum, 1, 1e-12);
    }
}

/* The objective is between cvxopt's and cvxopt's less its gap; our own gap is closed. */
static void qp_agrees_with_cvxopt(void **state) {
    (void)state;
    FILE *file = fopen(FIXTURES "/simplex_qp.txt", "r");
    assert_non_null(file);
    char name[64];
    long long size;
    int problems = 0, bound = 0;
    while (fscanf(file, "%63s %lld", name, &size) == 2) {
        int64_t n = size;
        double *q = bf_arena_alloc(arena, n * n, sizeof *q, &err);
        double *expected = bf_arena_alloc(arena, n, sizeof *q, &err);
        double reference[2]; /* minimum, gap */
        double *x = bf_arena_alloc(arena, n, sizeof *q, &err);
        read_numbers(file, q, n * n);
        read_numbers(file, expected, n);
        read_numbers(file, reference, 2);
        double minimum = reference[0], rounding = 1e-12 * minimum;
        bf__quadratic form;
        bf__qp_result result;
        assert_ok(bf__quadratic_dense(&form, q, n, arena, &err), err);
        assert_ok(bf__simplex_qp(x, &result, &form, NULL, arena, &err), err);
        assert_true(result.objective <= minimum + rounding);
        assert_true(result.objective >= minimum - reference[1] - rounding);
        assert_true(result.gap <= 1e-11 * result.objective);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            assert_true(x[i] >= 0);
            sum += x[i];
            bound += x[i] == 0;
            assert_near(x[i], expected[i], 2e-5);
        }
        assert_near(sum, 1, 1e-13);
        if (strncmp(name, "scaled", 6) != 0) { /* condition 1e6: beyond a first-order method */
            plain_q = q;
            plain_n = n;
            bf__quadratic apply_only = {.n = n, .apply = plain_apply};
            assert_ok(bf__simplex_qp(x, &result, &apply_only, NULL, arena, &err), err);
            assert_near(result.objective, minimum, 1e-6 * minimum);
            assert_true(result.objective - result.gap <= minimum * (1 + 1e-9));
        }
        problems++;
    }
    fclose(file);
    assert_int_equal(problems, 16);
    assert_true(bound > 80); /* the constraints that the problems were made to bind */
}

/* ---- Chains */

typedef struct dense_chain {
    bf__chain chain;
    double *p;
} dense_chain;

static dense_chain make_chain(const double *p, int64_t n) {
    int64_t *begin = bf_arena_alloc(arena, n + 1, sizeof *begin, &err);
    int32_t *index = bf_arena_alloc(arena, n * n, sizeof *index, &err);
    double *prob = bf_arena_alloc(arena, n * n, sizeof *prob, &err);
    int64_t edges = 0;
    for (int64_t i = 0; i < n; i++) {
        begin[i] = edges;
        for (int64_t j = 0; j < n; j++)
            if (p[i * n + j] > 0) {
                index[edges] = (int32_t)j;
                prob[edges++] = p[i * n + j];
            }
    }
    begin[n] = edges;
    return (dense_chain){{n, begin, index, prob}, NULL};
}

/* A chain of two states with rates e and 2e: (2/3, 1/3) for every e. */
static void nearly_reducible_chains_keep_all_digits(void **state) {
    (void)state;
    for (double e = 0.25; e > 1e-280; e *= 1e-10) {
        double p[] = {1 - e, e, 2 * e, 1 - 2 * e}, x[2], residual;
        dense_chain c = make_chain(p, 2);
        bf__classes classes;
        assert_ok(bf__chain_classes(&classes, &c.chain, arena, &err), err);
        assert_int_equal(classes.count, 1);
        assert_ok(bf__chain_stationary(x, &residual, &c.chain, &classes, 0, NULL, arena, &err),
                  err);
        assert_near(x[0], 2.0 / 3, 1e-15);
        assert_near(x[1], 1.0 / 3, 1e-15);
    }
}

/* 0 and 1 closed together, 2 closed alone, 3 and 4 on the way: from 3, half stay a while at 4. */
static void classes_and_absorption(void **state) {
    (void)state;
    const double p[] = {0, 1, 0,    0, 0,    1, 0,   0, 0, 0,   0,   0, 1,
                        0, 0, 0.25, 0, 0.25, 0, 0.5, 0, 0, 0.5, 0.5, 0};
    dense_chain c = make_chain(p, 5);
    bf__classes classes;
    assert_ok(bf__chain_classes(&classes, &c.chain, arena, &err), err);
    assert_int_equal(classes.count, 3); /* {0,1}, {2}, {3,4} */
    const int32_t *of = classes.class_of;
    assert_int_equal(of[0], of[1]);
    assert_int_equal(of[3], of[4]);
    assert_int_not_equal(of[0], of[2]);
    assert_true(classes.closed[of[0]] && classes.closed[of[2]] && !classes.closed[of[3]]);
    double start[] = {0, 0, 0, 1, 0}, out[3];
    assert_ok(bf__chain_absorption(out, &c.chain, &classes, start, NULL, arena, &err), err);
    /* u = P(0,1 | 3) = 1/4 + 1/2 * 1/2 u  ->  u = 1/3 */
    assert_near(out[of[0]], 1.0 / 3, 1e-15);
    assert_near(out[of[2]], 2.0 / 3, 1e-15);
    double x[5], residual;
    assert_ok(bf__chain_stationary(x, &residual, &c.chain, &classes, of[0], NULL, arena, &err),
              err);
    assert_near(x[0], 0.5, 1e-15);
    assert_near(x[2] + x[3] + x[4], 0, 0);
    assert_near(residual, 0, 1e-15);
}

/* More states than the direct method takes: a birth-death chain, known by detailed balance. */
static void large_chains_are_swept(void **state) {
    (void)state;
    enum { N = 7000 };
    int64_t *begin = bf_arena_alloc(arena, N + 1, sizeof *begin, &err);
    int32_t *index = bf_arena_alloc(arena, 3 * N, sizeof *index, &err);
    double *prob = bf_arena_alloc(arena, 3 * N, sizeof *prob, &err);
    double *x = bf_arena_alloc(arena, N, sizeof *x, &err), residual, expected = 0.5;
    for (int i = 0; i < N; i++) { /* up 0.2, down 0.4, stay the rest */
        begin[i] = 3 * i;
        double up = i + 1 < N ? 0.2 : 0, down = i > 0 ? 0.4 : 0;
        int32_t to[] = {i + 1 < N ? i + 1 : i, i > 0 ? i - 1 : i, i};
        double p[] = {up, down, 1 - up - down};
        memcpy(index + 3 * i, to, sizeof to);
        memcpy(prob + 3 * i, p, sizeof p);
    }
    begin[N] = 3 * N;
    bf__chain chain = {N, begin, index, prob};
    bf__classes classes;
    assert_ok(bf__chain_classes(&classes, &chain, arena, &err), err);
    assert_int_equal(classes.count, 1);
    assert_ok(bf__chain_stationary(x, &residual, &chain, &classes, 0, NULL, arena, &err), err);
    for (int i = 0; i < 40; i++, expected /= 2)
        assert_near(x[i], expected, 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(qp_of_low_rank),
        arena_test(qp_agrees_with_cvxopt),
        arena_test(nearly_reducible_chains_keep_all_digits),
        arena_test(classes_and_absorption),
        arena_test(large_chains_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
