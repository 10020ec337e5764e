/* test_accuracy.c - The default estimate on the control problems, against the truth by simulation.
 *
 * A small version of bench/accuracy.sh: few and short logs of the hand-made policies and of a
 * network, so the bounds are wide; they are far from what a broken method would reach. Networks,
 * which the default asks about logs of this size, have next to no share on three of the problems
 * and take minutes under sanitizers: there it is `blackbox` alone. */
#include "logs.h"

#include <math.h>

/* The number after "name": in the JSON that a command prints. */
static double ask(const char *command, const char *name) {
    char line[4096], key[64];
    double value = NAN;
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    snprintf(key, sizeof key, "\"%s\": ", name);
    while (fgets(line, sizeof line, pipe)) {
        const char *at = strstr(line, key);
        if (at && isnan(value))
            value = strtod(at + strlen(key), NULL);
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(isfinite(value));
    return value;
}

/* Naive RMSE over that of the method, on `logs_made` logs of `trajectories`; the behaviour is the
 * policy mixed `from` with the uniform one. */
static double improvement(const logs *l, const char *method, const char *problem,
                          const char *policy, double from, int trajectories, int logs_made) {
    char command[600], log[100];
    double naive = 0, error = 0;
    snprintf(command, sizeof command,
             TOOL " value %s --policy %s@0.9 --chains 256 --steps 4000 --quiet --json", problem,
             policy);
    double truth = ask(command, "value");
    snprintf(log, sizeof log, "%.60s/log.npz", l->folder);
    for (int seed = 1; seed <= logs_made; seed++) {
        snprintf(command, sizeof command,
                 TOOL " simulate %s --behavior %s@%g --target %s@0.9 --episodes %d --seed %d "
                      "--quiet -o %s >%s.said",
                 problem, policy, from, policy, trajectories, seed, log, log);
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof command,
                 TOOL " estimate %s --method naive --interval none --quiet --json", log);
        naive += pow(ask(command, "value") - truth, 2);
        snprintf(command, sizeof command,
                 TOOL " estimate %s --method %s --interval none --quiet --json", log, method);
        error += pow(ask(command, "value") - truth, 2);
    }
    unlink(log);
    snprintf(command, sizeof command, "%s.said", log);
    unlink(command);
    print_message("%s, %s: naive %.4g, %s %.4g\n", problem, policy, sqrt(naive / logs_made), method,
                  sqrt(error / logs_made));
    return sqrt(naive / error);
}

static void pendulum(void **state) {
    assert_true(improvement(*state, "auto", "pendulum", "handmade", 0.7, 12, 2) > 20);
    assert_true(improvement(*state, "auto", "pendulum", POLICIES "/pendulum.policy", 0.7, 12, 1) >
                20);
}

static void mountaincar(void **state) {
    assert_true(improvement(*state, "blackbox", "mountaincar", "handmade", 0.7, 20, 2) > 4);
}

static void acrobot(void **state) {
    assert_true(improvement(*state, "auto", "acrobot", "handmade", 0.7, 20, 2) > 2);
}

static void cartpole(void **state) {
    assert_true(improvement(*state, "blackbox", "cartpole", "handmade", 0.7, 20, 1) > 5);
}

/* Every step is noisy, and the target far from the log. A correction that follows the noise of its
 * own rows is off by half of the naive error here. */
static void drift(void **state) {
    assert_true(improvement(*state, "blackbox", "drift", "up", 0.3, 20, 6) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(pendulum), logs_test(mountaincar), logs_test(acrobot),
        logs_test(cartpole), logs_test(drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
