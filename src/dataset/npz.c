/* npz.c - Logs as NumPy archives: a zip of .npy arrays, stored or deflated.
 *
 * arrays.c says what the keys mean. One array at a time is in memory beside the columns. If the
 * file is not in memory, ranges of rows are read: then all arrays are unpacked side by side, each
 * from where it is (tape.h). An array in Fortran order is read at as many places as it has
 * columns. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/arrays.h"
#include "format/tape.h"

#define RATIO 1100 /* what an archive may claim, of its own size */

/* An array that is being read at one place. */
typedef struct reel {
    struct archive *of;
    const char *path, *key;
    zip_uint64_t index;
    zip_file_t *file; /* NULL: not open */
    bf__tape tape;
} reel;

typedef struct archive {
    zip_t *zip;
    bf__keyed *arrays;
    int count;
    reel **reels; /* (columns) of the log: of an array in C order, the first has it; or NULL */
    int columns;
    bf_arena *arena; /* for the reels */
} archive;

/* Reads the first bytes of an entry, at most `size`. If the entry has exactly `size` bytes, reads
 * all of them. */
static bf_status extract(unsigned char *bytes, size_t size, size_t *got, const bf__file *file,
                         const bf__keyed *a, bf_error *err) {
    archive *own = file->own;
    zip_file_t *entry = zip_fopen_index(own->zip, (zip_uint64_t)a->source, 0);
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

/* If the array cannot be read, it has no columns. */
static bf_status describe(const bf__file *file, bf__keyed *a, unsigned char *head, bf_error *err) {
    size_t got;
    char name[512];
    bool meant = bf__keyed_meant(a->key);
    bf_error *told = meant ? err : NULL; /* nobody has to know what is wrong with the others */
    snprintf(name, sizeof name, "%s: %s", file->path, a->key);
    bf_status status = extract(head, BF__NPY_HEAD, &got, file, a, told);
    if (status == BF_OK)
        status = bf__npy_header(&a->npy, head, got, name, told);
    if (status == BF_OK)
        return bf__keyed_count(a, file->path, err);
    return meant ? status : BF_OK;
}

static bf_status open_zip(const bf__file *file, archive *own, bf_error *err) {
    zip_error_t why;
    zip_error_init(&why);
    zip_source_t *source =
        file->bytes.data
            ? zip_source_buffer_create(file->bytes.data, (zip_uint64_t)file->bytes.size, 0, &why)
            : zip_source_file_create(file->path, 0, -1, &why);
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
        for (char *c = key; *c; c++) /* names are shown, and this one is a stranger's */
            *c = (char)((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
        bf__keyed *a = &own->arrays[own->count++];
        *a = (bf__keyed){.key = key, .source = e};
        bf_fault at = bf__fault_in(file->path, key);
        BF_TRY(bf__faults_take(file->faults, describe(file, a, head, err), &at, err));
    }
    return BF_OK;
}

/* The bytes of the array as its shape claims them. */
static size_t claimed(const bf__keyed *a) {
    return a->npy.offset + (size_t)a->npy.count * (size_t)a->npy.size;
}

/* No archive unpacks to more than 1032 times its size. If the arrays together claim more than
 * RATIO times, or one claims more than its entry has, the file is damaged or a trap, and we do not
 * ask for the memory that it claims. */
static bf_status check_claims(const bf__file *file, const archive *own, bf_error *err) {
    size_t room = file->bytes.size > SIZE_MAX / (2 * RATIO) ? SIZE_MAX : RATIO * file->bytes.size;
    for (int k = 0; k < own->count; k++) {
        const bf__keyed *a = &own->arrays[k];
        zip_stat_t about;
        if (!a->columns)
            continue;
        bool known = zip_stat_index(own->zip, (zip_uint64_t)a->source, 0, &about) == 0 &&
                     about.valid & ZIP_STAT_SIZE;
        if (known && about.size < claimed(a))
            return bf_fail(err, BF_EFORMAT, "%s: %s: %llu bytes where its shape asks for %zu",
                           file->path, a->key, (unsigned long long)about.size, claimed(a));
        if (claimed(a) > room)
            return bf_fail(err, BF_EFORMAT,
                           "%s: %s: its arrays claim more than %d times the %zu bytes of the file",
                           file->path, a->key, RATIO, file->bytes.size);
        room -= claimed(a);
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
    BF_TRY(check_claims(file, own, err));
    BF_TRY(bf__keyed_name(file, own->arrays, own->count, scratch, err));
    own->arena = scratch;
    own->columns = file->count;
    BF_ZALLOC(own->reels, scratch, file->count, err);
    return BF_OK;
}

/* ---- The whole file */

/* Reads every byte of an array into scratch memory. */
static bf_status unpack(unsigned char **out, const bf__file *file, const bf__keyed *a,
                        bf_arena *scratch, bf_error *err) {
    size_t size = claimed(a), got;
    /* We ask for one byte more, because the checksum is checked only when an entry is unpacked to
     * its end. */
    BF_ALLOC(*out, scratch, (int64_t)size + 1, err);
    BF_TRY(extract(*out, size + 1, &got, file, a, err));
    if (got < size)
        return bf_fail(err, BF_EFORMAT, "%s: %s: %zu bytes where its shape asks for %zu",
                       file->path, a->key, got, size);
    return BF_OK;
}

/* All columns of an array. */
static bf_status fill_array(const bf__file *file, const bf__keyed *a, const bf__sink *sinks,
                            bf_arena *scratch, bf_error *err) {
    unsigned char *bytes = NULL;
    BF_TRY(unpack(&bytes, file, a, scratch, err));
    for (int j = 0; j < a->columns; j++)
        if (sinks[j].values)
            bf__npy_column(&a->npy, bytes + a->npy.offset, j, sinks[j].values);
    return BF_OK;
}

/* ---- Ranges of rows */

static void close_reel(reel *e) {
    if (e->file)
        zip_fclose(e->file);
    e->file = NULL;
}

static bf_status rewind_reel(void *self, bf_error *err) {
    reel *e = self;
    close_reel(e);
    e->file = zip_fopen_index(e->of->zip, e->index, 0);
    return e->file ? BF_OK
                   : bf_fail(err, BF_EFORMAT, "%s: %s: cannot be unpacked: %s", e->path, e->key,
                             zip_strerror(e->of->zip));
}

static bf_status next_of_reel(void *self, unsigned char *to, size_t size, size_t *got,
                              bf_error *err) {
    reel *e = self;
    zip_int64_t step = zip_fread(e->file, to, size);
    *got = step > 0 ? (size_t)step : 0;
    return step >= 0 ? BF_OK
                     : bf_fail(err, BF_EFORMAT, "%s: %s: cannot be unpacked: the file is damaged",
                               e->path, e->key);
}

static bool seek_in_reel(void *self, int64_t to) {
    reel *e = self;
    bool done = zip_fseek(e->file, (zip_int64_t)to, SEEK_SET) == 0;
    if (!done)
        zip_file_error_clear(e->file); /* it goes on from where it is */
    return done;
}

/* What is deflated cannot be looked at from the middle on. */
static bool is_stored(const archive *own, zip_uint64_t index) {
    zip_stat_t about;
    return zip_stat_index(own->zip, index, 0, &about) == 0 && about.valid & ZIP_STAT_COMP_METHOD &&
           about.comp_method == ZIP_CM_STORE;
}

/* The place at which column `column` of the log is read, an array of which is `a`. */
static bf_status take_reel(reel **out, const bf__file *file, const bf__keyed *a, int column,
                           bf_error *err) {
    archive *own = file->own;
    if (!own->reels[column]) {
        reel *e;
        BF_ZALLOC(e, own->arena, 1, err);
        *e = (reel){.of = own, .path = file->path, .key = a->key, .index = (zip_uint64_t)a->source};
        e->tape = (bf__tape){.self = e,
                             .rewind = rewind_reel,
                             .next = next_of_reel,
                             .seek = is_stored(own, e->index) ? seek_in_reel : NULL,
                             .arena = own->arena};
        own->reels[column] = e;
    }
    *out = own->reels[column];
    return BF_OK;
}

/* Elements [from, from + count) of an array, to `bytes`. */
static bf_status read_elements(unsigned char *bytes, reel *e, const bf__keyed *a, int64_t from,
                               int64_t count, bf_error *err) {
    int64_t size = count * a->npy.size, first = (int64_t)a->npy.offset + from * a->npy.size, got;
    BF_TRY(bf__tape_read(&e->tape, bytes, first, size, &got, err));
    if (got < size)
        return bf_fail(err, BF_EFORMAT, "%s: %s: %lld bytes where its shape asks for %zu", e->path,
                       e->key, (long long)(first + got), claimed(a));
    /* The checksum is checked when there is nothing left to unpack. */
    return from + count == a->npy.count ? bf__tape_end(&e->tape, &got, err) : BF_OK;
}

/* All columns of a range of an array. */
static bf_status fill_range(const bf__file *file, const bf__keyed *a, const bf__sink *sinks,
                            bf_arena *scratch, bf_error *err) {
    bool fortran = a->npy.fortran && a->npy.dims > 1;
    bf__npy part = a->npy; /* the rows of the range, in C order, or one column of them */
    part.fortran = false;
    part.dims = fortran ? 1 : part.dims;
    part.shape[0] = file->rows;
    part.count = file->rows * (fortran ? 1 : a->columns);
    unsigned char *bytes;
    reel *e;
    BF_ALLOC(bytes, scratch, part.count * part.size, err);
    if (!fortran) {
        BF_TRY(take_reel(&e, file, a, a->first, err));
        BF_TRY(read_elements(bytes, e, a, file->skip * a->columns, part.count, err));
    }
    for (int j = 0; j < a->columns; j++) {
        int64_t step;
        if (!sinks[j].values)
            continue;
        if (fortran) {
            BF_TRY(take_reel(&e, file, a, a->first + j, err));
            BF_TRY(read_elements(bytes, e, a, bf__npy_place(&a->npy, j, &step) + file->skip,
                                 part.count, err));
        }
        bf__npy_column(&part, bytes, fortran ? 0 : j, sinks[j].values);
    }
    return BF_OK;
}

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    const archive *own = file->own;
    char task[160];
    snprintf(task, sizeof task, "reading %s", file->path);
    for (int64_t i = 0; i < file->rows; i++)
        row[i] = file->skip + i;
    for (int k = 0; k < own->count; k++) {
        const bf__keyed *a = &own->arrays[k];
        if (!bf__progress(context, task, k, own->count, a->key))
            return bf_fail(err, BF_ECANCELLED, "%s: reading was interrupted", file->path);
        bool wanted = false;
        for (int j = 0; j < a->columns; j++)
            wanted |= sinks[a->first + j].values != NULL;
        double *spoiled = a->columns ? NULL : sinks[a->first].values; /* its shape is a fault */
        for (int64_t i = 0; spoiled && i < file->rows; i++)
            spoiled[i] = bf__faulty();
        if (!wanted)
            continue;
        bf_mark mark = bf_arena_mark(scratch);
        BF_TRY(file->bytes.data ? fill_array(file, a, sinks + a->first, scratch, err)
                                : fill_range(file, a, sinks + a->first, scratch, err));
        for (int j = 0; j < a->columns; j++) {
            const bf__sink *sink = &sinks[a->first + j];
            if (sink->values && sink->words)
                BF_TRY(bf__sink_words(sink, file->rows, err));
        }
        bf_arena_rewind(scratch, mark);
    }
    return BF_OK;
}

static void close_npz(bf__file *file) {
    archive *own = file->own;
    for (int c = 0; own && own->reels && c < own->columns; c++)
        if (own->reels[c])
            close_reel(own->reels[c]);
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
    .by_ranges = true,
    .claims = claims,
    .open = open_npz,
    .fill = fill,
    .close = close_npz,
};
