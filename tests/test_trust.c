/* test_trust.c - Intervals: clusters, parts and influence against textbook formulas, derivatives
 * by brute force, and each other. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/simulate.h"
#include "logs.h"
#include "trust/clusters.h"
#include "trust/influence.h"
#include "trust/parts.h"
#include "trust/student.h"
#include "trust/subset.h"

TEST_ARENA;

/* For 1, 2 and 4 degrees of freedom the quantile is a formula; the others stand in tables. */
static void quantiles_of_t(void **state) {
    (void)state;
    const double levels[] = {0.6, 0.9, 0.975, 0.999};
    for (int k = 0; k < 4; k++) {
        double p = levels[k], a = sqrt(4 * p * (1 - p)), four = cos(acos(a) / 3) / a;
        assert_near(bf__student_quantile(p, 1), tan(M_PI * (p - 0.5)), 1e-9);
        assert_near(bf__student_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)), 1e-9);
        assert_near(bf__student_quantile(p, 4), 2 * sqrt(four - 1), 1e-8);
        assert_near(bf__student_quantile(1 - p, 4), -2 * sqrt(four - 1), 1e-8);
    }
    assert_near(bf__student_quantile(0.975, 10), 2.228, 5e-4);
    assert_near(bf__student_quantile(0.995, 30), 2.750, 5e-4);
    assert_near(bf__student_quantile(0.975, 1e8), 1.959963984540054, 1e-6);
    assert_near(bf__student_cdf(0, 3), 0.5, 1e-15);
}

/* ---- Logs */

/* Episodes of a finite process of 4 states, 2 actions; some end, if `ends`. */
static bf_dataset finite_log(int episodes, int length, bool ends, uint64_t seed) {
    int64_t n = (int64_t)episodes * length;
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    bf_rng rng = bf_rng_make(seed, "finite log", 0);
    int64_t i = 0;
    for (int e = 0; e < episodes; e++) {
        int64_t now = bf_rng_below(&rng, 4);
        begin[e] = i;
        for (int t = 0; t < length; t++, i++) {
            order[i] = i;
            s[i] = (double)now;
            a[i] = (int32_t)bf_rng_below(&rng, 2);
            now = bf_rng_uniform(&rng) < (a[i] ? 0.7 : 0.4) ? (now + 1) % 4 : bf_rng_below(&rng, 4);
            ns[i] = (double)now;
            r[i] = s[i] + 0.5 * a[i] + bf_rng_uniform(&rng);
            terminated[i] = ends && t == length - 1 && e % 2 == 0;
            pi[n + i] = 0.2 + 0.2 * s[i];
            npi[n + i] = 0.2 + 0.2 * ns[i];
            pi[i] = 1 - pi[n + i];
            npi[i] = 1 - npi[n + i];
        }
    }
    begin[episodes] = n;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = 4,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .terminated = terminated,
                        .pi = pi,
                        .npi = npi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static bf_dataset simulated(const char *name, const char *behavior, const char *target,
                            int64_t episodes, int64_t horizon, uint64_t seed) {
    bf_dataset data;
    const bf_env *env = bf_env_find(name);
    const bf_policy *act, *judge;
    assert_ok(bf_env_policy_parse(&act, env, behavior, 1, arena, &err), err);
    assert_ok(bf_env_policy_parse(&judge, env, target, 1, arena, &err), err);
    bf_simulation how = {.env = env,
                         .behaviors = &act,
                         .behavior_count = 1,
                         .target = judge,
                         .trajectories = episodes,
                         .steps = horizon};
    bf_context context = {.threads = 1, .seed = seed};
    assert_ok(bf__simulate(&data, &how, &context, arena, &err), err);
    return data;
}

static bf__clusters episodes_of(const bf_dataset *data) {
    bf__clusters clusters;
    assert_ok(bf__clusters_make(&clusters, data, NULL, NULL, 0, arena, &err), err);
    return clusters;
}

/* ---- Clusters and subsets */

static void clusters_are_episodes_columns_or_blocks(void **state) {
    (void)state;
    bf__clusters c;
    bf_dataset data = finite_log(6, 10, false, 1);
    assert_ok(bf__clusters_make(&c, &data, NULL, NULL, 0, arena, &err), err);
    assert_int_equal(c.count, 6);
    assert_int_equal(c.of[59], 5);
    assert_string_equal(c.kind, "episode");
    double column[60];
    for (int i = 0; i < 60; i++)
        column[i] = i / 10 < 3 ? 7.5 : -2 - i / 20;
    assert_ok(bf__clusters_make(&c, &data, column, "site", 0, arena, &err), err);
    assert_int_equal(c.count, 3); /* 7.5; -3 (episode 3), -4 (episodes 4 and 5) */
    assert_int_equal(c.of[0], c.of[29]);
    assert_int_not_equal(c.of[30], c.of[40]);
    column[15] = 3;
    bf_source source = {.path = "log.csv", .by_line = true};
    int64_t row[60];
    for (int i = 0; i < 60; i++)
        row[i] = i + 2;
    data.sources = &source;
    data.source_count = 1;
    data.row = row;
    assert_int_equal(bf__clusters_make(&c, &data, column, "site", 0, arena, &err), BF_EDATA);
    assert_string_equal(err.message,
                        "log.csv:17: site: 3, but the episode began with 7.5 (log.csv:12); all "
                        "rows of an episode have to be in one cluster");
    assert_ok(bf__clusters_make(&c, &data, NULL, NULL, 4, arena, &err), err);
    assert_int_equal(c.count, 18); /* 4 + 4 + 2 rows of each episode */
    assert_int_equal(c.of[10], c.of[13]);
    assert_int_not_equal(c.of[9], c.of[10]);
    data.begin = data.order = NULL;
    data.episodes = 0;
    assert_ok(bf__clusters_make(&c, &data, NULL, NULL, 4, arena, &err), err);
    assert_int_equal(c.count, 15);
    assert_ok(bf__clusters_make(&c, &data, NULL, NULL, 0, arena, &err), err);
    assert_int_equal(c.count, 0);
    assert_non_null(c.none);
}

static void shares_and_deals(void **state) {
    (void)state;
    bf_dataset data = finite_log(4, 5, false, 1);
    bf__clusters c = episodes_of(&data);
    double w[20], share[4];
    int32_t part[101], count[5] = {0};
    for (int i = 0; i < 20; i++)
        w[i] = i < 5 ? 3 : 1;
    assert_near(bf__clusters_share(share, &c, NULL, 20), 4, 1e-12);
    assert_near(bf__clusters_share(share, &c, w, 20), 1 / (0.25 + 3.0 / 36), 1e-12);
    assert_near(share[0], 0.5, 1e-15);
    bf__clusters_deal(part, 101, 5, 1, "test", 0);
    for (int j = 0; j < 101; j++)
        count[part[j]]++;
    for (int k = 0; k < 5; k++)
        assert_int_equal(count[k], k == 0 ? 21 : 20);
}

/* Every row is in one part, with all its columns; episodes stay whole and in order. */
static void subsets_keep_rows_and_episodes(void **state) {
    (void)state;
    bf_dataset data = finite_log(7, 9, true, 3), part;
    bf__clusters c = episodes_of(&data);
    const int32_t deal[] = {0, 1, 0, 1, 1, 0, 1};
    assert_ok(bf__subset(&part, &data, &c, deal, 1, arena, &err), err);
    assert_int_equal(part.n, 36);
    assert_int_equal(part.episodes, 4);
    const int from[] = {1, 3, 4, 6};
    for (int e = 0; e < 4; e++) {
        assert_int_equal(part.begin[e], 9 * e);
        for (int t = 0; t < 9; t++) {
            int64_t i = part.order[part.begin[e] + t], k = 9 * from[e] + t;
            assert_true(part.state[i] == data.state[k] && part.reward[i] == data.reward[k]);
            assert_true(part.action[i] == data.action[k]);
            assert_true(part.npi[36 + i] == data.npi[63 + k] && part.pi[i] == data.pi[k]);
            assert_int_equal(part.terminated[i], data.terminated[k]);
        }
    }
    assert_int_equal(part.states, 4);
    assert_null(part.mu);
}

/* ---- Parts */

static bf__parts run_parts(const char *method, const bf_dataset *data, const int *counts,
                           int splits, int threads) {
    bf__parts parts;
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART, NULL};
    bf_context context = {.threads = threads, .seed = 5};
    bf__clusters clusters = episodes_of(data);
    assert_ok(bf__parts_run(&parts, counts, splits, bf_estimator_find(method), &problem, NULL,
                            &clusters, &context, arena, &err),
              err);
    return parts;
}

static bf__scatter scatter_of(const bf__parts *parts, double value) {
    double z[64];
    bf__measured answer = {.value = value, .parts = parts->value[BF__VALUE]};
    bf__error_form form = bf__error_form_of(&answer, 1, 0, parts->count, parts->split);
    assert_in_range(bf__error_length(&form), 1, 64);
    bf__error_fill(z, &form, &answer);
    return bf__error_scatter(&form, z);
}

/* Parts of one episode each: the textbook's standard error of the mean of J episodes. For halves,
 * the difference of two means of J / 2: a quarter of its square. */
static void parts_of_a_mean_are_the_textbook(void **state) {
    (void)state;
    bf_dataset data = finite_log(8, 25, false, 4);
    double mean[8] = {0}, all = 0, square = 0;
    for (int64_t i = 0; i < 200; i++)
        mean[i / 25] += data.reward[i] / 25;
    for (int j = 0; j < 8; j++)
        all += mean[j] / 8;
    for (int j = 0; j < 8; j++)
        square += pow(mean[j] - all, 2) / 7;
    const int singles[] = {8}, halves[] = {2};
    bf__parts parts = run_parts("naive", &data, singles, 1, 1);
    bf__scatter s = scatter_of(&parts, all);
    assert_int_equal(s.df, 7);
    assert_near(s.noise, sqrt(square / 8), 1e-12);
    assert_near(s.bias, 0, 1e-12);
    parts = run_parts("naive", &data, halves, 1, 1);
    s = scatter_of(&parts, all);
    const double *v = parts.value[BF__VALUE];
    assert_int_equal(s.df, 1);
    assert_near(s.noise, fabs(v[0] - v[1]) / 2, 1e-12);
    assert_near(0.5 * (v[0] + v[1]), all, 1e-12);
}

/* The seed says which parts; threads do not. */
static void parts_do_not_depend_on_threads(void **state) {
    (void)state;
    bf_dataset data = simulated("pendulum", "handmade@0.7", "handmade@0.9", 8, 40, 2);
    const int counts[] = {2, 4};
    bf__parts first = run_parts("blackbox", &data, counts, 2, 1);
    assert_int_equal(first.count, 6);
    assert_int_equal(first.failed, 0);
    for (int threads = 2; threads <= 3; threads++) {
        bf__parts again = run_parts("blackbox", &data, counts, 2, threads);
        for (int k = 0; k < 6; k++) {
            assert_int_equal(first.split[k], k >= 2);
            assert_true(first.value[BF__VALUE][k] == again.value[BF__VALUE][k]);
        }
    }
}

/* ---- Influence */

/* The log `times` times over, with one more copy of episode `more` (-1: none). */
static bf_dataset repeated(const bf_dataset *data, int times, int64_t more) {
    int64_t length = data->n / data->episodes, copies = times * data->episodes + (more >= 0);
    bf_dataset out = *data;
    out.n = copies * length;
    out.episodes = copies;
    double *s = bf_arena_alloc(arena, out.n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, out.n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, out.n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * out.n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, 2 * out.n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, out.n, sizeof *a, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, out.n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, copies + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, out.n, sizeof *order, &err);
    for (int64_t e = 0; e <= copies; e++)
        begin[e] = e * length;
    for (int64_t i = 0; i < out.n; i++) {
        int64_t e = i / length, from = e == times * data->episodes ? more : e % data->episodes;
        int64_t k = from * length + i % length;
        order[i] = i;
        s[i] = data->state[k];
        ns[i] = data->next_state[k];
        r[i] = data->reward[k];
        a[i] = data->action[k];
        terminated[i] = data->terminated[k];
        for (int b = 0; b < 2; b++) {
            pi[b * out.n + i] = data->pi[b * data->n + k];
            npi[b * out.n + i] = data->npi[b * data->n + k];
        }
    }
    out.state = s, out.next_state = ns, out.reward = r, out.action = a;
    out.terminated = terminated, out.pi = pi, out.npi = npi, out.begin = begin, out.order = order;
    return out;
}

static double tabular(const bf_dataset *data, double gamma, int terminal, double *weights,
                      double *ended) {
    bf_estimate out;
    bf_problem problem = {data, gamma, terminal, NULL};
    assert_ok(
        bf__estimator_run(bf_estimator_find("blackbox"), &out, &problem, NULL, NULL, arena, &err),
        err);
    *ended = 0;
    for (int64_t i = 0; i < data->n; i++)
        *ended += data->terminated[i] * out.weights[i];
    if (weights)
        memcpy(weights, out.weights, (size_t)data->n * sizeof *weights);
    return out.value;
}

/* c_j is the derivative of the estimate in the number of copies of episode j. Brute force: the log
 * N times over, with and without one more copy, times N; the error of order 1 / N is taken out by
 * a second N. */
static void influence_is_a_derivative(double gamma, int terminal, bool ends) {
    enum { EPISODES = 6, LENGTH = 8, N = 60 };
    bf_dataset data = finite_log(EPISODES, LENGTH, ends, 11);
    double w[EPISODES * LENGTH], rewards[2 * EPISODES * LENGTH], ended;
    double value = tabular(&data, gamma, terminal, w, &ended);
    for (int64_t i = 0; i < data.n; i++) {
        rewards[i] = data.reward[i];
        rewards[data.n + i] = data.terminated[i];
    }
    bf__influence out;
    bf_problem problem = {&data, gamma, terminal, NULL};
    bf__clusters clusters = episodes_of(&data);
    assert_ok(bf__influence_cells(&out, &problem, rewards, 2, w, &clusters, NULL, arena, &err),
              err);
    assert_near(out.sum[0], 0, 1e-10);
    double squares = 0;
    for (int j = 0; j < EPISODES; j++) {
        double slope[2], second[2];
        for (int k = 0; k < 2; k++) {
            bf_mark mark = bf_arena_mark(arena);
            int times = N << k;
            bf_dataset more = repeated(&data, times, j);
            double share;
            slope[k] = times * (tabular(&more, gamma, terminal, NULL, &share) - value);
            second[k] = times * (share - ended);
            bf_arena_rewind(arena, mark);
        }
        assert_near(out.c[j], 2 * slope[1] - slope[0], 2e-4);
        assert_near(out.c[EPISODES + j], 2 * second[1] - second[0], 2e-4);
        squares += out.c[j] * out.c[j];
    }
    assert_true(squares > 1e-4);
    assert_near(out.se[0], sqrt(squares * EPISODES / (EPISODES - 1.0)), 1e-12);
}

static void influence_of_cells(void **state) {
    (void)state;
    influence_is_a_derivative(1, BF_TERMINAL_RESTART, false);
    influence_is_a_derivative(1, BF_TERMINAL_RESTART, true);
    influence_is_a_derivative(0.9, BF_TERMINAL_RESTART, true);
    influence_is_a_derivative(0.9, BF_TERMINAL_ABSORB, true);
    influence_is_a_derivative(0.9, BF_TERMINAL_IGNORE, true);
}

/* Equal weights and q = 0: the standard error of a ratio of sums, by the textbook. */
static void influence_of_a_mean(void **state) {
    (void)state;
    bf_dataset data = simulated("cartpole", "trained@0.3", "trained@0.9", 5, 100, 3);
    bf__clusters clusters = episodes_of(&data);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, NULL};
    bf__influence out;
    assert_ok(bf__influence_mean(&out, &problem, data.reward, 1, NULL, &clusters, arena, &err),
              err);
    double j = (double)data.episodes, mean = 0, square = 0;
    for (int64_t i = 0; i < data.n; i++)
        mean += data.reward[i] / (double)data.n;
    for (int64_t e = 0; e < data.episodes; e++) {
        double sum = 0;
        for (int64_t k = data.begin[e]; k < data.begin[e + 1]; k++)
            sum += data.reward[data.order[k]] - mean;
        square += sum * sum;
    }
    assert_true(data.episodes > 5); /* several starts inside a trajectory are several clusters */
    assert_near(out.se[0], sqrt(square * j / (j - 1)) / (double)data.n, 1e-12);
    assert_near(out.sum[0], 0, 1e-12);
}

/* A finite process seen as real numbers: features that span all pairs give the same influence as
 * the closed form, but for folds and ridge. */
static void influence_of_features(double gamma, int terminal, bool ends) {
    bf_dataset data = finite_log(240, 50, ends, 21), real = data;
    double *w = bf_arena_alloc(arena, data.n, sizeof *w, &err), ended;
    double *rewards = bf_arena_alloc(arena, 2 * data.n, sizeof *w, &err);
    tabular(&data, gamma, terminal, w, &ended);
    for (int64_t i = 0; i < data.n; i++) {
        rewards[i] = data.reward[i];
        rewards[data.n + i] = data.terminated[i];
    }
    bf__clusters clusters = episodes_of(&data);
    bf_problem problem = {&data, gamma, terminal, NULL};
    bf__influence exact, found, again;
    bf_context context = {.threads = 1, .seed = 1};
    assert_ok(bf__influence_cells(&exact, &problem, rewards, 2, w, &clusters, NULL, arena, &err),
              err);
    real.states = 0;
    real.real_state = true;
    problem.data = &real;
    assert_ok(bf__influence_features(&found, &problem, rewards, 2, w, &clusters, "none", NULL,
                                     &context, arena, &err),
              err);
    assert_near(found.se[0] / exact.se[0], 1, 0.01);
    if (ends)
        assert_near(found.se[1] / exact.se[1], 1, 0.01);
    double both = 0, one = 0, other = 0;
    for (int64_t j = 0; j < clusters.count; j++) {
        both += exact.c[j] * found.c[j];
        one += exact.c[j] * exact.c[j];
        other += found.c[j] * found.c[j];
    }
    assert_true(both / sqrt(one * other) > 0.998);
    context.threads = 3;
    assert_ok(bf__influence_features(&again, &problem, rewards, 2, w, &clusters, "none", NULL,
                                     &context, arena, &err),
              err);
    assert_memory_equal(found.c, again.c, (size_t)clusters.count * sizeof *found.c);
}

static void influence_on_features(void **state) {
    (void)state;
    influence_of_features(1, BF_TERMINAL_RESTART, false);
    influence_of_features(1, BF_TERMINAL_RESTART, true);
    influence_of_features(0.9, BF_TERMINAL_RESTART, true);
    influence_of_features(0.9, BF_TERMINAL_ABSORB, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_t),
        arena_test(clusters_are_episodes_columns_or_blocks),
        arena_test(shares_and_deals),
        arena_test(subsets_keep_rows_and_episodes),
        arena_test(parts_of_a_mean_are_the_textbook),
        arena_test(parts_do_not_depend_on_threads),
        arena_test(influence_of_cells),
        arena_test(influence_of_a_mean),
        arena_test(influence_on_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
