/* test_pass.c - Passes over a log: however its rows are dealt, the same bytes; the answer of the
 * whole log in memory; bytes that were damaged are refused. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/total.h"

TEST_ARENA;

enum { STATES = 7, ACTIONS = 3, MOST = 4000 };

/* A random walk that ends now and then, with a target policy in its columns. */
typedef struct walk {
    int64_t n, episodes, begin[MOST];
    double s[MOST], ns[MOST], r[MOST], episode[MOST];
    double pi[MOST * ACTIONS], npi[MOST * ACTIONS];
    int32_t a[MOST];
    uint8_t terminated[MOST];
} walk;

static double policy(int s, int a) {
    double weight = 1 + (s * 3 + a * 5) % 4, sum = 0;
    for (int b = 0; b < ACTIONS; b++)
        sum += 1 + (s * 3 + b * 5) % 4;
    return weight / sum;
}

static void make_walk(walk *w, int64_t n, uint64_t seed, double noise) {
    bf_rng rng = bf_rng_make(seed, "walk", 0);
    int s = 0;
    *w = (walk){.n = n};
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || w->terminated[i - 1] || i - w->begin[w->episodes - 1] >= 40) {
            w->begin[w->episodes++] = i;
            s = (int)bf_rng_below(&rng, 3);
        }
        int a = (int)bf_rng_below(&rng, ACTIONS), move = a - 1 + (int)bf_rng_below(&rng, 3) - 1;
        int next = (s + move + STATES) % STATES;
        w->s[i] = s;
        w->a[i] = a;
        w->ns[i] = next;
        w->r[i] = s - 0.3 * a + noise * (bf_rng_uniform(&rng) - 0.5) + 1e-7 * (double)(i % 13);
        w->episode[i] = (double)w->episodes;
        w->terminated[i] = next == STATES - 1 && bf_rng_uniform(&rng) < 0.3;
        for (int b = 0; b < ACTIONS; b++) {
            w->pi[i * ACTIONS + b] = policy(s, b);
            w->npi[i * ACTIONS + b] = policy(next, b);
        }
        s = next;
    }
    w->begin[w->episodes] = n;
}

/* Rows [from, to) as a log. */
static const bf_dataset *rows_of(const walk *w, int64_t from, int64_t to) {
    bf_columns *c;
    const bf_dataset *data;
    int64_t n = to - from;
    const struct {
        const char *name;
        bf_array array;
    } list[] = {
        {"s", bf_array_1d(w->s + from, BF_FLOAT64, n)},
        {"ns", bf_array_1d(w->ns + from, BF_FLOAT64, n)},
        {"a", bf_array_1d(w->a + from, BF_INT32, n)},
        {"r", bf_array_1d(w->r + from, BF_FLOAT64, n)},
        {"episode", bf_array_1d(w->episode + from, BF_FLOAT64, n)},
        {"terminated", bf_array_1d(w->terminated + from, BF_UINT8, n)},
        {"pi", bf_array_2d(w->pi + from * ACTIONS, BF_FLOAT64, n, ACTIONS)},
        {"npi", bf_array_2d(w->npi + from * ACTIONS, BF_FLOAT64, n, ACTIONS)},
    };
    assert_ok(bf_columns_create(&c, "walk", arena, &err), err);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        assert_ok(bf_columns_add(c, list[k].name, &list[k].array, &err), err);
    assert_ok(bf_dataset_from_columns(&data, c, NULL, arena, &err), err);
    return data;
}

/* ---- Dealing */

typedef bf_pass *maker(void *self);

/* A pass over the episodes in `parts` passes, each over some of the batches, in a random order;
 * made one as a random tree, some of them by way of bytes. */
static bf_pass *deal(const walk *w, int parts, uint64_t seed, maker *make, void *self) {
    bf_rng rng = bf_rng_make(seed, "deal", 0);
    bf_pass *pass[16];
    int64_t batches = parts == 1 ? 1 : 3 * parts, order[64];
    for (int k = 0; k < parts; k++)
        pass[k] = make(self);
    for (int64_t b = 0; b < batches; b++)
        order[b] = b;
    for (int64_t b = batches - 1; b > 0; b--) {
        int64_t other = bf_rng_below(&rng, b + 1), swap = order[b];
        order[b] = order[other];
        order[other] = swap;
    }
    for (int64_t k = 0; k < batches; k++) {
        int64_t from = w->begin[w->episodes * order[k] / batches],
                to = w->begin[w->episodes * (order[k] + 1) / batches];
        if (to > from)
            assert_ok(
                bf_pass_add(pass[bf_rng_below(&rng, parts)], rows_of(w, from, to), from, &err),
                err);
    }
    for (int left = parts; left > 1; left--) {
        int a = (int)bf_rng_below(&rng, left), b = (int)bf_rng_below(&rng, left - 1);
        bf_pass *from = pass[a];
        pass[a] = pass[left - 1];
        if (bf_rng_uniform(&rng) < 0.5) {
            const void *bytes;
            size_t size;
            assert_ok(bf_pass_pack(&bytes, &size, from, arena, &err), err);
            assert_ok(bf_pass_unpack(&from, bytes, size, "bytes", arena, &err), err);
        }
        assert_ok(bf_pass_merge(pass[b], from, &err), err);
    }
    return pass[0];
}

static void same_bytes(bf_pass *a, bf_pass *b) {
    const void *x, *y;
    size_t m, n;
    assert_ok(bf_pass_pack(&x, &m, a, arena, &err), err);
    assert_ok(bf_pass_pack(&y, &n, b, arena, &err), err);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, n);
}

static bf_pass *make_sample(void *self) {
    bf_pass *pass;
    assert_ok(bf_pass_sample(&pass, *(int64_t *)self, 5, arena, &err), err);
    return pass;
}

typedef struct question {
    bf_problem problem;
    bf_overview overview;
    const bf_estimator *estimator;
    bf_settings *settings;
} question;

static bf_pass *make_counts(void *self) {
    question *q = self;
    bf_pass *pass;
    assert_ok(bf_pass_counts(&pass, &q->problem, &q->overview, arena, &err), err);
    return pass;
}

/* An empty copy, by way of its bytes. */
static bf_pass *make_effects(void *self) {
    const void *bytes;
    size_t size;
    bf_pass *pass;
    assert_ok(bf_pass_pack(&bytes, &size, self, arena, &err), err);
    assert_ok(bf_pass_unpack(&pass, bytes, size, "bytes", arena, &err), err);
    return pass;
}

/* ---- Tests */

static void sums_do_not_depend_on_the_order(void **state) {
    (void)state;
    enum { N = 10000 };
    static double x[N];
    bf_rng rng = bf_rng_make(1, "totals", 0);
    double most = 0;
    long double plain = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (bf_rng_uniform(&rng) - 0.5) * exp(30 * (bf_rng_uniform(&rng) - 0.5));
        most = fmax(most, fabs(x[i]));
        plain += (long double)x[i];
    }
    double scale = bf__total_scale(bf__total_exponent(most));
    bf__total forward = 0, backward = 0, parts[7] = {0}, joined = 0, whole = 0;
    for (int i = 0; i < N; i++) {
        assert_true(bf__total_of(x[i], scale) == (bf__total)rint(x[i] * scale));
        bf__total_add(&forward, x[i], scale);
        bf__total_add(&backward, x[N - 1 - i], scale);
        bf__total_add(&parts[bf_rng_below(&rng, 7)], x[i], scale);
    }
    for (int k = 0; k < 7; k++)
        joined = bf__total_join(joined, parts[k]);
    bf__total_add_all(&whole, x, N, scale);
    assert_true(forward == backward && forward == joined && forward == whole);
    assert_near(bf__total_value(forward, scale), (double)plain, 1e-15 * N * most);
    enum { MANY = 300000 }; /* more than the halves of a column hold */
    double *ones;
    bf__total column = 0;
    assert_non_null(ones = malloc(MANY * sizeof *ones));
    for (int i = 0; i < MANY; i++)
        ones[i] = i % 3 ? 1 : -1;
    bf__total_add_all(&column, ones, MANY, bf__total_scale(0));
    assert_true(column == (bf__total)(MANY / 3) * ((bf__total)1 << BF__TOTAL_BITS));
    free(ones);
    bf__total halves = 0;
    bf__total_add(&halves, -0.75, bf__total_scale(0));
    bf__total_add(&halves, 0.25, bf__total_scale(0));
    assert_true(bf__total_value(halves, bf__total_scale(0)) == -0.5);
    static const double extremes[] = {0, 5e-324, 1e-300, 1, 3, 1e300, 1.7976931348623157e308};
    for (size_t k = 0; k < sizeof extremes / sizeof *extremes; k++) {
        bf__total one = 0;
        double by = bf__total_scale(bf__total_exponent(extremes[k]));
        bf__total_add(&one, extremes[k], by);
        bf__total_add(&one, -extremes[k], by);
        assert_true(one == 0);
        bf__total_add(&one, extremes[k], by);
        assert_near(bf__total_value(one, by), extremes[k], 1e-290);
    }
}

static void a_sample_is_the_same_however_rows_are_dealt(void **state) {
    (void)state;
    static walk w;
    static const int64_t sizes[] = {30, 400, 100000};
    make_walk(&w, 3000, 2, 1);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int64_t size = sizes[k];
        bf_pass *whole = deal(&w, 1, 1, make_sample, &size);
        bf_overview o = bf_pass_overview(whole);
        assert_int_equal(o.rows, w.n);
        assert_int_equal(o.episodes, w.episodes);
        assert_int_equal(o.states, STATES);
        assert_int_equal(o.actions, ACTIONS);
        assert_true(o.sample_rows <= size && o.sample_rows > 0);
        if (size > w.n)
            assert_int_equal(o.sample_rows, w.n);
        else if (size == 400)
            assert_true(o.sample_rows > size - 41); /* an episode has at most 40 rows */
        for (int parts = 2; parts <= 7; parts++)
            same_bytes(whole, deal(&w, parts, (uint64_t)parts, make_sample, &size));
        const bf_dataset *log;
        const int64_t *begin;
        assert_ok(bf_pass_sample_log(&log, whole, NULL, arena, &err), err);
        assert_int_equal(bf_dataset_rows(log), o.sample_rows);
        int64_t episodes = bf_dataset_episodes(log, &begin, NULL, NULL), found = 0;
        assert_int_equal(episodes, o.sample_episodes);
        for (int64_t e = 0; e < episodes; e++) /* every one is an episode of the log, as it was */
            for (int64_t f = 0; f < w.episodes; f++) {
                int64_t length = w.begin[f + 1] - w.begin[f];
                found += begin[e + 1] - begin[e] == length &&
                         memcmp(log->reward + begin[e], w.r + w.begin[f],
                                (size_t)length * sizeof *w.r) == 0 &&
                         memcmp(log->state + begin[e], w.s + w.begin[f],
                                (size_t)length * sizeof *w.s) == 0;
            }
        assert_int_equal(found, episodes);
    }
}

/* Every step of an answer from counts, and that it is the one in memory. */
static void check_answer(const walk *w, const char *method, double gamma, int terminal) {
    question q = {.problem = {.gamma = gamma, .terminal = terminal}};
    const bf_dataset *all = rows_of(w, 0, w->n);
    bf_problem in_memory = {.data = all, .gamma = gamma, .terminal = terminal};
    const bf_estimate *expected, *found;
    const bf_trust *trust, *plain;
    bf_interval i, j;
    int64_t size = 500;
    bool countable;
    q.estimator = bf_estimator_find(method);
    assert_ok(bf_estimator_settings(&q.settings, q.estimator, NULL, arena, &err), err);
    bf_pass *sample = deal(w, 3, 3, make_sample, &size);
    q.overview = bf_pass_overview(sample);
    assert_ok(bf_pass_sample_log(&q.problem.data, sample, NULL, arena, &err), err);
    assert_ok(bf_pass_countable(&countable, q.estimator, &q.problem, q.settings, arena, &err), err);
    assert_true(countable);
    bf_pass *counts = deal(w, 1, 1, make_counts, &q);
    for (int parts = 2; parts <= 7; parts++)
        same_bytes(counts, deal(w, parts, (uint64_t)parts, make_counts, &q));
    counts = deal(w, 5, 9, make_counts, &q);
    bf_pass *effects, *measured;
    assert_ok(bf_pass_counts_answer(&found, &effects, counts, q.estimator, &q.problem, q.settings,
                                    NULL, arena, &err),
              err);
    assert_ok(bf_estimator_run(&expected, q.estimator, &in_memory, q.settings, NULL, arena, &err),
              err);
    assert_true(bf_estimate_value(found) == bf_estimate_value(expected)); /* to the last digit */
    for (int k = 0; k < expected->diagnostic_count; k++) {
        const char *name = expected->diagnostics[k].name;
        double value = bf_estimate_get(found, name);
        if (value != expected->diagnostics[k].value)
            fail_msg("%s: %.17g, in memory %.17g", name, value, expected->diagnostics[k].value);
    }
    measured = deal(w, 1, 1, make_effects, effects);
    for (int parts = 2; parts <= 7; parts++)
        same_bytes(measured, deal(w, parts, (uint64_t)parts, make_effects, effects));
    bf_trust_options how = {.interval = BF_INTERVAL_FAST, .level = 0.9};
    assert_ok(bf_trust_measure(&plain, expected, q.estimator, &in_memory, q.settings, &how, NULL,
                               arena, &err),
              err);
    assert_ok(
        bf_pass_trust(&trust, measured, found, &q.problem, &q.overview, &how, NULL, arena, &err),
        err);
    assert_int_equal(bf_trust_interval(trust, &i), bf_trust_interval(plain, &j));
    assert_near(i.low, j.low, 1e-12);
    assert_near(i.high, j.high, 1e-12);
    assert_int_equal(bf_trust_episode_return(trust, &i), bf_trust_episode_return(plain, &j));
    assert_near(i.low, j.low, 1e-9 * (1 + fabs(j.low)));
    assert_near(i.high, j.high, 1e-9 * (1 + fabs(j.high)));
    assert_int_equal(bf_trust_episode_length(trust, &i), bf_trust_episode_length(plain, &j));
    assert_near(i.low, j.low, 1e-9 * (1 + fabs(j.low)));
    assert_int_equal(bf_trust_verdict(trust), bf_trust_verdict(plain));
    double mean = 0;
    for (int64_t k = 0; k < w->n; k++)
        mean += w->r[k] / (double)w->n;
    assert_near(bf_pass_naive(measured), mean, 1e-12);
}

static void the_answer_is_that_in_memory(void **state) {
    (void)state;
    static walk w;
    make_walk(&w, 3500, 4, 1);
    check_answer(&w, "blackbox", 1, BF_TERMINAL_RESTART);
    check_answer(&w, "blackbox", 0.95, BF_TERMINAL_RESTART);
    check_answer(&w, "blackbox", 0.9, BF_TERMINAL_ABSORB);
    check_answer(&w, "blackbox", 1, BF_TERMINAL_IGNORE);
    check_answer(&w, "model", 1, BF_TERMINAL_RESTART);
    check_answer(&w, "model", 0.9, BF_TERMINAL_ABSORB);
    make_walk(&w, 60, 5, 0); /* with pairs that the log never shows */
    check_answer(&w, "blackbox", 1, BF_TERMINAL_RESTART);
}

static bf_pass *some_pass(int kind) {
    static walk w;
    static question q;
    int64_t size = 50;
    const bf_estimate *found;
    bf_pass *effects;
    make_walk(&w, 300, 6, 1);
    if (kind == 3) {
        bf_pass *survey;
        assert_ok(bf_pass_survey(&survey, arena, &err), err);
        assert_ok(bf_pass_add(survey, rows_of(&w, 0, 60), 0, &err), err);
        return survey;
    }
    bf_pass *sample = deal(&w, 1, 1, make_sample, &size);
    q = (question){.problem = {.gamma = 1}, .overview = bf_pass_overview(sample)};
    assert_ok(bf_pass_sample_log(&q.problem.data, sample, NULL, arena, &err), err);
    q.estimator = bf_estimator_find("blackbox");
    assert_ok(bf_estimator_settings(&q.settings, q.estimator, NULL, arena, &err), err);
    bf_pass *counts = deal(&w, 1, 1, make_counts, &q);
    assert_ok(bf_pass_counts_answer(&found, &effects, counts, q.estimator, &q.problem, q.settings,
                                    NULL, arena, &err),
              err);
    return kind == 0 ? sample : kind == 1 ? counts : deal(&w, 2, 1, make_effects, effects);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const void *bytes;
        size_t size;
        bf_pass *pass = some_pass(kind), *back;
        assert_ok(bf_pass_pack(&bytes, &size, pass, arena, &err), err);
        assert_ok(bf_pass_unpack(&back, bytes, size, "it", arena, &err), err);
        assert_string_equal(bf_pass_kind(back), bf_pass_kind(pass));
        same_bytes(pass, back);
        unsigned char *copy = malloc(size + 1);
        assert_non_null(copy);
        for (size_t k = 0; k < size; k++) { /* any byte, changed */
            memcpy(copy, bytes, size);
            copy[k] ^= (unsigned char)(1 << (k % 8));
            assert_int_equal(bf_pass_unpack(&back, copy, size, "it", arena, &err), BF_EFORMAT);
            assert_memory_equal(err.message, "it: ", 4);
        }
        memcpy(copy, bytes, size);
        for (size_t k = 0; k < size; k += k < 64 ? 1 : 97) /* cut anywhere */
            assert_int_equal(bf_pass_unpack(&back, copy, k, "it", arena, &err), BF_EFORMAT);
        copy[size] = 0;
        assert_int_equal(bf_pass_unpack(&back, copy, size + 1, "it", arena, &err), BF_EFORMAT);
        free(copy);
    }
}

static void expect(bf_status status, bf_status wanted, const char *message) {
    assert_int_equal(status, wanted);
    assert_string_equal(err.message, message);
}

static void what_does_not_fit_together_is_refused(void **state) {
    (void)state;
    bf_pass *sample = some_pass(0), *counts = some_pass(1), *effects = some_pass(2), *other;
    static walk w;
    unsigned char bytes[48] = "BFpass\r\n";
    expect(bf_pass_merge(sample, counts, &err), BF_EUSAGE,
           "a pass `sample` and a pass `counts` cannot be made one");
    assert_ok(bf_pass_sample(&other, 51, 5, arena, &err), err);
    expect(bf_pass_merge(sample, other, &err), BF_EUSAGE,
           "samples of different sizes or seeds cannot be made one");
    expect(bf_pass_sample(&other, 0, 5, arena, &err), BF_EUSAGE, "rows: 0 is no size of a sample");
    expect(bf_pass_add(sample, NULL, -1, &err), BF_EUSAGE, "first: -1 is no number of a row");
    make_walk(&w, 300, 6, 1);
    w.r[7] = 1e9;
    expect(bf_pass_add(counts, rows_of(&w, 0, 20), 0, &err), BF_EDATA,
           "walk: row 7: r: 1000000000 is larger than 8, which was to be the most");
    w.r[7] = 1;
    w.s[9] = w.ns[8] = 30;
    expect(bf_pass_add(effects, rows_of(&w, 0, 20), 0, &err), BF_EDATA,
           "walk: row 8: this row was not there when the log was counted: its files have changed");
    expect(bf_pass_unpack(&other, bytes, sizeof bytes, "x", arena, &err), BF_EFORMAT,
           "x: a pass of version 0; this program reads version 1");
    expect(bf_pass_unpack(&other, bytes, 7, "x", arena, &err), BF_EFORMAT,
           "x: not a pass: it does not begin as one does");
    assert_true(isnan(bf_pass_naive(sample)));
    const bf_dataset *log;
    assert_ok(bf_pass_sample(&other, 51, 5, arena, &err), err);
    expect(bf_pass_sample_log(&log, other, NULL, arena, &err), BF_EDATA,
           "there are no rows to sample");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(sums_do_not_depend_on_the_order),
        arena_test(a_sample_is_the_same_however_rows_are_dealt),
        arena_test(the_answer_is_that_in_memory),
        arena_test(damaged_bytes_are_refused),
        arena_test(what_does_not_fit_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
