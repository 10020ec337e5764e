/* test_linear.c - Linear weights against tabular ones, and against a plain dense solve. */
#include "models.h"

#include "flow/flow.h"
#include "kernel/bandwidth.h"
#include "problem/points.h"

TEST_ARENA;

static const char *const linear[] = {"weights", "linear", NULL};

/* On a finite process, given as numbers on a line, W can be anything at every pair: as lambda
 * goes to 0 the answer is the tabular one. What is left is the bias, lambda over the square of the
 * smallest singular value of the flow. */
static void finite_processes(void **state) {
    (void)state;
    const char *options[] = {"weights", "linear", "ridge", "1e-13", "bandwidth", "0.3", NULL};
    models_tabular(options, arena);
}

/* k between the pairs (s, a) and x_j; s has coordinate c at s[c * stride]. */
static bf__pair_kernel kernel;

static double pair(const bf__points *in, const double *s, int64_t stride, int action, int64_t j) {
    return bf__kernel_plain(&kernel.state, s, stride, in->z + j, in->n, in->d) *
           (action == in->action[j] ? 1 : kernel.share);
}

/* <psi_i, phi(x_j)> by the definition of psi, under restarts. */
static double flow_at(const bf__points *in, int64_t i, int64_t j) {
    double g = in->steps.ended[i] ? 0 : in->steps.gamma,
           sum = pair(in, in->z + i, in->n, in->action[i], j);
    for (int a = 0; a < in->actions; a++) {
        sum -= g * in->npi[a * in->n + i] * pair(in, in->nz + i, in->n, a, j);
        for (int64_t e = 0; e < in->starts; e++)
            sum -= (1 - g) / (double)in->starts * in->pi0[a * in->starts + e] *
                   pair(in, in->z0 + e, in->starts, a, j);
    }
    return sum;
}

/* W = 1 + sum_j c_j (k(., x_j) - mean) over all pairs; the residual projected on their span is
 * |sum_i w_i C_i.|^2 in the norm of G^-1, C_ij = <psi_i, phi(x_j)>. The normal equations in c,
 * written out. */
static double plain_value(const bf_dataset *data, double gamma, const char *width, double share,
                          double lambda) {
    bf_problem problem = {data, gamma, BF_TERMINAL_RESTART};
    bf_context context = {.threads = 1, .seed = 1};
    bf__points points;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, &context, arena, &err), err);
    bf__points *in = &points;
    enum { N = 70 };
    static double gram[N][N], h[N][N], flow[N][N], t[N], b[N], m[N][N], a[N][N], spare[N][N];
    double p[N] = {0}, c[N];
    assert_int_equal(data->n, N);
    assert_ok(bf__kernel_make(&kernel.state, "gaussian", width, in->z, N, in->d, 1, arena, &err),
              err);
    kernel.share = share;
    for (int j = 0; j < N; j++) {
        double mean = 0;
        for (int i = 0; i < N; i++) {
            flow[i][j] = flow_at(in, i, j);
            gram[i][j] = pair(in, in->z + i, N, data->action[i], j);
            mean += gram[i][j] / N;
            p[j] += flow[i][j] / N;
        }
        for (int i = 0; i < N; i++)
            h[i][j] = gram[i][j] - mean;
    }
    /* m (N, N): column j is mean_i C_i. h_ij; the normal matrix is m' G^-1 m + lambda G. */
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++) {
            m[k][j] = 0;
            for (int i = 0; i < N; i++)
                m[k][j] += flow[i][k] * h[i][j] / N;
        }
    for (int j = 0; j <= N; j++) { /* G^-1 m_j; the last: G^-1 p */
        memcpy(spare, gram, sizeof gram);
        for (int k = 0; k < N; k++)
            t[k] = j < N ? m[k][j] : p[k];
        plain_solve(spare[0], t, N);
        for (int l = 0; l < N; l++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += m[k][l] * t[k];
            *(j < N ? &a[l][j] : &b[l]) = j < N ? sum + lambda * gram[l][j] : -sum;
        }
    }
    memcpy(c, b, sizeof c);
    plain_solve(a[0], c, N);
    double value = 0;
    for (int i = 0; i < N; i++) {
        double w = 1;
        for (int j = 0; j < N; j++)
            w += h[i][j] * c[j];
        value += w / N * data->reward[i];
    }
    return value;
}

static void closed_form_is_the_plain_solve(void **state) {
    (void)state;
    const char *ridges[] = {"1e-2", "1e-4", "1e-6"};
    const double gammas[] = {1, 0.8};
    for (int l = 0; l < 3; l++)
        for (int g = 0; g < 2; g++) {
            bf_dataset data = models_walk(70, 2, 2, 7, 9, arena);
            const char *options[] = {"weights",  "linear", "kernel",       "gaussian", "bandwidth",
                                     "0.3",      "ridge",  ridges[l],      "features", "70",
                                     "periodic", "none",   "action_share", "0.25",     NULL};
            bf_estimate out = models_run(&data, gammas[g], BF_TERMINAL_RESTART, 1, options, arena);
            assert_near(bf_estimate_get(&out, "features"), 70, 0);
            assert_near(out.value, plain_value(&data, gammas[g], "0.3", 0.25, atof(ridges[l])),
                        1e-8);
        }
}

static void loss_is_never_above_that_of_equal_weights(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 6; k++) {
        bf_dataset data = models_walk(300, 1 + (int)k % 3, 2, 20, k, arena);
        bf_estimate out = models_run(&data, k % 2 ? 1 : 0.9, BF_TERMINAL_RESTART, 1, linear, arena);
        double loss = bf_estimate_get(&out, "flow_residual");
        assert_true(loss <= bf_estimate_get(&out, "flow_residual_uniform"));
        assert_true(bf_estimate_get(&out, "negative_mass") <= 0.05);
        assert_true(bf_estimate_get(&out, "ridge") >= 1e-14);
    }
}

static void hard_logs(void **state) {
    (void)state;
    models_survive("linear", arena);
}

/* Threads, and blocks of rows in place of all of them, change no digit that matters. */
static void threads_and_blocks(void **state) {
    (void)state;
    bf_dataset data = models_walk(5000, 2, 3, 50, 2, arena);
    const char *held[] = {"weights", "linear", "features", "110", "ridge", "1e-8", NULL};
    const char *blocks[] = {"weights", "linear", "features", "110", "ridge",
                            "1e-8",    "memory", "0.01",     NULL};
    bf_estimate one = models_run(&data, 1, BF_TERMINAL_RESTART, 1, held, arena);
    bf_estimate two = models_run(&data, 1, BF_TERMINAL_RESTART, 2, held, arena);
    assert_true(one.value == two.value);
    assert_memory_equal(one.weights, two.weights, (size_t)data.n * sizeof *one.weights);
    for (int i = 0; i < one.diagnostic_count; i++)
        assert_true(one.diagnostics[i].value == two.diagnostics[i].value);
    bf_estimate cut = models_run(&data, 1, BF_TERMINAL_RESTART, 2, blocks, arena);
    assert_near(cut.value, one.value, 1e-9);
    assert_near(bf_estimate_get(&cut, "flow_guard"), bf_estimate_get(&one, "flow_guard"), 1e-9);
}

static void bad_options_and_stopping(void **state) {
    (void)state;
    bf_dataset data = models_walk(50, 2, 2, 10, 2, arena);
    bf_estimate out;
    bf_context stop = {.threads = 1, .callbacks = {.progress = models_stop}};
    const char *wrong[] = {"weights", "linear", "ridge", "small", NULL};
    const char *share[] = {"weights", "linear", "action_share", "2", NULL};
    assert_int_equal(models_try(&out, &data, 1, 0, NULL, wrong, arena, &err), BF_EUSAGE);
    assert_string_equal(err.message,
                        "ridge: 'small' is neither auto nor a number from 1e-15 to 1e+06");
    assert_int_equal(models_try(&out, &data, 1, 0, NULL, share, arena, &err), BF_EUSAGE);
    assert_string_equal(err.message, "action_share: '2' is neither auto nor a number from 0 to 1");
    assert_int_equal(models_try(&out, &data, 1, 0, &stop, linear, arena, &err), BF_ECANCELLED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(finite_processes),
        arena_test(closed_form_is_the_plain_solve),
        arena_test(loss_is_never_above_that_of_equal_weights),
        arena_test(hard_logs),
        arena_test(threads_and_blocks),
        arena_test(bad_options_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
