/* test_nearest.c - Nearest points and convex combinations against plain versions. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "solver/hull.h"
#include "solver/kdtree.h"
#include "solver/simplex_qp.h"

TEST_ARENA;

/* ---- The tree */

static double square(const double *x, int64_t n, int d, int64_t j, const double *q) {
    double sum = 0;
    for (int c = 0; c < d; c++)
        sum += (x[c * n + j] - q[c]) * (x[c * n + j] - q[c]);
    return sum;
}

/* The same by looking at all points, k times over. */
static int plain_nearest(int32_t *index, double *squares, const double *x, int64_t n, int d,
                         const double *q, int k) {
    int found = 0;
    for (; found < k && found < n; found++) {
        double least = INFINITY;
        for (int64_t j = 0; j < n; j++) {
            double s = square(x, n, d, j, q);
            bool taken = false;
            for (int i = 0; i < found; i++)
                taken = taken || index[i] == j;
            if (!taken && s < least) {
                least = s;
                index[found] = (int32_t)j;
            }
        }
        squares[found] = least;
    }
    return found;
}

/* Points on a coarse grid have many equal distances. */
static void compare_with_plain(int64_t n, int d, bool grid, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "points", 0);
    double *x = bf_arena_alloc(arena, n * d, sizeof *x, &err), q[128];
    for (int64_t i = 0; i < n * d; i++)
        x[i] = grid ? (double)bf_rng_below(&rng, 4) : bf_rng_normal(&rng);
    bf__kdtree tree;
    assert_ok(bf__kdtree_build(&tree, x, n, d, arena, &err), err);
    for (int trial = 0; trial < 20; trial++) {
        int32_t a[32], b[32];
        double sa[32], sb[32];
        int k = 1 + trial % 20;
        for (int c = 0; c < d; c++)
            q[c] = trial % 3 == 0 ? x[c * n + trial % n]
                   : grid         ? (double)bf_rng_below(&rng, 5)
                                  : 2 * bf_rng_normal(&rng);
        int found = bf__kdtree_nearest(a, sa, &tree, q, k, 0);
        assert_int_equal(found, plain_nearest(b, sb, x, n, d, q, k));
        for (int j = 0; j < found; j++) {
            assert_int_equal(a[j], b[j]);
            assert_near(sa[j], sb[j], 0);
        }
    }
}

static void the_tree_finds_what_a_full_search_finds(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 15, 16, 17, 33, 130, 500, 1100, 3000};
    const int dims[] = {1, 2, 3, 4, 5, 6, 20, 100};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
            bf_mark mark = bf_arena_mark(arena);
            compare_with_plain(sizes[s], dims[d], false, 10 * s + d);
            compare_with_plain(sizes[s], dims[d], true, 10 * s + d);
            bf_arena_rewind(arena, mark);
        }
}

static void a_limited_search_still_finds_k(void **state) {
    (void)state;
    enum { N = 2000, D = 10 };
    bf_rng rng = bf_rng_make(3, "points", 1);
    double *x = bf_arena_alloc(arena, N * D, sizeof *x, &err), q[D] = {0}, squares[16];
    int32_t index[16];
    for (int i = 0; i < N * D; i++)
        x[i] = bf_rng_normal(&rng);
    bf__kdtree tree;
    assert_ok(bf__kdtree_build(&tree, x, N, D, arena, &err), err);
    assert_int_equal(bf__kdtree_nearest(index, squares, &tree, q, 16, 1), 16);
    for (int j = 1; j < 16; j++)
        assert_true(squares[j - 1] <= squares[j]);
}

/* A point belongs to the leaf that has it. */
static void points_belong_where_they_are(void **state) {
    (void)state;
    enum { N = 1500, D = 3 };
    bf_rng rng = bf_rng_make(4, "points", 0);
    double *x = bf_arena_alloc(arena, N * D, sizeof *x, &err), q[D];
    for (int i = 0; i < N * D; i++)
        x[i] = bf_rng_normal(&rng);
    bf__kdtree tree;
    assert_ok(bf__kdtree_build(&tree, x, N, D, arena, &err), err);
    int32_t leaf = 0;
    for (int32_t j = 0; j < N; j++) {
        leaf += j == tree.first[leaf + 1];
        for (int c = 0; c < D; c++)
            q[c] = x[c * N + tree.index[j]];
        assert_int_equal(bf__kdtree_where(&tree, q), tree.first[leaf]);
    }
    assert_int_equal(tree.first[leaf + 1], N);
}

/* ---- The hull */

static double objective(const double *w, const double *z, int k, int d, double near) {
    double sum = 0;
    for (int c = 0; c < d; c++) {
        double part = 0;
        for (int j = 0; j < k; j++)
            part += w[j] * z[j * d + c];
        sum += part * part;
    }
    for (int j = 0; j < k; j++)
        for (int c = 0; c < d; c++)
            sum += near * w[j] * z[j * d + c] * z[j * d + c];
    return sum;
}

/* The gradient at w is no smaller anywhere than where w has its weight: then w is the minimum. held
 * is `spread` times the mean square of z; from is where w started. */
static double violation(const double *w, const double *z, int k, int d, double near, double held,
                        const double *from) {
    double least = INFINITY, mean = 0;
    for (int i = 0; i < k; i++) {
        double slope = 2 * held * w[i] / from[i];
        for (int c = 0; c < d; c++) {
            double part = 0;
            for (int j = 0; j < k; j++)
                part += w[j] * z[j * d + c];
            slope += 2 * part * z[i * d + c] + near * z[i * d + c] * z[i * d + c];
        }
        least = fmin(least, slope);
        mean += w[i] * slope;
    }
    return mean - least;
}

static void combinations_are_the_best(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(5, "hull", 0);
    for (int trial = 0; trial < 300; trial++) {
        int k = 1 + trial % 20, d = 1 + trial % 7;
        double z[20 * 7], w[20], from[20], gram[400], near = trial % 2 ? 0.02 : 0, sum = 0;
        double spread = trial % 4 == 3 ? 0.3 : 0, size = 0;
        for (int i = 0; i < k * d; i++)
            z[i] = bf_rng_normal(&rng) + (trial % 5 == 0);
        for (int i = 0; i < k * d; i++)
            size += z[i] * z[i] / k;
        for (int j = 0; j < k; j++) /* 1, 2, 1, 2, ... */
            w[j] = from[j] = (1.0 + j % 2) / (k + k / 2);
        bf__hull_options tight = {
            .near = near, .spread = spread, .tolerance = 1e-13, .steps = 100000};
        double off = bf__hull_solve(w, z, k, d, &tight, gram);
        for (int j = 0; j < k; j++) {
            assert_true(w[j] >= 0);
            sum += w[j];
        }
        assert_near(sum, 1, 1e-12);
        assert_near(off, sqrt(objective(w, z, k, d, 0)), 1e-7);
        assert_near(violation(w, z, k, d, near, spread * size, from), 0, 1e-8);
        if (near > 0)
            continue;
        double q[400], best[20];
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                q[i * k + j] = i == j ? 1e-10 : 0; /* one minimum, where there may be many */
                for (int c = 0; c < d; c++)
                    q[i * k + j] += z[i * d + c] * z[j * d + c];
            }
        bf__quadratic quadratic;
        bf__qp_result result;
        bf_mark mark = bf_arena_mark(arena);
        assert_ok(bf__quadratic_dense(&quadratic, q, k, arena, &err), err);
        assert_ok(bf__simplex_qp(best, &result, &quadratic, NULL, arena, &err), err);
        bf_arena_rewind(arena, mark);
        assert_near(objective(w, z, k, d, 0), result.objective, 1e-8);
    }
}

/* Of as many neighbours as usual, and of others; one of them may be done long before the other. */
static void two_at_once_are_as_alone(void **state) {
    (void)state;
    enum { MOST = 20, D = 5 };
    bf_rng rng = bf_rng_make(6, "hull", 0);
    for (int trial = 0; trial < 200; trial++) {
        double z[2][MOST * D], w[2][MOST], alone[MOST], gram[2][MOST * MOST];
        int k[2] = {trial % 4 == 0 ? 3 + trial % 17 : 16, trial % 5 == 0 ? MOST : 16};
        for (int t = 0; t < 2; t++) {
            double scale = trial % 7 == t ? 0 : 1; /* all neighbours are the point itself */
            for (int i = 0; i < k[t] * D; i++)
                z[t][i] = scale * (bf_rng_normal(&rng) + (trial % 3 == t));
            for (int i = 0; i < k[t]; i++)
                w[t][i] = 1.0 / k[t];
        }
        const bf__hull_task task[2] = {{w[0], z[0], k[0], gram[0]}, {w[1], z[1], k[1], gram[1]}};
        bf__hull_solve_two(task, D, &bf__hull_usual);
        for (int t = 0; t < 2; t++) {
            for (int i = 0; i < k[t]; i++)
                alone[i] = 1.0 / k[t];
            bf__hull_solve(alone, z[t], k[t], D, &bf__hull_usual, gram[t]);
            for (int i = 0; i < k[t]; i++)
                assert_true(w[t][i] == alone[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_finds_what_a_full_search_finds),
        cmocka_unit_test(a_limited_search_still_finds_k),
        cmocka_unit_test(points_belong_where_they_are),
        cmocka_unit_test(combinations_are_the_best),
        cmocka_unit_test(two_at_once_are_as_alone),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
