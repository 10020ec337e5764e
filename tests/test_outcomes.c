/* test_outcomes.c - Quantiles and tail means against numbers that are written out as often as their
 * weight says; groups and their intervals on logs with known shares and means. */
#include "mdp.h"

#include "detail/weighted.h"

TEST_ARENA;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whole weights: number i is there w_i times. */
static void written_out(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(3, "outcomes", 0);
    for (int trial = 0; trial < 50; trial++) {
        int n = 1 + (int)bf_rng_below(&rng, 20), all = 0;
        double x[20], w[20], list[100];
        for (int i = 0; i < n; i++) {
            int times = i == 0 ? 1 : (int)bf_rng_below(&rng, 5);
            x[i] = (double)bf_rng_below(&rng, 7) - 3;
            w[i] = times;
            for (int k = 0; k < times; k++)
                list[all++] = x[i];
        }
        qsort(list, (size_t)all, sizeof *list, ascending);
        bf__ordered o;
        assert_ok(bf__order(&o, x, w, n, false, arena, &err), err);
        for (int k = 1; k <= all; k++) { /* the lowest k of them */
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += list[i] / k;
            assert_near(bf__quantile(&o, (double)k / all), list[k - 1], 0);
            assert_near(bf__tail_mean(&o, (double)k / all), sum, 1e-12);
        }
    }
}

/* Mass that is absorbed earns 0. */
static void what_rests(void **state) {
    (void)state;
    double x[] = {-2, 3}, w[] = {0.25, 0.25};
    bf__ordered o;
    assert_ok(bf__order(&o, x, w, 2, true, arena, &err), err);
    assert_near(bf__quantile(&o, 0.25), -2, 0);
    assert_near(bf__quantile(&o, 0.5), 0, 0);
    assert_near(bf__quantile(&o, 0.76), 3, 0);
    assert_near(bf__tail_mean(&o, 0.5), -1, 1e-15);
    assert_near(bf__tail_mean(&o, 1), 0.25, 1e-15);
}

/* One state; the target takes action 1 with probability `often`. Action a pays a + noise. */
static bf_dataset lever(int episodes, double often, uint64_t seed) {
    int64_t n = 10 * episodes;
    double *s = bf_arena_zalloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_zalloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_zalloc(arena, 2 * n, sizeof *s, &err);
    int32_t *act = bf_arena_zalloc(arena, n, sizeof *act, &err);
    int64_t *begin = bf_arena_zalloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_zalloc(arena, n, sizeof *order, &err);
    bf_rng rng = bf_rng_make(seed, "lever", 0);
    for (int64_t i = 0; i < n; i++) {
        act[i] = bf_rng_uniform(&rng) < 0.5;
        r[i] = act[i] + bf_rng_normal(&rng);
        pi[i] = 1 - often;
        pi[n + i] = often;
        order[i] = i;
    }
    for (int e = 0; e <= episodes; e++)
        begin[e] = 10 * e;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = 1,
                        .state = s,
                        .next_state = s,
                        .action = act,
                        .reward = r,
                        .pi = pi,
                        .npi = pi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static bf_status measure(const bf_outcomes **out, const bf_dataset *data, const char *method,
                         double share, const char *by) {
    bf_problem problem = {.data = data, .gamma = 1, .size = sizeof problem};
    const bf_estimator *estimator = bf_estimator_find(method);
    const bf_estimate *estimate;
    bf_outcomes_options what = {&share, share > 0, by};
    assert_ok(bf_estimator_run(&estimate, estimator, &problem, NULL, NULL, arena, &err), err);
    return bf_outcomes_measure(out, &what, estimate, estimator, &problem, NULL, NULL, NULL, arena,
                               &err);
}

static bool holds(const bf_interval *i, double truth) {
    return i->level > 0 && i->low <= truth && truth <= i->high;
}

/* Rewards of action a are normal around a: the median of the mixture at often = 1 is 1, its lowest
 * tenth begins at 1 - 1.2815515655446004 and has the mean 1 - phi(1.28155) / 0.1. */
static void known_distribution(void **state) {
    (void)state;
    const bf_outcomes *o;
    bf_risk r;
    int logs = 60, quantiles = 0, tails = 0, medians = 0, means = 0;
    for (int k = 0; k < logs; k++) {
        bf_dataset data = lever(40, 1, (uint64_t)k);
        bf_group g;
        assert_ok(measure(&o, &data, "blackbox", 0.1, "a"), err);
        assert_true(bf_outcomes_risk(o, 0, &r));
        assert_false(bf_outcomes_risk(o, 1, &r));
        quantiles += holds(&r.quantile_interval, 1 - 1.2815515655446004);
        tails += holds(&r.tail_interval, 1 - 1.7549833193248683);
        assert_true(bf_outcomes_group(o, 0, &g) && g.value == 0);
        assert_near(g.share, 0, 1e-12);
        assert_true(isnan(g.mean) && g.mean_interval.level == 0);
        assert_true(bf_outcomes_group(o, 1, &g) && g.value == 1);
        means += holds(&g.mean_interval, 1);
        assert_false(bf_outcomes_group(o, 2, &g));
        assert_ok(measure(&o, &data, "blackbox", 0.5, NULL), err);
        assert_true(bf_outcomes_risk(o, 0, &r));
        medians += holds(&r.quantile_interval, 1);
    }
    /* 95 % of 60 is 57; the binomial leaves it below 50 less than once in 300 */
    assert_in_range(quantiles, 50, 60);
    assert_in_range(tails, 49, 60);
    assert_in_range(medians, 50, 60);
    assert_in_range(means, 50, 60);
}

/* Of equal weights, shares and means are those of the rows. */
static void groups_of_rows(void **state) {
    (void)state;
    bf_dataset data = lever(30, 0.5, 77);
    const bf_outcomes *o;
    bf_group g;
    double sum[2] = {0}, rows[2] = {0};
    for (int64_t i = 0; i < data.n; i++) {
        sum[data.action[i]] += data.reward[i];
        rows[data.action[i]]++;
    }
    assert_ok(measure(&o, &data, "naive", 0, "a"), err);
    for (int a = 0; a < 2; a++) {
        assert_true(bf_outcomes_group(o, a, &g));
        assert_near((double)g.rows, rows[a], 0);
        assert_near(g.share, rows[a] / (double)data.n, 1e-12);
        assert_near(g.mean, sum[a] / rows[a], 1e-12);
        assert_true(holds(&g.mean_interval, a) && holds(&g.share_interval, 0.5));
    }
    double *ward = bf_arena_alloc(arena, data.n, sizeof *ward, &err); /* every third row, and 7 */
    const char *name = "ward";
    int64_t first = 0;
    for (int64_t i = 0; i < data.n; i++) {
        ward[i] = i % 3 == 0 ? -1.5 : 7;
        first += i % 3 == 0;
    }
    assert_int_equal(measure(&o, &data, "naive", 0, "ward"), BF_EUSAGE);
    assert_non_null(strstr(err.message, "not kept a column 'ward'"));
    assert_int_equal(measure(&o, &data, "lstdq", 0.1, NULL), BF_EUSAGE);
    data.extras = 1;
    data.extra_names = &name;
    data.extra = ward;
    assert_ok(measure(&o, &data, "naive", 0, "ward"), err);
    assert_true(bf_outcomes_group(o, 0, &g));
    assert_near(g.value, -1.5, 0);
    assert_near((double)g.rows, (double)first, 0);
    assert_near(g.share, (double)first / (double)data.n, 1e-12);
}

static void shares(void **state) {
    (void)state;
    double out[2];
    assert_int_equal(bf_risk_parse(out, 2, "0.05,1", &err), 2);
    assert_near(out[0], 0.05, 0);
    static const char *const wrong[] = {"", "0", "1.5", "0.1,", "-0.1", "nan", "x", "0.1,0.2,0.3"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(bf_risk_parse(out, 2, wrong[k], &err), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(written_out),    arena_test(what_rests), arena_test(known_distribution),
        arena_test(groups_of_rows), arena_test(shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
