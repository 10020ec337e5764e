/* test_missing.c - Gaps in a log: left out, filled, or refused; and logs that are read in part. */
#include <math.h>

#include "logs.h"

static bf_status read_with(logs *l, bf_dataset *out, const char *text,
                           const bf_read_options *options) {
    const char *path = logs_write(l, "log.csv", text, strlen(text));
    bf_context context = {.seed = 7};
    return bf__dataset_read(out, &path, 1, options, &context, l->arena, &l->err);
}

static bf_dataset filled(logs *l, const char *text, const char *missing) {
    bf_dataset data;
    assert_ok(read_with(l, &data, text, &(bf_read_options){.missing = missing}), l->err);
    return data;
}

static void expect(logs *l, const char *text, const char *missing, const char *message) {
    bf_dataset data;
    logs_expect(l, read_with(l, &data, text, &(bf_read_options){.missing = missing}), BF_EDATA,
                message);
}

static const char *linked = "episode,s0,s1,s2,a,r\n"
                            "1,1,,x,0,1\n1,2,10,,1,2\n1,NA,30,y,1,3\n1,4,nan,x,0,4\n1,5,50,x,0,5\n"
                            "2,6,60,x,0,6\n2,N/A,70,y,0,7\n2,8,80,NULL,0,8\n2,9,90,x,0,9\n"
                            "2,10,95,x,0,10\n";

/* s0 (present 1 2 4 5 6 8 9 10, mean 5.625), s1 (mean 60.625), s2: x more often than y. */
static void check_states(const bf_dataset *d, const double *s0, const double *s1, const char *s2) {
    for (int64_t i = 0; i < d->n; i++) {
        assert_true(fabs(d->state[i] - s0[i]) < 1e-12);
        assert_true(fabs(d->state[d->n + i] - s1[i]) < 1e-12);
        assert_true(d->state[2 * d->n + i] == (s2[i] == 'x'));
        assert_true(d->state[3 * d->n + i] == (s2[i] == 'y'));
    }
}

static void the_mean_stands_in(void **state) {
    bf_dataset d = filled(*state, linked, "mean");
    static const double s0[] = {1, 2, 5.625, 4, 6, 5.625, 8, 9};
    static const double s1[] = {485.0 / 8, 10, 30, 485.0 / 8, 60, 70, 80, 90};
    assert_int_equal(d.n, 8);
    check_states(&d, s0, s1, "xxyxxyxx");
    assert_string_equal(d.missing, "mean");
    assert_int_equal(d.gap_count, 3);
    assert_int_equal(d.gaps[0].count, 2);
    assert_int_equal(d.gaps[1].count, 2);
    assert_int_equal(d.gaps[2].count, 2);
    assert_string_equal(d.gaps[2].column, "s2");
}

static void the_last_value_stands_in(void **state) {
    bf_dataset d = filled(*state, linked, "forward");
    static const double s0[] = {1, 2, 2, 4, 6, 6, 8, 9};
    static const double s1[] = {485.0 / 8, 10, 30, 30, 60, 70, 80, 90};
    check_states(&d, s0, s1, "xxyxxyyx");
    assert_int_equal(d.gaps_early, 1); /* s1 of the first row has nothing before it */
    /* The order of time decides, not that of rows; and the next state of a row is its own. */
    d = filled(*state, "episode,t,s0,a,r\n1,2,,0,1\n1,0,5,0,1\n1,1,7,0,1\n1,3,9,0,1\n", "forward");
    assert_true(d.state[0] == 7 && d.next_state[2] == 7);
    d = filled(*state, "episode,s0,a,r,ns0\n1,3,0,1,4\n1,4,0,1,\n1,,0,1,8\n", "forward");
    assert_true(d.next_state[1] == 4 && d.state[2] == 4);
}

static void rows_are_left_out(void **state) {
    logs *l = *state;
    bf_dataset d = filled(l, linked, "drop");
    /* Of ten rows four have no gap and a next row without one: 5 has none, 6 -> 7 has. */
    assert_int_equal(d.n, 1);
    assert_true(d.reward[0] == 9 && d.next_state[0] == 10);
    assert_int_equal(d.episodes, 1);
    assert_int_equal(d.rows_dropped, 2);
    assert_int_equal(d.rows_gapped, 7);
    assert_int_equal(d.starts_gapped, 1);
    assert_int_equal(d.row[0], 10);
    /* With next states of their own, rows go alone; rewards and actions too, and are counted. */
    d = filled(l,
               "s0,a,r,ns0,mu\n1,0,1,2,1\n,0,2,3,1\n3,,3,4,1\n4,1,,5,1\n5,1,5,,1\n6,1,6,7,\n"
               "7,1,7,8,.5\n",
               "drop");
    assert_int_equal(d.n, 2);
    assert_true(d.reward[1] == 7 && d.action[1] == 1);
    assert_int_equal(d.rows_gapped, 5);
    assert_int_equal(d.gap_count, 5);
    assert_string_equal(d.gaps[2].column, "a");
    expect(l, "s0,a,r,ns0\n,0,1,2\n1,0,1,\n", "drop",
           "@log.csv: no transitions: every row has a gap");
}

static void nothing_is_made_up(void **state) {
    logs *l = *state;
    expect(l, "s0,a,r,ns0\n1,0,1,2\n1,0,,2\n1,0,NA,2\n", "mean",
           "@log.csv:3: r: missing, as in 1 other rows; `missing` mean fills state columns only, "
           "drop leaves such rows out");
    expect(l, "episode,s0,a,r,ns0\n1,1,0,1,2\n1,1,,1,2\n", "forward",
           "@log.csv:3: a: missing; `missing` forward fills state columns only, drop leaves such "
           "rows out");
    expect(l, "s0,a,r,ns0,npi0,npi1\n1,0,1,2,.5,.5\n1,0,1,2,.5,\n", "mean",
           "@log.csv:3: npi1: missing; `missing` mean fills state columns only, drop leaves such "
           "rows out");
    expect(l, "episode,s0,a,r\n1,1,0,1\n,1,0,1\n", "drop",
           "@log.csv:3: episode: missing; a row without it has no place in the log");
    expect(l, "episode,t,s0,a,r\n1,0,1,0,1\n1,NA,1,0,1\n", "drop",
           "@log.csv:3: t: missing; a row without it has no place in the log");
    expect(l, "s0,a,r,ns0,terminated\n1,0,1,1,0\n1,0,1,1,\n", "mean",
           "@log.csv:3: terminated: missing; a row without it has no place in the log");
    expect(l, "s0,a,r,ns0\n1,0,1,2\n,0,1,2\n", "forward",
           "@log.csv: `missing` forward needs episodes: there is no earlier row in a bag of "
           "transitions");
    expect(l, "s0,s1,a,r,ns0,ns1\n1,,0,1,2,\n2,,0,1,2,3\n", "mean",
           "@log.csv: s1: no row has a value");
}

static void a_log_without_gaps_is_as_it_was(void **state) {
    logs *l = *state;
    static const char *const how[] = {"drop", "forward", "mean", "error"};
    for (int k = 0; k < 4; k++) {
        bf_dataset d = filled(l, "episode,s0,a,r\n1,1,0,1\n1,2,0,2\n1,3,0,3\n", how[k]);
        assert_int_equal(d.n, 2);
        assert_null(d.missing);
        assert_int_equal(d.gap_count, 0);
        assert_int_equal(d.rows_dropped, 1);
    }
}

static void the_most_frequent_state_stands_in(void **state) {
    bf_dataset d = filled(*state, "s,a,r,ns\n3,0,1,3\n1,0,1,1\n3,0,1,1\n,0,1,1\n", "mean");
    assert_int_equal(d.states, 4); /* a mean of numbers of states would be none of them */
    assert_true(d.state[3] == 3);
}

/* ---- max_rows */

static void whole_episodes_at_random(void **state) {
    logs *l = *state;
    char text[8000], *end = text;
    end += sprintf(end, "episode,s0,a,r,ns0\n");
    for (int e = 0; e < 40; e++)
        for (int t = 0; t <= e % 5; t++)
            end += sprintf(end, "%d,%d,0,%d,%d\n", e, t, e, t + 1);
    int seen = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        bf_dataset d;
        const char *path = logs_write(l, "log.csv", text, strlen(text));
        bf_context context = {.seed = seed};
        bf_read_options options = {.max_rows = 60};
        assert_ok(bf__dataset_read(&d, &path, 1, &options, &context, l->arena, &l->err), l->err);
        assert_true(d.n <= 60 && d.n >= 56);
        assert_int_equal(d.n + d.rows_left_out, 120);
        for (int64_t e = 0; e < d.episodes; e++) {
            int64_t id = (int64_t)d.reward[d.order[d.begin[e]]];
            assert_int_equal(d.begin[e + 1] - d.begin[e], id % 5 + 1);
            assert_true(d.episode_id[e] == (double)id);
            seen |= 1 << id % 5;
        }
    }
    assert_int_equal(seen, 31);
    bf_dataset d;
    assert_ok(read_with(l, &d, text, &(bf_read_options){.max_rows = 120}), l->err);
    assert_int_equal(d.n, 120);
    assert_int_equal(d.rows_left_out, 0);
    assert_ok(read_with(l, &d, "s0,a,r,ns0\n1,0,1,1\n2,0,1,1\n3,0,1,1\n",
                        &(bf_read_options){.max_rows = 2}),
              l->err);
    assert_int_equal(d.n, 2); /* a bag: single rows */
    logs_expect(l,
                read_with(l, &d, "episode,s0,a,r,ns0\n1,1,0,1,1\n1,2,0,1,1\n2,3,0,1,1\n2,3,0,1,1\n",
                          &(bf_read_options){.max_rows = 1}),
                BF_EUSAGE, "`max_rows`: 1, but no episode of the log is as short as that");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(the_mean_stands_in),
        logs_test(the_last_value_stands_in),
        logs_test(rows_are_left_out),
        logs_test(nothing_is_made_up),
        logs_test(a_log_without_gaps_is_as_it_was),
        logs_test(the_most_frequent_state_stands_in),
        logs_test(whole_episodes_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
