/* test_discrepancy.c - Discrepancies beside MMD on finite logs, and MMD under other kernels.
 *
 * The least sum of absolute values is compared with all corners that there are: over weights of
 * three pairs it is at a point where two of the terms, or of the weights, are 0. Distances are
 * compared with what can be said by hand, and MMD with a plain sum over pairs of pairs. */
#include "ration.h"

#include <math.h>
#include <string.h>

#include "env/simulate.h"
#include "estimator/diagnostics.h"
#include "finite/cells_kernel.h"
#include "finite/cells_l1.h"
#include "solver/simplex_l1.h"

TEST_ARENA;

static void minimise(double *x, double *least, double *gap, const bf__cells_l1 *l1) {
    bf__l1_result result;
    assert_ok(bf__simplex_l1(x, &result, l1->edges, l1->cells, l1->count, NULL, arena, &err), err);
    *least = result.objective;
    *gap = result.gap;
}

/* ---- Corners */

/* Solves the three equations a x = b by Cramer's rule. */
static bool solve3(double x[3], double a[3][3], const double b[3]) {
    double m[4];
    for (int k = 0; k < 4; k++) {
        double c[3][3];
        memcpy(c, a, sizeof c);
        for (int i = 0; i < 3 && k > 0; i++)
            c[i][k - 1] = b[i];
        m[k] = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
               c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
               c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    }
    for (int k = 0; k < 3; k++)
        x[k] = m[k + 1] / m[0];
    return fabs(m[0]) > 1e-12;
}

static double try_corners(const bf__cells_l1 *l1, double *r) {
    double best = INFINITY;
    int64_t lines = l1->count + 3; /* a term is 0, or a weight is */
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < i; j++) {
            double a[3][3] = {{1, 1, 1}}, x[3];
            int64_t both[2] = {i, j};
            for (int k = 0; k < 2; k++)
                for (int c = 0; c < 3; c++)
                    a[k + 1][c] = both[k] < l1->count ? l1->edges[c * l1->count + both[k]]
                                                      : both[k] - l1->count == c;
            if (!solve3(x, a, (double[3]){1, 0, 0}) || fmin(x[0], fmin(x[1], x[2])) < -1e-12)
                continue;
            best = fmin(best, bf__cells_l1_loss(l1, x, r));
        }
    return best;
}

static void least_of_all_corners(void **state) {
    (void)state;
    enum { E = 7 };
    bf_rng rng = bf_rng_make(1, "corners", 0);
    for (int trial = 0; trial < 200; trial++) {
        double edges[3 * E], x[3], least, gap, r[E];
        for (int i = 0; i < 3 * E; i++)
            edges[i] = bf_rng_uniform(&rng) < 0.4 ? 0 : bf_rng_normal(&rng);
        bf__cells_l1 l1 = {3, E, edges};
        minimise(x, &least, &gap, &l1);
        double best = try_corners(&l1, r);
        assert_near(least, best, 1e-8 * best + 1e-12);
        assert_true(gap <= 1e-8 * best + 1e-12);
        assert_true(least >= best * (1 - 1e-9) && least - gap <= best * (1 + 1e-9) + 1e-12);
        assert_near(bf__cells_l1_loss(&l1, x, r), least, 1e-12);
        assert_near(x[0] + x[1] + x[2], 1, 1e-9);
    }
}

/* ---- By hand */

/* Rows (s, a, s') of a log, and the target's probability of action 1 wherever it is. */
static bf__cells cells_of(const double *s, const int32_t *a, const double *ns, int64_t n, double up,
                          bf_dataset *data) {
    double *npi = bf_arena_zalloc(arena, 2 * n, sizeof *npi, &err);
    double *reward = bf_arena_zalloc(arena, n, sizeof *reward, &err);
    uint8_t *never = bf_arena_zalloc(arena, n, 1, &err);
    for (int64_t i = 0; i < n; i++) {
        npi[i] = 1 - up;
        npi[n + i] = up;
        reward[i] = s[i];
    }
    *data = (bf_dataset){.n = n,
                         .state_dim = 1,
                         .actions = 2,
                         .states = 10,
                         .state = s,
                         .next_state = ns,
                         .action = a,
                         .reward = reward,
                         .terminated = never,
                         .npi = npi};
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART, NULL};
    bf__cells m;
    assert_ok(bf__cells_build(&m, &problem, arena, &err), err);
    return m;
}

/* From (0, 0) and from (4, 0) to state 2, where the target takes action 1, which was never seen:
 * mass at 0 and 4 has to move a half of the line each, and to change the action. The states 0, 2, 4
 * have the standard deviation sqrt(8 / 3). */
static void mass_that_is_moved(void **state) {
    (void)state;
    const double s[] = {0, 4}, ns[] = {2, 2};
    const int32_t a[] = {0, 0};
    bf_dataset data;
    bf__cells m = cells_of(s, a, ns, 2, 1, &data);
    bf__cells_l1 l1;
    double r[16], x[2], least, gap;
    assert_ok(bf__cells_l1_make(&l1, &m, BF__L1_WASSERSTEIN, arena, &err), err);
    for (int k = 0; k < 3; k++) { /* whatever the weights */
        double w[] = {0.5 * k, 1 - 0.5 * k};
        assert_near(bf__cells_l1_loss(&l1, w, r), 2 / sqrt(8.0 / 3) + 1, 1e-12);
    }
    minimise(x, &least, &gap, &l1);
    assert_near(least, 2 / sqrt(8.0 / 3) + 1, 1e-9);
    assert_ok(bf__cells_l1_make(&l1, &m, BF__L1_VARIATION, arena, &err), err);
    minimise(x, &least, &gap, &l1);
    assert_near(least, 1, 1e-9); /* nothing is where it should be */
    /* With 0 -> 0 in the log, all weight there leaves only the action to change. */
    const double s3[] = {0, 4, 0}, ns3[] = {2, 2, 0};
    const int32_t a3[] = {1, 0, 0};
    m = cells_of(s3, a3, ns3, 3, 0.3, &data);
    double x3[3];
    assert_ok(bf__cells_l1_make(&l1, &m, BF__L1_WASSERSTEIN, arena, &err), err);
    minimise(x3, &least, &gap, &l1);
    /* (0, 0) leads to (0, 0) with 0.7 and (0, 1) with 0.3: mass p on it and 1 - p on (0, 1), which
     * leads to 2, where 0.7 is action 0. Moved: 0.3 p of action, if (0, 1) has nothing. */
    assert_near(least, 0.3, 1e-6);
    assert_near(gap, 0, 1e-8);
}

/* ---- Kernels */

static double profile(const char *name, double distance) {
    return strcmp(name, "laplace") == 0 ? exp(-distance) : 1 / sqrt(1 + distance * distance);
}

/* d - B d of weights x over pairs, by the rows, and the sum over pairs of pairs. Widths are given
 * in standard deviations of the three states. */
static void plain_double_sums(void **state) {
    (void)state;
    const double s[] = {0, 1, 5, 1}, ns[] = {1, 5, 0, 0}, at[] = {0, 1, 5};
    const int32_t a[] = {0, 1, 0, 0};
    bf_dataset data;
    bf__cells m = cells_of(s, a, ns, 4, 0.3, &data);
    const double x[] = {0.1, 0.2, 0.3, 0.4}, mean = 2, sd = sqrt((4 + 1 + 9) / 3.0);
    static const char *const names[] = {"laplace", "imq"};
    for (int k = 0; k < 2; k++) {
        bf__cells_kernel kernel;
        double left[3][2] = {{0}}, sum = 0, mass[4], scratch[6];
        assert_ok(bf__cells_kernel_make(&kernel, &m, names[k], "0.7", NULL, arena, &err), err);
        for (int i = 0; i < 4; i++) {
            mass[m.row_cell[i]] = x[i];
            for (int p = 0; p < 3; p++) {
                left[p][a[i]] += at[p] == s[i] ? x[i] : 0;
                left[p][0] -= at[p] == ns[i] ? 0.7 * x[i] : 0;
                left[p][1] -= at[p] == ns[i] ? 0.3 * x[i] : 0;
            }
        }
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                for (int b = 0; b < 2; b++)
                    sum += left[p][b] * left[q][b] *
                           profile(names[k], fabs((at[p] - mean) / sd - (at[q] - mean) / sd) / 0.7);
        assert_near(bf__cells_kernel_loss(&kernel, mass, scratch), sum, 1e-12);
    }
}

/* ---- Answers */

static double answer(const bf_problem *problem, const char *options) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_settings *settings;
    bf_estimate e;
    assert_ok(bf_estimator_settings(&settings, blackbox, options, arena, &err), err);
    assert_ok(bf__estimator_run(blackbox, &e, problem, settings, NULL, arena, &err), err);
    return e.value;
}

/* If the log covers the target, every discrepancy has its minimum, 0, at the same weights. If it
 * does not, they differ. */
static void one_answer_if_all_is_seen(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("ladder");
    const bf_policy *uniform, *climber;
    assert_ok(bf_env_policy_parse(&uniform, env, "uniform", 1, arena, &err), err);
    assert_ok(bf_env_policy_parse(&climber, env, "climber", 1, arena, &err), err);
    static const char *const choices[] = {
        "gaps=program", "gaps=program kernel=laplace", "gaps=program kernel=imq",
        "gaps=program discrepancy=variation", "gaps=program discrepancy=wasserstein"};
    for (int large = 0; large < 2; large++) {
        bf_simulation simulation = {.env = env,
                                    .behaviors = &uniform,
                                    .behavior_count = 1,
                                    .target = climber,
                                    .trajectories = large ? 200 : 4,
                                    .steps = 20};
        bf_dataset log;
        assert_ok(bf__simulate(&log, &simulation, NULL, arena, &err), err);
        bf_problem problem = {&log, 1, BF_TERMINAL_RESTART, climber};
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 5; k++) {
            double value = answer(&problem, choices[k]);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        assert_true(large ? high - low < 1e-12 : high - low > 1e-3);
    }
}

static void refused(void **state) {
    (void)state;
    const double s[] = {0, 4}, ns[] = {2, 2};
    const int32_t a[] = {0, 0};
    bf_dataset data;
    bf__cells m = cells_of(s, a, ns, 2, 1, &data);
    bf__cells_l1 l1;
    m.dim = 2;
    assert_int_equal(bf__cells_l1_make(&l1, &m, BF__L1_WASSERSTEIN, arena, &err), BF_EUSAGE);
    assert_string_equal(err.message, "discrepancy: wasserstein is for states of one number");
    m.dim = 1;
    m.absorbing = true;
    assert_int_equal(bf__cells_l1_make(&l1, &m, BF__L1_WASSERSTEIN, arena, &err), BF_EUSAGE);
    assert_non_null(strstr(err.message, ", and an end that absorbs has no place among them"));
    m.cells = 1000000;
    assert_int_equal(bf__cells_l1_make(&l1, &m, BF__L1_VARIATION, arena, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "`discrepancy` mmd does not"));
}

/* Whatever piece of memory is missing, it is said, and nothing is kept. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    const double edges[] = {1, -2, 0, 3, 0.5, -1, -1, 1, 2};
    double x[3];
    bf__l1_result result;
    for (long allowed = 0;; allowed++) {
        ration r = {.left = allowed};
        bf_allocator allocator = ration_allocator(&r);
        bf_arena *own = NULL;
        bf_status status = bf_arena_create(&own, &allocator, &err);
        if (status == BF_OK)
            status = bf__simplex_l1(x, &result, edges, 3, 3, NULL, own, &err);
        bf_arena_destroy(own);
        assert_int_equal(r.live, 0);
        if (status == BF_OK) {
            assert_true(allowed > 15 && result.gap <= 1e-8 * result.objective);
            return;
        }
        assert_int_equal(status, BF_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(least_of_all_corners),
        arena_test(mass_that_is_moved),
        arena_test(plain_double_sums),
        arena_test(one_answer_if_all_is_seen),
        arena_test(refused),
        arena_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
