/* test_arrow.c - Streams of Arrow batches, made by hand: every form of element, and every lie. */
#include <errno.h>
#include <math.h>

#include "dataset/dataset.h"
#include "format/arrow.h"
#include "logs.h"

/* ---- A stream that is made of arrays in this file */

enum { COLUMNS = 4, BATCHES = 3 };

typedef struct made {
    struct ArrowSchema columns[COLUMNS], values[COLUMNS], *children[COLUMNS];
    struct ArrowArray arrays[BATCHES][COLUMNS], dictionaries[BATCHES][COLUMNS];
    struct ArrowArray *array_children[BATCHES][COLUMNS];
    const void *buffers[BATCHES][COLUMNS][5], *words[BATCHES][COLUMNS][3];
    int64_t rows[BATCHES], offset[BATCHES];
    const char *whole; /* the format of the stream itself */
    int count, next, fails_at;
    int released; /* structs that were given back */
} made;

static void release_schema(struct ArrowSchema *schema) {
    ((made *)schema->private_data)->released++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    ((made *)array->private_data)->released++;
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    made *m = stream->private_data;
    if (m->fails_at < 0)
        return EIO;
    *out = (struct ArrowSchema){.format = m->whole,
                                .n_children = COLUMNS,
                                .children = m->children,
                                .release = release_schema,
                                .private_data = m};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    made *m = stream->private_data;
    int b = m->next++;
    *out = (struct ArrowArray){0};
    if (m->fails_at && b == m->fails_at)
        return EIO;
    if (b < m->count)
        *out = (struct ArrowArray){.length = m->rows[b],
                                   .offset = m->offset[b],
                                   .n_children = COLUMNS,
                                   .children = m->array_children[b],
                                   .release = release_array,
                                   .private_data = m};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    return ((made *)stream->private_data)->fails_at == 2 ? "the disk is gone" : NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((made *)stream->private_data)->released++;
    stream->release = NULL;
}

static void start(made *m, int batches, int64_t rows) {
    static const char *const names[] = {"s", "a", "r", "ns"};
    *m = (made){.whole = "+s", .count = batches};
    for (int c = 0; c < COLUMNS; c++) {
        m->columns[c] = (struct ArrowSchema){.name = names[c], .format = "g"};
        m->children[c] = &m->columns[c];
        for (int b = 0; b < batches; b++) {
            m->rows[b] = rows;
            m->arrays[b][c] =
                (struct ArrowArray){.length = rows, .n_buffers = 2, .buffers = m->buffers[b][c]};
            m->array_children[b][c] = &m->arrays[b][c];
        }
    }
}

/* Column c of batch b: elements of a type, and bits that say which are there (NULL: all). */
static void put(made *m, int b, int c, const char *format, const void *data, const void *there) {
    m->columns[c].format = format;
    m->buffers[b][c][0] = there;
    m->buffers[b][c][1] = data;
    m->arrays[b][c].null_count = there ? -1 : 0;
}

static bf_status read_it(const bf_dataset **out, logs *l, made *m, const char *map) {
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, m};
    bf_read_options options = {.map = {map ? 1 : 0, {map}}};
    bf_status status =
        bf_dataset_from_arrow(out, &stream, "visits", &options, NULL, l->arena, &l->err);
    int batches = m->next < m->count ? m->next : m->count;
    if (m->fails_at > 0)
        batches = m->fails_at;
    assert_null(stream.release);
    assert_int_equal(m->released, 1 + (m->fails_at < 0 ? 0 : 1 + batches));
    return status;
}

static const double zeros[] = {0, 1, 0, 1}, ones[] = {1, 0, 1, 0};

/* A log of one batch of four rows, whose rewards are to be put. */
static void plain(made *m) {
    start(m, 1, 4);
    put(m, 0, 0, "g", zeros, NULL);
    put(m, 0, 1, "g", zeros, NULL);
    put(m, 0, 3, "g", ones, NULL);
}

/* ---- Numbers */

static void rewards_are(logs *l, const char *format, const void *data, const double *expected) {
    made m;
    const bf_dataset *log;
    plain(&m);
    put(&m, 0, 2, format, data, NULL);
    assert_ok(read_it(&log, l, &m, NULL), l->err);
    for (int i = 0; i < 4; i++)
        assert_true(log->reward[i] == expected[i]);
}

#define REWARDS(l, format, type, ...)                                                              \
    rewards_are(l, format, (const type[]){__VA_ARGS__}, (const double[]){__VA_ARGS__})

static void numbers_of_every_type(void **state) {
    logs *l = *state;
    REWARDS(l, "c", int8_t, -128, 0, 1, 127);
    REWARDS(l, "C", uint8_t, 0, 1, 128, 255);
    REWARDS(l, "s", int16_t, -32768, 0, 1, 32767);
    REWARDS(l, "S", uint16_t, 0, 1, 2, 65535);
    REWARDS(l, "i", int32_t, -2147483647, 0, 1, 2147483647);
    REWARDS(l, "I", uint32_t, 0, 1, 2, 4294967295);
    REWARDS(l, "l", int64_t, -9007199254740991, 0, 1, 9007199254740991);
    REWARDS(l, "L", uint64_t, 0, 1, 2, 9007199254740991);
    REWARDS(l, "f", float, -0.5f, 0, 1.25f, 3e30f);
    REWARDS(l, "g", double, -0.1, 0, 1e-300, 3e300);
    rewards_are(l, "e", (const uint16_t[]){0x3c00, 0xc000, 0x0001, 0x7bff},
                (const double[]){1, -2, 0x1p-24, 65504});
    rewards_are(l, "b", (const uint8_t[]){0x5}, (const double[]){1, 0, 1, 0});
    rewards_are(l, "d:18,2", (const int64_t[]){125, 0, -1, -1, -400, -1, 0, 1},
                (const double[]){1.25, -0.01, -4, 184467440737095516.16});
    rewards_are(l, "d:9,1,32", (const int32_t[]){15, -5, 0, 10}, (const double[]){1.5, -.5, 0, 1});
    rewards_are(l, "d:9,-2,64", (const int64_t[]){1, 2, 0, -1},
                (const double[]){100, 200, 0, -100});
    rewards_are(l, "tdD", (const int32_t[]){1, 0, -1, 2},
                (const double[]){86400, 0, -86400, 172800});
    rewards_are(l, "tdm", (const int64_t[]){1500, 0, -1, 1}, (const double[]){1.5, 0, -.001, .001});
    rewards_are(l, "tss:UTC", (const int64_t[]){5, 0, -1, 1}, (const double[]){5, 0, -1, 1});
    rewards_are(l, "tsn:", (const int64_t[]){1500000000, 0, -1000000000, 1},
                (const double[]){1.5, 0, -1, 1e-9});
    rewards_are(l, "ttm", (const int32_t[]){500, 0, 1000, 1}, (const double[]){.5, 0, 1, .001});
    rewards_are(l, "ttu", (const int64_t[]){500000, 0, 1, 2}, (const double[]){.5, 0, 1e-6, 2e-6});
    rewards_are(l, "tDs", (const int64_t[]){7, 0, -7, 1}, (const double[]){7, 0, -7, 1});
}

/* ---- Batches, offsets, gaps */

static void batches_and_slices(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    static const float rewards[] = {9, 9, 1, 2, 3, 4, 9};
    static const double long_zeros[7] = {0}, long_ones[7] = {1, 1, 1, 1, 1, 1, 1};
    start(&m, 3, 2);
    for (int b = 0; b < 3; b++) {
        m.rows[b] = b == 1 ? 0 : 2;
        m.offset[b] = b == 2 ? 1 : 0;
        for (int c = 0; c < COLUMNS; c++) {
            put(&m, b, c, c == 2 ? "f" : "g", c == 2 ? (const void *)rewards : long_zeros, NULL);
            m.arrays[b][c].offset = b == 2 ? 3 : 2;
            m.arrays[b][c].length = b == 2 ? 4 : 2;
        }
        m.buffers[b][3][1] = long_ones;
    }
    assert_ok(read_it(&log, l, &m, NULL), l->err);
    assert_int_equal(log->n, 4);
    for (int i = 0; i < 4; i++)
        assert_true(log->reward[i] == i + 1);
}

static void gaps_are_named(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    plain(&m);
    put(&m, 0, 2, "g", ones, (const uint8_t[]){0xb});
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EFORMAT,
                "visits: row 2: r: empty, but every row needs a number here");
    plain(&m);
    put(&m, 0, 2, "n", NULL, NULL);
    m.arrays[0][2].n_buffers = 0;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EFORMAT,
                "visits: row 0: r: empty, but every row needs a number here");
    plain(&m);
    put(&m, 0, 2, "l", (const int64_t[]){1, 2, INT64_C(1) << 53, 3}, NULL);
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: row 2: r: 9007199254740992 has more digits than a number keeps; if it is "
                "an id, make text of it");
}

/* ---- Texts */

static void texts_of_every_form(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    char name[32], view[64] = "";
    const char text[] = "stopgogoto the moon and back";
    const int32_t offsets[] = {0, 4, 6, 8, 28}, tail[] = {20, 0, 8};
    const int64_t large[] = {0, 4, 6, 8, 28};
    int32_t lengths[] = {4, 2, 2, 20};
    for (int i = 0; i < 4; i++) {
        memcpy(view + 16 * i, &lengths[i], 4);
        memcpy(view + 16 * i + 4, text + offsets[i], i < 3 ? (size_t)lengths[i] : 4);
    }
    memcpy(view + 16 * 3 + 8, &tail[1], 4);
    memcpy(view + 16 * 3 + 12, &tail[2], 4);
    for (int form = 0; form < 3; form++) {
        plain(&m);
        put(&m, 0, 1,
            form == 0   ? "u"
            : form == 1 ? "U"
                        : "vu",
            form == 0   ? (const void *)offsets
            : form == 1 ? (const void *)large
                        : view,
            NULL);
        put(&m, 0, 2, "g", ones, NULL);
        m.arrays[0][1].n_buffers = form == 2 ? 4 : 3;
        m.buffers[0][1][2] = text;
        assert_ok(read_it(&log, l, &m, NULL), l->err);
        assert_int_equal(log->actions, 3);
        assert_string_equal(bf_dataset_action_name(log, 0, name, sizeof name), "stop");
        assert_string_equal(bf_dataset_action_name(log, 2, name, sizeof name),
                            "to the moon and back");
        assert_int_equal(log->action[1], log->action[2]);
    }
    view[16 * 3 + 8] = 7; /* a buffer that is not there is a gap */
    plain(&m);
    put(&m, 0, 1, "vu", view, NULL);
    put(&m, 0, 2, "g", ones, NULL);
    m.arrays[0][1].n_buffers = 4;
    m.buffers[0][1][2] = text;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EFORMAT,
                "visits: row 3: a: empty, but every row needs a value here");
}

static void coded(made *m, const int8_t *codes) {
    static const char text[] = "gostop";
    static const int32_t offsets[] = {0, 2, 6};
    plain(m);
    put(m, 0, 1, "c", codes, NULL);
    put(m, 0, 2, "g", ones, NULL);
    m->values[1] = (struct ArrowSchema){.format = "u", .name = ""};
    m->columns[1].dictionary = &m->values[1];
    m->words[0][1][1] = offsets;
    m->words[0][1][2] = text;
    m->dictionaries[0][1] =
        (struct ArrowArray){.length = 2, .n_buffers = 3, .buffers = m->words[0][1]};
    m->arrays[0][1].dictionary = &m->dictionaries[0][1];
}

static void dictionaries(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    char name[32];
    coded(&m, (const int8_t[]){1, 0, 0, 1});
    assert_ok(read_it(&log, l, &m, NULL), l->err);
    assert_string_equal(bf_dataset_action_name(log, 0, name, sizeof name), "stop");
    assert_int_equal(log->action[3], 0);
    coded(&m, (const int8_t[]){1, 0, 2, 1});
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: row 2: a: a code outside its dictionary");
    coded(&m, (const int8_t[]){1, -1, 0, 1});
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: row 1: a: a code outside its dictionary");
    coded(&m, (const int8_t[]){1, 0, 0, 1});
    m.arrays[0][1].dictionary = NULL;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: a batch does not have the columns that the stream has announced");
}

static void numbers_and_truth_values_as_words(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    char name[32];
    plain(&m);
    put(&m, 0, 1, "b", (const uint8_t[]){0x6}, NULL);
    put(&m, 0, 2, "g", ones, NULL);
    assert_ok(read_it(&log, l, &m, NULL), l->err);
    assert_string_equal(bf_dataset_action_name(log, 1, name, sizeof name), "true");
    const int64_t ids[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX, -5};
    plain(&m);
    put(&m, 0, 1, "l", ids, NULL);
    put(&m, 0, 2, "g", ones, NULL);
    assert_ok(read_it(&log, l, &m, "action=a:category"), l->err);
    assert_int_equal(log->actions, 3);
    assert_string_equal(bf_dataset_action_name(log, 0, name, sizeof name), "9223372036854775807");
    plain(&m);
    put(&m, 0, 1, "L", (const uint64_t[]){1, UINT64_MAX, 1, 2}, NULL);
    put(&m, 0, 2, "g", ones, NULL);
    logs_expect(l, read_it(&log, l, &m, "action=a:category"), BF_EDATA,
                "visits: row 1: a: 9223372036854775807 has more digits than a number keeps; if it "
                "is an id, make text of it");
}

/* ---- What is no log */

static void streams_that_fail(void **state) {
    logs *l = *state;
    made m;
    const bf_dataset *log;
    plain(&m);
    m.whole = "g";
    put(&m, 0, 2, "g", ones, NULL);
    m.count = 0;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: the stream has elements of type 'g', not rows");
    plain(&m);
    m.fails_at = -1;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: the stream failed: Input/output error");
    start(&m, 3, 0);
    m.fails_at = 2;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: the stream failed: the disk is gone");
    plain(&m);
    put(&m, 0, 2, "+l", ones, NULL);
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: r: elements of Arrow type '+l' are neither numbers, truth values, texts "
                "nor times");
    plain(&m);
    put(&m, 0, 2, "d:40,2,256", ones, NULL);
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: r: elements of Arrow type 'd:40,2,256' are neither numbers, truth values, "
                "texts nor times");
    plain(&m);
    put(&m, 0, 2, "g", NULL, NULL);
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: a batch does not have the columns that the stream has announced");
    plain(&m);
    put(&m, 0, 2, "g", ones, NULL);
    m.arrays[0][2].length = 3;
    logs_expect(l, read_it(&log, l, &m, NULL), BF_EDATA,
                "visits: a batch does not have the columns that the stream has announced");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(numbers_of_every_type), logs_test(batches_and_slices),
        logs_test(gaps_are_named),        logs_test(texts_of_every_form),
        logs_test(dictionaries),          logs_test(numbers_and_truth_values_as_words),
        logs_test(streams_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
