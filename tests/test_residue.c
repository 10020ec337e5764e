/* test_residue.c - What corrections leave, taken out by networks: the algebra against sums by hand,
 * the networks on a process whose every number is known, and an answer that they take part in. */
#include "control_log.h"

#include <math.h>

#include "weights/residue.h"

TEST_ARENA;

/* ---- Balancing */

enum { ROWS = 500 };
static double w[ROWS], u[ROWS], gap[2 * ROWS], reward[ROWS], out[ROWS];

/* Weights with and without signs that sum to 1, rewards, and gaps that explain a part of them. */
static void make_rows(uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "residue", 0);
    double sum[2] = {0};
    for (int i = 0; i < ROWS; i++) {
        u[i] = bf_rng_uniform(&rng);
        w[i] = u[i] * (0.8 + bf_rng_normal(&rng));
        sum[0] += u[i];
        sum[1] += w[i];
        reward[i] = bf_rng_normal(&rng);
        gap[i] = reward[i] + 0.3 * bf_rng_normal(&rng) - 2;
        gap[ROWS + i] = 5 * reward[i] + 3 * bf_rng_normal(&rng);
    }
    for (int i = 0; i < ROWS; i++) {
        u[i] /= sum[0];
        w[i] /= sum[1];
    }
}

static double sum_of(const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += x[i] * (y ? y[i] : 1);
    return sum;
}

/* sum u (x - xbar)(y - ybar). */
static double covariance(const double *x, const double *y) {
    double sum = 0, mean[2] = {sum_of(u, x), sum_of(u, y)};
    for (int i = 0; i < ROWS; i++)
        sum += u[i] * (x[i] - mean[0]) * (y[i] - mean[1]);
    return sum;
}

static void the_flow_balances_on_every_gap(void **state) {
    (void)state;
    const double *other = gap + ROWS;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        make_rows(seed);
        assert_true(fabs(sum_of(w, gap)) > 1e-3);
        assert_ok(bf__residue_balance(out, w, u, gap, 2, ROWS, arena, &err), err);
        assert_near(sum_of(out, gap), 0, 1e-6);
        assert_near(sum_of(out, other), 0, 1e-6);
        assert_near(sum_of(out, NULL), 1, 1e-12);
        /* The value is less by what least squares of the rewards on the gaps say; Cramer's rule. */
        double aa = covariance(gap, gap), ab = covariance(gap, other);
        double bb = covariance(other, other), a = covariance(gap, reward);
        double b = covariance(other, reward), det = aa * bb - ab * ab;
        double slope[2] = {(a * bb - b * ab) / det, (aa * b - ab * a) / det};
        assert_near(sum_of(out, reward),
                    sum_of(w, reward) - slope[0] * sum_of(w, gap) - slope[1] * sum_of(w, other),
                    1e-6);
    }
}

/* r - gap is the value on every row if q is right: then it is what any weights say. */
static void whatever_the_weights_if_q_is_right(void **state) {
    (void)state;
    for (uint64_t seed = 6; seed <= 8; seed++) {
        make_rows(seed);
        for (int i = 0; i < ROWS; i++)
            gap[i] = reward[i] - 0.25;
        assert_ok(bf__residue_balance(out, w, u, gap, 1, ROWS, arena, &err), err);
        assert_near(sum_of(out, reward), 0.25, 1e-6);
    }
}

static void gaps_that_say_nothing_change_nothing(void **state) {
    (void)state;
    make_rows(9);
    for (int i = 0; i < 2 * ROWS; i++)
        gap[i] = 0;
    for (int count = 0; count <= 2; count++) {
        assert_ok(bf__residue_balance(out, w, u, gap, count, ROWS, arena, &err), err);
        assert_memory_equal(out, w, sizeof w);
    }
    const double sizes[] = {1e200, 1e-160, 1e-155, 1e-200, INFINITY, NAN};
    for (int k = 0; k < 6; k++) {
        make_rows(11);
        for (int i = 0; i < 2 * ROWS; i++)
            gap[i] *= sizes[k];
        assert_ok(bf__residue_balance(out, w, u, gap, 2, ROWS, arena, &err), err);
        for (int i = 0; i < ROWS; i++)
            assert_true(isfinite(out[i]));
    }
    /* The same network twice is no more than once. */
    make_rows(10);
    for (int i = 0; i < ROWS; i++)
        gap[ROWS + i] = gap[i];
    assert_ok(bf__residue_balance(out, w, u, gap, 2, ROWS, arena, &err), err);
    double twice = sum_of(out, reward);
    assert_ok(bf__residue_balance(out, w, u, gap, 1, ROWS, arena, &err), err);
    assert_near(twice, sum_of(out, reward), 1e-6);
}

/* ---- Networks */

/* A point on the line that moves to x / 2 + push, where a push is -1 or 1: the log pushes either
 * way, the target up in 8 of 10. Its reward is x, so that q(x, push) = x + (x / 2 + push) + ... =
 * 2 x + 2 push but for a constant, and the value is the mean of x, 2 (0.8 - 0.2). */
enum { LINE = 3000 };
static double x[LINE], nx[LINE], chosen[2 * LINE];
static int32_t push[LINE];

static bf_dataset line_of_pushes(void) {
    bf_rng rng = bf_rng_make(3, "pushes", 0);
    for (int i = 0; i < LINE; i++) {
        x[i] = bf_rng_between(&rng, -2, 2);
        push[i] = bf_rng_uniform(&rng) < 0.5;
        nx[i] = x[i] / 2 + (push[i] ? 1 : -1);
        chosen[i] = 0.2;
        chosen[LINE + i] = 0.8;
    }
    return (bf_dataset){.n = LINE,
                        .state_dim = 1,
                        .actions = 2,
                        .real_state = true,
                        .state = x,
                        .next_state = nx,
                        .action = push,
                        .reward = x,
                        .npi = chosen};
}

static void networks_find_the_gaps(void **state) {
    (void)state;
    static double found[2][2 * LINE];
    bf_dataset data = line_of_pushes();
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    for (int threads = 1; threads <= 2; threads++) {
        bf_context context = {.threads = threads, .seed = 5};
        bf__points points;
        int count;
        assert_ok(bf__points_make(&points, &problem, "none", "none", &context, arena, &err), err);
        assert_true(bf__residue_suit(&points));
        assert_ok(
            bf__residue_find(found[threads - 1], &count, &problem, &points, &context, arena, &err),
            err);
        assert_int_equal(count, 2);
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    for (int e = 0; e < 2; e++) {
        double square = 0;
        for (int i = 0; i < LINE; i++)
            square += pow(x[i] - 1.2 - found[0][e * LINE + i], 2) / LINE;
        if (!(sqrt(square) < 0.1)) /* x has a deviation of 1.15 */
            fail_msg("network %d is off by %g", e, sqrt(square));
    }
}

/* With a discount r - gap is the discounted value, in the mean over rows: starts are in it. */
static void gaps_know_of_discounts(void **state) {
    (void)state;
    static double found[2 * LINE];
    static int64_t order[LINE], begin[LINE + 1];
    static double at_start[2 * LINE];
    bf_dataset data = line_of_pushes();
    double gamma = 0.5, mean = 0;
    for (int i = 0; i < LINE; i++) { /* every row is an episode: starts are as states are */
        order[i] = begin[i] = i;
        at_start[i] = 0.2;
        at_start[LINE + i] = 0.8;
        mean += x[i] / LINE;
    }
    begin[LINE] = LINE;
    data.order = order;
    data.begin = begin;
    data.episodes = LINE;
    data.pi = at_start;
    bf_problem problem = {&data, gamma, BF_TERMINAL_RESTART};
    bf_context context = {.threads = 1, .seed = 5};
    bf__points points;
    int count;
    assert_ok(bf__points_make(&points, &problem, "none", "none", &context, arena, &err), err);
    assert_ok(bf__residue_find(found, &count, &problem, &points, &context, arena, &err), err);
    assert_int_equal(count, 2);
    /* V(x) = x + gamma V(x / 2 + .6) in the mean: V = x / (1 - gamma / 2) + const. */
    double slope = 1 / (1 - gamma / 2), shift = gamma * slope * 0.6 / (1 - gamma);
    double value = (1 - gamma) * (slope * mean + shift), off = 0;
    for (int i = 0; i < LINE; i++)
        off += (x[i] - found[i]) / LINE - value / LINE;
    assert_near(off, 0, 0.02);
}

/* ---- An answer */

static bf_estimate answer(const bf_dataset *data, const char *options) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    bf_context context = {.threads = 2, .seed = 1};
    bf_settings *settings;
    bf_estimate made;
    assert_ok(bf_estimator_settings(&settings, blackbox, options, arena, &err), err);
    assert_ok(bf__estimator_run(blackbox, &made, &problem, settings, &context, arena, &err), err);
    return made;
}

/* Twelve trajectories of CartPole are too few for corrections on features: their ridges are raised,
 * and what they leave is a tenth of the value. The truth is from 40 million steps. */
static void they_take_out_what_weak_corrections_leave(void **state) {
    (void)state;
    const double truth = 0.95924;
    double squares[2] = {0};
    for (uint64_t seed = 1; seed <= 3; seed += 2) {
        bf_dataset data = control_log("cartpole", 12, seed, arena);
        bf_estimate with = answer(&data, NULL), without = answer(&data, "networks=no");
        assert_true(bf_estimate_get(&with, "judged") >= 3);
        assert_near(bf_estimate_get(&with, "judged"), bf_estimate_get(&with, "raised"), 0);
        assert_near(bf_estimate_get(&without, "judged"), 0, 0);
        assert_near(bf_estimate_get(&without, "raised"), bf_estimate_get(&with, "raised"), 0);
        const double *weight = bf_estimate_signed_weights(&with);
        double sum = 0;
        for (int64_t i = 0; i < data.n; i++)
            sum += weight[i] * data.reward[i];
        assert_near(sum, with.value, 1e-9);
        squares[0] += pow(with.value - truth, 2) / 2;
        squares[1] += pow(without.value - truth, 2) / 2;
    }
    print_message("with networks %.4f, without %.4f\n", sqrt(squares[0]), sqrt(squares[1]));
    assert_true(sqrt(squares[1]) > 0.08);
    assert_true(sqrt(squares[0]) < 0.03);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flow_balances_on_every_gap),
        cmocka_unit_test(whatever_the_weights_if_q_is_right),
        cmocka_unit_test(gaps_that_say_nothing_change_nothing),
        cmocka_unit_test(networks_find_the_gaps),
        cmocka_unit_test(gaps_know_of_discounts),
        cmocka_unit_test(they_take_out_what_weak_corrections_leave),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
