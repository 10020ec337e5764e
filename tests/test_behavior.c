/* test_behavior.c - Logistic regression and the behaviour policy of a log that does not give it. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "policy/behavior.h"
#include "solver/logistic.h"

TEST_ARENA;

/* The plain loss, sum after sum. */
static double plain_loss(const double *beta, const double *x, const int32_t *y, int n, int m, int k,
                         double ridge) {
    double loss = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0, own = 0;
        for (int c = 0; c < k; c++) {
            double score = 0;
            for (int j = 0; j < m; j++)
                score += beta[c * m + j] * x[i * m + j];
            sum += exp(score);
            own = c == y[i] ? score : own;
        }
        loss += (log(sum) - own) / n;
    }
    for (int c = 0; c < k; c++)
        for (int j = 0; j < m; j++)
            loss += 0.5 * ridge * (j == 0 ? 1e-3 : 1) * beta[c * m + j] * beta[c * m + j];
    return loss;
}

/* Where every step in any direction makes the loss larger, it is the minimum: it is convex. */
static void logistic_finds_the_minimum(void **state) {
    (void)state;
    enum { N = 500, M = 4, K = 3 };
    double x[N * M], beta[K * M] = {0}, gradient;
    int32_t y[N];
    bf_rng rng = bf_rng_make(2, "logistic", 0);
    for (int i = 0; i < N; i++) {
        x[i * M] = 1;
        for (int j = 1; j < M; j++)
            x[i * M + j] = bf_rng_normal(&rng);
        y[i] = x[i * M + 1] + bf_rng_normal(&rng) > 1 ? 2 : (int32_t)bf_rng_below(&rng, 2);
    }
    assert_ok(bf__logistic_fit(beta, &gradient, x, y, N, M, K, 1, 1e-3, NULL, arena, &err), err);
    assert_true(gradient < 1e-6);
    double least = plain_loss(beta, x, y, N, M, K, 1e-3);
    for (int j = 0; j < K * M; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double kept = beta[j];
            beta[j] += sign * 1e-2;
            assert_true(plain_loss(beta, x, y, N, M, K, 1e-3) > least);
            beta[j] = kept;
        }
}

/* Classes that a line tells apart: coefficients stay finite, and so does everything else. */
static void logistic_survives_separable_classes(void **state) {
    (void)state;
    enum { N = 40 };
    double x[2 * N], beta[4] = {0}, p[2 * N];
    int32_t y[N];
    for (int i = 0; i < N; i++) {
        x[2 * i] = 1;
        x[2 * i + 1] = i - N / 2 + 0.5;
        y[i] = i >= N / 2;
    }
    assert_ok(bf__logistic_fit(beta, NULL, x, y, N, 2, 2, 1, 1e-6, NULL, arena, &err), err);
    assert_ok(bf__logistic_predict(p, beta, x, N, 2, 2, NULL, &err), err);
    for (int i = 0; i < N; i++)
        assert_true(p[2 * i + y[i]] > 0.9 && p[2 * i + y[i]] <= 1);
}

/* ---- A log whose behaviour is a softmax of its state */

enum { ROWS = 6000 };

static void softmax(const double *s, double *p) {
    double score[3] = {1.5 * s[0] - s[1], sin(2 * s[0]), s[1]}, sum = 0;
    for (int a = 0; a < 3; a++)
        sum += p[a] = exp(score[a]);
    for (int a = 0; a < 3; a++)
        p[a] /= sum;
}

static bf_dataset softmax_log(void) {
    bf_rng rng = bf_rng_make(9, "softmax", 0);
    double *s = bf_arena_alloc(arena, 2 * ROWS, sizeof *s, &err);
    double *r = bf_arena_zalloc(arena, ROWS, sizeof *r, &err);
    int32_t *a = bf_arena_alloc(arena, ROWS, sizeof *a, &err);
    for (int i = 0; i < ROWS; i++) {
        double at[2] = {bf_rng_normal(&rng), bf_rng_normal(&rng)}, p[3];
        s[i] = at[0];
        s[ROWS + i] = at[1];
        softmax(at, p);
        a[i] = (int32_t)bf_rng_choice(&rng, p, 1, 3);
    }
    return (bf_dataset){.n = ROWS,
                        .state_dim = 2,
                        .actions = 3,
                        .state = s,
                        .next_state = s,
                        .action = a,
                        .reward = r};
}

static void a_softmax_policy_is_recovered(void **state) {
    (void)state;
    bf_dataset data = softmax_log();
    bf_behavior fit;
    bf_context context = {.seed = 1};
    assert_ok(bf__behavior_fit(&fit, &data, &context, arena, &err), err);
    double apart = 0, even = 0;
    for (int64_t i = 0; i < data.n; i++) {
        double at[2] = {data.state[i], data.state[ROWS + i]}, p[3], sum = 0;
        softmax(at, p);
        for (int a = 0; a < 3; a++) {
            double found = data.mu_all[a * data.n + i];
            assert_true(found > 0 && found < 1);
            sum += found;
            apart += fabs(found - p[a]) / (3.0 * ROWS);
            even += fabs(1.0 / 3 - p[a]) / (3.0 * ROWS);
        }
        assert_near(sum, 1, 1e-9);
        assert_near(data.mu[i], data.mu_all[data.action[i] * data.n + i], 0);
        assert_true(data.mu[i] >= fit.least);
    }
    assert_true(apart < 0.03);
    assert_true(even > 0.1); /* there was something to find */
    assert_true(fit.likelihood > fit.frequencies + 0.1);
    assert_true(fit.calibration < 0.03);
    assert_string_equal(fit.model, "logistic");
}

static void counts_are_shares(void **state) {
    (void)state;
    double s[] = {0, 0, 0, 0, 2, 2}, r[6] = {0};
    int32_t a[] = {0, 0, 0, 1, 1, 1};
    bf_dataset data = {.n = 6,
                       .state_dim = 1,
                       .actions = 2,
                       .states = 3,
                       .state = s,
                       .next_state = s,
                       .action = a,
                       .reward = r};
    bf_behavior fit;
    assert_ok(bf__behavior_fit(&fit, &data, NULL, arena, &err), err);
    const double mu[] = {.75, .75, .75, .25, 1, 1};
    for (int i = 0; i < 6; i++)
        assert_near(data.mu[i], mu[i], 0);
    assert_near(data.mu_all[4], 1e-6, 0); /* never taken in state 2: not 0 */
    assert_near(fit.least, 0.25, 0);
}

static void a_policy_gives_mu(void **state) {
    (void)state;
    double s[] = {0, 1, 0}, r[3] = {0}, table[] = {.25, .75, 1, 0};
    int32_t a[] = {1, 0, 0};
    bf_dataset data = {.n = 3,
                       .state_dim = 1,
                       .actions = 2,
                       .states = 2,
                       .state = s,
                       .next_state = s,
                       .action = a,
                       .reward = r};
    const bf_policy *policy;
    assert_ok(bf_policy_from_table(&policy, "b.csv", bf_view_of(table, 2, 2), arena, &err), err);
    assert_ok(bf__behavior_apply(policy, &data, arena, &err), err);
    const double mu[] = {.75, 1, .25};
    for (int i = 0; i < 3; i++)
        assert_near(data.mu[i], mu[i], 0);
    assert_null(data.pi); /* the target is not touched */
    a[1] = 1;
    assert_int_equal(bf__behavior_apply(policy, &data, arena, &err), BF_EPOLICY);
    assert_non_null(strstr(err.message, "the behaviour b.csv never takes action 1 in this state"));
}

static void vectors_are_refused(void **state) {
    (void)state;
    double s[] = {0.5}, u[] = {1}, r[] = {0};
    bf_dataset data = {.n = 1,
                       .state_dim = 1,
                       .action_dim = 1,
                       .state = s,
                       .next_state = s,
                       .action_vector = u,
                       .reward = r};
    bf_behavior fit;
    assert_int_equal(bf__behavior_fit(&fit, &data, NULL, arena, &err), BF_EDATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(logistic_finds_the_minimum),
        arena_test(logistic_survives_separable_classes),
        arena_test(a_softmax_policy_is_recovered),
        arena_test(counts_are_shares),
        arena_test(a_policy_gives_mu),
        arena_test(vectors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
