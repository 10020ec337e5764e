/* test_at_once.c - The library from eight threads of a host at once gives the digits of a single
 * one.
 *
 * Each thread reads its own file, asks several methods and models, and trains nothing. Built with
 * the thread sanitizer (preset `threads`) this is also the test that there is no race. */
#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, ANSWERS = 5 };

typedef struct work {
    const char *log;
    int threads; /* of the library, within this thread */
    double value[ANSWERS];
    bf_error err;
} work;

static const struct {
    const char *method, *weights;
    int finite;
} questions[ANSWERS] = {{"blackbox", NULL, 1},
                        {"model", NULL, 1},
                        {"blackbox", "linear", 0},
                        {"blackbox", "neighbours", 0},
                        {"lstdq", NULL, 0}};

static char logs[2][64]; /* real-valued states; finite ones */

static bf_status ask(work *w, bf_arena *arena) {
    bf_context context = {.threads = w->threads, .seed = 1};
    for (int k = 0; k < ANSWERS; k++) {
        const char *path = logs[questions[k].finite];
        const bf_dataset *data;
        const bf_estimate *estimate;
        bf_settings *options;
        const bf_estimator *estimator = bf_estimator_find(questions[k].method);
        BF_TRY(bf_dataset_read(&data, &path, 1, NULL, &context, arena, &w->err));
        BF_TRY(bf_estimator_settings(&options, estimator, NULL, arena, &w->err));
        if (questions[k].weights)
            BF_TRY(bf_settings_set(options, "weights", questions[k].weights, &w->err));
        bf_problem problem = {.data = data, .gamma = 1, .terminal = BF_TERMINAL_RESTART};
        BF_TRY(bf_estimator_run(&estimate, estimator, &problem, options, &context, arena, &w->err));
        w->value[k] = bf_estimate_value(estimate);
    }
    return BF_OK;
}

static void *run(void *argument) {
    work *w = argument;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &w->err);
    if (status == BF_OK) {
        status = ask(w, arena);
        bf_arena_destroy(arena);
    }
    if (status != BF_OK)
        w->err.status = status;
    return NULL;
}

/* A walk on (0, 1), or on ten cells of it, with the target policy in the log. */
static void write_log(const char *path, int cells) {
    bf_rng rng = bf_rng_make(7, "test", 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(cells ? "episode,t,s,a,r,ns,pi0,pi1,npi0,npi1\n"
                : "episode,t,s0,a,r,ns0,pi0,pi1,npi0,npi1\n",
          file);
    for (int e = 0; e < 20; e++) {
        double x = bf_rng_uniform(&rng);
        for (int t = 0; t < 20; t++) {
            int a = bf_rng_uniform(&rng) < 0.5;
            double next = x + 0.1 * (2 * a - 1) + 0.1 * (bf_rng_uniform(&rng) - 0.5);
            next = next < 0 ? 0 : next > 0.999 ? 0.999 : next;
            fprintf(file, "%d,%d,%.17g,%d,%.17g,%.17g,0.3,0.7,0.3,0.7\n", e, t,
                    cells ? (double)(int)(x * cells) : x, a, x * x - 0.3 * a,
                    cells ? (double)(int)(next * cells) : next);
            x = next;
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void eight_threads_give_the_digits_of_one(void **state) {
    (void)state;
    static work alone, many[THREADS];
    pthread_t thread[THREADS];
    char folder[] = "/tmp/backflow-once-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (int finite = 0; finite < 2; finite++) {
        snprintf(logs[finite], sizeof logs[finite], "%s/%d.csv", folder, finite);
        write_log(logs[finite], finite ? 10 : 0);
    }
    for (int k = 0; k < THREADS; k++) { /* before anything is loaded: they all come first */
        many[k].threads = 1 + k % 2;
        assert_int_equal(pthread_create(&thread[k], NULL, run, &many[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    alone.threads = 1;
    run(&alone);
    assert_ok(alone.err.status, alone.err);
    for (int k = 0; k < THREADS; k++) {
        assert_ok(many[k].err.status, many[k].err);
        assert_memory_equal(many[k].value, alone.value, sizeof alone.value);
    }
    unlink(logs[0]), unlink(logs[1]), rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_threads_give_the_digits_of_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
