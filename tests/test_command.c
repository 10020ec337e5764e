/* test_command.c - Policies that another program computes: what it answers is taken as it is, and
 * however it fails, the error says how, in time, with what it said.
 *
 * The program is this one: with an argument it is a policy command that behaves as that says. */
#include "logs.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <sys/wait.h>

#include "policy/command.h"
#include "policy/kind.h"

/* ---- The program that is asked */

static double probability(double x) {
    return 1 / (1 + exp(-x));
}

static void say_numbers(long rows, int columns, const double *numbers) {
    fwrite(numbers, sizeof *numbers * (size_t)columns, (size_t)rows, stdout);
}

/* Two probabilities per state, by the first number of it. */
static void say_good(long rows, int width, const double *states, int columns) {
    double *reply = calloc((size_t)(rows * columns), sizeof *reply);
    for (long i = 0; i < rows; i++) {
        reply[i * columns] = probability(states[i * width]);
        reply[i * columns + 1] = 1 - reply[i * columns];
    }
    say_numbers(rows, columns, reply);
    free(reply);
}

static int complain(const char *text) {
    fputs(text, stderr);
    return 7;
}

static int behave(const char *how, long question, long rows, int width, const double *states,
                  int first, int size) {
    const double bad[] = {0.5, 0.6, NAN, 0, -0.25, 1.25};
    bool later = question > 0; /* the first question is one state, to get to know each other */
    if (strcmp(how, "vectors") == 0) {
        double *reply = malloc((size_t)(rows * first * size) * sizeof *reply);
        for (long i = 0; i < rows * first * size; i++)
            reply[i] = states[i / (first * size) * width] + (double)(i % (first * size));
        printf("actions %ld %d %d\n", rows, first, size);
        say_numbers(rows, first * size, reply);
        free(reply);
    } else if (strcmp(how, "three") == 0) {
        printf("probabilities %ld 3\n", rows);
        say_good(rows, width, states, 3);
    } else if (later && strcmp(how, "dies") == 0) {
        return complain("Traceback:\n  no such \x1b[31mlayer\n");
    } else if (later && strcmp(how, "killed") == 0) {
        raise(SIGKILL);
    } else if (later && strcmp(how, "stalls") == 0) {
        complain("thinking");
        sleep(100);
    } else if (later && strcmp(how, "short") == 0) {
        printf("probabilities %ld %d\n", rows, first);
        say_good(rows - 1, width, states, first);
        return 0;
    } else if (later && strcmp(how, "stalls-within") == 0) {
        printf("probabilities %ld %d\n", rows, first);
        say_good(rows - 1, width, states, first);
        fflush(stdout);
        sleep(100);
    } else if (later && strcmp(how, "more") == 0) {
        printf("probabilities %ld %d\n", rows, first);
        say_good(rows, width, states, first);
        say_good(1, width, states, first);
    } else if (later && strcmp(how, "prints") == 0) {
        printf("Loading the model ...\nprobabilities %ld %d\n", rows, first);
        say_good(rows, width, states, first);
    } else if (later && strcmp(how, "rows") == 0) {
        printf("probabilities %ld %d\n", rows + 1, first);
        say_good(rows, width, states, first);
    } else if (strcmp(how, "one") == 0) {
        printf("probabilities %ld 1\n", rows);
        say_numbers(rows, 1, states);
    } else if (later && strncmp(how, "bad-", 4) == 0) {
        double *reply = malloc((size_t)rows * 2 * sizeof *reply);
        for (long i = 0; i < 2 * rows; i++)
            reply[i] = i / 2 == 1 ? bad[2 * (how[4] - '0') + i % 2] : 0.5;
        printf("probabilities %ld 2\n", rows);
        say_numbers(rows, 2, reply);
        free(reply);
    } else {
        if (strcmp(how, "chatters") == 0)
            for (int k = 0; k < 20000; k++)
                fprintf(stderr, "line %d of many that nobody reads\n", k);
        printf("probabilities %ld %d\n", rows, first);
        say_good(rows, width, states, first);
    }
    fflush(stdout);
    return -1;
}

static int be_asked(const char *how) {
    char line[128];
    for (long question = 0; fgets(line, sizeof line, stdin); question++) {
        long rows;
        int width, first, size = 0;
        if (sscanf(line, "probabilities %ld %d %d", &rows, &width, &first) != 3 &&
            sscanf(line, "actions %ld %d %d %d", &rows, &width, &first, &size) != 4)
            return 9;
        double *states = malloc((size_t)(rows * width) * sizeof *states);
        if (fread(states, sizeof *states * (size_t)width, (size_t)rows, stdin) != (size_t)rows)
            return 8;
        int status = behave(how, question, rows, width, states, first, size);
        free(states);
        if (status >= 0)
            return status;
    }
    return 0;
}

/* ---- The tests */

static char self[512];

static const char *command(const char *how) {
    static char text[600];
    snprintf(text, sizeof text, "'%s' %s", self, how);
    return text;
}

static bf_dataset log_of(logs *l, bool vectors) {
    return logs_good(l, vectors ? "s0,s1,a0,a1,r,ns0,ns1\n0.5,1,0,0,1,1.5,2\n1.5,2,1,0,0,-0.5,1\n"
                                  "-0.5,1,0,1,2,0.5,1\n"
                                : "s0,s1,a,r,ns0,ns1\n0.5,1,0,1,1.5,2\n1.5,2,1,0,-0.5,1\n"
                                  "-0.5,1,0,2,0.5,1\n");
}

static void its_answers_are_the_policy(void **state) {
    logs *l = *state;
    bf_dataset d = log_of(l, false);
    const bf_dataset *with;
    const bf_policy *policy;
    static const char *const ways[] = {"good", "chatters"};
    for (int w = 0; w < 2; w++) {
        assert_ok(bf_policy_from_command(&policy, command(ways[w]), &d, NULL, l->arena, &l->err),
                  l->err);
        assert_string_equal(bf_policy_kind(policy), "command");
        assert_ok(bf_policy_apply(&with, policy, &d, l->arena, &l->err), l->err);
        for (int i = 0; i < 3; i++) {
            assert_true(with->pi[i] == probability(d.state[i]));
            assert_true(with->npi[i] == probability(d.next_state[i]));
        }
        bf_policy_close(policy);
        bf_policy_close(policy);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, dead or alive */
}

static void it_may_know_more_actions(void **state) {
    logs *l = *state;
    bf_dataset d = log_of(l, false);
    const bf_dataset *with;
    const bf_policy *policy;
    assert_ok(bf_policy_from_command(&policy, command("three"), &d, NULL, l->arena, &l->err),
              l->err);
    assert_int_equal(bf_policy_actions(policy), 3);
    assert_ok(bf_policy_apply(&with, policy, &d, l->arena, &l->err), l->err);
    assert_int_equal(with->actions, 3);
    assert_true(with->pi[6] == 0 && with->pi[2] == probability(-0.5));
    bf_policy_close(policy);
}

static void vectors_are_drawn(void **state) {
    logs *l = *state;
    bf_dataset d = log_of(l, true);
    const bf_dataset *with;
    const bf_policy *policy;
    bf_command_options options = {.policy_samples = 3, .policy_timeout = 30};
    assert_ok(bf_policy_from_command(&policy, command("vectors"), &d, &options, l->arena, &l->err),
              l->err);
    assert_ok(bf_policy_apply(&with, policy, &d, l->arena, &l->err), l->err);
    assert_int_equal(with->samples, 3);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 6; c++) {
            assert_true(with->sa[c * 3 + i] == d.state[i] + c);
            assert_true(with->na[c * 3 + i] == d.next_state[i] + c);
        }
    bf_policy_close(policy);
}

/* Many rows are several questions, and several threads may ask at once. */
static void large_questions_and_threads(void **state) {
    logs *l = *state;
    enum { N = 300000 };
    bf_dataset d = log_of(l, false);
    const bf_policy *policy;
    double *states = malloc(2 * N * sizeof *states), *answers = malloc(4 * N * sizeof *answers);
    int bad = 0;
    for (int i = 0; i < 2 * N; i++)
        states[i] = (double)(i % 17) - 8;
    assert_ok(bf_policy_from_command(&policy, command("good"), &d, NULL, l->arena, &l->err),
              l->err);
#pragma omp parallel for num_threads(2) reduction(+ : bad)
    for (int k = 0; k < 2; k++) {
        bf_error err;
        double *own = answers + 2 * N * k;
        bad += bf_policy_probabilities(policy, states, 2, N, own, &err) != BF_OK;
        for (int i = 0; i < N; i++)
            bad += own[i] != probability(states[i]);
    }
    assert_int_equal(bad, 0);
    bf_policy_close(policy);
    free(states);
    free(answers);
}

static void every_failure_has_its_name(void **state) {
    static const struct {
        const char *how, *message;
    } cases[] = {
        {"dies", "ended with status 7 before it had answered; it said: Traceback: |   no such "
                 "?[31mlayer"},
        {"killed", "was ended by signal 9 (Killed) before it had answered"},
        {"stalls", "did not answer for 3 seconds; it said: thinking"},
        {"stalls-within", "did not answer for 3 seconds"},
        {"short", "ended with status 0 before it had answered"},
        {"more", "answered with more numbers than it was asked for"},
        {"prints", "answered 'Loading the model ...' where the line 'probabilities 3 2' should be"},
        {"rows", "answered 'probabilities 4 2' where 'probabilities 3 2' was asked for"},
        {"bad-0", "row 1: 0.6"},
        {"bad-1", "row 1: nan is not a probability (action 0)"},
        {"bad-2", "row 1: -0.25 is not a probability (action 0)"},
    };
    logs *l = *state;
    bf_dataset d = log_of(l, false);
    bf_command_options options = {.policy_samples = 1};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bf_policy *policy;
        const bf_dataset *with;
        options.policy_timeout = strstr(cases[k].how, "stalls") ? 3 : 60;
        assert_ok(
            bf_policy_from_command(&policy, command(cases[k].how), &d, &options, l->arena, &l->err),
            l->err);
        assert_int_equal(bf_policy_apply(&with, policy, &d, l->arena, &l->err), BF_EPOLICY);
        const char *wanted = k == 8 ? "the probabilities sum to 1.1" : cases[k].message;
        if (!strstr(l->err.message, wanted))
            fail_msg("%s: '%s' is not in: %s", cases[k].how, wanted, l->err.message);
        assert_true(strstr(cases[k].how, "bad-") ||
                    bf_policy_apply(&with, policy, &d, l->arena, &l->err) == BF_EPOLICY);
        bf_policy_close(policy);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void starting_fails_with_a_name(void **state) {
    static const struct {
        const char *command, *message;
        bf_status status;
    } cases[] = {
        {"no-such-program-at-all x", "'no-such-program-at-all' cannot be started: No such file",
         BF_EPOLICY},
        {"'open", "a quote is opened and never closed", BF_EUSAGE},
        {"  ", "no program to start", BF_EUSAGE},
        {"true", "ended with status 0 before it had answered", BF_EPOLICY},
        {"sh -c \"echo it is broken >&2; exit 3\"",
         "ended with status 3 before it had answered; it said: it is broken", BF_EPOLICY},
        {"cat", "answered 'probabilities 1 2 2' where the line 'probabilities 1 2' should be",
         BF_EPOLICY},
        {"yes", "answered 'y' where the line 'probabilities 1 2' should be", BF_EPOLICY},
        {"head -c 300 /dev/zero", "should be", BF_EPOLICY},
    };
    logs *l = *state;
    bf_dataset d = log_of(l, false);
    const bf_policy *policy;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_status status =
            bf_policy_from_command(&policy, cases[k].command, &d, NULL, l->arena, &l->err);
        assert_int_equal(status, cases[k].status);
        if (!strstr(l->err.message, cases[k].message))
            fail_msg("'%s' is not in: %s", cases[k].message, l->err.message);
    }
    assert_int_equal(bf_policy_from_command(&policy, command("one"), &d, NULL, l->arena, &l->err),
                     BF_EPOLICY); /* one action, where the log has two */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void words_are_those_of_a_shell(void **state) {
    logs *l = *state;
    char **words;
    assert_ok(bf__process_words(&words, "  a 'b c'  \"d \\\" e\"f\\ g '' 'x'\"y\" \\\\", l->arena,
                                &l->err),
              l->err);
    static const char *const wanted[] = {"a", "b c", "d \" ef g", "", "xy", "\\"};
    for (int k = 0; k < 6; k++)
        assert_string_equal(words[k], wanted[k]);
    assert_null(words[6]);
}

int main(int argc, char **argv) {
    if (argc > 1)
        return be_asked(argv[1]);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(its_answers_are_the_policy, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(it_may_know_more_actions, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(vectors_are_drawn, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(large_questions_and_threads, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(every_failure_has_its_name, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(starting_fails_with_a_name, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(words_are_those_of_a_shell, logs_setup, logs_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
