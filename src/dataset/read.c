/* read.c - Reading logs: the list of readers, and files that they open. load.c goes on from there.
 */
#include "dataset/dataset.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "dataset/foreign.h"
#include "dataset/load.h"
#include "dataset/mirror.h"
#include "dataset/mirror_map.h"
#include "dataset/places.h"

#define BF_READER(name) extern const bf__reader bf__reader_##name;
#include "dataset/readers.def"
#undef BF_READER

static const bf__reader *const readers[] = {
#define BF_READER(name) &bf__reader_##name,
#include "dataset/readers.def"
#undef BF_READER
};

static const char formats[] = "auto"
#define BF_READER(name) "|" #name
#include "dataset/readers.def"
#undef BF_READER
    ;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(bf_read_options, format, "auto", formats,
                     "NAME: Form of the log; auto goes by its content, then by its suffix."),
    BF_OPTION(bf_read_options, keep, NULL, "COLUMNS: Other columns to keep, with commas."),
    BF_OPTION(bf_read_options, map, NULL,
              "MAP: What the columns are: 'state=age,ward action=dose reward=r', or @FILE with the "
              "same. May be given several times."),
    BF_OPTION(bf_read_options, delimiter, "auto",
              "C: What separates the fields of text: a character, or tab; auto recognises comma, "
              "semicolon and tab."),
    BF_OPTION(bf_read_options, decimal, ".", "C: The decimal point of text: . or ,"),
    BF_OPTION_CHOICE(bf_read_options, missing, "error", "error|drop|forward|mean",
                     "HOW: Gaps (empty, NA, nan) in states: an error; leave out their rows; the "
                     "last value of the episode; the mean of the column. Other gaps can only be "
                     "left out."),
    BF_OPTION_RANGE(bf_read_options, max_rows, "0", 0, INFINITY,
                    "N: Read whole episodes at random, at most N rows; 0 means all."),
    BF_OPTION_CHECKED(bf_read_options, mirror, NULL, bf__mirror_check,
                      "MAP: A symmetry of the process, such as s0=-s0,s1=-s1,a:left=right: what "
                      "columns and actions are in the mirror. Every row then counts as its mirror, "
                      "too (docs/structure.md)."),
};
const bf_option_table bf_read_table = BF_OPTION_TABLE("Reading", bf_read_options, rows);

const bf__reader *bf__reader_at(int index) {
    int count = (int)(sizeof readers / sizeof *readers);
    return index >= 0 && index < count ? readers[index] : NULL;
}

const bf__reader *bf__reader_named(const char *name) {
    for (int i = 0; bf__reader_at(i); i++)
        if (strcmp(readers[i]->name, name) == 0)
            return readers[i];
    return NULL;
}

bool bf_reader_describe(int index, const char **name, const char **summary) {
    const bf__reader *reader = bf__reader_at(index);
    if (reader) {
        *name = reader->name;
        *summary = reader->summary;
    }
    return reader != NULL;
}

/* ---- Files */

/* Finds the reader by content, then by suffix. Text accepts nearly everything, so it is last in the
 * list. */
static const bf__reader *choose(const bf__file *file) {
    size_t length = file->bytes.size < 512 ? file->bytes.size : 512;
    for (int i = 0; bf__reader_at(i); i++)
        if (readers[i]->claims(file->bytes.data, length))
            return readers[i];
    for (int i = 0; bf__reader_at(i); i++)
        if (bf__has_suffix(file->path, readers[i]->suffix))
            return readers[i];
    return NULL;
}

/* Finds the reader of out->bytes and opens the file with it. */
static bf_status start(bf__file *out, int format, const bf_context *context, bf_arena *scratch,
                       bf_error *err) {
    if (out->bytes.size == 0)
        return bf_fail(err, BF_EFORMAT, "%s: the file is empty", out->path);
    if (format == 0)
        BF_TRY(bf__foreign_check(out->path, &out->bytes, err));
    out->reader = format > 0 ? bf__reader_at(format - 1) : choose(out);
    if (!out->reader)
        return bf_fail(err, BF_EFORMAT,
                       "%s: neither text nor any other form of log; `format` can be %s", out->path,
                       formats);
    return out->reader->open(out, context, scratch, err);
}

bf_status bf__file_parse(bf__file *out, const char *path, const bf__bytes *bytes, int format,
                         bool bare, const bf_context *context, bf_arena *scratch, bf_error *err) {
    *out = (bf__file){.path = path, .bytes = *bytes, .bare = bare};
    return start(out, format, context, scratch, err);
}

bf_status bf__file_open(bf__file *out, const char *path, int format, const bf_read_options *options,
                        const bf_context *context, bf_arena *scratch, bf_error *err) {
    *out = (bf__file){.path = strcmp(path, "-") == 0 ? BF__STANDARD_INPUT : path,
                      .faults = out->faults,
                      .delimiter = options->delimiter,
                      .decimal = options->decimal};
    BF_TRY(bf__bytes_open(&out->bytes, path, scratch, err));
    return start(out, format, context, scratch, err);
}

void bf__file_close(bf__file *file) {
    if (file->reader && file->reader->close)
        file->reader->close(file);
    bf__bytes_close(&file->bytes);
}

/* ---- Logs */

/* 0: by the content; otherwise 1 + the place of the reader. */
static bf_status find_format(int *out, const bf_read_options *options, bf_error *err) {
    const char *name = options ? options->format : NULL;
    *out = 0;
    if (!name || strcmp(name, "auto") == 0)
        return BF_OK;
    for (int i = 0; bf__reader_at(i); i++)
        if (strcmp(readers[i]->name, name) == 0)
            *out = i + 1;
    return *out ? BF_OK : bf_fail(err, BF_EUSAGE, "`format`: '%s' is not one of %s", name, formats);
}

/* Texts that a program may have put into the struct without asking the table. */
static bf_status check_options(const bf_read_options *options, bf_error *err) {
    const bf_option *row = bf_options_find(&bf_read_table, "missing");
    char choice[16];
    bool known = !options->missing;
    for (int k = 0; !known && bf_options_choice(row->choices, k, choice, sizeof choice); k++)
        known = strcmp(choice, options->missing) == 0;
    return known ? BF_OK
                 : bf_fail(err, BF_EUSAGE, "`missing`: '%s' is not one of %s", options->missing,
                           row->choices);
}

/* Files that have a reader already are opened by it; the others are at paths[f]. */
static bf_status open_files(bf__sources *from, const char *const *paths, int format,
                            const bf_context *context, bf_arena *scratch, bf_error *err) {
    for (int f = 0; f < from->count; f++) {
        bf__file *file = &from->files[f];
        file->faults = from->faults;
        if (file->reader)
            BF_TRY(file->reader->open(file, context, scratch, err));
        else
            BF_TRY(bf__file_open(file, paths[f], format, from->options, context, scratch, err));
    }
    return BF_OK;
}

/* Reads into `out`, with scratch memory of its own. If the files are `opened`, they stay so. */
static bf_status read_all(bf_dataset *out, bf__sources *from, const char *const *paths, int format,
                          bool opened, const bf_context *context, bf_arena *arena, bf_error *err) {
    static const bf_read_options plain = {0};
    bf_arena *scratch;
    *out = (bf_dataset){0};
    if (!from->options)
        from->options = &plain;
    BF_TRY(check_options(from->options, err));
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status = bf__map_read(&from->map, &from->options->map, scratch, err);
    if (status == BF_OK && !opened)
        status = open_files(from, paths, format, context, scratch, err);
    if (status == BF_OK)
        status = bf__load(out, from, context, arena, scratch, err);
    for (int f = 0; f < from->count && !opened; f++)
        bf__file_close(&from->files[f]);
    bf_arena_destroy(scratch);
    if (status != BF_OK || !from->options->mirror || out->n == 0)
        return status;
    bf_dataset own = *out;
    return bf__dataset_mirror(out, &own, from->options->mirror, arena, err);
}

/* A folder is asked for files that a reader knows by their name. */
bf_status bf__files_find(const char *const **out, int *out_count, const char *const *paths,
                         int count, bf_arena *arena, bf_error *err) {
    const char *suffixes[sizeof readers / sizeof *readers + 4] = {".tsv", ".txt", ".h5"};
    for (int k = 0; bf__reader_at(k); k++)
        suffixes[k + 3] = readers[k]->suffix;
    return bf__places_find(out, out_count, paths, count, suffixes, arena, err);
}

/* As bf__dataset_read; with a list of faults, everything that is wrong goes there. */
static bf_status read_files(bf_dataset *out, const char *const *paths, int count,
                            const bf_read_options *options, bf__faults *faults,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    int format;
    bf__sources from = {.options = options, .faults = faults};
    const char *const *files;
    if (count < 1)
        return bf_fail(err, BF_EUSAGE, "no log to read");
    BF_TRY(find_format(&format, options, err));
    BF_TRY(bf__files_find(&files, &from.count, paths, count, arena, err));
    BF_ZALLOC(from.files, arena, from.count, err);
    return read_all(out, &from, files, format, false, context, arena, err);
}

bf_status bf__dataset_read(bf_dataset *out, const char *const *paths, int count,
                           const bf_read_options *options, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    return read_files(out, paths, count, options, NULL, context, arena, err);
}

bf_status bf_dataset_faults(const bf_fault **out, int *listed, int64_t *found,
                            const char *const *paths, int count, const bf_read_options *options,
                            int limit, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_fault nowhere = bf__fault_in(count == 1 ? paths[0] : NULL, NULL);
    bf_dataset data;
    bf__faults *faults;
    bf_arena *scratch;
    bf_error told;
    BF_TRY(bf__faults_create(&faults, limit > 0 ? limit : 1, arena, err));
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status = read_files(&data, paths, count, options, faults, context, scratch, &told);
    bf_arena_destroy(scratch);
    bool wrong = status == BF_EDATA || status == BF_EFORMAT;
    if (wrong && !faults->found)
        status = bf__faults_take(faults, status, &nowhere, &told);
    if (status != BF_OK && !wrong) {
        if (err)
            *err = told;
        return status;
    }
    *out = faults->list;
    *listed = faults->count;
    *found = faults->found;
    return BF_OK;
}

bf_status bf__dataset_from(bf_dataset *out, bf__file *source, const bf_read_options *options,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__sources from = {.files = source, .count = 1, .options = options};
    return read_all(out, &from, NULL, 0, false, context, arena, err);
}

bf_status bf__dataset_opened(bf_dataset *out, bf__file *source, const bf_read_options *options,
                             const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__sources from = {.files = source, .count = 1, .options = options};
    return read_all(out, &from, NULL, 0, true, context, arena, err);
}

bf_status bf_dataset_read(const bf_dataset **out, const char *const *paths, int count,
                          const bf_read_options *options, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    bf_dataset *data;
    BF_ALLOC(data, arena, 1, err);
    BF_TRY(bf__dataset_read(data, paths, count, options, context, arena, err));
    *out = data;
    return BF_OK;
}
