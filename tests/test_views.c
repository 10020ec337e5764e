/* test_views.c - Logs as experiments show them to methods: with time limits for ends, with the
 * time, with columns of noise, with their mirror image. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "env/simulate.h"
#include "experiment/view.h"

TEST_ARENA;

/* A log of cartpole, of episodes with a time limit, and its setting. */
static bf_dataset episodes(bf__setting *setting, const char *env, int64_t limit) {
    bf_dataset log;
    *setting = (bf__setting){.env = bf_env_find(env),
                             .trajectories = 12,
                             .steps = limit,
                             .gamma = 1,
                             .asks = BF_ASKS_END};
    assert_ok(
        bf_env_policy_parse(&setting->behavior_policy, setting->env, "uniform", 1, arena, &err),
        err);
    assert_ok(
        bf_env_policy_parse(&setting->target_policy, setting->env, "handmade@0.8", 1, arena, &err),
        err);
    bf_simulation simulation = {.env = setting->env,
                                .behaviors = (const bf_policy *const *)&setting->behavior_policy,
                                .behavior_count = 1,
                                .target = setting->target_policy,
                                .trajectories = 12,
                                .steps = limit,
                                .per_episode = true};
    assert_ok(bf__simulate(&log, &simulation, NULL, arena, &err), err);
    return log;
}

static bf_dataset view(const char *name, const bf_dataset *log, const bf__setting *setting,
                       bool asked) {
    bf_dataset seen;
    const bf_policy *policy;
    assert_ok(bf__view_make(&seen, &policy, name, log, setting, 5, arena, &err), err);
    assert_int_equal(policy != NULL, asked);
    return seen;
}

static void limits_are_ends(void **state) {
    (void)state;
    bf__setting setting;
    bf_dataset log = episodes(&setting, "cartpole", 20);
    bf_dataset seen = view("limits", &log, &setting, true);
    int64_t cut = 0, ended = 0;
    assert_int_equal(seen.n, log.n);
    assert_null(seen.truncated);
    for (int64_t e = 0; e < log.episodes; e++)
        for (int64_t j = log.begin[e]; j < log.begin[e + 1]; j++) {
            bool last = j == log.begin[e + 1] - 1;
            assert_int_equal(seen.terminated[log.order[j]], last);
            cut += log.truncated[log.order[j]];
            ended += log.terminated[log.order[j]];
        }
    assert_int_equal(cut + ended, log.episodes);
    assert_true(cut > 0 && ended > 0);
}

static void the_time_is_a_column(void **state) {
    (void)state;
    bf__setting setting;
    bf_dataset log = episodes(&setting, "cartpole", 20);
    bf_dataset seen = view("clock", &log, &setting, false);
    assert_int_equal(seen.state_dim, log.state_dim + 1);
    assert_memory_equal(seen.state, log.state, (size_t)(4 * log.n) * sizeof(double));
    assert_memory_equal(seen.next_state, log.next_state, (size_t)(4 * log.n) * sizeof(double));
    for (int64_t e = 0; e < log.episodes; e++)
        for (int64_t j = log.begin[e]; j < log.begin[e + 1]; j++) {
            int64_t i = log.order[j], t = j - log.begin[e];
            assert_near(seen.state[4 * log.n + i], (double)t / 20, 1e-15);
            assert_near(seen.next_state[4 * log.n + i], (double)(t + 1) / 20, 1e-15);
            assert_int_equal(seen.terminated[i], log.terminated[i] || t == 19);
        }
}

/* Columns of noise go on from row to row, have variance 1, and are the same for the same seed. */
static void noise_goes_on(void **state) {
    (void)state;
    bf__setting setting;
    bf_dataset log = episodes(&setting, "pendulum", 300);
    bf_dataset seen = view("idle", &log, &setting, false),
               again = view("idle", &log, &setting, false);
    assert_int_equal(seen.state_dim, 2 + 3);
    assert_memory_equal(seen.state, again.state, (size_t)(5 * log.n) * sizeof(double));
    for (int c = 2; c < 5; c++) {
        double squares = 0, steps = 0;
        for (int64_t i = 0; i < log.n; i++) {
            double here = seen.state[c * log.n + i], next = seen.next_state[c * log.n + i];
            squares += here * here / (double)log.n;
            steps += (next - 0.9 * here) * (next - 0.9 * here) / (double)log.n;
            if (!log.truncated[i])
                assert_true(next == seen.state[c * log.n + i + 1]);
        }
        assert_near(squares, 1, 0.4); /* 3,600 rows, 19 of which are worth one */
        assert_near(steps, 0.19, 0.02);
    }
}

/* The target is asked in the mirrored states. */
static void mirrors_have_the_target(void **state) {
    (void)state;
    bf__setting setting;
    static const char *const symmetric[] = {"pendulum", "cartpole", "acrobot"};
    for (int k = 0; k < 3; k++) {
        bf_dataset log = episodes(&setting, symmetric[k], 15);
        bf_dataset seen = view("mirror", &log, &setting, true);
        int actions = setting.env->actions;
        assert_true(seen.mirrored && seen.n == 2 * log.n);
        for (int64_t i = 0; i < log.n; i++) {
            double at[BF_ENV_MAX_DIM], p[BF_ENV_MAX_ACTIONS];
            for (int j = 0; j < seen.state_dim; j++)
                at[j] = seen.state[j * seen.n + 2 * i + 1];
            assert_ok(
                bf_policy_probabilities(setting.target_policy, at, seen.state_dim, 1, p, &err),
                err);
            assert_int_equal(seen.action[2 * i] + seen.action[2 * i + 1], actions - 1);
            for (int a = 0; a < actions; a++) {
                assert_near(seen.pi[a * seen.n + 2 * i + 1], p[a], 1e-12);
                assert_near(seen.pi[a * seen.n + 2 * i], log.pi[a * log.n + i], 1e-12);
            }
        }
    }
    bf_dataset log = episodes(&setting, "mountaincar", 15), seen;
    const bf_policy *policy;
    assert_int_equal(bf__view_make(&seen, &policy, "mirror", &log, &setting, 5, arena, &err),
                     BF_EUSAGE);
    assert_string_equal(err.message, "mountaincar is not symmetric, or nobody has said how");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(limits_are_ends),
        arena_test(the_time_is_a_column),
        arena_test(noise_goes_on),
        arena_test(mirrors_have_the_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
