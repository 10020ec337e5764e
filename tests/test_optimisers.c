/* test_optimisers.c - Rprop and Adam on functions whose course or minimum is known. */
#include "harness.h"

#include <math.h>

#include "solver/adam.h"
#include "solver/rprop.h"

TEST_ARENA;

/* Badly scaled: curvatures from 1e-4 to 1e4. */
static void quadratic(const double *x, double *g) {
    for (int i = 0; i < 5; i++)
        g[i] = 2 * pow(100, i - 2) * (x[i] - i);
}

static void rosenbrock(const double *x, double *g) {
    g[0] = -2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] * x[0]);
    g[1] = 200 * (x[1] - x[0] * x[0]);
}

static void rprop_does_not_mind_scales(void **state) {
    (void)state;
    bf__rprop rprop;
    double x[5] = {10, -10, 7, 0, 100}, g[5];
    assert_ok(bf__rprop_make(&rprop, 5, 0.1, arena, &err), err);
    for (int t = 0; t < 200; t++) {
        quadratic(x, g);
        bf__rprop_move(&rprop, g, x);
    }
    for (int i = 0; i < 5; i++)
        assert_near(x[i], i, 1e-5);
}

static void rprop_follows_a_bent_valley(void **state) {
    (void)state;
    bf__rprop rprop;
    double x[2] = {-1.2, 1}, g[2];
    assert_ok(bf__rprop_make(&rprop, 2, 0.01, arena, &err), err);
    for (int t = 0; t < 20000; t++) {
        rosenbrock(x, g);
        bf__rprop_move(&rprop, g, x);
    }
    assert_near(x[0], 1, 1e-2);
    assert_near(x[1], 1, 2e-2);
}

/* The rule by hand: keep, keep, turn (stand still), whatever (plain step), limits. */
static void rprop_steps_by_the_rule(void **state) {
    (void)state;
    bf__rprop rprop;
    double x = 0;
    assert_ok(bf__rprop_make(&rprop, 1, 0.1, arena, &err), err);
    static const double g[] = {1, 5, -1, -2, 0, -3};
    static const double expected[] = {-0.1, -0.22, -0.22, -0.16, -0.16, -0.10};
    for (int t = 0; t < 6; t++) {
        bf__rprop_move(&rprop, &g[t], &x);
        assert_near(x, expected[t], 1e-15);
    }
    for (int t = 0; t < 100; t++) {
        double before = x;
        bf__rprop_move(&rprop, &g[3], &x);
        assert_true(x - before <= 50 + 1e-9);
    }
    assert_near(rprop.step[0], 50, 0);
    for (int t = 0; t < 200; t++)
        bf__rprop_move(&rprop, &g[t / 2 % 2 ? 0 : 2], &x);
    assert_true(rprop.step[0] >= 1e-6);
    bf__rprop_reset(&rprop);
    assert_near(rprop.step[0], 0.1, 0);
    assert_near(rprop.previous[0], 0, 0);
}

/* Expected values: algorithm 1 of the paper worked by hand for t = 1, 2 with g = 1 then -3. */
static void adam_steps_by_the_rule(void **state) {
    (void)state;
    bf__adam adam;
    double x = 1, g = 1;
    assert_ok(bf__adam_make(&adam, 1, 0.01, arena, &err), err);
    bf__adam_move(&adam, &g, &x);
    assert_near(x, 1 - 0.01, 1e-9);
    g = -3;
    bf__adam_move(&adam, &g, &x);
    double mean = (0.9 * 0.1 - 0.1 * 3) / (1 - 0.81);
    double square = (0.999 * 0.001 + 0.001 * 9) / (1 - 0.999 * 0.999);
    assert_near(x, 0.99 - 0.01 * mean / sqrt(square), 1e-9);
}

static void adam_settles_under_noise(void **state) {
    (void)state;
    bf__adam adam;
    bf_rng rng = bf_rng_make(1, "noise", 0);
    double x[2] = {-1.2, 1}, g[2];
    assert_ok(bf__adam_make(&adam, 2, 0.02, arena, &err), err);
    for (int t = 0; t < 30000; t++) {
        adam.rate = 0.02 / (1 + t / 1000.0);
        rosenbrock(x, g);
        g[0] += 0.5 * bf_rng_normal(&rng);
        g[1] += 0.5 * bf_rng_normal(&rng);
        bf__adam_move(&adam, g, x);
    }
    assert_near(x[0], 1, 0.05);
    assert_near(x[1], 1, 0.1);
    bf__adam_reset(&adam);
    assert_int_equal(adam.moves, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(rprop_does_not_mind_scales), arena_test(rprop_follows_a_bent_valley),
        arena_test(rprop_steps_by_the_rule),    arena_test(adam_steps_by_the_rule),
        arena_test(adam_settles_under_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
