/* test_duration.c - Steps that take time: small semi-Markov processes against plain elimination. */
#include "mdp.h"

#include "backflow/detail.h"

TEST_ARENA;

static bf_estimate run(const bf_dataset *data, const char *method, const char *settings,
                       int terminal) {
    bf_problem problem = {.data = data, .gamma = 1, .terminal = terminal};
    const bf_estimator *estimator = bf_estimator_find(method);
    bf_settings *values;
    bf_estimate out;
    assert_ok(bf_estimator_settings(&values, estimator, settings, arena, &err), err);
    assert_ok(bf__estimator_run(estimator, &out, &problem, values, NULL, arena, &err), err);
    return out;
}

static double *column(int64_t n) {
    return bf_arena_zalloc(arena, n, sizeof(double), &err);
}

/* A log with the frequencies of a random process, and durations that depend on (s, a, s'). *truth
 * is the reward per unit of time: two means of the embedded chain, each by elimination. */
static bf_dataset process(double *truth, double *time, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "durations", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 20, arena);
    int cells = m.states * m.actions * m.states;
    double *tau = column(cells), *reward = m.reward, *duration = column(data.n);
    for (int i = 0; i < cells; i++)
        tau[i] = 0.1 + 5 * bf_rng_uniform(&rng);
    for (int64_t i = 0; i < data.n; i++)
        duration[i] = tau[((int)data.state[i] * m.actions + data.action[i]) * m.states +
                          (int)data.next_state[i]];
    *truth = mdp_value(&m, 1, NULL);
    m.reward = tau;
    *time = mdp_value(&m, 1, NULL);
    *truth /= *time;
    m.reward = reward;
    data.duration = duration;
    return data;
}

static void finite_processes(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "blackbox", "model", "lstdq", "dr", "simulator"};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double truth, time;
        bf_dataset data = process(&truth, &time, seed);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            bf_estimate out = run(&data, methods[k], NULL, BF_TERMINAL_RESTART);
            assert_near(out.value, truth, 1e-9);
            assert_near(bf_estimate_get(&out, "step_duration"), time, 1e-9);
        }
        double r = 0, t = 0;
        for (int64_t i = 0; i < data.n; i++) {
            r += data.reward[i];
            t += data.duration[i];
        }
        assert_near(run(&data, "naive", NULL, 0).value, r / t, 1e-12);
        double *weight = column(data.n); /* and by weights */
        for (int64_t i = 0; i < data.n; i++)
            weight[i] = i % 2 ? 3 : 2;
        data.weight = weight;
        r = t = 0;
        for (int64_t i = 0; i < data.n; i++) {
            r += weight[i] * data.reward[i];
            t += weight[i] * data.duration[i];
        }
        assert_near(run(&data, "naive", NULL, 0).value, r / t, 1e-12);
    }
}

/* A network, which is asked twice. */
static void fitted_values(void **state) {
    (void)state;
    double truth, time;
    bf_dataset data = process(&truth, &time, 3);
    const char *small = "hidden=16 rounds=150 batch=128 rate=0.01";
    assert_near(run(&data, "fqe", small, BF_TERMINAL_RESTART).value, truth, 0.05);
}

/* Episodes of a lever with durations: action 1 takes long and pays well; some steps end. */
static bf_dataset lever(int64_t episodes, uint64_t seed) {
    enum { LENGTH = 8 };
    int64_t n = episodes * LENGTH, *begin, *order;
    bf_rng rng = bf_rng_make(seed, "lever", 0);
    double *s = column(n), *ns = column(n), *r = column(n), *pi = column(2 * n), *mu = column(n);
    double *npi = column(2 * n), *tau = column(n);
    int32_t *a = bf_arena_zalloc(arena, n, sizeof *a, &err);
    uint8_t *end = bf_arena_zalloc(arena, n, 1, &err);
    begin = bf_arena_zalloc(arena, episodes + 1, sizeof *begin, &err);
    order = bf_arena_zalloc(arena, n, sizeof *order, &err);
    for (int64_t i = 0; i < n; i++) {
        s[i] = i % LENGTH == 0 ? 0 : ns[i - 1];
        a[i] = (int32_t)bf_rng_below(&rng, 2);
        ns[i] = (double)bf_rng_below(&rng, 2 + a[i]);
        tau[i] = (1 + 3 * a[i]) * (0.2 + bf_rng_uniform(&rng));
        r[i] = s[i] + 2 * a[i] + bf_rng_normal(&rng);
        end[i] = i % LENGTH == LENGTH - 1;
        mu[i] = 0.5;
        pi[i] = npi[i] = 0.3;
        pi[n + i] = npi[n + i] = 0.7;
        order[i] = i;
    }
    for (int64_t e = 0; e <= episodes; e++)
        begin[e] = LENGTH * e;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = 3,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .terminated = end,
                        .mu = mu,
                        .pi = pi,
                        .npi = npi,
                        .duration = tau,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

/* wis by hand: products of ratios, rewards and times of episodes. */
static void trajectories(void **state) {
    (void)state;
    bf_dataset data = lever(50, 1);
    double r = 0, t = 0;
    for (int64_t e = 0; e < data.episodes; e++) {
        double ratio = 1, reward = 0, time = 0;
        for (int64_t i = data.begin[e]; i < data.begin[e + 1]; i++) {
            ratio *= (data.action[i] ? 0.7 : 0.3) / 0.5;
            reward += data.reward[i];
            time += data.duration[i];
        }
        r += ratio * reward;
        t += ratio * time;
    }
    assert_near(run(&data, "wis", NULL, 0).value, r / t, 1e-10);
    assert_near(run(&data, "is", NULL, 0).value, r / t, 1e-10);
}

/* What stays as it was: returns and lengths; the time of an episode stands beside them. */
static void episodes(void **state) {
    (void)state;
    bf_dataset data = lever(50, 2), steps = data;
    steps.duration = NULL;
    bf_estimate one = run(&data, "blackbox", NULL, 0), two = run(&steps, "blackbox", NULL, 0);
    double earned = bf_estimate_get(&two, "episode_return");
    assert_near(bf_estimate_get(&one, "episode_return"), earned, 1e-12);
    assert_near(bf_estimate_get(&one, "episode_length"), bf_estimate_get(&two, "episode_length"),
                1e-12);
    assert_near(bf_estimate_get(&one, "episode_duration"), earned / one.value, 1e-9);
}

static bf_interval interval(const bf_dataset *data, const char *method, int kind) {
    bf_problem problem = {.data = data, .gamma = 1};
    const bf_estimator *estimator = bf_estimator_find(method);
    const bf_estimate *estimate;
    const bf_trust *trust;
    bf_trust_options how;
    bf_interval out;
    assert_ok(bf_options_init(&bf_trust_table, &how, &err), err);
    how.interval = kind;
    assert_ok(bf_estimator_run(&estimate, estimator, &problem, NULL, NULL, arena, &err), err);
    assert_ok(
        bf_trust_measure(&trust, estimate, estimator, &problem, NULL, &how, NULL, arena, &err),
        err);
    assert_true(bf_trust_interval(trust, &out));
    return out;
}

/* The standard error of the ratio: by hand for the log's own mean, and by leaving out every episode
 * in turn for weights. */
static void standard_errors(void **state) {
    (void)state;
    bf_dataset data = lever(60, 3);
    int64_t length = data.begin[1], j = data.episodes;
    double r = 0, t = 0, squares = 0, mean = 0, *value = column(j);
    for (int64_t i = 0; i < data.n; i++) {
        r += data.reward[i];
        t += data.duration[i];
    }
    for (int64_t e = 0; e < j; e++) {
        double c = 0;
        for (int64_t i = data.begin[e]; i < data.begin[e + 1]; i++)
            c += (data.reward[i] - r / t * data.duration[i]) / t;
        squares += c * c;
    }
    assert_near(interval(&data, "naive", BF_INTERVAL_FAST).se,
                sqrt(squares * (double)j / (double)(j - 1)), 1e-12);
    for (int64_t e = 0; e < j; e++) { /* the episodes but one: the last takes its place */
        bf_dataset rest = data;
        int64_t n = data.n - length, at = 0;
        double *columns[5];
        const double *from[5] = {data.state, data.next_state, data.reward, data.duration, data.mu};
        int32_t *a = bf_arena_zalloc(arena, n, sizeof *a, &err);
        for (int k = 0; k < 5; k++)
            columns[k] = column(n);
        for (int64_t i = 0; i < data.n; i++) {
            if (i / length == e)
                continue;
            for (int k = 0; k < 5; k++)
                columns[k][at] = from[k][i];
            a[at++] = data.action[i];
        }
        double *pi = column(2 * n);
        for (int64_t i = 0; i < n; i++) {
            pi[i] = 0.3;
            pi[n + i] = 0.7;
        }
        rest.n = n;
        rest.episodes = j - 1;
        rest.state = columns[0];
        rest.next_state = columns[1];
        rest.reward = columns[2];
        rest.duration = columns[3];
        rest.mu = columns[4];
        rest.action = a;
        rest.pi = rest.npi = pi;
        mean += (value[e] = run(&rest, "blackbox", NULL, 0).value) / (double)j;
    }
    squares = 0;
    for (int64_t e = 0; e < j; e++)
        squares += (value[e] - mean) * (value[e] - mean);
    double jackknife = sqrt(squares * (double)(j - 1) / (double)j);
    double se = interval(&data, "blackbox", BF_INTERVAL_FAST).se;
    assert_true(se > 0.85 * jackknife && se < 1.15 * jackknife);
}

/* Rewards of 3 per unit of time are worth 3, for certain; a unit of twice the size is worth half.
 */
static void units(void **state) {
    (void)state;
    bf_dataset data = lever(40, 4);
    double *r = column(data.n), *tau = column(data.n);
    const double *before = data.reward;
    for (int64_t i = 0; i < data.n; i++) {
        r[i] = 3 * data.duration[i];
        tau[i] = 2 * data.duration[i];
    }
    data.reward = r;
    static const char *const methods[] = {"naive", "blackbox"};
    for (int k = 0; k < 2; k++) {
        bf_interval i = interval(&data, methods[k], BF_INTERVAL_FULL);
        assert_near(i.low, 3, 1e-9);
        assert_near(i.high, 3, 1e-9);
    }
    data.reward = before;
    bf_interval one = interval(&data, "blackbox", BF_INTERVAL_FULL);
    data.duration = tau;
    bf_interval two = interval(&data, "blackbox", BF_INTERVAL_FULL);
    assert_near(two.low, one.low / 2, 1e-9);
    assert_near(two.high, one.high / 2, 1e-9);
}

/* Groups share the time, and their parts make the value. */
static void groups(void **state) {
    (void)state;
    bf_dataset data = lever(40, 5);
    bf_problem problem = {.data = &data, .gamma = 1};
    const bf_estimator *estimator = bf_estimator_find("blackbox");
    const bf_estimate *estimate;
    const bf_outcomes *out;
    bf_outcomes_options what = {NULL, 0, "a"};
    bf_group g;
    double share = 0, value = 0;
    assert_ok(bf_estimator_run(&estimate, estimator, &problem, NULL, NULL, arena, &err), err);
    assert_ok(bf_outcomes_measure(&out, &what, estimate, estimator, &problem, NULL, NULL, NULL,
                                  arena, &err),
              err);
    for (int k = 0; k < 2; k++) {
        assert_true(bf_outcomes_group(out, k, &g));
        share += g.share;
        value += g.share * g.mean;
        assert_true(g.mean_interval.level > 0 && g.mean_interval.half > 0);
    }
    assert_near(share, 1, 1e-12);
    assert_near(value, bf_estimate_value(estimate), 1e-9);
}

static void refusals(void **state) {
    (void)state;
    bf_dataset data = lever(40, 6);
    bf_problem problem = {.data = &data, .gamma = 0.9};
    const bf_estimate *out;
    const bf_horizon *horizon;
    int64_t steps = 10;
    const bf_estimator *estimator = bf_estimator_find("blackbox");
    assert_int_equal(bf_estimator_run(&out, estimator, &problem, NULL, NULL, arena, &err),
                     BF_EUSAGE);
    assert_non_null(strstr(err.message, "discounts by the step"));
    problem.gamma = 1;
    assert_ok(bf_estimator_run(&out, estimator, &problem, NULL, NULL, arena, &err), err);
    assert_int_equal(
        bf_horizon_measure(&horizon, out, &problem, NULL, &steps, 1, NULL, NULL, arena, &err),
        BF_EUSAGE);
    assert_non_null(strstr(err.message, "counts steps"));
    bf_pass *pass;
    assert_ok(bf_pass_sample(&pass, 100, 1, arena, &err), err);
    assert_int_equal(bf_pass_add(pass, &data, 0, &err), BF_EUSAGE);
    assert_non_null(strstr(err.message, "into memory"));
    problem.terminal = BF_TERMINAL_ABSORB; /* all has ended, at reward 0 */
    assert_ok(bf_estimator_run(&out, estimator, &problem, NULL, NULL, arena, &err), err);
    assert_near(bf_estimate_value(out), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(finite_processes), arena_test(fitted_values),   arena_test(trajectories),
        arena_test(episodes),         arena_test(standard_errors), arena_test(units),
        arena_test(groups),           arena_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
