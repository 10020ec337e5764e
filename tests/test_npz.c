/* test_npz.c - The same log in many forms of .npz, written by NumPy (fixtures/scripts/make_npz.py);
 * other shapes; archives that are wrong or damaged. */
#include "logs.h"

#include <dirent.h>
#include <zip.h>

static bf_status read_fixture(logs *l, bf_dataset *out, const char *name) {
    static char path[512];
    snprintf(path, sizeof path, FIXTURES "/npz/%s", name);
    return logs_read(l, out, path);
}

static void check_same(const bf_dataset *d) {
    const double s[] = {0.5, 1.5, 2.5, -3.5, 4.5, 5.5, 1, -2, 3, 4, 5, 6};
    const double ns[] = {1.5, 2.5, -3.5, 4.5, 5.5, 6.5, -2, 3, 4, 5, 6, -7};
    const double r[] = {1, -2, 3, -4, 5, -6};
    const double pi[] = {0.25,  1, 0,   0.125, 0, 0.5, 0.25, 0, 0.5,
                         0.125, 0, 0.5, 0.5,   0, 0.5, 0.75, 1, 0};
    const int32_t a[] = {0, 1, 2, 1, 0, 2};
    const int64_t begin[] = {0, 3, 6};
    assert_int_equal(d->n, 6);
    assert_int_equal(d->state_dim, 2);
    assert_int_equal(d->actions, 3);
    assert_memory_equal(d->state, s, sizeof s);
    assert_memory_equal(d->next_state, ns, sizeof ns);
    assert_memory_equal(d->reward, r, sizeof r);
    assert_memory_equal(d->pi, pi, sizeof pi);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            assert_true(d->npi[k * 6 + i] == pi[k * 6 + 5 - i]);
    assert_memory_equal(d->action, a, sizeof a);
    assert_memory_equal(d->terminated, "\0\0\1\0\0\0", 6);
    assert_int_equal(d->episodes, 2);
    assert_memory_equal(d->begin, begin, sizeof begin);
    for (int i = 0; i < 6; i++)
        assert_int_equal(d->row[i], i);
}

static void the_same_log_in_every_form(void **state) {
    logs *l = *state;
    DIR *folder = opendir(FIXTURES "/npz");
    assert_non_null(folder);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, "same_", 5) == 0) {
            bf_dataset d;
            bf_status status = read_fixture(l, &d, entry->d_name);
            if (status != BF_OK)
                fail_msg("%s", l->err.message);
            check_same(&d);
            found++;
        }
    closedir(folder);
    assert_int_equal(found, 21);
    bf_dataset d;
    assert_ok(read_fixture(l, &d, "same_deflated.npz"), l->err);
    assert_string_equal(d.ignored, "extra");
    assert_ok(read_fixture(l, &d, "same_objects_ignored.npz"), l->err);
    assert_string_equal(d.ignored, "infos");
}

static void shapes_say_the_kind(void **state) {
    logs *l = *state;
    bf_dataset d;
    assert_ok(read_fixture(l, &d, "finite.npz"), l->err);
    assert_int_equal(d.states, 5);
    assert_ok(read_fixture(l, &d, "finite_column.npz"), l->err);
    assert_int_equal(d.states, 5);
    assert_ok(read_fixture(l, &d, "real_column.npz"), l->err);
    assert_int_equal(d.states, 0);
    assert_int_equal(d.state_dim, 1);
    assert_ok(read_fixture(l, &d, "linked.npz"), l->err);
    assert_int_equal(d.n, 5);
    assert_int_equal(d.rows_dropped, 1);
    assert_true(d.next_state[2] == d.state[2]); /* it terminated there */
    assert_true(d.npi[3] == d.pi[4]);
    assert_non_null(d.mu_all);
    const char *both[] = {"vector.npz", "vector_fortran.npz"};
    const double na[] = {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}, a[] = {1, 3, 2, 4};
    for (int i = 0; i < 2; i++) {
        assert_ok(read_fixture(l, &d, both[i]), l->err);
        assert_int_equal(d.action_dim, 2);
        assert_int_equal(d.samples, 3);
        assert_memory_equal(d.na, na, sizeof na);
        assert_memory_equal(d.action_vector, a, sizeof a);
    }
}

/* CSV and NPZ files are one log as well; a place in it says which. */
static void files_of_both_forms(void **state) {
    logs *l = *state;
    const char *text = "s,a,r,ns\n0,0,7,1\n";
    const char *paths[] = {FIXTURES "/npz/finite.npz", logs_write(l, "x.csv", text, strlen(text))};
    bf_dataset d;
    char where[512];
    assert_ok(bf__dataset_read(&d, paths, 2, NULL, NULL, l->arena, &l->err), l->err);
    assert_int_equal(d.n, 4);
    assert_true(d.reward[3] == 7);
    assert_string_equal(bf_dataset_where(&d, 1, where, sizeof where),
                        FIXTURES "/npz/finite.npz: row 1");
    assert_non_null(strstr(bf_dataset_where(&d, 3, where, sizeof where), "/x.csv:2"));
}

static void content_goes_before_the_suffix(void **state) {
    logs *l = *state;
    bf_dataset d;
    unsigned char bytes[4096];
    FILE *file = fopen(FIXTURES "/npz/finite.npz", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_ok(logs_read(l, &d, logs_write(l, "zip.csv", bytes, size)), l->err);
    assert_int_equal(d.states, 5);
    const char *text = "s,a,r,ns\n0,0,7,1\n", *path = logs_write(l, "t.npz", text, strlen(text));
    assert_ok(logs_read(l, &d, path), l->err);
    bf_read_options options;
    const bf_option *row = bf_options_find(&bf_read_table, "format");
    assert_ok(bf_options_init(&bf_read_table, &options, &l->err), l->err);
    assert_ok(bf_options_set(row, &options, "npz", &l->err), l->err);
    logs_expect(l, bf__dataset_read(&d, &path, 1, &options, NULL, l->arena, &l->err), BF_EFORMAT,
                "@t.npz: cannot be read as .npz: Not a zip archive");
}

static void what_is_wrong_is_named(void **state) {
    logs *l = *state;
    static const struct {
        const char *name;
        bf_status status;
        const char *message;
    } cases[] = {
        {"objects", BF_EFORMAT,
         "r: an array of Python objects; convert it to numbers, e.g. .astype('float64')"},
        {"text", BF_EFORMAT,
         "r: elements of type '<U1' cannot be read; f2, f4, f8, i1 to i8, u1 to u8 and b1 can"},
        {"complex", BF_EFORMAT,
         "r: elements of type '<c16' cannot be read; f2, f4, f8, i1 to i8, u1 to u8 and b1 can"},
        {"records", BF_EFORMAT, "r: an array of records; an array of numbers is needed"},
        {"short_ns", BF_EDATA, "ns has 5 rows, r has 6"},
        {"flat_pi", BF_EFORMAT, "pi: shape (6,); (n, A) is needed"},
        {"cube_s", BF_EFORMAT, "s: shape (6, 2, 1); (n,) or (n, d) is needed"},
        {"matrix_r", BF_EFORMAT, "r: shape (6, 2); (n,) is needed"},
        {"scalar_r", BF_EFORMAT, "r: shape (); one row per transition is needed"},
        {"no_r", BF_EDATA, "no reward: there has to be a column r; the columns are s, ns, a"},
        {"no_rows", BF_EDATA, "the arrays have no rows"},
        {"no_columns", BF_EFORMAT, "s: shape (6, 0); (n,) or (n, d) is needed"},
        {"nan", BF_EDATA, "row 1: ns1: nan is not a finite number"},
        {"infinite", BF_EDATA, "row 2: r: inf is not a finite number"},
        {"fraction_a", BF_EDATA,
         "row 0: a: 0.5 is not an action; actions are 0, 1, 2, ... (vectors of numbers are a0, a1, "
         "...)"},
        {"sum_npi", BF_EDATA, "row 4: npi0 to npi2 sum to 0.5; probabilities have to sum to 1"},
        {"nothing", BF_EDATA,
         "no state: there has to be a column s, or s0, s1, ...; the columns are x, y"},
        {"not_npy", BF_EFORMAT, "r: not a NumPy array"},
        {"short", BF_EFORMAT, "r: 172 bytes where its shape asks for 176"},
        {"cut", BF_EFORMAT, "cannot be read as .npz: Not a zip archive"},
        {"damaged", BF_EFORMAT, "ns: cannot be unpacked: the file is damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64], message[512];
        bf_dataset d;
        snprintf(name, sizeof name, "bad_%s.npz", cases[i].name);
        snprintf(message, sizeof message, FIXTURES "/npz/%s: %s", name, cases[i].message);
        bf_status status = read_fixture(l, &d, name);
        assert_string_equal(status == BF_OK ? name : l->err.message, message);
        assert_int_equal(status, cases[i].status);
    }
}

/* Cut and changed at random, an archive is read or refused; it never does harm. */
static void damaged_archives_do_no_harm(void **state) {
    logs *l = *state;
    static const char *const names[] = {"same_fortran.npz", "same_deflated.npz", "vector.npz"};
    bf_rng rng = bf_rng_make(5, "damage", 0);
    unsigned char good[8192], bytes[8192];
    int refused = 0;
    for (int i = 0; i < 1200; i++) {
        char path[512];
        snprintf(path, sizeof path, FIXTURES "/npz/%s", names[i % 3]);
        FILE *file = fopen(path, "rb");
        size_t size = fread(good, 1, sizeof good, file);
        fclose(file);
        assert_true(size < sizeof good);
        memcpy(bytes, good, size);
        for (int64_t k = bf_rng_below(&rng, 6); k >= 0; k--)
            bytes[bf_rng_below(&rng, (int64_t)size)] = (unsigned char)bf_rng_below(&rng, 256);
        if (i % 10 == 0)
            size = (size_t)bf_rng_below(&rng, (int64_t)size);
        bf_mark mark = bf_arena_mark(l->arena);
        bf_dataset d;
        refused += logs_read(l, &d, logs_write(l, "x.npz", bytes, size)) != BF_OK;
        bf_arena_rewind(l->arena, mark);
    }
    assert_true(refused > 400);
}

/* Writes an archive whose array `key` claims `rows` numbers and has none. */
static const char *write_claim(logs *l, const char *key, const char *rows) {
    static char head[128];
    char name[64];
    int code;
    const char *path = logs_write(l, "claim.npz", "", 0);
    unlink(path);
    zip_t *archive = zip_open(path, ZIP_CREATE, &code);
    assert_non_null(archive);
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int used = snprintf(head + 10, 110,
                        "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }", rows);
    head[10 + used] = ' ';
    head[127] = '\n';
    snprintf(name, sizeof name, "%s.npy", key);
    zip_source_t *source = zip_source_buffer(archive, head, sizeof head, 0);
    assert_true(source && zip_file_add(archive, name, source, 0) >= 0);
    assert_int_equal(zip_close(archive), 0);
    return path;
}

/* Refused before memory is asked for: that much nobody has. */
static void a_claim_is_checked_before_memory_is_asked_for(void **state) {
    logs *l = *state;
    bf_dataset d;
    assert_int_equal(logs_read(l, &d, write_claim(l, "r", "1000000000000")), BF_EFORMAT);
    assert_non_null(strstr(l->err.message, "128 bytes where its shape asks for 8000000000128"));
}

/* What a file calls its arrays does not reach a terminal as it is. */
static void messages_have_no_control_characters(void **state) {
    logs *l = *state;
    bf_dataset d;
    assert_int_not_equal(logs_read(l, &d, write_claim(l, "r\033[2J\a", "1")), BF_OK);
    for (const char *c = l->err.message; *c; c++)
        assert_true((unsigned char)*c >= ' ' && *c != 127);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(a_claim_is_checked_before_memory_is_asked_for),
        logs_test(messages_have_no_control_characters),
        logs_test(the_same_log_in_every_form),
        logs_test(shapes_say_the_kind),
        logs_test(files_of_both_forms),
        logs_test(content_goes_before_the_suffix),
        logs_test(what_is_wrong_is_named),
        logs_test(damaged_archives_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
