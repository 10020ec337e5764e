/* test_stream.c - A log in pieces, in every form: its rows are those of the log in memory, whatever
 * the size of the pieces, the number of files, and the order in which they are read; files that are
 * damaged, or become shorter meanwhile, get their message. */
#include "logs.h"

#include <dirent.h>
#include <sys/stat.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include "backflow/rng.h"

enum { ROWS = 3000, DIM = 3 };

/* ---- Comparing */

typedef struct rows {
    int64_t n, episodes, dropped;
    double *values; /* (n, width) */
    int width;
} rows;

/* Row i as numbers: states, action, reward, flags, policy. */
static int take(double *to, const bf_dataset *d, int64_t i) {
    double *begin = to;
    for (int j = 0; j < d->state_dim; j++)
        *to++ = d->state[j * d->n + i];
    for (int j = 0; j < d->state_dim; j++)
        *to++ = d->next_state[j * d->n + i];
    if (d->action)
        *to++ = d->action[i];
    for (int j = 0; j < d->action_dim; j++)
        *to++ = d->action_vector[j * d->n + i];
    *to++ = d->reward[i];
    if (d->terminated)
        *to++ = d->terminated[i];
    if (d->truncated)
        *to++ = d->truncated[i];
    if (d->mu)
        *to++ = d->mu[i];
    for (int a = 0; d->pi && a < d->actions; a++)
        *to++ = d->pi[a * d->n + i];
    for (int a = 0; d->npi && a < d->actions; a++)
        *to++ = d->npi[a * d->n + i];
    for (int j = 0; d->na && j < d->samples * d->action_dim; j++)
        *to++ = d->na[j * d->n + i];
    *to++ = (double)d->row[i];
    return (int)(to - begin);
}

static void add(rows *r, const bf_dataset *d) {
    double row[256];
    for (int64_t i = 0; i < d->n; i++) {
        r->width = take(row, d, i);
        r->values = realloc(r->values, (size_t)(r->n + 1) * (size_t)r->width * sizeof *r->values);
        memcpy(r->values + r->n++ * r->width, row, (size_t)r->width * sizeof *row);
    }
    r->episodes += d->episodes;
    r->dropped += d->rows_dropped;
}

/* All pieces, in order. */
static void read_pieces(rows *out, logs *l, bf_stream *stream) {
    *out = (rows){0};
    for (int64_t k = 0; k < bf_stream_pieces(stream); k++) {
        const bf_dataset *data;
        int64_t first;
        assert_ok(bf_stream_read(&data, &first, stream, k, NULL, l->arena, &l->err), l->err);
        if (data)
            add(out, data);
    }
}

static void same_rows(const char *name, const rows *a, const rows *b) {
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->dropped, b->dropped);
    for (int64_t i = 0; i < a->n * a->width; i++)
        if (a->values[i] != b->values[i])
            fail_msg("%s: row %lld, number %lld: %.17g in pieces, %.17g in memory", name,
                     (long long)(i / a->width), (long long)(i % a->width), a->values[i],
                     b->values[i]);
}

/* The file in pieces of several sizes, twice with each, and its last piece before the others. */
static int64_t compare(logs *l, const char *path) {
    bf_dataset whole;
    rows want = {0}, got;
    int64_t most = 0;
    assert_ok(logs_read(l, &whole, path), l->err);
    add(&want, &whole);
    for (int64_t bytes = 1; bytes < 10000000; bytes = 1 + 11 * bytes) {
        bf_stream *stream;
        const bf_dataset *last;
        int64_t first;
        assert_ok(bf_stream_open(&stream, &path, 1, NULL, bytes, l->arena, &l->err), l->err);
        int64_t pieces = bf_stream_pieces(stream);
        if (pieces > 200) /* one for every byte, or row */
            continue;
        most = pieces > most ? pieces : most;
        assert_ok(bf_stream_read(&last, &first, stream, pieces - 1, NULL, l->arena, &l->err),
                  l->err);
        for (int again = 0; again < 2; again++) {
            read_pieces(&got, l, stream);
            same_rows(path, &got, &want);
            if (whole.begin && !whole.episodes_inferred)
                assert_int_equal(got.episodes, want.episodes);
            free(got.values);
        }
        bf_stream_close(stream);
        bf_stream_close(stream);
    }
    free(want.values);
    return most;
}

/* ---- Files */

static void every_archive_of_numpy(void **state) {
    DIR *folder = opendir(FIXTURES "/npz");
    char path[512];
    int found = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, "same_", 5) == 0 || strncmp(entry->d_name, "vector", 6) == 0) {
            snprintf(path, sizeof path, FIXTURES "/npz/%s", entry->d_name);
            assert_true(compare(*state, path) > 1);
            found++;
        }
    closedir(folder);
    assert_int_equal(found, 23);
}

static void every_file_of_hdf5(void **state) {
    static const char *const names[] = {"d4rl-next.hdf5",
                                        "d4rl-shift.hdf5",
                                        "d4rl-types.hdf5",
                                        "d4rl-finite.hdf5",
                                        "d4rl-odd-mu.hdf5",
                                        "minari-box/main_data.hdf5",
                                        "minari-many/main_data.hdf5",
                                        "minari-finite/main_data.hdf5",
                                        "minari-nested/main_data.hdf5"};
    char path[512];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, FIXTURES "/hdf5/%s", names[k]);
        assert_true(compare(*state, path) > 1);
    }
}

/* A log of our own, long enough that what is compressed spans many blocks: episodes of 1 to 400
 * rows. */
typedef struct made {
    double s[ROWS * DIM], fortran[ROWS * DIM], r[ROWS];
    float ns[ROWS * DIM];
    int32_t a[ROWS];
    int64_t episode[ROWS];
    uint8_t terminated[ROWS];
} made;

static made *make(void) {
    made *m = calloc(1, sizeof *m);
    bf_rng rng = bf_rng_make(3, "stream", 0);
    int64_t left = 0;
    for (int64_t i = 0, episode = 6; i < ROWS; i++, left--) {
        if (left == 0) {
            episode++;
            left = 1 + bf_rng_below(&rng, 400);
        }
        for (int j = 0; j < DIM; j++) {
            m->s[i * DIM + j] = m->fortran[j * ROWS + i] = bf_rng_uniform(&rng);
            m->ns[i * DIM + j] = (float)bf_rng_uniform(&rng);
        }
        m->r[i] = bf_rng_uniform(&rng);
        m->a[i] = (int32_t)bf_rng_below(&rng, 3);
        m->episode[i] = episode;
        m->terminated[i] = left == 1 && episode % 3 == 0;
    }
    return m;
}

static void put(zip_t *zip, const char *name, const char *type, const char *order, int64_t n,
                int columns, const void *data, size_t size, int method) {
    char head[256], shape[64];
    snprintf(shape, sizeof shape, columns ? "(%lld, %d)" : "(%lld,)", (long long)n, columns);
    int used = snprintf(head + 10, sizeof head - 10,
                        "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type, order, shape);
    size_t start = ((size_t)used + 11 + 63) / 64 * 64;
    memset(head + 10 + used, ' ', start - 10 - (size_t)used);
    memcpy(head, "\x93NUMPY\1\0", 8);
    head[8] = (char)(start - 10);
    head[9] = 0;
    head[start - 1] = '\n';
    unsigned char *bytes = malloc(start + size);
    memcpy(bytes, head, start);
    memcpy(bytes + start, data, size);
    zip_source_t *source = zip_source_buffer(zip, bytes, start + size, 1);
    zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_OVERWRITE);
    assert_true(index >= 0);
    assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, method, 6), 0);
}

/* Rows [from, to), or all of them in Fortran order. */
static void write_rows(const char *path, const made *m, int64_t from, int64_t to, bool deflated,
                       bool fortran) {
    int method = deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    int64_t n = to - from;
    size_t count = (size_t)n;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    put(zip, "s.npy", "<f8", fortran ? "True" : "False", n, DIM,
        fortran ? m->fortran : m->s + from * DIM, count * DIM * sizeof *m->s, method);
    put(zip, "ns.npy", "<f4", "False", n, DIM, m->ns + from * DIM, count * DIM * sizeof *m->ns,
        method);
    put(zip, "a.npy", "<i4", "False", n, 0, m->a + from, count * sizeof *m->a, method);
    put(zip, "r.npy", "<f8", "False", n, 0, m->r + from, count * sizeof *m->r, method);
    put(zip, "episode.npy", "<i8", "False", n, 0, m->episode + from, count * sizeof *m->episode,
        method);
    put(zip, "terminated.npy", "|b1", "False", n, 0, m->terminated + from, count, method);
    assert_int_equal(zip_close(zip), 0);
}

static const char *write_archive(logs *l, const made *m, bool deflated, bool fortran) {
    const char *path = logs_write(l, "log.npz", "", 0);
    write_rows(path, m, 0, ROWS, deflated, fortran);
    return path;
}

static void archives_stored_and_deflated(void **state) {
    logs *l = *state;
    made *m = make();
    for (int form = 0; form < 4; form++)
        assert_true(compare(l, write_archive(l, m, form & 1, form & 2)) > 20);
    free(m);
}

/* The first row of an episode from row i on. */
static int64_t next_episode(const made *m, int64_t i) {
    while (i > 0 && i < ROWS && m->episode[i] == m->episode[i - 1])
        i++;
    return i;
}

/* One log in 1, 2, 3 and 7 files: the same bytes of a sample, which has every number of the rows
 * that it keeps. */
static void several_files(void **state) {
    static const int counts[] = {1, 2, 3, 7};
    logs *l = *state;
    made *m = make();
    const void *want = NULL, *bytes;
    size_t want_size = 0, size;
    for (int c = 0; c < 4; c++) {
        char path[7][128];
        const char *paths[7];
        bf_stream *stream;
        bf_pass *pass;
        for (int f = 0; f < counts[c]; f++) {
            snprintf(path[f], sizeof path[f], "%s/part-%d.npz", l->folder, f);
            write_rows(path[f], m, next_episode(m, ROWS * f / counts[c]),
                       next_episode(m, ROWS * (f + 1) / counts[c]), c % 2, false);
            paths[f] = path[f];
        }
        assert_ok(bf_stream_open(&stream, paths, counts[c], NULL, 5000, l->arena, &l->err), l->err);
        assert_ok(bf_pass_sample(&pass, 2000, 1, l->arena, &l->err), l->err);
        assert_string_equal(bf_stream_file(stream, bf_stream_pieces(stream) - 1),
                            paths[counts[c] - 1]);
        for (int64_t k = 0; k < bf_stream_pieces(stream); k++) {
            const bf_dataset *data;
            int64_t first;
            assert_ok(bf_stream_read(&data, &first, stream, k, NULL, l->arena, &l->err), l->err);
            if (data)
                assert_ok(bf_pass_add(pass, data, first, &l->err), l->err);
        }
        assert_ok(bf_stream_settle(stream, 3, 0, &l->err), l->err);
        bf_stream_close(stream);
        assert_ok(bf_pass_pack(&bytes, &size, pass, l->arena, &l->err), l->err);
        assert_int_equal(bf_pass_overview(pass).rows, ROWS);
        if (!want) {
            want = bytes;
            want_size = size;
        }
        assert_int_equal(size, want_size);
        assert_memory_equal(bytes, want, size);
        for (int f = 0; f < counts[c]; f++)
            unlink(paths[f]);
    }
    free(m);
}

/* ---- Compressed text */

static char *write_text(const made *m, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fputs("# a comment\nepisode,s0,s1,s2,a,r,terminated\n", out);
    for (int64_t i = 0; i < ROWS; i++)
        fprintf(out, "%lld,%.17g,%.17g,%.17g,%d,%.17g,%d\n", (long long)m->episode[i],
                m->s[i * DIM], m->s[i * DIM + 1], m->s[i * DIM + 2], m->a[i], m->r[i],
                m->terminated[i]);
    fclose(out);
    return text;
}

/* Two streams of gzip, one after the other, with zeros after them. */
static unsigned char *zipped(const char *text, size_t size, size_t *out) {
    unsigned char *bytes = calloc(1, size + 1024);
    *out = 0;
    for (int part = 0; part < 2; part++) {
        z_stream z = {.next_in = (unsigned char *)(uintptr_t)text + (part ? size / 3 : 0)};
        z.avail_in = (uInt)(part ? size - size / 3 : size / 3);
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_out = bytes + *out;
        z.avail_out = (uInt)(size + 1000 - *out);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        *out = (size_t)(z.next_out - bytes);
        deflateEnd(&z);
    }
    *out += 20;
    return bytes;
}

static void compressed_text(void **state) {
    logs *l = *state;
    made *m = make();
    size_t size, packed;
    char *text = write_text(m, &size);
    unsigned char *bytes = zipped(text, size, &packed);
    assert_true(compare(l, logs_write(l, "log.csv", text, size)) > 20);
    assert_true(compare(l, logs_write(l, "log.csv.gz", bytes, packed)) > 20);
    free(bytes);
    bytes = malloc(ZSTD_compressBound(size));
    packed = ZSTD_compress(bytes, ZSTD_compressBound(size), text, size, 3);
    assert_true(compare(l, logs_write(l, "log.csv.zst", bytes, packed)) > 20);
    free(bytes);
    free(text);
    free(m);
}

/* ---- Bad files */

/* Opens and reads all pieces; the message has to be this one. */
static void expect(logs *l, const char *path, bf_status wanted, const char *message) {
    bf_stream *stream = NULL;
    const bf_dataset *data;
    int64_t first;
    bf_status status = bf_stream_open(&stream, &path, 1, NULL, 20000, l->arena, &l->err);
    for (int64_t k = 0; status == BF_OK && k < bf_stream_pieces(stream); k++)
        status = bf_stream_read(&data, &first, stream, k, NULL, l->arena, &l->err);
    bf_stream_close(stream);
    logs_expect(l, status, wanted, message);
}

static void damage(const char *path, int64_t at) {
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void damaged_files(void **state) {
    logs *l = *state;
    made *m = make();
    size_t size, packed;
    char *text = write_text(m, &size);
    unsigned char *bytes = zipped(text, size, &packed);
    const char *path = write_archive(l, m, false, false);
    damage(path, 3000); /* a number of s: its checksum tells */
    expect(l, path, BF_EFORMAT, "@log.npz: s: cannot be unpacked: the file is damaged");
    path = logs_write(l, "log.csv.gz", bytes, packed / 2);
    expect(l, path, BF_EFORMAT, "@log.csv.gz: cannot be unpacked: the gzip stream is cut off");
    bytes[packed - 1] = 'x';
    path = logs_write(l, "log.csv.gz", bytes, packed);
    expect(l, path, BF_EFORMAT,
           "@log.csv.gz: cannot be unpacked: something else follows the gzip stream");
    free(bytes);
    free(text);
    free(m);
}

/* A file that another one takes the place of between two readings. */
static void changed_files(void **state) {
    logs *l = *state;
    made *m = make();
    const char *path = write_archive(l, m, true, false);
    const bf_dataset *data;
    bf_stream *stream;
    int64_t first;
    assert_ok(bf_stream_open(&stream, &path, 1, NULL, 20000, l->arena, &l->err), l->err);
    static const char text[] = "s,a,r,ns\n0,0,7,1\n";
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
    bf_status status = bf_stream_read(&data, &first, stream, 1, NULL, l->arena, &l->err);
    logs_expect(l, status, BF_EFORMAT, "@log.npz: cannot be read as .npz: Not a zip archive");
    unlink(path);
    status = bf_stream_read(&data, &first, stream, 0, NULL, l->arena, &l->err);
    logs_expect(l, status, BF_EFORMAT, "@log.npz: cannot be read as .npz: No such file");
    bf_stream_close(stream);
    bf_stream_close(NULL);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(every_archive_of_numpy),
        logs_test(every_file_of_hdf5),
        logs_test(archives_stored_and_deflated),
        logs_test(several_files),
        logs_test(compressed_text),
        logs_test(damaged_files),
        logs_test(changed_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
