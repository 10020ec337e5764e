/* test_survey.c - What is in a log, whatever its size: sums without a bound, counts of different
 * things, and the survey of a log in pieces, which says what that of the log in memory says. */
#include "logs.h"

#include <math.h>

#include "backflow/rng.h"
#include "core/distinct.h"
#include "core/exact_sum.h"
#include "core/mix.h"
#include "pass/few.h"

TEST_ARENA;

/* ---- Sums */

static void sums_need_no_bound(void **state) {
    enum { N = 5000 };
    static double x[N];
    static bf__exact_sum forward, backward, part[3];
    bf_rng rng = bf_rng_make(1, "exact", 0);
    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = (bf_rng_uniform(&rng) - 0.5) * exp(1400 * (bf_rng_uniform(&rng) - 0.5));
    memset(&forward, 0, sizeof forward);
    for (int i = 0; i < N; i++) {
        bf__exact_sum_add(&forward, x[i]);
        bf__exact_sum_add(&backward, x[N - 1 - i]);
        bf__exact_sum_add(&part[bf_rng_below(&rng, 3)], x[i]);
    }
    bf__exact_sum_join(&part[0], &part[1]);
    bf__exact_sum_settle(&part[0]);
    bf__exact_sum_join(&part[0], &part[2]);
    bf__exact_sum_settle(&part[0]);
    bf__exact_sum_settle(&forward);
    bf__exact_sum_settle(&backward);
    assert_memory_equal(&forward, &backward, sizeof forward);
    assert_memory_equal(&forward, &part[0], sizeof forward);
    for (int i = 0; i < N; i++) /* all of it can be taken away again, to the last bit */
        bf__exact_sum_add(&forward, -x[i]);
    assert_true(bf__exact_sum_value(&forward).high == 0);
    static const double single[] = {5e-324, -1e-310, 1, -3.25, 1e22, -1.7976931348623157e308};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        bf__exact_sum one = {{0}};
        bf__exact_sum_add(&one, single[k]);
        assert_true(bf__exact_sum_value(&one).high == single[k]);
    }
    bf__exact_sum wide = {{0}};
    bf__exact_sum_add(&wide, 1e17);
    bf__exact_sum_add(&wide, 0.25);
    bf__wide value = bf__exact_sum_value(&wide);
    assert_true(value.high == 1e17 && value.low == 0.25);
}

/* Against the textbook, two passes in long double; also if all digits but the last are the same. */
static void moments_keep_their_digits(void **state) {
    static const double middles[] = {0, 1, -1e6, 1.7e9, 1e12};
    (void)state;
    for (size_t k = 0; k < sizeof middles / sizeof *middles; k++) {
        enum { N = 1000 };
        bf__exact_sum sum = {{0}}, squares = {{0}};
        bf_rng rng = bf_rng_make(k, "moments", 0);
        double x[N], mean, sd;
        long double plain = 0, rest = 0;
        for (int i = 0; i < N; i++) {
            x[i] = middles[k] + bf_rng_uniform(&rng);
            bf__exact_sum_add(&sum, x[i]);
            bf__exact_sum_add_square(&squares, x[i]);
            plain += (long double)x[i] / N;
        }
        for (int i = 0; i < N; i++)
            rest += ((long double)x[i] - plain) * ((long double)x[i] - plain) / N;
        bf__exact_sum_moments(&mean, &sd, &sum, &squares, N);
        assert_near(mean, (double)plain, 3e-16 * fabs((double)plain));
        assert_near(sd, sqrt((double)rest), 1e-12 * sqrt((double)rest));
    }
}

/* ---- Counts of different things */

static void different_things_are_counted(void **state) {
    double count;
    bool exact;
    const uint64_t *a, *b;
    (void)state;
    bf__distinct few = bf__distinct_make(1000, arena), many = few, part[2] = {few, few};
    for (uint64_t i = 0; i < 3000; i++)
        assert_ok(bf__distinct_add(&few, bf__mix(7, i % 1000), &err), err);
    assert_ok(bf__distinct_count(&count, &exact, &few, &err), err);
    assert_true(exact && count == 1000);
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t hash = bf__mix(7, i % 100000);
        assert_ok(bf__distinct_add(&many, hash, &err), err);
        assert_ok(bf__distinct_add(&part[i % 7 == 0], hash, &err), err);
    }
    assert_ok(bf__distinct_count(&count, &exact, &many, &err), err);
    assert_false(exact);
    assert_near(count, 100000, 4 * 100000 / sqrt(1000)); /* four standard errors */
    assert_ok(bf__distinct_join(&part[1], &part[0], &err), err);
    assert_ok(bf__distinct_sorted(&a, &many, arena, &err), err);
    assert_ok(bf__distinct_sorted(&b, &part[1], arena, &err), err);
    assert_int_equal(many.count, 1000);
    assert_int_equal(part[1].count, 1000);
    assert_memory_equal(a, b, 1000 * sizeof *a);
    assert_true(many.limit == part[1].limit && a[999] < many.limit);
}

static void rows_of_least_hash_are_kept(void **state) {
    bf__few whole, part[2];
    (void)state;
    assert_ok(bf__few_begin(&whole, 1, arena, &err), err);
    assert_ok(bf__few_begin(&part[0], 1, arena, &err), err);
    assert_ok(bf__few_begin(&part[1], 1, arena, &err), err);
    for (int i = 0; i < 20000; i++) {
        int number = i % 15000; /* some come twice */
        uint64_t hash = bf__mix(1, (uint64_t)number);
        bf__few *to[] = {&whole, &part[i % 3 == 0]};
        for (int k = 0; k < 2; k++) {
            double *values;
            if (bf__few_take(&values, to[k], hash))
                *values = number;
        }
    }
    bf__few_join(&part[0], &part[1]);
    bf__few_cut(&whole);
    bf__few_cut(&part[0]);
    assert_int_equal(whole.count, BF__FEW);
    assert_int_equal(part[0].count, BF__FEW);
    assert_true(whole.full && part[0].full && whole.limit == part[0].limit);
    int64_t below = 0;
    for (uint64_t i = 0; i < 15000; i++)
        below += bf__mix(1, i) < whole.limit;
    assert_int_equal(below, BF__FEW); /* none is missing */
    for (int64_t k = 0; k < BF__FEW; k++) {
        double number = whole.values[whole.rows[k].at];
        assert_true(whole.rows[k].hash == bf__mix(1, (uint64_t)number));
        assert_true(part[0].values[part[0].rows[k].at] == number);
    }
}

/* ---- Surveys */

/* Episodes of all lengths, with a column of its own name, masks and an action never taken. */
static char *make_log(size_t *size, double extreme) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    bf_rng rng = bf_rng_make(4, "survey", 0);
    fputs("episode,age,s1,a,r,terminated,mask0,mask1,mask2,duration,what\n", out);
    for (int e = 0; e < 90; e++) {
        int length = 1 + (int)bf_rng_below(&rng, 60);
        for (int t = 0; t < length; t++)
            fprintf(out, "%d,%.17g,%d,%d,%.17g,%d,0,0,%d,%.3g,7\n", e,
                    t == 0 ? e % 7 : 20 * bf_rng_uniform(&rng), (int)bf_rng_below(&rng, 5),
                    (int)bf_rng_below(&rng, 2), e == 51 && t == 0 ? extreme : bf_rng_uniform(&rng),
                    t + 1 == length && e % 2, (e + t) % 5 == 0, 0.5 + bf_rng_uniform(&rng));
    }
    fclose(out);
    return text;
}

static bf_read_options reading(void) {
    return (bf_read_options){
        .map = {.count = 1,
                .item = {"state=age,s1 action=a reward=r duration=duration episode=episode "
                         "terminated=terminated mask0=mask0 mask1=mask1 mask2=mask2"}}};
}

/* Deals the pieces to `parts` passes, which are made one by way of bytes. */
static bf_pass *survey(logs *l, const char *path, int64_t bytes, int parts, int64_t *rows) {
    bf_read_options options = reading();
    bf_stream *stream;
    bf_pass *pass[7], *back;
    bf_rng rng = bf_rng_make((uint64_t)parts, "deal", 0);
    assert_ok(bf_stream_open(&stream, &path, 1, &options, bytes, l->arena, &l->err), l->err);
    for (int p = 0; p < parts; p++)
        assert_ok(bf_pass_survey(&pass[p], l->arena, &l->err), l->err);
    *rows = 0;
    for (int64_t k = 0; k < bf_stream_pieces(stream); k++) {
        const bf_dataset *data;
        int64_t first;
        assert_ok(bf_stream_read(&data, &first, stream, k, NULL, l->arena, &l->err), l->err);
        if (!data)
            continue;
        *rows += bf_dataset_rows(data);
        assert_ok(bf_pass_add(pass[bf_rng_below(&rng, parts)], data, first, &l->err), l->err);
    }
    bf_stream_close(stream);
    for (int p = 1; p < parts; p++) {
        const void *packed;
        size_t size;
        assert_ok(bf_pass_pack(&packed, &size, pass[p], l->arena, &l->err), l->err);
        assert_ok(bf_pass_unpack(&back, packed, size, "it", l->arena, &l->err), l->err);
        assert_ok(bf_pass_merge(pass[0], back, &l->err), l->err);
    }
    return pass[0];
}

static void a_survey_of_pieces_is_that_of_the_log(void **state) {
    logs *l = *state;
    size_t size, want_size = 0, got_size;
    char *text = make_log(&size, 0.5);
    const char *path = logs_write(l, "log.csv", text, size), *json, *found;
    bf_read_options options = reading();
    const bf_dataset *data;
    const void *want = NULL, *got;
    assert_ok(bf_dataset_read(&data, &path, 1, &options, NULL, l->arena, &l->err), l->err);
    assert_ok(bf_report_log_json(&json, data, l->arena, &l->err), l->err);
    assert_non_null(strstr(json, "\"name\": \"age\""));
    assert_non_null(strstr(json, "what"));
    for (int parts = 1; parts <= 7; parts++) {
        int64_t rows;
        bf_pass *pass = survey(l, path, parts == 1 ? 1 << 20 : 1500, parts, &rows);
        bf_file_rows file = {path, rows};
        assert_ok(bf_report_survey_json(&found, pass, &file, 1, l->arena, &l->err), l->err);
        assert_string_equal(found, json);
        assert_ok(bf_pass_pack(&got, &got_size, pass, l->arena, &l->err), l->err);
        if (parts == 1) {
            want = got;
            want_size = got_size;
        }
        assert_int_equal(got_size, want_size);
        assert_memory_equal(got, want, got_size);
    }
    free(text);
}

/* A number that cannot be meant is named with its line, by what a sample says of the others. */
static void an_extreme_is_found_in_pieces(void **state) {
    logs *l = *state;
    size_t size;
    char *text = make_log(&size, -1e30);
    const char *path = logs_write(l, "log.csv", text, size), *found;
    int64_t rows, line = 1;
    bf_pass *pass = survey(l, path, 1500, 3, &rows);
    char *at = strstr(text, "-1e+30"), wanted[256];
    assert_non_null(at);
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    snprintf(wanted, sizeof wanted,
             "%s:%lld: r: -1e+30 is far from everything else in its column, where nine of ten "
             "numbers of a sample are within",
             path, (long long)line);
    assert_ok(bf_report_survey_json(&found, pass, NULL, 0, l->arena, &l->err), l->err);
    if (!strstr(found, wanted))
        fail_msg("no '%s' in %s", wanted, found);
    free(text);
}

static const bf_dataset *read_text(logs *l, const char *name, const char *text) {
    const char *path = logs_write(l, name, text, strlen(text));
    const bf_dataset *data;
    assert_ok(bf_dataset_read(&data, &path, 1, NULL, NULL, l->arena, &l->err), l->err);
    return data;
}

static void what_does_not_fit_together_is_refused(void **state) {
    logs *l = *state;
    const bf_dataset *plain = read_text(l, "a.csv", "s,a,r,ns\n0,0,7,1\n");
    const bf_dataset *real = read_text(l, "b.csv", "s0,a,r,ns0\n0,0,7,1\n");
    const bf_dataset *words = read_text(l, "c.csv", "s,a,r,ns\n0,left,7,1\n1,right,2,0\n");
    bf_pass *pass, *other;
    const char *text;
    const void *bytes;
    size_t size;
    assert_ok(bf_pass_survey(&pass, l->arena, &l->err), l->err);
    logs_expect(l, bf_report_survey_text(&text, pass, NULL, 0, l->arena, &l->err), BF_EDATA,
                "there are no rows to look at");
    assert_ok(bf_pass_add(pass, plain, 0, &l->err), l->err);
    logs_expect(l, bf_pass_add(pass, real, 1, &l->err), BF_EDATA,
                "batches of one log have to have the same columns");
    logs_expect(l, bf_pass_add(pass, words, 1, &l->err), BF_EDATA,
                "columns of words: a survey of a log in parts holds numbers, because words have "
                "other codes in every part");
    assert_ok(bf_pass_survey(&other, l->arena, &l->err), l->err);
    assert_ok(bf_pass_add(other, words, 0, &l->err), l->err);
    logs_expect(l, bf_pass_pack(&bytes, &size, other, l->arena, &l->err), BF_EDATA,
                "columns of words: a survey of a log with words cannot be sent or kept");
    assert_ok(bf_pass_sample(&other, 10, 1, l->arena, &l->err), l->err);
    logs_expect(l, bf_report_survey_text(&text, other, NULL, 0, l->arena, &l->err), BF_EUSAGE,
                "a pass `sample` where `survey` is needed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(sums_need_no_bound),
        arena_test(moments_keep_their_digits),
        arena_test(different_things_are_counted),
        arena_test(rows_of_least_hash_are_kept),
        logs_test(a_survey_of_pieces_is_that_of_the_log),
        logs_test(an_extreme_is_found_in_pieces),
        logs_test(what_does_not_fit_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
