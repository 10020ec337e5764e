/* test_csv.c - Numbers against strtod; forms of comma-separated text; what is wrong with it. */
#include "logs.h"

#include <math.h>

#include "format/bytes.h"
#include "format/number.h"

/* ---- Numbers */

static void check_number(const char *text) {
    double expected = strtod(text, NULL), found = 12345;
    size_t length = strlen(text);
    const char *after = bf__number(text, text + length, &found);
    if (after != text + length || memcmp(&expected, &found, sizeof found) != 0)
        fail_msg("'%s': strtod %.17g, here %.17g", text, expected, found);
}

static void numbers_of_every_kind_are_exact(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+7",
        "007",
        "1.",
        ".5",
        "-.5e3",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.5",
        "18446744073709551615",
        "9999999999999999999",
        "1e-22",
        "1e-400",
        "4.9e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "0.1",
        "0.30000000000000004",
        "123456789012345678901234567890",
        "0.000000000000000000001",
        "1000000000000000000000000000000000000000000",
        "3.14159265358979323846264338327950288",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000000001",
        "8.41e+21",
        "9.5367431640625e-7",
        "1e+0005",
        "00000000000000000000000000000000000000012.5",
        "6.02214076e23",
        "5e-324",
        "3e-324",
        "1.00000000000000011102230246251565404e0",
        "7205759403792793199999e-5",
        "9214843084008499e0",
        "30078505129381147446200e-20",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_number(texts[i]);
}

static void a_million_random_numbers_agree_with_strtod(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(7, "numbers", 0);
    char text[64];
    for (int i = 0; i < 1000000; i++) {
        uint64_t bits = bf_rng_u64(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        switch (i % 5) {
        case 0: /* any double at all */
            if (!isfinite(value))
                continue;
            snprintf(text, sizeof text, "%.17g", value);
            break;
        case 1: /* what logs hold */
            snprintf(text, sizeof text, "%.17g", bf_rng_normal(&rng) * 10);
            break;
        case 2:
            snprintf(text, sizeof text, "%.*f", (int)bf_rng_below(&rng, 12),
                     bf_rng_between(&rng, -1e4, 1e4));
            break;
        case 3: /* 19 digits, exponents around the table's */
            snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(bits % 1000),
                     (unsigned long long)(bf_rng_u64(&rng) % 10000000000000000u),
                     (int)bf_rng_below(&rng, 160) - 80);
            break;
        default: /* near the middle between two doubles */
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)(((bits >> 11) | (1ull << 52)) * 2 + 1));
            break;
        }
        check_number(text);
    }
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"", "-", ".", "e5", "nan", "inf", "+-1", "1e", "1e+", "x"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(bf__number(texts[i], texts[i] + strlen(texts[i]), &value));
    const char *hex = "0x10"; /* stops at the x, which is no end of a field */
    assert_ptr_equal(bf__number(hex, hex + 4, &value), hex + 1);
    const char *cut = "12345"; /* never looks past the end */
    assert_ptr_equal(bf__number(cut, cut + 2, &value), cut + 2);
    assert_true(value == 12);
}

/* ---- Forms */

/* The same two transitions, however they are written. */
static void forms_of_the_same_log(void **state) {
    logs *l = *state;
    static const char *const texts[] = {
        "s0,a,r,ns0\n1.5,0,-2,2.5\n2.5,1,3e0,4\n",
        "s0,a,r,ns0\r\n1.5,0,-2,2.5\r\n2.5,1,3e0,4\r\n",
        "s0,a,r,ns0\n1.5,0,-2,2.5\n2.5,1,3e0,4",
        "s0,a,r,ns0\r\n1.5,0,-2,2.5\r\n2.5,1,3e0,4\r",
        "\xEF\xBB\xBFs0,a,r,ns0\n1.5,0,-2,2.5\n2.5,1,3e0,4\n",
        "# made by hand\n\n s0 ,\ta, r ,ns0 \n#1,2,3\n 1.5 ,0\t, -2 ,2.5 \n\n   \n2.5,1,3,4\n\n",
        "\"s0\",\"a\",\"r\",\"ns0\"\n\"1.5\",\"0\",\"-2\",\" 2.5 \"\n2.5,1,\"3\",4\n",
        "r,ns0,s0,a\n-2,2.5,1.5,0\n3,4,2.5,1\n",
        "s0,x,a,r,y,ns0\n1.5,a word,0,-2,,2.5\n2.5,\"one, \"\"two\"\"\nthree\",1,3,#,4\n",
        "s0,x,a,r,ns0\n1.5, \"q\" ,0,-2,2.5\n2.5,it's,1,3,4\n",
        "s0,x,a,r,ns0\r\n1.5,5\" wide,0,-2,2.5\r\n2.5,\"\"\"\",1,3,4\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bf_dataset d = logs_good(l, texts[i]);
        assert_int_equal(d.n, 2);
        assert_int_equal(d.state_dim, 1);
        assert_int_equal(d.states, 0);
        assert_int_equal(d.actions, 2);
        assert_true(d.state[0] == 1.5 && d.state[1] == 2.5);
        assert_true(d.next_state[0] == 2.5 && d.next_state[1] == 4);
        assert_true(d.reward[0] == -2 && d.reward[1] == 3);
        assert_true(d.action[0] == 0 && d.action[1] == 1);
        assert_null(d.begin);
        assert_null(d.terminated);
        if (i < 8)
            assert_null(d.ignored);
    }
    bf_dataset d = logs_good(l, texts[8]);
    assert_string_equal(d.ignored, "x, y");
    assert_int_equal(d.row[1], 3);
    d = logs_good(l, texts[5]);
    assert_int_equal(d.row[0], 5);
    assert_int_equal(d.row[1], 8);
}

static void flags_may_be_words(void **state) {
    bf_dataset d = logs_good(*state, "s,a,r,ns,terminated\n0,0,0,1,false\n1,0,0,2,TRUE\n2,0,0,0,"
                                     "\"True\"\n0,0,0,1,0\n1,0,0,0,1.0\n");
    assert_memory_equal(d.terminated, "\0\1\1\0\1", 5);
}

static void what_is_wrong_is_named(void **state) {
    static const struct {
        const char *text;
        bf_status status;
        const char *message;
    } cases[] = {
        {"", BF_EFORMAT, "@log.csv: the file is empty"},
        {"\n\n# nothing\n", BF_EFORMAT, "@log.csv: no line of column names: the file is empty"},
        {"s,a,r,ns", BF_EFORMAT, "@log.csv: only a header; there are no rows"},
        {"s,a,r,ns\n# none\n\n", BF_EFORMAT, "@log.csv: only a header; there are no rows"},
        {"s,a,r,ns\n0,0,n/a,1\n", BF_EFORMAT, "@log.csv:2: r: 'n/a' is not a number"},
        {"s,a,r,ns\n0,0,1,1\n0,0,,1\n", BF_EFORMAT,
         "@log.csv:3: r: empty, but every row needs a number here"},
        {"s,a,r,ns\n0,0,\"\",1\n", BF_EFORMAT,
         "@log.csv:2: r: empty, but every row needs a number here"},
        {"s,a,r,ns\n0,0,nan,1\n", BF_EDATA, "@log.csv:2: r: 'nan' is not a finite number"},
        {"s,a,r,ns\n0,0,-Inf,1\n", BF_EDATA, "@log.csv:2: r: '-Inf' is not a finite number"},
        {"s,a,r,ns\n0,0,1e999,1\n", BF_EDATA, "@log.csv:2: r: '1e999' is not a finite number"},
        {"s,a,r,ns\n0,0,1 2,1\n", BF_EFORMAT, "@log.csv:2: r: '1 2' is not a number"},
        {"s,a,r,ns\n0,0,0x1F,1\n", BF_EFORMAT, "@log.csv:2: r: '0x1F' is not a number"},
        {"s,a,r,ns\n0,0,1,true\n", BF_EFORMAT, "@log.csv:2: ns: 'true' is not a number"},
        {"s,a,r,ns\n0,0,\"1\"2,1\n", BF_EFORMAT, "@log.csv:2: r: '\"1\"2' is not a number"},
        {"s,a,r,ns\n0,0,\"1,1\n0,0,1,1\n", BF_EFORMAT,
         "@log.csv:2: r: a quote is opened and never closed"},
        {"s,a,r,ns,terminated\n0,0,1,1,no\n", BF_EFORMAT,
         "@log.csv:2: terminated: 'no' is neither 0 nor 1"},
        {"s,a,r,ns\n#\n0,0,1\n", BF_EFORMAT, "@log.csv:3: 3 fields, but the header has 4"},
        {"s,a,r,ns\n0,0,1,1,\n", BF_EFORMAT, "@log.csv:2: 5 fields, but the header has 4"},
        {"s,a,x,r,ns\n0,0,\"a\nb\",1,1\n0,0,c,d,1\n", BF_EFORMAT,
         "@log.csv:4: r: 'd' is not a number"},
        {"0,0,1,1\n1,0,1,0\n", BF_EFORMAT,
         "@log.csv:1: '0' stands where a column name should; the first line has to name the "
         "columns: s0,s1,a,r,..."},
        {"# s,a,r,ns\n0,0,1,1\n", BF_EFORMAT,
         "@log.csv:2: '0' stands where a column name should; the first line has to name the "
         "columns: s0,s1,a,r,... (a header after '#' is a comment)"},
        {"s|a|r|ns\n0|0|1|1\n", BF_EFORMAT,
         "@log.csv:1: one column, 's|a|r|ns'; columns are separated by commas, semicolons or tabs, "
         "or `delimiter` says by what"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        logs_bad(*state, cases[i].text, cases[i].status, cases[i].message);
}

static void a_file_that_is_not_there(void **state) {
    logs *l = *state;
    bf_dataset data;
    char path[128];
    snprintf(path, sizeof path, "%s/none.csv", l->folder);
    logs_expect(l, logs_read(l, &data, path), BF_EFILE,
                "@none.csv: cannot be opened: No such file or directory");
    assert_int_equal(logs_read(l, &data, l->folder), BF_EFILE);
}

/* ---- Many chunks */

static size_t long_log(char **out, int n) {
    char *text = malloc((size_t)n * 64 + 64);
    size_t size = (size_t)sprintf(text, "s0,r,a,ns0\n");
    for (int i = 0; i < n; i++)
        size += (size_t)sprintf(text + size, "%d.25,%.17g,%d,%d.5%s\n", i, sin(i), i % 3, i + 1,
                                i % 1000 == 0 ? "\n# a comment" : "");
    *out = text;
    return size;
}

static void threads_do_not_change_a_long_log(void **state) {
    logs *l = *state;
    enum { N = 200000 };
    char *text;
    size_t size = long_log(&text, N);
    const char *path = logs_write(l, "long.csv", text, size);
    for (int threads = 1; threads <= 4; threads += 3) {
        bf_context context = {.threads = threads};
        bf_dataset d;
        assert_ok(bf__dataset_read(&d, &path, 1, NULL, &context, l->arena, &l->err), l->err);
        assert_int_equal(d.n, N);
        for (int i = 0; i < N; i++) {
            char r[32];
            snprintf(r, sizeof r, "%.17g", sin(i));
            if (d.state[i] != i + 0.25 || d.next_state[i] != i + 1.5 || d.action[i] != i % 3 ||
                d.reward[i] != strtod(r, NULL) || d.row[i] != 2 + i + (i + 999) / 1000)
                fail_msg("row %d differs", i);
        }
    }
    /* Of two bad rows in different chunks the first is told, whoever meets it first. */
    char *late = strstr(text, "\n150000.25,") + 1, *early = strstr(text, "\n90000.25,") + 1;
    *late = *early = 'x';
    path = logs_write(l, "long.csv", text, size);
    bf_context context = {.threads = 4};
    bf_dataset d;
    logs_expect(l, bf__dataset_read(&d, &path, 1, NULL, &context, l->arena, &l->err), BF_EFORMAT,
                "@long.csv:90092: s0: 'x0000.25' is not a number");
    free(text);
}

static bool stop(void *context, const bf_progress *progress) {
    (void)progress;
    return ++*(int *)context < 2;
}

static void reading_can_be_cancelled(void **state) {
    logs *l = *state;
    char *text;
    size_t size = long_log(&text, 600000);
    const char *path = logs_write(l, "long.csv", text, size);
    int calls = 0;
    bf_context context = {.callbacks = {NULL, stop, &calls}, .threads = 1};
    bf_dataset d;
    logs_expect(l, bf__dataset_read(&d, &path, 1, NULL, &context, l->arena, &l->err), BF_ECANCELLED,
                "@long.csv: reading was interrupted");
    assert_int_equal(calls, 2);
    free(text);
}

/* Cut and changed at random, a log is read or refused; it never does harm. */
static void damaged_text_does_no_harm(void **state) {
    logs *l = *state;
    static const char good[] =
        "episode,t,s0,s1,a,r,terminated,pi0,pi1,note\n"
        "0,0,0.1,-1e-3,0,1,0,0.5,0.5,\"a, b\"\n"
        "0,1,0.2,1,1,1,false,0.25,0.75,\n"
        "0,2,0.3,1,1,1,1,1,0,\"c\"\"d\"\r\n"
        "1,0,0.1,1,0,1,0,0.5,0.5,#\n1,1,12345678901234567890,1,0,1,0,1,0,e\n";
    bf_rng rng = bf_rng_make(3, "damage", 0);
    bf_dataset d;
    int read = 0, refused = 0;
    for (int i = 0; i < 1200; i++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        size_t size = sizeof good - 1;
        if (i % 3 == 0)
            size = (size_t)bf_rng_below(&rng, (int64_t)size);
        for (int64_t k = bf_rng_below(&rng, 4); k > 0; k--)
            text[bf_rng_below(&rng, (int64_t)sizeof good - 1)] =
                i % 2 ? (char)bf_rng_below(&rng, 256) : "\",\n\r#e.-0 "[bf_rng_below(&rng, 10)];
        bf_mark mark = bf_arena_mark(l->arena);
        bool ok = logs_read(l, &d, logs_write(l, "log.csv", text, size)) == BF_OK;
        read += ok;
        refused += !ok;
        assert_true(ok || strlen(l->err.message) > 0);
        bf_arena_rewind(l->arena, mark);
    }
    assert_true(read > 100 && refused > 100);
}

/* A mapped file that is cut short kills the process that looks at it. */
static void a_file_that_is_cut_short_was_read(void **state) {
    logs *l = *state;
    enum { SIZE = 1 << 16 };
    static char text[SIZE];
    bf__bytes bytes;
    memset(text, '7', sizeof text);
    const char *path = logs_write(l, "log.csv", text, sizeof text);
    assert_ok(bf__bytes_open(&bytes, path, l->arena, &l->err), l->err);
    assert_int_equal(truncate(path, 10), 0);
    assert_int_equal(bytes.size, SIZE);
    assert_memory_equal(bytes.data, text, SIZE);
    bf__bytes_close(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_kind_are_exact),
        cmocka_unit_test(a_million_random_numbers_agree_with_strtod),
        cmocka_unit_test(what_is_no_number_is_refused),
        logs_test(forms_of_the_same_log),
        logs_test(flags_may_be_words),
        logs_test(what_is_wrong_is_named),
        logs_test(a_file_that_is_not_there),
        logs_test(a_file_that_is_cut_short_was_read),
        logs_test(threads_do_not_change_a_long_log),
        logs_test(reading_can_be_cancelled),
        logs_test(damaged_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
