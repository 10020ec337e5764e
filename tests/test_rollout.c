/* test_rollout.c - Rollouts and logs: the same for any number of threads, and what they say. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "env/rollout.h"
#include "env/simulate.h"
#include "policy/kind.h"

typedef struct fixture {
    bf_arena *arena;
    bf_error err;
    bf_context context;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->context = (bf_context){.threads = 1, .seed = 11};
    *state = f;
    return bf_arena_create(&f->arena, NULL, &f->err) == BF_OK ? 0 : -1;
}

static int teardown(void **state) {
    fixture *f = *state;
    bf_arena_destroy(f->arena);
    free(f);
    return 0;
}

static const bf_policy *parse(fixture *f, const char *env, const char *spec) {
    const bf_policy *policy;
    assert_ok(bf_env_policy_parse(&policy, bf_env_find(env), spec, 1, f->arena, &f->err), f->err);
    return policy;
}

static bf_dataset simulate(fixture *f, const char *env, const char *behavior, const char *target,
                           int64_t trajectories, int64_t steps) {
    const bf_policy *policies[] = {parse(f, env, behavior)};
    bf_simulation simulation = {.env = bf_env_find(env),
                                .behaviors = policies,
                                .behavior_count = 1,
                                .target = target ? parse(f, env, target) : NULL,
                                .trajectories = trajectories,
                                .steps = steps};
    bf_dataset data;
    assert_ok(bf__simulate(&data, &simulation, &f->context, f->arena, &f->err), f->err);
    return data;
}

static void assert_same_log(const bf_dataset *a, const bf_dataset *b) {
    size_t n = (size_t)a->n, d = (size_t)a->state_dim;
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->state, b->state, n * d * sizeof(double));
    assert_memory_equal(a->next_state, b->next_state, n * d * sizeof(double));
    assert_memory_equal(a->action, b->action, n * sizeof(int32_t));
    assert_memory_equal(a->reward, b->reward, n * sizeof(double));
    assert_memory_equal(a->terminated, b->terminated, n);
    assert_memory_equal(a->mu, b->mu, n * sizeof(double));
}

static void logs_do_not_depend_on_threads(void **state) {
    fixture *f = *state;
    for (int e = 0; bf_env_at(e); e++) {
        const char *name = bf_env_at(e)->name;
        f->context.threads = 1;
        bf_dataset one = simulate(f, name, "uniform", NULL, 150, 40);
        for (int threads = 2; threads < 5; threads++) {
            f->context.threads = threads;
            bf_dataset more = simulate(f, name, "uniform", NULL, 150, 40);
            assert_same_log(&one, &more);
        }
        f->context.seed = 12;
        bf_dataset other = simulate(f, name, "uniform", NULL, 150, 40);
        assert_memory_not_equal(one.action, other.action, (size_t)one.n * sizeof(int32_t));
        f->context.seed = 11;
    }
}

/* A trajectory is its own: others beside it, or more steps after it, change nothing. */
static void trajectories_do_not_depend_on_each_other(void **state) {
    fixture *f = *state;
    bf_dataset few = simulate(f, "cartpole", "handmade@0.5", NULL, 3, 50);
    bf_dataset many = simulate(f, "cartpole", "handmade@0.5", NULL, 200, 80);
    for (int64_t e = 0; e < 3; e++)
        for (int64_t t = 0; t < 50; t++)
            for (int64_t j = 0; j < 4; j++)
                assert_true(few.state[j * few.n + e * 50 + t] ==
                            many.state[j * many.n + e * 80 + t]);
}

/* Every row against what a step of the environment makes of it; terminal rows, restarts and the
 * end of trajectories included. */
static void rows_are_steps(void **state) {
    fixture *f = *state;
    const bf_env *env = bf_env_find("mountaincar");
    enum { TRAJECTORIES = 70, STEPS = 300 };
    bf_dataset log =
        simulate(f, "mountaincar", "handmade@0.7", "handmade@0.9", TRAJECTORIES, STEPS);
    int64_t n = log.n, ended = 0, cut = 0;
    assert_int_equal(n, TRAJECTORIES * STEPS);
    for (int64_t i = 0; i < n; i++) {
        double at[2] = {log.state[i], log.state[n + i]}, reward;
        int greedy = at[1] >= 0 ? 2 : 0;
        bool last = i % STEPS == STEPS - 1;
        assert_near(log.mu[i], 0.1 + 0.7 * (log.action[i] == greedy), 1e-15);
        for (int a = 0; a < 3; a++)
            assert_near(log.pi[a * n + i], 0.1 / 3 + 0.9 * (a == greedy), 1e-15);
        bool terminal = env->step(at, log.action[i], BF_REWARDS_PAPER, NULL, &reward);
        assert_true(at[0] == log.next_state[i] && at[1] == log.next_state[n + i]);
        assert_true(reward == log.reward[i]);
        int next_greedy = at[1] >= 0 ? 2 : 0;
        for (int a = 0; a < 3; a++)
            assert_near(log.npi[a * n + i], 0.1 / 3 + 0.9 * (a == next_greedy), 1e-15);
        assert_int_equal(log.terminated[i], terminal);
        assert_int_equal(log.truncated[i], last && !terminal);
        ended += terminal;
        cut += log.truncated[i];
        if (terminal || last) { /* the next row is a start */
            if (i + 1 < n)
                assert_true(log.state[i + 1] >= -0.6 && log.state[i + 1] < -0.4 &&
                            log.state[n + i + 1] == 0);
        } else {
            assert_true(log.state[i + 1] == at[0] && log.state[n + i + 1] == at[1]);
        }
    }
    assert_true(ended > 20 && cut > 0);
    assert_int_equal(log.episodes, ended + cut);
    for (int64_t e = 0; e < log.episodes; e++) {
        int64_t end = log.begin[e + 1] - 1;
        assert_true(log.begin[e] <= end && (log.terminated[end] || log.truncated[end]));
        for (int64_t i = log.begin[e]; i < end; i++)
            assert_false(log.terminated[i] || log.truncated[i]);
    }
    assert_int_equal(log.begin[log.episodes], n);
}

static void behaviors_take_turns(void **state) {
    fixture *f = *state;
    const bf_policy *policies[] = {parse(f, "mountaincar", "handmade"),
                                   parse(f, "mountaincar", "uniform"),
                                   parse(f, "mountaincar", "handmade@0.4")};
    bf_simulation simulation = {.env = bf_env_find("mountaincar"),
                                .behaviors = policies,
                                .behavior_count = 3,
                                .trajectories = 200,
                                .steps = 20};
    bf_dataset log;
    assert_ok(bf__simulate(&log, &simulation, &f->context, f->arena, &f->err), f->err);
    assert_int_equal(log.n, 4000);
    for (int64_t i = 0; i < log.n; i++) {
        int who = (int)(i / 20 % 3);
        bool greedy = log.action[i] == (log.state[log.n + i] >= 0 ? 2 : 0);
        double mu = who == 0 ? greedy : who == 1 ? 1.0 / 3 : 0.2 + 0.4 * greedy;
        assert_near(log.mu[i], mu, 1e-15);
    }
}

/* With per_episode, a trajectory is the first episode of the trajectory that goes on. */
static void one_episode_each(void **state) {
    fixture *f = *state;
    const bf_policy *policies[] = {parse(f, "cartpole", "trained@0.7"),
                                   parse(f, "cartpole", "uniform")};
    bf_simulation simulation = {.env = bf_env_find("cartpole"),
                                .behaviors = policies,
                                .behavior_count = 2,
                                .target = parse(f, "cartpole", "trained@0.9"),
                                .trajectories = 150,
                                .steps = 60};
    bf_dataset on, log;
    assert_ok(bf__simulate(&on, &simulation, &f->context, f->arena, &f->err), f->err);
    simulation.per_episode = true;
    assert_ok(bf__simulate(&log, &simulation, &f->context, f->arena, &f->err), f->err);
    int64_t row = 0, cut = 0;
    assert_int_equal(log.episodes, 150);
    for (int64_t e = 0; e < 150; e++) {
        bool over = false;
        assert_int_equal(log.begin[e], row);
        for (int64_t i = e * 60; i < (e + 1) * 60 && !over; i++, row++) {
            over = on.terminated[i];
            assert_int_equal(log.action[row], on.action[i]);
            assert_int_equal(log.terminated[row], on.terminated[i]);
            assert_int_equal(log.truncated[row], on.truncated[i]);
            assert_true(log.reward[row] == on.reward[i] && log.mu[row] == on.mu[i]);
            for (int j = 0; j < 4; j++)
                assert_true(log.state[j * log.n + row] == on.state[j * on.n + i] &&
                            log.next_state[j * log.n + row] == on.next_state[j * on.n + i]);
            for (int a = 0; a < 2; a++)
                assert_true(log.pi[a * log.n + row] == on.pi[a * on.n + i] &&
                            log.npi[a * log.n + row] == on.npi[a * on.n + i]);
        }
        cut += !over;
    }
    assert_int_equal(row, log.n);
    assert_true(cut > 10 && cut < 140);
}

/* Actions are drawn with the probabilities that are logged. */
static void actions_follow_mu(void **state) {
    fixture *f = *state;
    bf_dataset log = simulate(f, "modelwin", "behavior", "target", 500, 200);
    double first = 0, won = 0, visits = 0;
    for (int64_t i = 0; i < log.n; i++) {
        if (log.state[i] != 0)
            continue;
        visits++;
        first += log.action[i] == 0;
        won += log.action[i] == 0 && log.next_state[i] == 1;
        assert_near(log.mu[i], log.action[i] == 0 ? 0.7 : 0.3, 1e-15);
        assert_near(log.pi[i], 0.9, 1e-15);
    }
    assert_int_equal(visits, log.n / 2);
    assert_near(first / visits, 0.7, 4 * sqrt(0.21 / visits));
    assert_near(won / first, 0.4, 4 * sqrt(0.24 / first));
}

static bf_status refuse(const bf_policy *self, const double *states, int64_t n,
                        double *probabilities, bf_error *err) {
    (void)states;
    (void)n;
    (void)probabilities;
    return bf_fail(err, BF_EPOLICY, "%s: not today", self->name);
}

static bool stop(void *context, const bf_progress *progress) {
    (void)progress;
    ++*(int *)context;
    return false;
}

static bf_status no_visit(void *context, const bf__rollout_step *batch, bf_error *err) {
    (void)context;
    (void)batch;
    (void)err;
    return BF_OK;
}

static void failures_and_interrupts_come_out(void **state) {
    fixture *f = *state;
    f->context.threads = 2;
    bf_policy broken = {.name = "broken.policy", .actions = 2, .probabilities = refuse};
    bf__rollout rollout = {
        .env = bf_env_find("cartpole"), .policy = &broken, .chains = 300, .steps = 10};
    assert_int_equal(bf__rollout_run(&rollout, no_visit, NULL, &f->context, &f->err), BF_EPOLICY);
    assert_string_equal(f->err.message, "broken.policy: not today");
    int calls = 0;
    f->context.callbacks = (bf_callbacks){.progress = stop, .context = &calls};
    rollout.policy = parse(f, "cartpole", "uniform");
    rollout.steps = 1000000; /* would take minutes */
    rollout.chains = 1000;
    f->context.threads = 1;
    assert_int_equal(bf__rollout_run(&rollout, no_visit, NULL, &f->context, &f->err),
                     BF_ECANCELLED);
    assert_int_equal(calls, 1);
}

static void numbers_read_back_as_they_were(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(1, "test", 0);
    char text[40];
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(bf_rng_between(&rng, -1, 1), (int)bf_rng_below(&rng, 200) - 100);
        int length = bf__format_real(text, x);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == x);
    }
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"}, {-3, "-3"}, {0, "0"}, {1e300, "1e+300"}, {-0.0, "-0"}, {2.5, "2.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bf__format_real(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(logs_do_not_depend_on_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(trajectories_do_not_depend_on_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_are_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(behaviors_take_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(one_episode_each, setup, teardown),
        cmocka_unit_test_setup_teardown(actions_follow_mu, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_and_interrupts_come_out, setup, teardown),
        cmocka_unit_test(numbers_read_back_as_they_were),
    };
    return cmocka_run_group_tests_name("rollout", tests, NULL, NULL);
}
