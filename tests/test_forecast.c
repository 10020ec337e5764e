/* test_forecast.c - What an estimate will take, against methods of which it is known. */
#include "harness.h"

#include <math.h>
#include <sys/resource.h>

#include "backflow/machine.h"
#include "core/context.h"
#include "core/fail.h"

TEST_ARENA;

enum { N = 64000, LENGTH = 50 };

/* A log of N rows in episodes of LENGTH. */
static bf_dataset make_log(void) {
    static double s[N], r[N], npi[N];
    static int32_t a[N];
    static int64_t begin[N / LENGTH + 1], order[N];
    for (int i = 0; i < N; i++) {
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        s[i] = i % 7;
        npi[i] = 1;
    }
    begin[N / LENGTH] = N;
    return (bf_dataset){.n = N,
                        .state_dim = 1,
                        .real_state = true,
                        .actions = 1,
                        .state = s,
                        .next_state = s,
                        .action = a,
                        .reward = r,
                        .npi = npi,
                        .episodes = N / LENGTH,
                        .begin = begin,
                        .order = order};
}

/* Holds 2,000 bytes a row, in pieces, and lets half of them go. */
static bf_status run_linear(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                            const bf_settings *settings, const bf_context *context, bf_arena *room,
                            bf_error *error) {
    (void)model, (void)settings, (void)context;
    char *piece;
    assert_int_equal(bf__dataset_size(problem->data), N); /* a part that tells of the whole log */
    BF_ALLOC(piece, room, 1000 * problem->data->n, error);
    bf_mark mark = bf_arena_mark(room);
    BF_ALLOC(piece, room, 1000 * problem->data->n, error);
    bf_arena_rewind(room, mark);
    out->value = 1;
    return BF_OK;
}

/* Holds n^2 / 2 bytes, and takes a time that is linear in the rows. */
static bf_status run_square(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                            const bf_settings *settings, const bf_context *context, bf_arena *room,
                            bf_error *error) {
    (void)model, (void)settings, (void)context;
    char *piece;
    double until = bf__seconds() + 2e-5 * (double)problem->data->n;
    BF_ALLOC(piece, room, problem->data->n * problem->data->n / 2, error);
    while (bf__seconds() < until)
        continue;
    out->value = 1;
    return BF_OK;
}

/* Holds 8 MB, whatever the log. */
static bf_status run_same(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                          const bf_settings *settings, const bf_context *context, bf_arena *room,
                          bf_error *error) {
    (void)problem, (void)model, (void)settings, (void)context;
    char *piece;
    BF_ALLOC(piece, room, 8000000, error);
    out->value = 1;
    return BF_OK;
}

/* Holds 2 MB, which is much for a part, and 1,000 bytes a row, which is much for the log. */
static bf_status run_both(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                          const bf_settings *settings, const bf_context *context, bf_arena *room,
                          bf_error *error) {
    (void)model, (void)settings, (void)context;
    char *piece;
    BF_ALLOC(piece, room, 2000000 + 1000 * problem->data->n, error);
    out->value = 1;
    return BF_OK;
}

/* Holds features whose number has a limit: n min(n / 5, 300) / (1 + n / 10,000) numbers. */
static bf_status run_limited(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                             const bf_settings *settings, const bf_context *context, bf_arena *room,
                             bf_error *error) {
    (void)model, (void)settings, (void)context;
    double *piece, n = (double)problem->data->n;
    BF_ALLOC(piece, room, (int64_t)(n * fmin(n / 5, 300) / (1 + n / 10000)), error);
    out->value = 1;
    return BF_OK;
}

static bf_status run_never(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                           const bf_settings *settings, const bf_context *context, bf_arena *room,
                           bf_error *error) {
    (void)out, (void)problem, (void)model, (void)settings, (void)context, (void)room;
    return bf_fail(error, BF_EDATA, "too small");
}

static bf_forecast ask(const bf_dataset *data,
                       bf_status (*run)(bf_estimate *, const bf_problem *, const bf_model *,
                                        const bf_settings *, const bf_context *, bf_arena *,
                                        bf_error *)) {
    const bf_estimator method = {.name = "made", .run = run};
    const bf_problem problem = {.data = data, .gamma = 1};
    const bf_trust_options how = {.interval = BF_INTERVAL_NONE};
    bf_forecast f;
    size_t before = bf_arena_bytes(arena);
    assert_ok(bf_forecast_make(&f, &method, &problem, NULL, &how, NULL, arena, &err), err);
    assert_int_equal(bf_arena_bytes(arena), before); /* nothing is kept */
    assert_true(f.rows == (double)data->n);
    return f;
}

static void test_memory(void **state) {
    (void)state;
    bf_dataset data = make_log();
    bf_forecast linear = ask(&data, run_linear), square = ask(&data, run_square);
    assert_near(linear.bytes / (2000.0 * N), 1, 0.05);
    assert_near(linear.power, 1, 0.05);
    assert_near(square.bytes / ((double)N * N / 2), 1, 0.05);
    assert_near(square.power, 2, 0.05);
    assert_true(square.seconds > 0.9 * 2e-5 * N); /* a busy machine takes longer */
    assert_near(ask(&data, run_same).bytes / 8e6, 1, 0.05);
}

/* What no small part shows is not known to a few percent: neither half nor twice as much. */
static void test_growth_that_changes(void **state) {
    (void)state;
    bf_dataset data = make_log();
    double both = ask(&data, run_both).bytes / (2e6 + 1000.0 * N);
    double limited = ask(&data, run_limited).bytes / (8.0 * N * 300 / (1 + N / 1e4));
    assert_true(both > 0.9 && both < 1.5);
    assert_true(limited > 0.7 && limited < 1.5);
}

/* Rows of a bag are dealt one by one; few episodes, or a method that cannot run on a part, tell
 * nothing. */
static void test_unknown(void **state) {
    (void)state;
    bf_dataset data = make_log(), bag = data;
    bag.episodes = 0;
    bag.begin = bag.order = NULL;
    assert_near(ask(&bag, run_linear).bytes / (2000.0 * N), 1, 0.05);
    assert_true(isnan(ask(&data, run_never).bytes));
    static const int64_t begin[] = {0, N / 2, N};
    data.begin = begin;
    data.episodes = 2;
    assert_true(isnan(ask(&data, run_linear).bytes));
}

/* A limit of the process is a limit of what it can have. */
static void test_machine(void **state) {
    (void)state;
    struct rlimit before, limit;
    double all = bf_machine_memory();
    assert_true(all > 1e6);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = 1; /* less than it has: nothing is left */
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    double left = bf_machine_memory();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(left == 0 || isinf(left)); /* without room a file may not open: then nothing says */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(test_memory),
        arena_test(test_growth_that_changes),
        arena_test(test_unknown),
        arena_test(test_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
