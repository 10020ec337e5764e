/* test_options.c - Options as rows of a table: defaults, types, ranges, checks, and text. */
#include <string.h>

#include "backflow/options.h"
#include "core/fail.h"
#include "harness.h"

typedef struct sample {
    bool flag;
    int64_t count;
    uint64_t seed;
    double rate;
    const char *path;
    int mode;
    bf_auto width;
    bf_list names;
} sample;

static bf_status no_spaces(const bf_option *row, const char *text, bf_error *err) {
    return strchr(text, ' ') ? bf_fail(err, BF_EUSAGE, "%s: '%s' has a space", row->field, text)
                             : BF_OK;
}

static const bf_option rows[] = {
    BF_OPTION(sample, flag, "yes", "A flag."),
    BF_OPTION_RANGE(sample, count, "10", 1, 1000, "N: A count."),
    BF_OPTION(sample, seed, "18446744073709551615", "N: A seed."),
    BF_OPTION_RANGE(sample, rate, "0.25", 0, 1, "A rate."),
    BF_OPTION(sample, path, NULL, "FILE: A path."),
    BF_OPTION_CHOICE(sample, mode, "two", "one|two|three", "A mode."),
    BF_OPTION_RANGE(sample, width, "auto", 0.5, 2, "A width."),
    BF_OPTION_CHECKED(sample, names, NULL, no_spaces, "NAMES: May be given again."),
};
static const bf_option_table table = BF_OPTION_TABLE("sample", sample, rows);

static void options_have_defaults_types_and_ranges(void **state) {
    (void)state;
    bf_error err;
    sample s;
    char text[64];
    assert_ok(bf_options_init(&table, &s, &err), err);
    assert_true(s.flag);
    assert_int_equal(s.count, 10);
    assert_true(s.seed == UINT64_MAX);
    assert_true(s.rate == 0.25);
    assert_null(s.path);
    assert_int_equal(s.mode, 1);
    assert_false(s.width.given);
    assert_int_equal(s.names.count, 0);
    for (int i = 0; i < table.count; i++) { /* what is printed reads back as the same */
        bf_options_format(&rows[i], &s, text, sizeof text);
        if (rows[i].initial)
            assert_string_equal(text, rows[i].initial);
    }
    assert_ok(bf_options_set(&rows[1], &s, "1e3", &err), err);
    assert_int_equal(s.count, 1000);
    static const struct {
        int row;
        const char *text, *message;
    } bad[] = {
        {0, "maybe", "flag: 'maybe' is neither yes nor no"},
        {1, "0", "count: '0' is outside 1 to 1000"},
        {1, "ten", "count: 'ten' is not a whole number"},
        {1, "2.5", "count: '2.5' is not a whole number"},
        {1, "", "count: '' is not a whole number"},
        {2, "-1", "seed: '-1' is not a whole number from 0 to 2^64 - 1"},
        {2, "18446744073709551616",
         "seed: '18446744073709551616' is not a whole number from 0 to 2^64 - 1"},
        {3, "1.01", "rate: '1.01' is outside 0 to 1"},
        {3, "nan", "rate: 'nan' is not a number"},
        {3, "0x1p-1", "rate: '0x1p-1' is not a number"},
        {3, " 0.5", "rate: ' 0.5' is not a number"},
        {5, "four", "mode: 'four' is not one of one|two|three"},
        {5, "tw", "mode: 'tw' is not one of one|two|three"},
        {6, "oops", "width: 'oops' is neither auto nor a number from 0.5 to 2"},
        {6, "1e-300", "width: '1e-300' is neither auto nor a number from 0.5 to 2"},
        {6, "inf", "width: 'inf' is neither auto nor a number from 0.5 to 2"},
        {7, "a b", "names: 'a b' has a space"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sample before = s;
        assert_int_equal(bf_options_set(&rows[bad[i].row], &s, bad[i].text, &err), BF_EUSAGE);
        assert_string_equal(err.message, bad[i].message);
        assert_memory_equal(&before, &s, sizeof s);
    }
    assert_ptr_equal(bf_options_find(&table, "mode"), &rows[5]);
    assert_null(bf_options_find(&table, "mod"));
    assert_null(bf_options_find(&table, "mode2"));
}

/* A leading 0 means nothing: only 0x does. */
static void seeds_are_decimal(void **state) {
    (void)state;
    bf_error err;
    sample s;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"010", 10}, {"0x10", 16}, {"0XfF", 255}, {"0", 0}, {"0009", 9}};
    assert_ok(bf_options_init(&table, &s, &err), err);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_ok(bf_options_set(&rows[2], &s, good[i].text, &err), err);
        assert_true(s.seed == good[i].value);
    }
    assert_int_equal(bf_options_set(&rows[2], &s, "0x", &err), BF_EUSAGE);
    assert_int_equal(bf_options_set(&rows[2], &s, "12a", &err), BF_EUSAGE);
}

static void a_number_or_auto(void **state) {
    (void)state;
    bf_error err;
    sample s;
    char text[32];
    assert_ok(bf_options_init(&table, &s, &err), err);
    assert_ok(bf_options_set(&rows[6], &s, "0.75", &err), err);
    assert_true(s.width.given && s.width.value == 0.75);
    bf_options_format(&rows[6], &s, text, sizeof text);
    assert_string_equal(text, "0.75");
    assert_ok(bf_options_set(&rows[6], &s, "auto", &err), err);
    assert_false(s.width.given);
}

static void a_list_grows_and_is_full_at_last(void **state) {
    (void)state;
    bf_error err;
    sample s;
    char text[8];
    assert_ok(bf_options_init(&table, &s, &err), err);
    assert_ok(bf_options_set(&rows[7], &s, "one", &err), err);
    assert_ok(bf_options_set(&rows[7], &s, "two=2", &err), err);
    assert_int_equal(bf_options_format(&rows[7], &s, text, sizeof text), 9);
    assert_string_equal(text, "one,two");
    while (s.names.count < BF_LIST_ROOM)
        assert_ok(bf_options_set(&rows[7], &s, "more", &err), err);
    assert_int_equal(bf_options_set(&rows[7], &s, "too many", &err), BF_EUSAGE);
    assert_int_equal(bf_options_set(&rows[7], &s, "more", &err), BF_EUSAGE);
    assert_string_equal(err.message, "names: given more than 32 times");
}

static void options_from_text(void **state) {
    (void)state;
    bf_error err;
    sample s;
    bf_arena *arena;
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    assert_ok(bf_options_init(&table, &s, &err), err);
    char text[] = "  count=7 path=a=b  width=1.5 names=x names=y flag=no ";
    assert_ok(bf_options_set_text(&table, &s, text, arena, &err), err);
    memset(text, '?', sizeof text - 1); /* the texts were copied */
    assert_int_equal(s.count, 7);
    assert_string_equal(s.path, "a=b");
    assert_true(s.width.value == 1.5);
    assert_int_equal(s.names.count, 2);
    assert_string_equal(s.names.item[1], "y");
    assert_false(s.flag);
    assert_ok(bf_options_set_text(&table, &s, "", arena, &err), err);
    assert_ok(bf_options_set_text(&table, &s, "count=8", arena, &err), err);
    assert_int_equal(s.count, 8);
    static const char *const bad[][2] = {
        {"count", "'count' should be NAME=VALUE"},
        {"count path=a", "'count' should be NAME=VALUE"},
        {"cuont=1", "cuont: there is no such option"},
        {"count=0", "count: '0' is outside 1 to 1000"},
        {"count=1 rate=1 count=2", "count: given twice, and it takes one value"},
        {"=1", ": there is no such option"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bf_options_set_text(&table, &s, bad[i][0], arena, &err), BF_EUSAGE);
        assert_string_equal(err.message, bad[i][1]);
    }
    bf_arena_destroy(arena);
}

/* Two tables with an option in common, which is set in both. */
static void settings_are_several_tables(void **state) {
    (void)state;
    typedef struct other {
        int64_t count, depth;
    } other;
    static const bf_option other_rows[] = {
        BF_OPTION_RANGE(other, count, "3", 1, 50, "N: A count."),
        BF_OPTION(other, depth, "2", "N: A depth."),
    };
    static const bf_option_table second = BF_OPTION_TABLE("other", other, other_rows);
    const bf_option_table *const tables[] = {&table, NULL, &second, &table};
    bf_error err;
    bf_arena *arena;
    bf_settings *settings;
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    assert_ok(bf_settings_make(&settings, tables, 4, arena, &err), err);
    const sample *one = bf_settings_of(settings, &table);
    const other *two = bf_settings_of(settings, &second);
    assert_int_equal(one->count, 10);
    assert_int_equal(two->count, 3);
    assert_null(bf_settings_given_at(settings, 0));
    assert_ok(bf_settings_set_text(settings, "count=20 depth=7", arena, &err), err);
    assert_int_equal(one->count, 20);
    assert_int_equal(two->count, 20);
    assert_int_equal(two->depth, 7);
    assert_true(bf_settings_given(settings, "count"));
    assert_false(bf_settings_given(settings, "mode"));
    assert_string_equal(bf_settings_given_at(settings, 0), "count");
    assert_string_equal(bf_settings_given_at(settings, 1), "depth");
    assert_null(bf_settings_given_at(settings, 2));
    assert_ptr_equal(bf_settings_value(settings, "depth"), &two->depth);
    assert_int_equal(bf_settings_set(settings, "count", "60", &err), BF_EUSAGE); /* of the second */
    assert_string_equal(err.message, "count: '60' is outside 1 to 50");
    assert_int_equal(bf_settings_set(settings, "width2", "1", &err), BF_EUSAGE);
    assert_string_equal(err.message, "width2: there is no such option");
    bf_settings_forget(settings, "count");
    assert_false(bf_settings_given(settings, "count"));
    assert_int_equal(two->count, 20);
    assert_string_equal(bf_settings_given_at(settings, 0), "depth");
    bf_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_defaults_types_and_ranges),
        cmocka_unit_test(seeds_are_decimal),
        cmocka_unit_test(a_number_or_auto),
        cmocka_unit_test(a_list_grows_and_is_full_at_last),
        cmocka_unit_test(options_from_text),
        cmocka_unit_test(settings_are_several_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
