/* test_hdf5.c - Files of D4RL and Minari, row by row against what h5py and Minari say is in them
 * (fixtures/scripts/make_hdf5.py), and what libhdf5 keeps of ours. */
#include "logs.h"

#include <dlfcn.h>
#include <omp.h>

#include "dataset/spaces.h"

static bf_dataset expect(logs *l, const char *name) {
    char path[512];
    bf_dataset data;
    snprintf(path, sizeof path, FIXTURES "/hdf5/%s.csv", name);
    assert_ok(logs_read(l, &data, path), l->err);
    return data;
}

static bf_dataset read_file(logs *l, const char *name) {
    static char path[512];
    bf_dataset data;
    bool episodes = strncmp(name, "minari", 6) == 0;
    snprintf(path, sizeof path, FIXTURES "/hdf5/%s%s", name,
             episodes ? "/main_data.hdf5" : ".hdf5");
    assert_ok(logs_read(l, &data, path), l->err);
    return data;
}

#define assert_column(name, a, b, count)                                                           \
    do {                                                                                           \
        assert_int_equal(!(a), !(b));                                                              \
        for (int64_t bf_i = 0; (a) && bf_i < (count); bf_i++)                                      \
            if ((a)[bf_i] != (b)[bf_i])                                                            \
                fail_msg("%s: %s[%lld] is %.17g, not %.17g", name, #a, (long long)bf_i,            \
                         (double)(a)[bf_i], (double)(b)[bf_i]);                                    \
    } while (0)

/* Every number of every row. */
static void compare(const char *name, const bf_dataset *got, const bf_dataset *want) {
    int64_t n = want->n;
    assert_int_equal(got->n, n);
    assert_int_equal(got->state_dim, want->state_dim);
    assert_int_equal(got->action_dim, want->action_dim);
    assert_column(name, got->state, want->state, n * want->state_dim);
    assert_column(name, got->next_state, want->next_state, n * want->state_dim);
    assert_column(name, got->reward, want->reward, n);
    assert_column(name, got->action, want->action, n);
    assert_column(name, got->action_vector, want->action_vector, n * want->action_dim);
    assert_column(name, got->terminated, want->terminated, n);
    assert_column(name, got->truncated, want->truncated, n);
    for (int64_t i = 0; i < n; i++)
        if (want->mu)
            assert_near(got->mu[i], want->mu[i], 1e-15 * want->mu[i]);
    assert_int_equal(!got->mu, !want->mu);
}

static void flat_files_are_read_row_by_row(void **state) {
    static const char *const names[] = {"d4rl-next",   "d4rl-shift", "d4rl-types",
                                        "d4rl-finite", "d4rl-one",   "d4rl-odd-mu"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bf_dataset got = read_file(*state, names[k]), want = expect(*state, names[k]);
        compare(names[k], &got, &want);
    }
}

static void episodes_are_read_row_by_row(void **state) {
    static const char *const names[] = {"minari-box", "minari-many", "minari-finite",
                                        "minari-nested"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bf_dataset got = read_file(*state, names[k]), want = expect(*state, names[k]);
        compare(names[k], &got, &want);
        assert_int_equal(got.episodes, want.episodes);
        assert_column(names[k], got.begin, want.begin, want.episodes + 1);
        assert_column(names[k], got.order, want.order, want.n);
    }
    bf_dataset got = read_file(*state, "minari-plain"), want = expect(*state, "minari-box");
    compare("minari-plain", &got, &want); /* real vectors need no description */
}

/* What the file says of its spaces holds, even if the log does not show all of it. */
static void spaces_say_how_many(void **state) {
    bf_dataset finite = read_file(*state, "minari-finite");
    assert_int_equal(finite.states, 6);
    assert_int_equal(finite.actions, 3);
    bf_dataset nested = read_file(*state, "minari-nested");
    assert_int_equal(nested.actions, 12);
    assert_int_equal(nested.states, 0);
    bf_dataset guessed = read_file(*state, "d4rl-finite");
    assert_int_equal(guessed.states, 4);
    assert_int_equal(guessed.actions, 2);
}

static void rows_that_time_out_have_no_next_state(void **state) {
    bf_dataset d = read_file(*state, "d4rl-shift");
    assert_int_equal(d.rows_read, 23);
    assert_int_equal(d.rows_dropped, 3);
    for (int64_t i = 0; i < d.n; i++) {
        assert_true(d.row[i] != 8 && d.row[i] != 16 && d.row[i] != 22);
        if (d.terminated[i]) /* the next state is never read, and is no other episode's */
            assert_true(d.next_state[i] == d.state[i]);
    }
}

/* 800 rows of 100 numbers are more than one block, and chunks do not end where blocks do. */
static void long_arrays_are_read_in_blocks(void **state) {
    bf_dataset d = read_file(*state, "d4rl-long");
    assert_int_equal(d.n, 800);
    assert_int_equal(d.state_dim, 100);
    for (int64_t i = 0; i < d.n; i++) {
        assert_true(d.reward[i] == (double)i && d.action[i] == i % 3);
        for (int64_t j = 0; j < d.state_dim; j++) {
            assert_true(d.state[j * d.n + i] == (double)((i * 7 + j) % 251));
            assert_true(d.next_state[j * d.n + i] == (double)((i * 7 + j + 7) % 251));
        }
    }
}

static void a_row_is_named_by_its_episode(void **state) {
    char where[256];
    bf_dataset d = read_file(*state, "minari-box");
    const char *text = bf_dataset_where(&d, 6, where, sizeof where);
    assert_non_null(strstr(text, "main_data.hdf5: episode_2, step 2"));
}

/* libhdf5 is one per process: what its other users have set stays. */
static void settings_of_the_library_stay(void **state) {
    typedef int (*report)(long stack, void *data);
    logs *l = *state;
    bf_dataset d = read_file(l, "d4rl-next"); /* the library is loaded */
    void *library = dlopen("libhdf5_serial.so.103", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        skip(); /* another release of it */
    int (*get)(long, report *, void **), (*set)(long, report, void *);
    *(void **)&get = dlsym(library, "H5Eget_auto2");
    *(void **)&set = dlsym(library, "H5Eset_auto2");
    int marker;
    report before, after;
    void *to;
    assert_true(get(0, &before, &to) >= 0 && set(0, before, &marker) >= 0);
    assert_int_equal(logs_read(l, &d, FIXTURES "/hdf5/bad-damaged.hdf5"), BF_EFORMAT);
    assert_true(get(0, &after, &to) >= 0);
    assert_true(after == before && to == &marker);
    set(0, before, NULL);
    dlclose(library);
}

static void several_threads_read_at_once(void **state) {
    logs *l = *state;
    bf_dataset want = expect(l, "minari-nested");
    int bad = 0;
#pragma omp parallel for num_threads(4) reduction(+ : bad)
    for (int k = 0; k < 16; k++) {
        const char *path = FIXTURES "/hdf5/minari-nested/main_data.hdf5";
        bf_arena *arena;
        bf_error err;
        bf_dataset data;
        bad += bf_arena_create(&arena, NULL, &err) != BF_OK;
        bad += bf__dataset_read(&data, &path, 1, NULL, NULL, arena, &err) != BF_OK;
        bad += data.n != want.n || memcmp(data.state, want.state, (size_t)data.n * 8) != 0;
        bf_arena_destroy(arena);
    }
    assert_int_equal(bad, 0);
}

static void columns_have_names(void **state) {
    logs *l = *state;
    bf__space space;
    char label[256];
    json_t *text = json_loads(
        "{\"type\": \"Dict\", \"subspaces\": {\"arm\": {\"type\": \"Dict\", \"subspaces\": {"
        "\"joint\": {\"type\": \"Box\", \"shape\": [2, 2]}, \"tool\": {\"type\": \"Discrete\", "
        "\"start\": 2, \"n\": 3}}}, \"speed\": {\"type\": \"Box\", \"shape\": []}, \"where\": "
        "{\"type\": \"Tuple\", \"subspaces\": [{\"type\": \"MultiDiscrete\", \"nvec\": [2, 3]}, "
        "{\"type\": \"MultiBinary\", \"n\": 2}]}}}",
        0, NULL);
    static const char *const names[] = {
        "arm.joint[0,0]",      "arm.joint[0,1]",      "arm.joint[1,0]",      "arm.joint[1,1]",
        "arm.tool=2",          "arm.tool=3",          "arm.tool=4",          "speed",
        "where._index_0[0]=0", "where._index_0[0]=1", "where._index_0[1]=0", "where._index_0[1]=1",
        "where._index_0[1]=2", "where._index_1[0]",   "where._index_1[1]"};
    assert_ok(bf__space_parse(&space, text, "test", l->arena, &l->err), l->err);
    json_decref(text);
    assert_int_equal(space.width, sizeof names / sizeof *names);
    for (int64_t c = 0; c < space.width; c++) {
        bf__space_label(&space, c, label, sizeof label);
        assert_string_equal(label, names[c]);
    }
    bf_dataset nested = read_file(l, "minari-nested"), box = read_file(l, "minari-box");
    for (int j = 0; j < nested.state_dim; j++)
        assert_string_equal(bf_dataset_state_name(&nested, j, label, sizeof label), names[j]);
    assert_string_equal(bf_dataset_state_name(&box, 1, label, sizeof label), "s1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flat_files_are_read_row_by_row, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(episodes_are_read_row_by_row, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(spaces_say_how_many, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(rows_that_time_out_have_no_next_state, logs_setup,
                                        logs_teardown),
        cmocka_unit_test_setup_teardown(long_arrays_are_read_in_blocks, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(a_row_is_named_by_its_episode, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(settings_of_the_library_stay, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(several_threads_read_at_once, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(columns_have_names, logs_setup, logs_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
