/* read.c - Reading logs: the list of readers, and the way from files to a bf_dataset.
 *
 *     paths -> open (names, rows) -> columns.c (meaning) -> one block per group, all files
 *           -> fill (numbers, in place) -> assemble.c (actions, episodes, next states)
 *           -> finish.c (checks)
 *
 * Columns are allocated once and filled in place. A log of n rows and c columns takes 8 n c bytes,
 * and the memory of its episodes. */
#include "dataset/dataset.h"

#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "dataset/assemble.h"
#include "dataset/reader.h"

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
    BF_OPTION(bf_read_options, keep, NULL,
              "COLUMNS: Other columns of numbers to keep, with commas."),
};
const bf_option_table bf_read_table = BF_OPTION_TABLE("Reading", bf_read_options, rows);

const bf__reader *bf__reader_at(int index) {
    int count = (int)(sizeof readers / sizeof *readers);
    return index >= 0 && index < count ? readers[index] : NULL;
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

bf_status bf__file_parse(bf__file *out, const char *path, const bf__bytes *bytes, int format,
                         bool bare, const bf_context *context, bf_arena *scratch, bf_error *err) {
    *out = (bf__file){.path = path, .bytes = *bytes, .bare = bare};
    if (out->bytes.size == 0)
        return bf_fail(err, BF_EFORMAT, "%s: the file is empty", path);
    out->reader = format > 0 ? bf__reader_at(format - 1) : choose(out);
    if (!out->reader)
        return bf_fail(err, BF_EFORMAT,
                       "%s: neither text nor any other form of log; `format` can be %s", path,
                       formats);
    return out->reader->open(out, context, scratch, err);
}

bf_status bf__file_open(bf__file *out, const char *path, int format, bool bare,
                        const bf_context *context, bf_arena *scratch, bf_error *err) {
    bf__bytes bytes;
    *out = (bf__file){.path = path};
    BF_TRY(bf__bytes_open(&bytes, path, scratch, err));
    return bf__file_parse(out, path, &bytes, format, bare, context, scratch, err);
}

void bf__file_close(bf__file *file) {
    if (file->reader && file->reader->close)
        file->reader->close(file);
    bf__bytes_close(&file->bytes);
}

/* ---- Columns of all files */

/* A file and what its columns mean. */
typedef struct part {
    bf__file file; /* a reader that is there already has no file to choose it by */
    bf__schema schema;
    bf__column_group *group; /* (count) */
    int *place;              /* (count) */
} part;

static bf_status open_part(part *p, const part *first, const char *path, int format,
                           const bf_context *context, bf_arena *scratch, bf_error *err) {
    BF_TRY(p->file.reader ? p->file.reader->open(&p->file, context, scratch, err)
                          : bf__file_open(&p->file, path, format, false, context, scratch, err));
    BF_ALLOC(p->group, scratch, p->file.count, err);
    BF_ALLOC(p->place, scratch, p->file.count, err);
    BF_TRY(
        bf__schema_make(&p->schema, p->group, p->place, p->file.names, p->file.count, path, err));
    if (p != first)
        BF_TRY(bf__schema_compare(&first->schema, first->file.path, &p->schema, path, err));
    return bf__schema_check(&p->schema, p->file.names, p->file.count, path, err);
}

/* The place of a column without a meaning among those to keep; -1: it is not kept. */
static int extra_place(const bf_dataset *data, const char *name) {
    for (int k = 0; k < data->extras; k++)
        if (strcmp(data->extra_names[k], name) == 0)
            return k;
    return -1;
}

/* Which columns to keep: every file has to have them. */
static bf_status find_extras(bf_dataset *data, const char *keep, const part *parts, int count,
                             bf_arena *arena, bf_error *err) {
    char **names;
    if (!keep || !*keep)
        return BF_OK;
    BF_TRY(bf__split(&names, &data->extras, keep, arena, err));
    data->extra_names = (const char *const *)names;
    for (int k = 0; k < data->extras; k++)
        for (int f = 0; f < count; f++) {
            int found = 0;
            while (found < parts[f].file.count && strcmp(parts[f].file.names[found], names[k]) != 0)
                found++;
            if (found == parts[f].file.count)
                return bf_fail(err, BF_EDATA, "%s: there is no column '%s', which was asked for",
                               parts[f].file.path, names[k]);
            if (parts[f].group[found] != BF__GROUPS)
                return bf_fail(err, BF_EUSAGE,
                               "%s: the column '%s' has a meaning of its own (docs/log-format.md) "
                               "and cannot be used for another",
                               parts[f].file.path, names[k]);
        }
    return BF_OK;
}

/* The names of columns without a meaning, "x, y", each once. */
static bf_status list_ignored(bf_dataset *data, const part *parts, int count, bf_arena *arena,
                              bf_error *err) {
    char *text;
    size_t room = 1024, used = 0;
    BF_ALLOC(text, arena, (int64_t)room, err);
    for (int f = 0; f < count; f++)
        for (int c = 0; c < parts[f].file.count; c++) {
            const char *name = parts[f].file.names[c];
            bool known = parts[f].group[c] != BF__GROUPS || extra_place(data, name) >= 0;
            for (int g = 0; g <= f && !known; g++)
                for (int b = 0; b < (g < f ? parts[g].file.count : c) && !known; b++)
                    known = strcmp(parts[g].file.names[b], name) == 0;
            if (known)
                continue;
            const char *shown = *name ? name : "(no name)";
            if (used + strlen(shown) + 8 > room) {
                memcpy(text + used, ", ...", 6);
                data->ignored = text;
                return BF_OK;
            }
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", shown);
        }
    data->ignored = used ? text : NULL;
    return BF_OK;
}

/* Columns that the log keeps as they are. The others are turned into something smaller. */
static bool is_kept(const bf__schema *schema, bf__column_group g) {
    bool turned = g == BF__EPISODE || g == BF__T || g == BF__TERMINATED || g == BF__TRUNCATED ||
                  (g == BF__A && schema->plain[BF__A]);
    return !turned;
}

static bf_status load(bf_dataset *data, bf__rows *table, const part *parts, int count,
                      const bf_context *context, bf_arena *arena, bf_arena *scratch,
                      bf_error *err) {
    int64_t n = data->n;
    table->schema = parts[0].schema;
    BF_ALLOC(table->row, arena, n, err);
    for (int g = 0; g < BF__GROUPS; g++)
        if (table->schema.width[g])
            BF_ALLOC(table->column[g],
                     is_kept(&table->schema, (bf__column_group)g) ? arena : scratch,
                     n * table->schema.width[g], err);
    double *extra = NULL;
    if (data->extras > 0)
        BF_ALLOC(extra, arena, n * data->extras, err);
    data->extra = extra;
    for (int f = 0; f < count; f++) {
        const part *p = &parts[f];
        bf__sink *sinks;
        BF_ZALLOC(sinks, scratch, p->file.count, err);
        for (int c = 0; c < p->file.count; c++)
            if (p->group[c] != BF__GROUPS) {
                double *block = table->column[p->group[c]] + n * p->place[c];
                bool flag = p->group[c] == BF__TERMINATED || p->group[c] == BF__TRUNCATED;
                sinks[c] = (bf__sink){block + data->sources[f].first, flag};
            } else if (extra_place(data, p->file.names[c]) >= 0) {
                double *block = extra + n * extra_place(data, p->file.names[c]);
                sinks[c] = (bf__sink){block + data->sources[f].first, false};
            }
        BF_TRY(p->file.reader->fill(&p->file, sinks, table->row + data->sources[f].first, context,
                                    scratch, err));
    }
    return BF_OK;
}

static bf_status read_parts(bf_dataset *out, part *parts, const char *const *paths, int count,
                            int format, const char *keep, const bf_context *context,
                            bf_arena *arena, bf_arena *scratch, bf_error *err) {
    bf_source *sources;
    bf__rows table = {0};
    BF_ALLOC(sources, arena, count, err);
    for (int f = 0; f < count; f++) {
        BF_TRY(open_part(&parts[f], &parts[0], paths[f], format, context, scratch, err));
        char *path;
        BF_ALLOC(path, arena, (int64_t)strlen(paths[f]) + 1, err);
        strcpy(path, paths[f]);
        sources[f] = (bf_source){path, out->n, parts[f].file.reader->by_line};
        out->n += parts[f].file.rows;
    }
    out->sources = sources;
    out->source_count = count;
    out->rows_read = out->n;
    BF_TRY(find_extras(out, keep, parts, count, arena, err));
    BF_TRY(list_ignored(out, parts, count, arena, err));
    BF_TRY(load(out, &table, parts, count, context, arena, scratch, err));
    BF_TRY(bf__assemble(out, &table, arena, scratch, err));
    return bf__dataset_finish(out, arena, err);
}

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

static bf_status read_all(bf_dataset *out, part *parts, const char *const *paths, int count,
                          int format, const char *keep, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    bf_arena *scratch;
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status =
        read_parts(out, parts, paths, count, format, keep, context, arena, scratch, err);
    for (int f = 0; f < count; f++)
        bf__file_close(&parts[f].file);
    bf_arena_destroy(scratch);
    return status;
}

bf_status bf__dataset_read(bf_dataset *out, const char *const *paths, int count,
                           const bf_read_options *options, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    int format;
    part *parts;
    *out = (bf_dataset){0};
    if (count < 1)
        return bf_fail(err, BF_EUSAGE, "no log to read");
    BF_TRY(find_format(&format, options, err));
    BF_ZALLOC(parts, arena, count, err);
    return read_all(out, parts, paths, count, format, options ? options->keep : NULL, context,
                    arena, err);
}

bf_status bf__dataset_from(bf_dataset *out, const char *name, const bf__reader *reader, void *own,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    part memory = {.file = {.path = name, .reader = reader, .own = own}};
    *out = (bf_dataset){0};
    return read_all(out, &memory, &name, 1, 0, NULL, context, arena, err);
}

const double *bf__dataset_extra(const bf_dataset *data, const char *name) {
    int k = extra_place(data, name);
    return k >= 0 ? data->extra + k * data->n : NULL;
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
