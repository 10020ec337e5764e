/* test_function.c - Policies that the program computes, and actions of the target at states. */
#include <math.h>
#include <string.h>

#include "harness.h"

static bf_arena *arena;
static bf_error err;

static int setup(void **state) {
    (void)state;
    return (int)bf_arena_create(&arena, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    bf_arena_destroy(arena);
    return 0;
}

static const bf_dataset *log_of(const char *const *names, const bf_array *arrays, int count) {
    bf_columns *columns;
    const bf_dataset *data = NULL;
    assert_ok(bf_columns_create(&columns, "log", arena, &err), err);
    for (int i = 0; i < count; i++)
        assert_ok(bf_columns_add(columns, names[i], &arrays[i], &err), err);
    assert_ok(bf_dataset_from_columns(&data, columns, NULL, arena, &err), err);
    return data;
}

/* ---- Discrete actions */

enum { N = 5000, A = 3 }; /* more rows than are asked about at once */
static double states[N][2], next[N][2], reward[N];
static int32_t action[N];

static const bf_dataset *discrete_log(void) {
    for (int i = 0; i < N; i++) {
        states[i][0] = i;
        states[i][1] = -i;
        next[i][0] = i + 0.5;
        next[i][1] = 1;
        action[i] = i % A;
    }
    const char *names[] = {"s", "ns", "a", "r"};
    bf_array arrays[] = {bf_array_2d(states, BF_FLOAT64, N, 2), bf_array_2d(next, BF_FLOAT64, N, 2),
                         bf_array_1d(action, BF_INT32, N), bf_array_1d(reward, BF_FLOAT64, N)};
    return log_of(names, arrays, 4);
}

typedef struct asked {
    int64_t rows, calls, most;
    int64_t bad; /* state whose answer is wrong; -1: none */
    int fail;    /* 1: without a word; 2: with one */
} asked;

static double share(const double *s) {
    return 1 / (2 + fabs(s[0]) + fabs(s[1]));
}

static int act(void *context, const double *s, int64_t n, double *p, bf_error *why) {
    asked *a = context;
    a->calls++;
    a->rows += n;
    a->most = n > a->most ? n : a->most;
    for (int64_t i = 0; i < n; i++) {
        double x = share(s + 2 * i);
        p[3 * i] = x;
        p[3 * i + 1] = 1 - x;
        p[3 * i + 2] = s[2 * i] == (double)a->bad ? 0.25 : 0;
    }
    if (a->fail == 2)
        bf_fail(why, BF_EPOLICY, "no network today");
    return a->fail;
}

static const bf_policy *policy_of(asked *a) {
    const bf_policy *policy = NULL;
    bf_policy_function function = {.name = "mine",
                                   .state_dim = 2,
                                   .actions = A,
                                   .probabilities = act,
                                   .context = a,
                                   .size = sizeof function};
    assert_ok(bf_policy_from_function(&policy, &function, arena, &err), err);
    return policy;
}

static void probabilities_reach_the_log(void **state) {
    (void)state;
    asked a = {.bad = -1};
    const bf_dataset *data = discrete_log(), *with;
    assert_ok(bf_policy_apply(&with, policy_of(&a), data, arena, &err), err);
    bf_array pi, npi;
    assert_true(bf_dataset_column(&pi, with, "pi") && bf_dataset_column(&npi, with, "npi"));
    assert_false(bf_dataset_column(&pi, data, "pi")); /* the log itself is as it was */
    assert_true(bf_dataset_column(&pi, with, "pi"));
    assert_int_equal(a.rows, 2 * N);
    assert_true(a.calls > 2 && a.most <= 4096);
    for (int i = 0; i < N; i++) {
        assert_true(bf_array_double(&pi, i, 0) == share(states[i]));
        assert_true(bf_array_double(&npi, i, 1) == 1 - share(next[i]));
    }
    const bf_policy *mixed;
    double p[A], at[2] = {3, 4};
    assert_ok(bf_policy_mix(&mixed, policy_of(&a), 0.5, arena, &err), err);
    assert_ok(bf_policy_probabilities(mixed, at, 2, 1, p, &err), err);
    assert_near(p[0], 0.5 * share(at) + 0.5 / A, 1e-15);
}

static void wrong_answers_are_named(void **state) {
    (void)state;
    const bf_dataset *data = discrete_log(), *with;
    asked late = {.bad = 4200};
    assert_int_equal(bf_policy_apply(&with, policy_of(&late), data, arena, &err), BF_EPOLICY);
    assert_string_equal(err.message, "log: row 4200: pi: mine: row 4200: the probabilities sum to "
                                     "1.25; they have to sum to 1");
    asked silent = {.bad = -1, .fail = 1}, loud = {.bad = -1, .fail = 2};
    assert_int_equal(bf_policy_apply(&with, policy_of(&silent), data, arena, &err), BF_EPOLICY);
    assert_string_equal(err.message, "mine: the policy's function failed");
    assert_int_equal(bf_policy_apply(&with, policy_of(&loud), data, arena, &err), BF_EPOLICY);
    assert_string_equal(err.message, "mine: no network today");
    const bf_policy *policy;
    bf_policy_function nothing = {.state_dim = 2, .actions = 2};
    assert_int_equal(bf_policy_from_function(&policy, &nothing, arena, &err), BF_EUSAGE);
    nothing.probabilities = act;
    nothing.actions = 0;
    assert_int_equal(bf_policy_from_function(&policy, &nothing, arena, &err), BF_EUSAGE);
}

/* ---- Actions that are vectors */

enum { EPISODES = 60, STEPS = 8, ROWS = EPISODES * STEPS, M = 2 };
static double place[ROWS], after[ROWS], push[ROWS], gain[ROWS];
static int64_t episode[ROWS], step[ROWS];

/* Two actions around -x / 2. */
static int pull(void *context, const double *s, int64_t n, double *actions, bf_error *why) {
    (void)why;
    int64_t *bad = context;
    for (int64_t i = 0; i < n; i++)
        for (int m = 0; m < M; m++)
            actions[i * M + m] = bad && i == *bad ? NAN : -s[i] / 2 + (m ? 0.1 : -0.1);
    return 0;
}

static const bf_dataset *vector_log(void) {
    bf_rng rng = bf_rng_make(5, "function", 0);
    for (int e = 0, i = 0; e < EPISODES; e++) {
        double x = bf_rng_normal(&rng);
        for (int t = 0; t < STEPS; t++, i++) {
            place[i] = x;
            push[i] = -x / 2 + bf_rng_normal(&rng);
            gain[i] = -x * x;
            x = after[i] = 0.9 * x + 0.3 * push[i];
            episode[i] = e;
            step[i] = t;
        }
    }
    bf_array s = bf_array_2d(place, BF_FLOAT64, ROWS, 1), ns = s, a = s;
    ns.data = after;
    a.data = push;
    const char *names[] = {"s", "ns", "a", "r", "episode", "t"};
    bf_array arrays[] = {s,
                         ns,
                         a,
                         bf_array_1d(gain, BF_FLOAT64, ROWS),
                         bf_array_1d(episode, BF_INT64, ROWS),
                         bf_array_1d(step, BF_INT64, ROWS)};
    return log_of(names, arrays, 6);
}

static bool borrows(const bf_estimate *estimate) {
    const char *text;
    for (int i = 0; bf_estimate_warning(estimate, i, &text, NULL, NULL); i++)
        if (strstr(text, "nearest next states"))
            return true;
    return false;
}

/* Start actions come from `sa`: no warning, and the answer is not the one with borrowed ones. */
static void samples_at_the_states(void **state) {
    (void)state;
    const bf_dataset *data = vector_log(), *with;
    const bf_policy *policy;
    bf_policy_function function = {
        .name = "pull", .state_dim = 1, .action_dim = 1, .samples = M, .sample = pull};
    assert_ok(bf_policy_from_function(&policy, &function, arena, &err), err);
    assert_ok(bf_policy_apply(&with, policy, data, arena, &err), err);
    bf_array sa, na;
    assert_true(bf_dataset_column(&sa, with, "sa") && bf_dataset_column(&na, with, "na"));
    assert_int_equal(sa.shape[1], M);
    for (int i = 0; i < ROWS; i++) {
        assert_true(bf_array_double(&sa, i, 1) == -place[i] / 2 + 0.1);
        assert_true(bf_array_double(&na, i, 0) == -after[i] / 2 - 0.1);
    }
    bf_dataset without = *with;
    without.sa = NULL;
    bf_problem problem = {.data = with, .gamma = 0.9};
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    const bf_estimate *own, *borrowed;
    assert_ok(bf_estimator_run(&own, blackbox, &problem, NULL, NULL, arena, &err), err);
    problem.data = &without;
    assert_ok(bf_estimator_run(&borrowed, blackbox, &problem, NULL, NULL, arena, &err), err);
    assert_false(borrows(own));
    assert_true(borrows(borrowed));
    assert_true(bf_estimate_value(own) != bf_estimate_value(borrowed));
    int64_t bad = 7;
    function.context = &bad;
    assert_ok(bf_policy_from_function(&policy, &function, arena, &err), err);
    assert_int_equal(bf_policy_apply(&with, policy, data, arena, &err), BF_EPOLICY);
    assert_string_equal(err.message, "log: row 7: sa: pull: row 7: sampled action 0: nan is not a "
                                     "finite number");
    asked unused = {.bad = -1};
    assert_int_equal(bf_policy_apply(&with, policy_of(&unused), data, arena, &err), BF_EPOLICY);
    assert_int_equal(bf_policy_apply(&with, policy, discrete_log(), arena, &err), BF_EPOLICY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(probabilities_reach_the_log, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_answers_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(samples_at_the_states, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
