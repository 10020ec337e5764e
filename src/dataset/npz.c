/* npz.c - Logs as NumPy archives: a zip of .npy arrays, stored or deflated.
 *
 * The keys are the names of the columns: r (n,), a (n,), s (n, d), pi (n, A), na (n, M, k), ...; a
 * key with two dimensions is several columns, s0, s1, .... One column of shape (n, 1) is s0, the
 * real-valued form, unless its elements are whole numbers by type. Keys that mean nothing may hold
 * anything. One array at a time is in memory beside the columns. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "core/fail.h"
#include "core/log.h"
#include "dataset/columns.h"
#include "dataset/npy.h"
#include "dataset/reader.h"

typedef struct array {
    const char *key;
    zip_uint64_t entry;
    bf__npy npy;
    int columns; /* how many columns of the log; 0: ignored */
    int first;   /* the first of them */
} array;

typedef struct archive {
    zip_t *zip;
    array *arrays;
    int count;
} archive;

/* The first bytes of an entry, up to `size`; all of them where it has exactly so many. */
static bf_status extract(unsigned char *bytes, size_t size, size_t *got, const bf__file *file,
                         const array *a, bf_error *err) {
    archive *own = file->own;
    zip_file_t *entry = zip_fopen_index(own->zip, a->entry, 0);
    if (!entry)
        return bf_fail(err, BF_EFORMAT, "%s: %s: cannot be unpacked: %s", file->path, a->key,
                       zip_strerror(own->zip));
    *got = 0;
    zip_int64_t step = 0;
    while (*got < size && (step = zip_fread(entry, bytes + *got, size - *got)) > 0)
        *got += (size_t)step;
    zip_fclose(entry);
    if (step < 0)
        return bf_fail(err, BF_EFORMAT, "%s: %s: cannot be unpacked: the file is damaged",
                       file->path, a->key);
    return BF_OK;
}

static bf_status bad_shape(const bf__file *file, const array *a, const char *expected,
                           bf_error *err) {
    char shape[160];
    return bf_fail(err, BF_EFORMAT, "%s: %s: shape %s; %s is needed", file->path, a->key,
                   bf__npy_shape(&a->npy, shape), expected);
}

/* How many columns an array gives: known keys by name, with the shape they must have. */
static bf_status count_columns(const bf__file *file, array *a, bf_error *err) {
    static const struct {
        const char *key;
        int least, most; /* dimensions */
        const char *expected;
    } keys[] = {
        {"s", 1, 2, "(n,) or (n, d)"}, {"ns", 1, 2, "(n,) or (n, d)"},
        {"a", 1, 2, "(n,) or (n, k)"}, {"mu", 1, 2, "(n,) or (n, A)"},
        {"pi", 2, 2, "(n, A)"},        {"npi", 2, 2, "(n, A)"},
        {"na", 2, 3, "(n, M, k)"},
    };
    const bf__npy *npy = &a->npy;
    bool squeezed = npy->dims == 1 || (npy->dims == 2 && npy->shape[1] == 1);
    if (npy->dims > 1 && npy->shape[0] && npy->count / npy->shape[0] > 1 << 20)
        return bad_shape(file, a, "fewer columns", err);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (strcmp(a->key, keys[k].key) != 0)
            continue;
        if (npy->dims < keys[k].least || npy->dims > keys[k].most || (npy->shape[0] && !npy->count))
            return bad_shape(file, a, keys[k].expected, err);
        a->columns = npy->shape[0] ? (int)(npy->count / npy->shape[0]) : 1;
        return BF_OK;
    }
    if (!squeezed)
        return bad_shape(file, a, "(n,)", err);
    a->columns = 1;
    return BF_OK;
}

static bool is_meant(const char *key) {
    return strcmp(key, "pi") == 0 || strcmp(key, "npi") == 0 || strcmp(key, "na") == 0 ||
           bf__name_parse(key).group != BF__GROUPS;
}

static bf_status describe(const bf__file *file, array *a, unsigned char *head, bf_error *err) {
    size_t got;
    char name[512];
    if (!is_meant(a->key))
        return BF_OK;
    snprintf(name, sizeof name, "%s: %s", file->path, a->key);
    BF_TRY(extract(head, BF__NPY_HEAD, &got, file, a, err));
    BF_TRY(bf__npy_header(&a->npy, head, got, name, err));
    if (a->npy.dims == 0)
        return bad_shape(file, a, "one row per transition", err);
    return count_columns(file, a, err);
}

static bool is(const array *a, const char *key) {
    return strcmp(a->key, key) == 0;
}

/* Column `j` of an array: s, s3, pi1, na0_2. */
static void name_column(const array *a, int j, char *text, size_t size) {
    const bf__npy *npy = &a->npy;
    bool vector = is(a, "s") || is(a, "ns") || is(a, "a") || is(a, "mu");
    bool one = npy->dims == 1 || (a->columns == 1 && (npy->kind != 'f' || is(a, "mu")));
    if (a->columns && is(a, "na")) {
        int k = npy->dims == 3 ? (int)npy->shape[2] : 1;
        snprintf(text, size, "na%d_%d", j / k, j % k);
    } else if (a->columns && (is(a, "pi") || is(a, "npi") || (vector && !one))) {
        snprintf(text, size, "%s%d", a->key, j);
    } else {
        snprintf(text, size, "%s", a->key);
    }
}

/* Every array has the same number of rows: that of r, or of the first. */
static bf_status agree(bf__file *file, bf_error *err) {
    const archive *own = file->own;
    const array *model = NULL;
    for (int k = 0; k < own->count; k++)
        if (own->arrays[k].columns && (!model || strcmp(own->arrays[k].key, "r") == 0))
            model = &own->arrays[k];
    if (!model)
        return bf_fail(err, BF_EDATA, "%s: none of the keys of a log: s, a, r, ns, ...",
                       file->path);
    file->rows = model->npy.shape[0];
    for (int k = 0; k < own->count; k++)
        if (own->arrays[k].columns && own->arrays[k].npy.shape[0] != file->rows)
            return bf_fail(err, BF_EDATA, "%s: %s has %lld rows, %s has %lld", file->path,
                           own->arrays[k].key, (long long)own->arrays[k].npy.shape[0], model->key,
                           (long long)file->rows);
    if (file->rows == 0)
        return bf_fail(err, BF_EDATA, "%s: the arrays have no rows", file->path);
    return BF_OK;
}

static bf_status open_zip(const bf__file *file, archive *own, bf_error *err) {
    zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source =
        zip_source_buffer_create(file->bytes.data, (zip_uint64_t)file->bytes.size, 0, &why);
    if (source && !(own->zip = zip_open_from_source(source, ZIP_RDONLY, &why)))
        zip_source_free(source);
    if (!own->zip)
        bf_fail(err, BF_EFORMAT, "%s: cannot be read as .npz: %s", file->path,
                zip_error_strerror(&why));
    zip_error_fini(&why);
    return own->zip ? BF_OK : BF_EFORMAT;
}

static bf_status list_arrays(bf__file *file, archive *own, bf_arena *scratch, bf_error *err) {
    unsigned char *head;
    zip_int64_t entries = zip_get_num_entries(own->zip, 0);
    BF_ALLOC(own->arrays, scratch, entries, err);
    BF_ALLOC(head, scratch, BF__NPY_HEAD, err);
    for (zip_int64_t e = 0; e < entries; e++) {
        const char *name = zip_get_name(own->zip, (zip_uint64_t)e, 0);
        char *key;
        if (!name)
            continue;
        BF_ALLOC(key, scratch, (int64_t)strlen(name) + 1, err);
        strcpy(key, name);
        if (bf__has_suffix(key, ".npy"))
            key[strlen(key) - 4] = '\0';
        array *a = &own->arrays[own->count++];
        *a = (array){.key = key, .entry = (zip_uint64_t)e};
        BF_TRY(describe(file, a, head, err));
    }
    return BF_OK;
}

static bf_status open_npz(bf__file *file, const bf_context *context, bf_arena *scratch,
                          bf_error *err) {
    (void)context;
    archive *own;
    BF_ZALLOC(own, scratch, 1, err);
    file->own = own;
    BF_TRY(open_zip(file, own, err));
    BF_TRY(list_arrays(file, own, scratch, err));
    BF_TRY(agree(file, err));
    int64_t total = 0;
    for (int k = 0; k < own->count; k++)
        total += own->arrays[k].columns ? own->arrays[k].columns : 1;
    if (total > 1 << 20)
        return bf_fail(err, BF_EFORMAT, "%s: %lld columns are more than can be read", file->path,
                       (long long)total);
    BF_ALLOC(file->names, scratch, total, err);
    for (int k = 0; k < own->count; k++) {
        array *a = &own->arrays[k];
        a->first = file->count;
        for (int j = 0; j < (a->columns ? a->columns : 1); j++) {
            char *name;
            int64_t size = (int64_t)strlen(a->key) + 24;
            BF_ALLOC(name, scratch, size, err);
            name_column(a, j, name, (size_t)size);
            file->names[file->count++] = name;
        }
    }
    return BF_OK;
}

/* Every byte of an array into scratch memory. No entry unpacks to more than 1032 times its size:
 * a file that claims more is damaged, and its claim no reason to ask for memory. */
static bf_status unpack(unsigned char **out, const bf__file *file, const array *a,
                        bf_arena *scratch, bf_error *err) {
    const archive *own = file->own;
    size_t size = a->npy.offset + (size_t)a->npy.count * (size_t)a->npy.size, got;
    zip_stat_t about;
    bool known = zip_stat_index(own->zip, a->entry, 0, &about) == 0 && about.valid & ZIP_STAT_SIZE;
    size_t most = file->bytes.size > SIZE_MAX / 2048 ? SIZE_MAX : 1100 * file->bytes.size;
    if ((known && about.size < size) || size > most)
        return bf_fail(err, BF_EFORMAT, "%s: %s: %llu bytes where its shape asks for %zu",
                       file->path, a->key, known ? (unsigned long long)about.size : 0, size);
    /* One byte more: unpacking to the end of an entry is what checks its sum. */
    BF_ALLOC(*out, scratch, (int64_t)size + 1, err);
    BF_TRY(extract(*out, size + 1, &got, file, a, err));
    if (got < size)
        return bf_fail(err, BF_EFORMAT, "%s: %s: %zu bytes where its shape asks for %zu",
                       file->path, a->key, got, size);
    return BF_OK;
}

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    const archive *own = file->own;
    char task[160];
    snprintf(task, sizeof task, "reading %s", file->path);
    for (int64_t i = 0; i < file->rows; i++)
        row[i] = i;
    for (int k = 0; k < own->count; k++) {
        const array *a = &own->arrays[k];
        if (!bf__progress(context, task, k, own->count, a->key))
            return bf_fail(err, BF_ECANCELLED, "%s: reading was interrupted", file->path);
        if (!a->columns)
            continue;
        bf_mark mark = bf_arena_mark(scratch);
        unsigned char *bytes = NULL;
        BF_TRY(unpack(&bytes, file, a, scratch, err));
        for (int j = 0; j < a->columns; j++)
            if (sinks[a->first + j].values)
                bf__npy_column(&a->npy, bytes + a->npy.offset, j, sinks[a->first + j].values);
        bf_arena_rewind(scratch, mark);
    }
    return BF_OK;
}

static void close_npz(bf__file *file) {
    archive *own = file->own;
    if (own && own->zip)
        zip_discard(own->zip);
    if (own)
        own->zip = NULL;
}

static bool claims(const unsigned char *head, size_t length) {
    return length >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);
}

const bf__reader bf__reader_npz = {
    .name = "npz",
    .summary = "NumPy archive: one array per quantity",
    .suffix = ".npz",
    .claims = claims,
    .open = open_npz,
    .fill = fill,
    .close = close_npz,
};
