/* test_correction.c - The correction of the weights, against two-stage least squares written out,
 * on all rows and on some of them; and how noisy steps are, which decides on its form. */
#include "line.h"

#include "linalg/dense.h"
#include "weights/noise.h"
#include "weights/rebalance.h"

/* ---- The correction, written out */

/* What a correction starts from: `n` rows of the line, their chain, and m features. */
typedef struct ground {
    bf_dataset data;
    bf_problem problem;
    bf__points points;
    bf__neighbours base;
    bf__pair_kernel kernel;
    bf__lowrank *lowrank;
} ground;

/* `by_u`: pivots among rows that are drawn by the weights of the chain. */
static void prepare(ground *g, int64_t n, int m, bool by_u, uint64_t seed) {
    line l = {.edge = 2, .unit = 1};
    bf__pointwise options = {.bandwidth = "median"};
    g->data = line_log(&l, n, seed);
    g->problem = (bf_problem){&g->data, 1, BF_TERMINAL_RESTART};
    assert_ok(bf__points_make(&g->points, &g->problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__neighbours_solve(&g->base, &g->problem, &g->points, 16, 0, NULL, arena, &err),
              err);
    assert_ok(bf__features_read(&g->kernel, &g->points, &options, arena, &err), err);
    const double *u = by_u ? g->base.u : NULL;
    assert_ok(bf__features_make(&g->lowrank, &g->points, &g->kernel, 2, m, u, NULL, arena, &err),
              err);
    assert_int_equal(g->lowrank->m, m);
}

static void check_correction(bool leave_own, bool by_u) {
    enum { N = 300, M = 12 };
    ground start;
    bf__correction *correction;
    prepare(&start, N, M, by_u, 11);
    const bf__neighbours base = start.base;
    const bf__lowrank *lowrank = start.lowrank;
    const double *rewards = start.data.reward;
    static double phi[N * M], psi[N * M], w[2 * N], z[N * M];
    assert_ok(bf__lowrank_rows(phi, psi, lowrank, 0, N, NULL, &err), err);
    assert_ok(bf__correction_make(&correction, &base, lowrank, NULL, NULL, leave_own, 1, NULL,
                                  arena, &err),
              err);
    assert_int_equal(correction->products, by_u && !leave_own);
    const double ridge[2] = {1e-3, fmax(1e-9, bf__correction_least(correction))};
    assert_true(leave_own ? ridge[1] < 1e-4 : ridge[1] == 1e-9);
    assert_ok(bf__correct(w, correction, ridge, 2, NULL, arena, &err), err);
    double mean[M] = {0}, balance[M] = {0}, reward = 0;
    for (int i = 0; i < N; i++) {
        reward += base.u[i] * rewards[i];
        for (int p = 0; p < M; p++) {
            mean[p] += base.u[i] * phi[i * M + p];
            balance[p] += base.u[i] * psi[i * M + p];
        }
    }
    double g[M * M] = {0}, c[M * M] = {0};
    for (int i = 0; i < N; i++)
        for (int p = 0; p < M; p++)
            for (int q = 0; q < M; q++) {
                double f = base.u[i] * (phi[i * M + p] - mean[p]);
                g[p * M + q] += f * (phi[i * M + q] - mean[q]);
                c[p * M + q] += f * (psi[i * M + q] - balance[q]);
            }
    for (int p = 0; p < M; p++)
        g[p * M + p] += 1e-7;
    /* The instruments of row i: its fitted psi, less its own part in it. */
    for (int i = 0; i < N; i++) {
        double copy[M * M], x[M], own = 0;
        memcpy(copy, g, sizeof copy);
        for (int p = 0; p < M; p++)
            x[p] = phi[i * M + p] - mean[p];
        plain_solve(copy, x, M);
        for (int p = 0; p < M; p++)
            own += base.u[i] * x[p] * (phi[i * M + p] - mean[p]);
        for (int q = 0; q < M; q++) {
            z[i * M + q] = leave_own ? -own * (psi[i * M + q] - balance[q]) : 0;
            for (int p = 0; p < M; p++)
                z[i * M + q] += c[p * M + q] * x[p];
        }
    }
    for (int s = 0; s < 2; s++) {
        /* theta of sum u z (r - rho - psi'theta) = ridge theta, by elimination. */
        double a[M * M] = {0}, theta[M] = {0}, value = reward, signed_value = 0, sum = 0;
        for (int i = 0; i < N; i++)
            for (int p = 0; p < M; p++) {
                theta[p] += base.u[i] * z[i * M + p] * (rewards[i] - reward);
                for (int q = 0; q < M; q++)
                    a[p * M + q] += base.u[i] * z[i * M + p] * (psi[i * M + q] - balance[q]);
            }
        for (int p = 0; p < M; p++)
            a[p * M + p] += ridge[s];
        plain_solve(a, theta, M);
        for (int p = 0; p < M; p++)
            value -= balance[p] * theta[p];
        for (int i = 0; i < N; i++) {
            signed_value += w[s * N + i] * rewards[i];
            sum += w[s * N + i];
        }
        assert_near(sum, 1, 1e-8);
        assert_near(signed_value, value, 1e-6);
        /* The fitted q gives the same value: sum u (r - psi'theta), theta = L' beta. */
        double beta[M], by_q = reward;
        assert_ok(bf__correction_value(beta, correction, rewards, 1, ridge[s], NULL, arena, &err),
                  err);
        for (int p = 0; p < M; p++)
            for (int q = p; q < M; q++)
                by_q -= balance[p] * lowrank->l[q * M + p] * beta[q];
        assert_near(by_q, signed_value, 1e-7);
    }
    double residual[2];
    assert_ok(bf__features_residual(residual, lowrank, base.u, 1, false, 1, NULL, arena, &err),
              err);
    double before = 0, after = 0;
    for (int p = 0; p < M; p++)
        before += balance[p] * balance[p];
    assert_near(residual[0], before, 1e-12);
    for (int p = 0; p < M; p++) {
        double gap = 0;
        for (int i = 0; i < N; i++)
            gap += w[N + i] * psi[i * M + p];
        after += gap * gap;
    }
    assert_true(after < 1e-3 * before); /* the small ridge leaves next to nothing */
}

static void the_correction_is_two_stage_least_squares(void **state) {
    (void)state;
    check_correction(false, false);
}

/* No row of phi is kept then, and the sums are of inner products with the pivots. */
static void the_correction_is_the_same_by_inner_products(void **state) {
    (void)state;
    check_correction(false, true);
}

static void the_correction_can_leave_own_rows_out(void **state) {
    (void)state;
    check_correction(true, false);
    check_correction(true, true);
}

/* ---- Samples */

/* Sums over a sample are those over all rows, but for noise; each row is there once. */
static void a_sample_stands_for_all_rows(void **state) {
    (void)state;
    enum { N = 20000, SIZE = 2000 };
    static double w[N];
    double exact[3] = {0}, sum[3] = {0}, total = 0;
    bf_rng rng = bf_rng_make(3, "weights", 0);
    for (int i = 0; i < N; i++)
        total += w[i] = pow(bf_rng_uniform(&rng), 8);
    bf__sample sample;
    for (int i = 0; i < N; i++)
        w[i] /= total;
    assert_ok(bf__sample_draw(&sample, w, N, SIZE, 5, arena, &err), err);
    assert_true(sample.n > SIZE / 2 && (double)sample.n < SIZE + 5 * sqrt(SIZE));
    for (int i = 0; i < N; i++)
        for (int p = 0; p < 3; p++)
            exact[p] += w[i] * pow(i / (double)N, p);
    for (int64_t k = 0; k < sample.n; k++) {
        assert_true(k == 0 || sample.row[k] > sample.row[k - 1]);
        for (int p = 0; p < 3; p++)
            sum[p] += sample.u[k] * pow((double)sample.row[k] / N, p);
    }
    for (int p = 0; p < 3; p++)
        assert_near(sum[p], exact[p], p == 0 ? 1e-12 : 0.02);
}

/* Rows are drawn in proportion, and those of nearly the same weights are nearly the same. */
static void rows_are_drawn_by_weight(void **state) {
    (void)state;
    enum { N = 20000, SIZE = 2000 };
    static double w[N], near[N];
    bf__sample some, others;
    double expected = 0, mass = 0, drawn = 0;
    bf_rng rng = bf_rng_make(3, "weights", 0);
    for (int i = 0; i < N; i++) {
        w[i] = pow(bf_rng_uniform(&rng), 8);
        near[i] = w[i] * (1 + 0.02 * bf_rng_uniform(&rng));
        mass += w[i];
    }
    int64_t same = 0;
    assert_ok(bf__sample_draw(&some, w, N, SIZE, 5, arena, &err), err);
    for (int i = 0; i < N; i++)
        expected += w[i] / mass * fmin(1, SIZE * (0.5 / N + 0.5 * w[i] / mass));
    for (int64_t k = 0; k < some.n; k++)
        drawn += w[some.row[k]] / mass;
    assert_near((double)some.n, SIZE, 5 * sqrt(SIZE));
    assert_near(drawn, expected, 0.02);
    assert_ok(bf__sample_draw(&others, near, N, SIZE, 5, arena, &err), err);
    for (int64_t a = 0, b = 0; a < some.n && b < others.n;) {
        same += some.row[a] == others.row[b];
        int64_t step = some.row[a] - others.row[b];
        a += step <= 0;
        b += step >= 0;
    }
    assert_true((double)same > 0.98 * (double)some.n);
}

/* A correction whose moments are summed over a "sample" of all rows is the correction. */
static void moments_of_some_rows_are_those_of_all(void **state) {
    (void)state;
    enum { N = 400, M = 20 };
    ground g;
    bf__lowrank part;
    bf__correction *all, *some;
    static double w[2][N];
    int64_t row[N];
    double weight[N];
    const double ridge = 1e-9;
    prepare(&g, N, M, false, 12);
    for (int i = 0; i < N; i++) {
        row[i] = i;
        weight[i] = g.base.u[i];
    }
    bf__sample sample = {N, row, weight};
    assert_ok(bf__features_part(&part, g.lowrank, &g.points, &g.kernel, 2, &sample, arena, &err),
              err);
    for (int leave_own = 0; leave_own < 2; leave_own++) {
        assert_ok(bf__correction_make(&all, &g.base, g.lowrank, NULL, NULL, leave_own, 1, NULL,
                                      arena, &err),
                  err);
        assert_ok(bf__correction_make(&some, &g.base, g.lowrank, &sample, &part, leave_own, 1, NULL,
                                      arena, &err),
                  err);
        double at = fmax(ridge, bf__correction_least(all));
        assert_ok(bf__correct(w[0], all, &at, 1, NULL, arena, &err), err);
        assert_ok(bf__correct(w[1], some, &at, 1, NULL, arena, &err), err);
        for (int i = 0; i < N; i++)
            assert_near(w[1][i], w[0][i], 1e-6);
    }
}

/* ---- Noise */

/* A line is left by steps with noise of `deviation`, in a log of `n` rows. */
static double noise_of(double deviation, int64_t n) {
    bf_dataset data = {.n = n, .state_dim = 1, .actions = 2};
    double *s, *next, *reward, *npi, share;
    int32_t *action;
    bf_rng rng = bf_rng_make(5, "a line", 0);
    s = bf_arena_alloc(arena, n, sizeof *s, &err);
    next = bf_arena_alloc(arena, n, sizeof *s, &err);
    reward = bf_arena_alloc(arena, n, sizeof *s, &err);
    npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    action = bf_arena_alloc(arena, n, sizeof *action, &err);
    for (int64_t i = 0; i < n; i++) {
        s[i] = bf_rng_uniform(&rng);
        action[i] = bf_rng_uniform(&rng) < 0.5;
        next[i] = s[i] + (action[i] ? 0.3 : -0.2) * sin(5 * s[i]) + (s[i] > 0.9 ? 1 : 0) +
                  deviation * bf_rng_normal(&rng);
        reward[i] = 0;
        npi[i] = npi[n + i] = 0.5;
    }
    data.state = s;
    data.next_state = next;
    data.reward = reward;
    data.npi = npi;
    data.action = action;
    bf_problem problem = {&data, 1, BF_TERMINAL_IGNORE};
    bf__points points;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__step_noise(&share, &points, arena, &err), err);
    return share;
}

static void steps_are_as_noisy_as_they_are(void **state) {
    (void)state;
    assert_true(noise_of(0, 3000) < 1e-3); /* a jump is no noise */
    assert_true(noise_of(0, 60) < 0.1);
    double little = noise_of(0.02, 3000), much = noise_of(0.3, 3000);
    assert_true(little > 0.003 && little < 0.05); /* 0.0004 of that */
    assert_true(much > 0.5 && much < 0.9);        /* 0.09 of 0.09 + about 0.03 */
    assert_true(noise_of(0.3, 5) == 0);           /* too few to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_correction_is_two_stage_least_squares),
        cmocka_unit_test(the_correction_is_the_same_by_inner_products),
        cmocka_unit_test(the_correction_can_leave_own_rows_out),
        cmocka_unit_test(a_sample_stands_for_all_rows),
        cmocka_unit_test(rows_are_drawn_by_weight),
        cmocka_unit_test(moments_of_some_rows_are_those_of_all),
        cmocka_unit_test(steps_are_as_noisy_as_they_are),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
