/* test_truth.c - True values: simulated against exact, against each other, and their errors. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

#include "env/exact.h"
#include "env/simulate.h"
#include "stats/truth.h"

TEST_ARENA;

static const bf_policy *parse(const char *env, const char *spec) {
    const bf_policy *policy;
    assert_ok(bf_env_policy_parse(&policy, bf_env_find(env), spec, 1, arena, &err), err);
    return policy;
}

static bf_truth run(const char *name, const char *spec, bf_truth_plan plan, bf_rewards rewards,
                    uint64_t seed) {
    const bf_env *env = bf_env_find(name);
    bf_context context = {.threads = 2, .seed = seed};
    bf_truth truth;
    bf__truth_defaults(&plan, env);
    assert_ok(bf__truth_run(&truth, &plan, env, parse(name, spec), rewards, &context, arena, &err),
              err);
    return truth;
}

static void assert_within(bf_mean mean, double truth, double errors) {
    assert_true(mean.error > 0);
    assert_near(mean.value, truth, errors * mean.error);
}

static void simulated_values_are_the_exact_ones(void **state) {
    (void)state;
    static const struct {
        const char *env, *policy;
        double gamma;
    } cases[] = {
        {"modelwin", "target", 1},     {"modelwin", "behavior", 1},
        {"modelwin", "target", 0.9},   {"gridwalk", "greedy@0.9", 1},
        {"gridwalk", "greedy@0.3", 1}, {"gridwalk", "greedy@0.9", 0.95},
        {"boyan", "uniform", 1},       {"boyan", "uniform", 0.8},
        {"boyan", "uniform", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double exact;
        const bf_env *env = bf_env_find(cases[i].env);
        assert_ok(bf__exact_value(&exact, env, parse(cases[i].env, cases[i].policy), cases[i].gamma,
                                  NULL, arena, &err),
                  err);
        bf_truth_plan plan = {.kind = cases[i].gamma < 1 ? BF_TRUTH_DISCOUNTED : BF_TRUTH_AVERAGE,
                              .gamma = cases[i].gamma,
                              .chains = 200,
                              .steps = cases[i].gamma < 1 ? 0 : 1000,
                              .burn_in = 200};
        bf_truth truth = run(cases[i].env, cases[i].policy, plan, BF_REWARDS_PAPER, 5);
        if (cases[i].gamma == 0 && truth.value.error == 0) /* one start state, one reward */
            assert_near(truth.value.value, exact, 1e-12);
        else
            assert_within(truth.value, exact, 4);
    }
}

/* The paper's yardstick has an error of its own: 0.0031 on ModelWin. */
static void a_single_run_knows_its_error(void **state) {
    (void)state;
    bf_truth_plan plan = {.gamma = 1, .chains = 1, .steps = 50000};
    double errors = 0, squares = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bf_truth truth = run("modelwin", "target", plan, BF_REWARDS_PAPER, seed);
        assert_within(truth.value, -0.08, 4);
        assert_int_equal(truth.transitions, 50000);
        errors += truth.value.error / 20;
        squares += (truth.value.value + 0.08) * (truth.value.value + 0.08) / 20;
    }
    assert_near(errors, 0.0031, 0.0004);
    assert_near(sqrt(squares), 0.0031, 0.0015);
}

/* Two routes to the return of an episode: playing episodes, and renewal in the long run. */
static void episodes_agree_with_renewal(void **state) {
    (void)state;
    static const char *const names[] = {"mountaincar", "acrobot", "cartpole"};
    static const char *const specs[] = {"handmade@0.8", "handmade@0.8", "uniform"};
    for (int i = 0; i < 3; i++) {
        bf_truth_plan average = {.gamma = 1, .chains = 64, .steps = 4000, .burn_in = 500};
        bf_truth_plan episode = {
            .kind = BF_TRUTH_EPISODE, .gamma = 1, .chains = 500, .steps = 100000};
        bf_truth long_run = run(names[i], specs[i], average, BF_REWARDS_PAPER, 3);
        bf_truth played = run(names[i], specs[i], episode, BF_REWARDS_PAPER, 4);
        assert_int_equal(played.ends, 500);
        double spread = hypot(long_run.episode_return.error, played.value.error);
        assert_near(long_run.episode_return.value, played.value.value, 4 * spread);
        spread = hypot(long_run.episode_length.error, played.episode_length.error);
        assert_near(long_run.episode_length.value, played.episode_length.value, 4 * spread);
        double identity = long_run.value.value * long_run.episode_length.value;
        assert_near(identity, long_run.episode_return.value, 1e-9 * fabs(identity) + 1e-9);
    }
}

static void a_time_limit_cuts_episodes(void **state) {
    (void)state;
    bf_truth_plan plan = {.kind = BF_TRUTH_EPISODE, .gamma = 1, .chains = 100};
    bf_truth truth = run("mountaincar", "uniform", plan, BF_REWARDS_GYMNASIUM, 1);
    assert_near(truth.value.value, -200, 1e-12); /* nobody gets out by chance in 200 steps */
    assert_int_equal(truth.ends, 0);
    assert_int_equal(truth.transitions, 100 * 200);
    plan.gamma = 0.5;
    truth = run("mountaincar", "uniform", plan, BF_REWARDS_GYMNASIUM, 1);
    assert_near(truth.value.value, -2, 1e-12);
}

/* The hand-made policies are good ones: near Gymnasium's own thresholds. */
static void handmade_policies_work(void **state) {
    (void)state;
    static const struct {
        const char *env;
        double at_least;
    } cases[] = {{"pendulum", -200}, {"mountaincar", -125}, {"cartpole", 475}, {"acrobot", -100}};
    for (int i = 0; i < 4; i++) {
        bf_truth_plan plan = {.kind = BF_TRUTH_EPISODE, .gamma = 1, .chains = 300};
        bf_truth truth = run(cases[i].env, "handmade", plan, BF_REWARDS_GYMNASIUM, 2);
        assert_true(truth.value.value > cases[i].at_least);
    }
}

/* The mean reward of a policy's own log is its value. */
static void logs_earn_what_the_value_says(void **state) {
    (void)state;
    static const char *const names[] = {"mountaincar", "pendulum", "gridwalk"};
    static const char *const specs[] = {"handmade@0.7", "uniform", "greedy@0.6"};
    for (int i = 0; i < 3; i++) {
        bf_truth_plan plan = {.gamma = 1, .chains = 100, .steps = 5000, .burn_in = 1000};
        bf_truth truth = run(names[i], specs[i], plan, BF_REWARDS_PAPER, 8);
        enum { LOGS = 100, STEPS = 5000, SKIP = 1000 };
        const bf_policy *policies[] = {parse(names[i], specs[i])};
        bf_simulation simulation = {.env = bf_env_find(names[i]),
                                    .behaviors = policies,
                                    .behavior_count = 1,
                                    .trajectories = LOGS,
                                    .steps = STEPS};
        bf_context context = {.threads = 2, .seed = 9};
        bf_dataset log;
        assert_ok(bf__simulate(&log, &simulation, &context, arena, &err), err);
        double means[LOGS] = {0};
        for (int64_t j = 0; j < log.n; j++)
            if (j % STEPS >= SKIP)
                means[j / STEPS] += log.reward[j] / (STEPS - SKIP);
        bf_mean mean = bf__mean_of(means, LOGS);
        assert_near(mean.value, truth.value.value, 4 * hypot(mean.error, truth.value.error));
    }
}

static void values_do_not_depend_on_threads(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("acrobot");
    bf_truth_plan plan = {.gamma = 1, .chains = 200, .steps = 100, .burn_in = 10};
    bf_truth one, more;
    for (int threads = 1; threads < 4; threads++) {
        bf_context context = {.threads = threads, .seed = 1};
        assert_ok(bf__truth_run(threads == 1 ? &one : &more, &plan, env,
                                parse("acrobot", "handmade@0.9"), BF_REWARDS_PAPER, &context, arena,
                                &err),
                  err);
        if (threads > 1)
            assert_true(one.value.value == more.value.value && one.value.error == more.value.error);
    }
}

/* ---- The statistics by themselves */

static void means_and_ratios(void **state) {
    (void)state;
    bf_mean mean = bf__mean_of((double[]){1, 2, 3, 6}, 4);
    assert_near(mean.value, 3, 1e-15);
    assert_near(mean.error, sqrt(14.0 / 3 / 4), 1e-15);
    assert_true(isnan(bf__mean_of((double[]){1}, 1).error));
    bf_mean ratio = bf__ratio_of((double[]){2, 4, 6}, (double[]){1, 2, 3}, 3);
    assert_near(ratio.value, 2, 1e-15);
    assert_near(ratio.error, 0, 1e-15);
    bf_mean batches = bf__batch_means((double[]){9, 1, 3, 5, 7}, 5, 2);
    assert_near(batches.value, 5, 1e-15);
    assert_near(batches.error, 2, 1e-15); /* runs (1, 3) and (5, 7): means 2 and 6 */
}

/* x_t = 0.9 x_{t-1} + e_t: the variance of the mean of n is near 100 / n. */
static void batch_means_see_dependence(void **state) {
    (void)state;
    enum { N = 50000, RUNS = 40 };
    double *x = malloc(N * sizeof *x), squares = 0;
    bf_rng rng = bf_rng_make(2, "test", 0);
    for (int run_number = 0; run_number < RUNS; run_number++) {
        double at = bf_rng_normal(&rng) / sqrt(0.19);
        for (int t = 0; t < N; t++)
            x[t] = at = 0.9 * at + bf_rng_normal(&rng);
        double error = bf__batch_means(x, N, 50).error;
        squares += error * error / RUNS;
    }
    free(x);
    assert_near(squares / (100.0 / N), 1, 0.12); /* of independent draws it would be 0.05 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulated_values_are_the_exact_ones),
        cmocka_unit_test(a_single_run_knows_its_error),
        cmocka_unit_test(episodes_agree_with_renewal),
        cmocka_unit_test(a_time_limit_cuts_episodes),
        cmocka_unit_test(handmade_policies_work),
        cmocka_unit_test(logs_earn_what_the_value_says),
        cmocka_unit_test(values_do_not_depend_on_threads),
        cmocka_unit_test(means_and_ratios),
        cmocka_unit_test(batch_means_see_dependence),
    };
    return cmocka_run_group_tests_name("truth", tests, make_arena, drop_arena);
}
