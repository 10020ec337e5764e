/* test_train.c - Training: it learns, it repeats itself, it can be stopped; and the policies that
 * come with the sources are as good as docs/notes/training.md says. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backflow/train.h"
#include "policy/network.h"
#include "train/evaluate.h"

TEST_ARENA;

static bf_train_options tiny(const bf_env *env) {
    bf_option_table table;
    bf_train_options options;
    assert_ok(bf_train_table(&table, env, arena, &err), err);
    assert_ok(bf_options_init(&table, &options, &err), err);
    options.hidden = "10-10";
    options.random = 400;
    options.visited = 200;
    options.fresh = 50;
    options.iterations = 20;
    options.epochs = 60;
    options.trials = 20;
    options.episodes = 50;
    return options;
}

/* Twenty iterations swing the pendulum up in part: a random network earns about -1200. */
static void a_little_training_helps(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("pendulum");
    bf_train_options options = tiny(env);
    bf_context context = {.threads = 1, .seed = 1};
    bf_train_result result;
    assert_ok(bf_train(&result, env, &options, &context, arena, &err), err);
    assert_int_equal(result.iterations, 20);
    double best = -INFINITY;
    for (int k = 0; k < 20; k++)
        best = fmax(best, result.curve[k].score);
    assert_near(best, result.curve[result.best - 1].score, 0);
    assert_true(result.curve[0].score < -900);
    assert_true(result.score > -700);
    assert_true(result.worst <= result.score);
    assert_true(result.curve[19].value < result.curve[0].value); /* costs add up */
    assert_int_equal(bf_policy_actions(result.policy), 5);
}

static void threads_and_runs_do_not_change_a_digit(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("cartpole");
    bf_train_options options = tiny(env);
    options.iterations = 3;
    char text[4][16384] = {{0}}, path[64];
    snprintf(path, sizeof path, "test_train.%ld.policy", (long)getpid());
    for (int k = 0; k < 4; k++) {
        bf_context context = {.threads = 1 + k % 3, .seed = k == 3 ? 2 : 1};
        bf_train_result result;
        assert_ok(bf_train(&result, env, &options, &context, arena, &err), err);
        assert_ok(bf_train_write(&result, "a command", path, &err), err);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_true(fread(text[k], 1, sizeof text[k] - 1, file) > 1000);
        fclose(file);
    }
    unlink(path);
    assert_string_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    assert_string_not_equal(text[0], text[3]); /* another seed */
}

static bool stop_after(void *left, const bf_progress *progress) {
    assert_string_equal(progress->task, "training");
    return (*(int *)left)-- > 0;
}

static void stopping_keeps_the_best_so_far(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("mountaincar");
    bf_train_options options = tiny(env);
    for (int allowed = 0; allowed < 3; allowed++) {
        int left = allowed;
        bf_context context = {.callbacks = {.progress = stop_after, .context = &left}, .seed = 1};
        bf_train_result result;
        bf_status status = bf_train(&result, env, &options, &context, arena, &err);
        assert_int_equal(status, allowed ? BF_OK : BF_ECANCELLED);
        assert_int_equal(result.iterations, allowed);
    }
}

static void expect(const char *env_name, const bf_train_options *options, const char *message) {
    bf_context context = {.seed = 1};
    bf_train_result result;
    assert_int_equal(bf_train(&result, bf_env_find(env_name), options, &context, arena, &err),
                     BF_EUSAGE);
    if (!strstr(err.message, message))
        fail_msg("'%s' does not say '%s'", err.message, message);
}

static void bad_options_are_named(void **state) {
    (void)state;
    static const char *const boxes[] = {"",        "0:1",       "0:1,0:1,0:1", "0:1,1:0",  "0:1,0",
                                        "0:1,x:1", "0:1,0:inf", "0:1;0:1",     "nan:1,0:1"};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        bf_train_options options = tiny(bf_env_find("mountaincar"));
        options.box = boxes[i];
        expect("mountaincar", &options, "is not 2 ranges LOW:HIGH");
    }
    bf_train_options options = tiny(bf_env_find("mountaincar"));
    options.angles = "x,phi";
    expect("mountaincar", &options, "`angles`: mountaincar has no state 'phi'");
    options = tiny(bf_env_find("mountaincar"));
    options.hidden = "20-";
    expect("mountaincar", &options, "'20-' is not a list of hidden layers");
    expect("modelwin", &options, "finitely many states");
}

/* The thresholds of docs/notes/training.md with the margin that 200 episodes need. */
static void committed_policies_are_good(void **state) {
    (void)state;
    static const struct {
        const char *env;
        double least;
    } rows[] = {{"pendulum", -200}, {"mountaincar", -115}, {"cartpole", 475}, {"acrobot", -100}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512], start[64];
        const bf_policy *policy;
        const bf_env *env = bf_env_find(rows[i].env);
        bf_context context = {.seed = 99};
        bf__evaluation got;
        snprintf(path, sizeof path, FIXTURES "/../../policies/%s.policy", rows[i].env);
        assert_ok(bf_policy_read(&policy, path, arena, &err), err);
        const bf__network *network = (const bf__network *)policy;
        assert_string_equal(network->env, rows[i].env);
        snprintf(start, sizeof start, "backflow train %s -o %s.policy", rows[i].env, rows[i].env);
        assert_ptr_equal(strstr(network->command, start), network->command);
        assert_ok(bf__evaluate(&got, env, policy, 0, 200, &context, arena, &err), err);
        if (got.mean < rows[i].least)
            fail_msg("%s earns %g", rows[i].env, got.mean);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_little_training_helps),
        cmocka_unit_test(threads_and_runs_do_not_change_a_digit),
        cmocka_unit_test(stopping_keeps_the_best_so_far),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(committed_policies_are_good),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
