/* test_experiment.c - Experiments as they are run: threads, what is kept on disk and found again,
 * what is refused. */
#include "studies.h"

/* ---- Running */

#define TINY                                                                                       \
    LIST("problems", "pendulum", "trajectories", "3,6", "horizon", "15", "runs", "3", "methods",   \
         "naive,ips-linear,blackbox-network,blackbox")

static void threads_do_not_matter(void **state) {
    (void)state;
    bf__study one[2];
    for (int threads = 1; threads <= 3; threads++) {
        bf__study s[] = {plan("control-rmse", TINY, 1),
                         plan("bias-variance", LIST("trajectories", "20", "runs", "9"), 1)};
        run(s, 2, true, threads);
        if (threads == 1)
            memcpy(one, s, sizeof s);
        for (int i = 0; i < 2; i++)
            assert_same(&s[i], &one[i]);
    }
}

/* 2 sizes, 3 logs, 4 methods; and both kinds of truth. */
static void shared_runs_are_run_once(void **state) {
    (void)state;
    bf__study both[] = {plan("control-rmse", TINY, 1), plan("control-quantiles", TINY, 1)};
    run(both, 2, false, 2);
    assert_int_equal(lines(), 2 * 3 * 4 + 2);
    assert_same(&both[0], &both[1]);
    /* Finished runs are used again, and only what is new is run. */
    char *before = read_file();
    bf__study again = plan("control-quantiles", TINY, 1);
    run(&again, 1, false, 1);
    assert_string_equal(before, read_file());
    assert_same(&again, &both[1]);
    bf__study more = plan("control-rmse",
                          LIST("problems", "pendulum", "trajectories", "6", "horizon", "15", "runs",
                               "4", "methods", "naive,blackbox-network"),
                          1);
    run(&more, 1, false, 2);
    assert_int_equal(lines(), 2 * 3 * 4 + 2 + 2);
    const bf__run_group *x = bf__study_find(&more, "blackbox-network", 0, 6);
    const bf__run_group *y = bf__study_find(&both[0], "blackbox-network", 0, 6);
    assert_memory_equal(x->value, y->value, 3 * sizeof *x->value);
    /* Logs are not the same, though. */
    assert_true(x->value[3] != x->value[2] && x->value[2] != x->value[1]);
    run(&more, 1, true, 2);
    assert_int_equal(lines(), 2 * 4 + 2);
    /* Nor does it matter what else was asked of a log. */
    assert_memory_equal(x->value, y->value, 3 * sizeof *x->value);
}

/* Discounts and methods of one log share what they can, and the digits are those of each alone. */
static void what_is_asked_together_changes_no_digit(void **state) {
    (void)state;
    static const char *const gammas[] = {"0.9,1", "0.9", "1"};
    bf__study s[3];
    for (int k = 0; k < 3; k++) {
        s[k] = plan("discounted",
                    LIST("problems", "cartpole", "size", "4", "horizon", "40", "runs", "2",
                         "methods", k ? "blackbox" : "model,lstdq,blackbox", "gammas", gammas[k]),
                    1);
        run(&s[k], 1, true, 1);
    }
    for (int k = 1; k < 3; k++) {
        double gamma = k == 1 ? 0.9 : 1;
        const bf__run_group *x = bf__study_find(&s[0], "blackbox", 0, gamma);
        const bf__run_group *y = bf__study_find(&s[k], "blackbox", 0, gamma);
        assert_true(isfinite(x->value[0]) && isfinite(x->value[1]));
        assert_memory_equal(x->value, y->value, 2 * sizeof *x->value);
    }
}

/* Whatever changes the log or the question is run anew; the same is not. */
static void keys(void **state) {
    (void)state;
    static const char *const changes[][2] = {{"alpha", "0.5"},      {"target-alpha", "0.8"},
                                             {"size", "6"},         {"horizon", "5"},
                                             {"policy", "uniform"}, {"methods", "ips"},
                                             {"gammas", "0.5"},     {"gammas", "0.50000000001"}};
    const char *settings[] = {"problems", "modelwin", "policy",  "behavior", "size", "5",
                              "horizon",  "4",        "gammas",  "1",        "runs", "3",
                              "methods",  "naive",    "horizon", "4",        NULL};
    bf__study s = plan("discounted", settings, 1);
    run(&s, 1, false, 1);
    int before = lines();
    assert_int_equal(before, 3 + 1); /* the precise truth is exact: not run */
    for (size_t i = 0; i <= sizeof changes / sizeof *changes; i++) {
        bool seed = i == sizeof changes / sizeof *changes;
        settings[14] = seed ? "runs" : changes[i][0];
        settings[15] = seed ? "3" : changes[i][1];
        for (int time = 0; time < 2; time++) {
            s = plan("discounted", settings, seed ? 2 : 1);
            run(&s, 1, false, 1);
            if (time == 0 && lines() < before + 3)
                fail_msg("%s %s: only %d new lines", settings[14], settings[15], lines() - before);
            if (time == 1)
                assert_int_equal(lines(), before);
            before = lines();
        }
    }
}

/* Weighted importance sampling needs two episodes. */
static void a_method_without_an_answer(void **state) {
    (void)state;
    for (int time = 0; time < 2; time++) { /* the second time from the file */
        bf__study s =
            plan("bias-variance",
                 LIST("trajectories", "1,30", "methods", "naive,wis,blackbox", "runs", "4"), 1);
        run(&s, 1, false, 2);
        assert_int_equal(lines(), 2 * 3 * 4 + 1);
        for (int64_t g = 0; g < s.group_count; g++) {
            const bf__run_group *group = &s.groups[g];
            bool none = strcmp(group->method->name, "wis") == 0 && group->x == 1;
            assert_int_equal(group->spread.runs, none ? 0 : 4);
            for (int i = 0; i < 4; i++)
                assert_int_equal(isnan(group->value[i]), none);
            assert_int_equal(isnan(group->spread.rmse.value), none);
        }
        assert_ok(s.experiment->judge(&s, s.options, &err), err);
        assert_ok(bf__study_csv(&s, folder, &err), err);
    }
    char name[160], line[1024];
    snprintf(name, sizeof name, "%s/bias-variance-summary.csv", folder);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    bool found = false;
    while (fgets(line, sizeof line, file))
        found |= strstr(line, ",1,3,1,wis,4,0,") && strstr(line, ",,,,,,,,,,,");
    fclose(file);
    assert_true(found);
    remove(name);
    snprintf(name, sizeof name, "%s/bias-variance.csv", folder);
    assert_int_equal(remove(name), 0);
}

/* ---- The store */

static void a_line_that_was_cut_off(void **state) {
    (void)state;
    const char *const *settings = LIST("trajectories", "9", "runs", "3", "methods", "naive,ips");
    bf__study whole = plan("bias-variance", settings, 1), s;
    run(&whole, 1, false, 1);
    int count = lines();
    const char *text = read_file();
    size_t size = strlen(text), last = size - 1;
    while (text[last - 1] != '\n')
        last--;
    for (size_t cut = last; cut < size; cut++) {
        write_file(text, cut);
        s = plan("bias-variance", settings, 1);
        run(&s, 1, false, 1);
        assert_int_equal(lines(), count);
        assert_same(&s, &whole);
    }
    /* A disk may leave zeros where a line was to be. */
    char *zeros = bf_arena_zalloc(arena, (int64_t)size + 9, 1, &err);
    memcpy(zeros, text, last);
    write_file(zeros, last + 9);
    s = plan("bias-variance", settings, 1);
    run(&s, 1, false, 1);
    assert_int_equal(lines(), count);
    assert_same(&s, &whole);
    /* Within the first line: nothing is there. */
    write_file(text, 20);
    s = plan("bias-variance", settings, 1);
    run(&s, 1, false, 1);
    assert_int_equal(lines(), count);
}

static void assert_refused(const char *text, bf_status status, const char *message) {
    char expected[256];
    bf__store *store = NULL;
    write_file(text, strlen(text));
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    assert_int_equal(bf__store_open(&store, folder, false, NULL, arena, &err), status);
    bf__store_close(store);
    if (strncmp(err.message, expected, strlen(expected)) != 0)
        fail_msg("'%s' should begin with '%s'", err.message, expected);
    if (strchr(err.message, '\n'))
        fail_msg("'%s' is more than one line", err.message);
    assert_string_equal(read_file(), text); /* as it was */
}

#define FIRST                                                                                      \
    "version,problem,behavior,target,trajectories,steps,gamma,method,seed,run,value,error,"        \
    "seconds\n"
#define LINE "0.1.0,p,b,t,5,3,1,naive,1,0,"

static void damaged_lines(void **state) {
    (void)state;
    assert_refused(FIRST LINE "1,nan,2\n" LINE "1x,nan,2\n", BF_EFORMAT,
                   "3: value: '1x' is not a number");
    assert_refused(FIRST LINE "1,,2\n", BF_EFORMAT, "2: error: '' is not a number");
    assert_refused(FIRST LINE "1,2,\n", BF_EFORMAT, "2: seconds: '' is not a number");
    assert_refused(FIRST LINE "1,2\n", BF_EFORMAT, "2: 12 columns where there should be 13");
    assert_refused(FIRST LINE "1,nan,2\n\n", BF_EFORMAT, "3: 1 columns where there should be 13");
    assert_refused("a,b\n1,2\n", BF_EFORMAT, "1: is not a list of runs");
    assert_refused("version,value\n" FIRST FIRST, BF_EFORMAT, "1: is not a list of runs");
    /* --fresh starts over. */
    bf__store *store = NULL;
    assert_ok(bf__store_open(&store, folder, true, NULL, arena, &err), err);
    bf__store_close(store);
    assert_string_equal(read_file(), FIRST);
}

static void other_versions(void **state) {
    (void)state;
    char text[512];
    bf__store *store = NULL;
    snprintf(text, sizeof text, FIRST "0.0.9,%s,7,nan,1\n%s,%s,8,nan,1\n", "p,b,t,5,3,1,m,1,0",
             bf_version(), "p,b,t,5,3,1,m,1,1");
    write_file(text, strlen(text));
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_null(bf__store_find(store, "p,b,t,5,3,1,m,1,0"));
    assert_non_null(bf__store_find(store, "p,b,t,5,3,1,m,1,1"));
    assert_ok(bf__store_add(store, &(bf__record){"p,b,t,5,3,1,m,1,0", 0.1, NAN, 2}, &err), err);
    bf__store_close(store);
    assert_int_equal(lines(), 3);
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,0")->value == 0.1);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,1")->value == 8);
    bf__store_close(store);
}

/* Many records, numbers that are hard to write, and one key twice: the later line counts. */
static void all_is_found_again(void **state) {
    (void)state;
    static const double hard[] = {1.0 / 3, -1e-300, 5e-324, 1e300, 0.1 + 0.2, -0.0, NAN, 12345};
    bf__store *store = NULL;
    char key[64];
    for (int open = 0; open < 2; open++) {
        assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
        for (int i = 0; i < 3000; i++) {
            double value = hard[i % 8];
            snprintf(key, sizeof key, "p,b,t,5,3,1,m,1,%d", i);
            if (open == 0)
                assert_ok(bf__store_add(store, &(bf__record){key, value, i, 0.5}, &err), err);
            const bf__record *found = bf__store_find(store, key);
            assert_non_null(found);
            assert_true(isnan(value) ? isnan(found->value) : found->value == value);
            assert_int_equal(signbit(found->value) != 0, signbit(value) != 0);
            assert_true(found->error == i && found->seconds == 0.5);
        }
        assert_null(bf__store_find(store, "p,b,t,5,3,1,m,1,3000"));
        bf__store_close(store);
    }
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_ok(bf__store_add(store, &(bf__record){"p,b,t,5,3,1,m,1,7", 2, 3, 4}, &err), err);
    bf__store_close(store);
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,7")->value == 2);
    bf__store_close(store);
}

static void one_writer(void **state) {
    (void)state;
    bf__store *first = NULL, *second = NULL;
    assert_ok(bf__store_open(&first, folder, false, NULL, arena, &err), err);
    for (int fresh = 0; fresh < 2; fresh++) {
        assert_int_equal(bf__store_open(&second, folder, fresh, NULL, arena, &err), BF_EFILE);
        assert_non_null(strstr(err.message, "runs.csv: another process is writing to it"));
        bf__store_close(second);
    }
    assert_string_equal(read_file(), FIRST);
    bf__store_close(first);
    assert_ok(bf__store_open(&second, folder, false, NULL, arena, &err), err);
    bf__store_close(second);
}

/* ---- Interruption and failure */

static bool refuse(void *context, const bf_progress *progress) {
    (void)context;
    (void)progress;
    return false;
}

static void interrupted(void **state) {
    (void)state;
    static const char *const problems[] = {"modelwin", "pendulum"}; /* in the runs, in the truth */
    for (int i = 0; i < 2; i++) {
        bf__study s = plan(
            "control-rmse",
            LIST("problems", problems[i], "policy", "uniform", "methods", "blackbox", "runs", "40"),
            1);
        bf__store *store = NULL; /* too few runs for it to grow */
        bf_context context = {.callbacks = {.progress = refuse}, .seed = 1, .threads = 2};
        assert_ok(bf__store_open(&store, folder, true, NULL, arena, &err), err);
        assert_int_equal(bf__studies_run(&s, 1, &effort, store, &context, NULL, arena, &err),
                         BF_ECANCELLED);
        bf__store_close(store);
        assert_string_equal(err.message, "interrupted; the same command goes on from here");
        assert_true(lines() < 6 * 40);
    }
}

/* Out of memory at every allocation in turn: a clean error each time. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *const *settings = LIST("trajectories", "5", "runs", "2", "methods", "naive,ips");
    double expected = 0;
    for (long failures = -1;; failures++) { /* without a limit first */
        ration r = {.left = failures};
        bf_allocator allocator = ration_allocator(&r);
        bf_arena *in = NULL;
        bf__study s;
        err = (bf_error){BF_OK, ""};
        bf_status status = bf_arena_create(&in, &allocator, &err);
        if (status == BF_OK)
            status = try_plan(&s, "bias-variance", settings, 1, in);
        if (status == BF_OK)
            status = try_run(&s, 1, true, 1, in);
        if (status == BF_OK)
            status = s.experiment->judge(&s, s.options, &err);
        double value = status == BF_OK ? s.groups[1].spread.rmse.value : 0;
        bf_arena_destroy(in);
        assert_int_equal(r.live, 0);
        if (failures < 0)
            expected = value;
        if (failures >= 0 && status == BF_OK) {
            assert_true(value == expected && value > 0);
            assert_true(failures > 50);
            return;
        }
        assert_int_equal(status, failures < 0 ? BF_OK : BF_ENOMEM);
    }
}

/* ---- Planning */

static void refused_plans(void **state) {
    (void)state;
    const struct {
        const char *name;
        const char *const *settings;
        const char *message;
    } cases[] = {
        {"bias-variance", LIST("trajectories", "4,04"), "--trajectories: 4 and 04 are the same"},
        {"bias-variance", LIST("trajectories", "4,4"), "--trajectories: '4' is there twice"},
        {"bias-variance", LIST("trajectories", "4.5"), "--trajectories: '4.5' is not a whole"},
        {"bias-variance", LIST("trajectories", "nan"), "--trajectories: 'nan' is not a whole"},
        {"bias-variance", LIST("trajectories", "0"), "--trajectories: 0 is outside 1 to 1e+09"},
        {"bias-variance", LIST("behavior", "behavior,target"), "--behavior: 'behavior,target': "},
        {"bias-variance", LIST("target", "nosuch"), "'nosuch' is neither a file nor a policy"},
        {"modelwin-horizon", LIST("behavior", "nosuch"), "'nosuch' is neither a file nor"},
        {"modelwin-horizon", LIST("horizons", "1,4"), "--horizons: 1 is outside 2 to 200000"},
        {"discounted", LIST("problems", "cartpole,modelwin"), "'trained' is neither a file nor"},
        {"discounted", LIST("gammas", "0.9,1.5"), "--gammas: 1.5 is outside 0 to 1"},
        {"surprise", LIST("finite", "boyan"), "--finite: 'boyan' is not one of modelwin,"},
        {"surprise", LIST("finite", "ladder,ladder"), "--finite: 'ladder' is there twice"},
        {"surprise", LIST("finite", "ladder,"), "--finite: '' is not one of modelwin,"},
        {"surprise", LIST("sizes", "5"), "--sizes: 5 is outside 10 to 1e+09"},
        {"generalization", LIST("finite", "pendulum"), "--finite: 'pendulum' is not one of"},
        {"generalization", LIST("sizes", "0.5"), "--sizes: '0.5' is not a whole number"},
        {"discrepancy", LIST("real", "boyan"), "--real: 'boyan' is not one of drift,"},
        {"discrepancy", LIST("real", "drift,drift"), "--real: 'drift' is there twice"},
        {"discrepancy", LIST("real-sizes", "50"), "--real-sizes: 50 is outside 100 to 1e+09"},
        {"discrepancy", LIST("finite", "drift"), "--finite: 'drift' is not one of modelwin,"},
        {"sensitivity", LIST("policy", "a,b"), "--policy: 'a,b': "},
        {"sensitivity", LIST("methods", "naive,,ips"), "--methods: 'naive,,ips' has an empty"},
        {"control-rmse", LIST("methods", "wis-return"), "--methods: 'wis-return' answers with the"},
        {"episodic", LIST("trajectories", "1"), "--trajectories: 1 is outside 2 to 1e+09"},
        {"episodic", LIST("problems", "cartpole,acrobot,mountaincar,pendulum,modelwin"),
         "--problems: 5 entries; there is room for 4"},
        {"structure", LIST("policy", "a,b"), "--policy: 'a,b': "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bf__study s;
        err = (bf_error){BF_OK, ""};
        assert_int_not_equal(try_plan(&s, cases[i].name, cases[i].settings, 1, arena), BF_OK);
        if (strncmp(err.message, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("'%s' should begin with '%s'", err.message, cases[i].message);
    }
    char many[1024] = "1";
    for (int i = 2; i <= BF_MAX_PLACES; i++)
        sprintf(many + strlen(many), ",%d", i);
    plan("bias-variance", LIST("trajectories", many), 1);
    strcat(many, ",1000");
    bf__study s;
    assert_int_equal(try_plan(&s, "bias-variance", LIST("trajectories", many), 1, arena),
                     BF_EUSAGE);
    assert_string_equal(err.message, "--trajectories: 65 entries; there is room for 64");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        folder_test(threads_do_not_matter),
        folder_test(shared_runs_are_run_once),
        folder_test(what_is_asked_together_changes_no_digit),
        folder_test(keys),
        folder_test(a_method_without_an_answer),
        folder_test(a_line_that_was_cut_off),
        folder_test(damaged_lines),
        folder_test(other_versions),
        folder_test(all_is_found_again),
        folder_test(one_writer),
        folder_test(interrupted),
        folder_test(every_allocation_may_fail),
        folder_test(refused_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
