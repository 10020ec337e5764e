/* test_columns.c - Logs from a program's own arrays: any layout, the same checks as in files. */
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

static bf_columns *begin(void) {
    bf_columns *columns = NULL;
    assert_ok(bf_columns_create(&columns, "mine", arena, &err), err);
    return columns;
}

static void add(bf_columns *columns, const char *name, bf_array array) {
    assert_ok(bf_columns_add(columns, name, &array, &err), err);
}

static bf_array array_of(const bf_dataset *data, const char *name) {
    bf_array array = {0};
    if (!bf_dataset_column(&array, data, name))
        fail_msg("there is no column %s", name);
    return array;
}

/* Two episodes, interleaved: 3 and 2 steps, the second one terminated. */
static const double states[5][2] = {{0, 1}, {10, 11}, {2, 3}, {12, 13}, {4, 5}};
static const int64_t episode[] = {7, 9, 7, 9, 7}, step[] = {0, 0, 1, 1, 2};
static const uint8_t terminated[] = {0, 0, 0, 1, 0};
static const int32_t action[] = {0, 1, 1, 0, 0};
static const float reward[] = {0.5f, 1, 2, 3, 4};

static void next_states_come_from_episodes(void **state) {
    (void)state;
    const bf_dataset *data;
    bf_columns *columns = begin();
    add(columns, "s", bf_array_2d(states, BF_FLOAT64, 5, 2));
    add(columns, "a", bf_array_1d(action, BF_INT32, 5));
    add(columns, "r", bf_array_1d(reward, BF_FLOAT32, 5));
    add(columns, "episode", bf_array_1d(episode, BF_INT64, 5));
    add(columns, "t", bf_array_1d(step, BF_INT64, 5));
    add(columns, "terminated", bf_array_1d(terminated, BF_UINT8, 5));
    add(columns, "weather", bf_array_1d(reward, BF_FLOAT32, 5));
    assert_ok(bf_dataset_from_columns(&data, columns, NULL, arena, &err), err);
    assert_int_equal(bf_dataset_rows(data), 4); /* episode 7 was cut off at its last row */
    assert_int_equal(bf_dataset_rows_read(data), 5);
    assert_int_equal(bf_dataset_rows_dropped(data), 1);
    assert_int_equal(bf_dataset_state_dim(data), 2);
    assert_int_equal(bf_dataset_states(data), 0);
    assert_int_equal(bf_dataset_actions(data), 2);
    assert_string_equal(bf_dataset_ignored(data), "weather");
    bf_array s = array_of(data, "s"), ns = array_of(data, "ns");
    assert_int_equal(ns.shape[0], 4);
    assert_int_equal(ns.shape[1], 2);
    static const double expected[4][2] = {{2, 3}, {12, 13}, {4, 5}, {12, 13}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            assert_true(bf_array_double(&s, i, j) == states[i][j]);
            assert_true(bf_array_double(&ns, i, j) == expected[i][j]);
        }
    const int64_t *from, *order;
    bool inferred;
    assert_int_equal(bf_dataset_episodes(data, &from, &order, &inferred), 2);
    assert_false(inferred);
    assert_int_equal(from[1], 2);
    assert_int_equal(order[1], 2);
    int64_t rows;
    assert_string_equal(bf_dataset_file(data, 0, &rows), "mine");
    assert_int_equal(rows, 4);
    assert_null(bf_dataset_file(data, 1, NULL));
}

/* The same numbers, stored in other ways, are the same log. */
static void any_layout(void **state) {
    (void)state;
    enum { N = 4, D = 3 };
    double by_row[N][D], by_column[D][N], back[N][D];
    struct {
        char odd;
        float x[D];
    } __attribute__((packed)) records[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++)
            by_row[i][j] = by_column[j][i] = back[N - 1 - i][j] = records[i].x[j] =
                (float)(10 * i + j);
    double zero = 0;
    bf_array fortran = bf_array_2d(by_column, BF_FLOAT64, N, D);
    fortran.strides[0] = sizeof(double);
    fortran.strides[1] = N * sizeof(double);
    bf_array reversed = bf_array_2d(back[N - 1], BF_FLOAT64, N, D);
    reversed.strides[0] = -reversed.strides[0];
    bf_array packed = bf_array_2d(records[0].x, BF_FLOAT32, N, D);
    packed.strides[0] = sizeof records[0];
    bf_array constant = bf_array_1d(&zero, BF_FLOAT64, N);
    constant.strides[0] = 0;
    bf_array forms[] = {bf_array_2d(by_row, BF_FLOAT64, N, D), fortran, reversed, packed};
    for (int f = 0; f < 4; f++) {
        const bf_dataset *data;
        bf_columns *columns = begin();
        add(columns, "s", forms[f]);
        add(columns, "ns", forms[f]);
        add(columns, "a", constant);
        add(columns, "r", constant);
        assert_ok(bf_dataset_from_columns(&data, columns, NULL, arena, &err), err);
        bf_array s = array_of(data, "s");
        for (int i = 0; i < N; i++)
            for (int j = 0; j < D; j++)
                assert_true(bf_array_double(&s, i, j) == 10 * i + j);
    }
}

/* na (n, M, k) and vector actions. */
static void three_dimensions(void **state) {
    (void)state;
    enum { N = 2, M = 3, K = 2 };
    double s[N] = {0.5, 1.5}, a[N][K] = {{1, 2}, {3, 4}}, na[N][M][K];
    for (int i = 0; i < N * M * K; i++)
        (&na[0][0][0])[i] = i;
    bf_array samples = bf_array_1d(na, BF_FLOAT64, N);
    samples.ndim = 3;
    samples.shape[1] = M;
    samples.shape[2] = K;
    samples.strides[0] = sizeof na[0];
    samples.strides[1] = sizeof na[0][0];
    samples.strides[2] = sizeof(double);
    const bf_dataset *data;
    bf_columns *columns = begin();
    add(columns, "s", bf_array_1d(s, BF_FLOAT64, N));
    add(columns, "ns", bf_array_1d(s, BF_FLOAT64, N));
    add(columns, "a", bf_array_2d(a, BF_FLOAT64, N, K));
    add(columns, "r", bf_array_1d(s, BF_FLOAT64, N));
    add(columns, "na", samples);
    assert_ok(bf_dataset_from_columns(&data, columns, NULL, arena, &err), err);
    assert_int_equal(bf_dataset_samples(data), M);
    assert_int_equal(bf_dataset_action_dim(data), K);
    assert_int_equal(bf_dataset_actions(data), 0);
    bf_array out = array_of(data, "na");
    assert_int_equal(out.ndim, 3);
    for (int i = 0; i < N; i++)
        for (int m = 0; m < M; m++)
            for (int k = 0; k < K; k++) {
                const char *at = (const char *)out.data + i * out.strides[0] + m * out.strides[1] +
                                 k * out.strides[2];
                double x;
                memcpy(&x, at, sizeof x);
                assert_true(x == na[i][m][k]);
            }
}

/* What is wrong is named: array, row, value. */
static void expect(bf_columns *columns, const char *message) {
    const bf_dataset *data;
    assert_int_not_equal(bf_dataset_from_columns(&data, columns, NULL, arena, &err), BF_OK);
    assert_string_equal(err.message, message);
}

static void mistakes(void **state) {
    (void)state;
    double s[3] = {0, 1, 2}, p[3][2] = {{0.5, 0.5}, {1, 0}, {0.5, 0.6}}, bad[3] = {0, NAN, 1};
    bf_array good = bf_array_1d(s, BF_FLOAT64, 3);
    bf_columns *columns = begin();
    expect(columns, "mine: none of the keys of a log: s, a, r, ns, ...");
    add(columns, "s", good);
    add(columns, "a", bf_array_1d(s, BF_FLOAT64, 2));
    add(columns, "r", good);
    expect(columns, "mine: a has 2 rows, r has 3");
    columns = begin();
    add(columns, "s", good);
    add(columns, "ns", good);
    add(columns, "a", good);
    add(columns, "r", bf_array_1d(bad, BF_FLOAT64, 3));
    expect(columns, "mine: row 1: r: nan is not a finite number");
    columns = begin();
    add(columns, "s", good);
    add(columns, "ns", good);
    add(columns, "a", bf_array_1d(bad, BF_FLOAT64, 1));
    add(columns, "r", bf_array_1d(s, BF_FLOAT64, 1));
    expect(columns, "mine: s has 3 rows, r has 1");
    columns = begin();
    double zero[3] = {0};
    add(columns, "s", good);
    add(columns, "ns", good);
    add(columns, "a", bf_array_1d(zero, BF_FLOAT64, 3));
    add(columns, "r", good);
    add(columns, "npi", bf_array_2d(p, BF_FLOAT64, 3, 2));
    expect(columns, "mine: row 2: npi0 to npi1 sum to 1.1; probabilities have to sum to 1");
    columns = begin();
    add(columns, "s", good);
    add(columns, "r", good);
    add(columns, "a", bf_array_1d(zero, BF_FLOAT64, 3));
    add(columns, "pi", good);
    expect(columns, "mine: pi: shape (3,); (n, A) is needed");
    bf_array wrong = {s, BF_FLOAT64, 4, {3, 1, 1}, {8, 8, 8}};
    assert_int_equal(bf_columns_add(columns, "s", &wrong, &err), BF_EUSAGE);
    assert_string_equal(err.message, "mine: s: 4 dimensions; an array has 1, 2 or 3");
    wrong = bf_array_1d(NULL, BF_FLOAT64, 3);
    assert_int_equal(bf_columns_add(columns, "s", &wrong, &err), BF_EUSAGE);
    assert_string_equal(err.message, "mine: s: data is NULL");
    wrong = (bf_array){s, (bf_element)17, 1, {3}, {8}};
    assert_int_equal(bf_columns_add(columns, "s", &wrong, &err), BF_EUSAGE);
    wrong = (bf_array){s, BF_FLOAT64, 1, {-3}, {8}};
    assert_int_equal(bf_columns_add(columns, "s", &wrong, &err), BF_EUSAGE);
    assert_string_equal(err.message, "mine: s: shape[0] is -3, which no array has");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(next_states_come_from_episodes, setup, teardown),
        cmocka_unit_test_setup_teardown(any_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(three_dimensions, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
