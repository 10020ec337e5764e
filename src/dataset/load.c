/* load.c - From opened files to a log.
 *
 *     names -> map.c (what they are) -> columns.c (meaning) -> kinds.c (numbers or words)
 *           -> one block per group, over all files -> fill (in place)
 *           -> assemble.c (actions, episodes, next states) -> finish.c (checks)
 *
 * Columns are allocated once and filled in place. A log of n rows and c columns takes 8 n c bytes,
 * and the memory of its episodes. */
#include "dataset/load.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "dataset/assemble.h"
#include "dataset/gaps.h"
#include "dataset/map_propose.h"
#include "dataset/piece.h"

/* A file and what its columns mean. */
typedef struct part {
    const bf__file *file;
    bf__schema schema;
    bf__column_group *group; /* (count) */
    int *place;              /* (count) */
    bf__kind *said;          /* (count): the kinds that the mapping gives */
} part;

/* If columns are missing and names are close to those that are needed, the message says so. */
static bf_status propose(const bf__found *found, bf_status status, bf_arena *scratch,
                         bf_error *err) {
    const char *map = NULL;
    if (status == BF_EDATA && err)
        BF_TRY(bf__map_propose(&map, found, scratch, err));
    if (!map)
        return status;
    bf_error cause = *err;
    return bf_fail(err, status, "%s; perhaps `map` '%s' says what they are", cause.message, map);
}

static bf_status understand(part *p, const part *first, const bf__file *file, const bf__map *map,
                            bf_arena *scratch, bf_error *err) {
    const char **meaning;
    int count = file->count;
    bf__found found = {file->path, file->names, file->arrays, count};
    const bf__labels *known = p == first ? &map->actions : &first->schema.labels;
    p->file = file;
    BF_ALLOC(p->group, scratch, count, err);
    BF_ALLOC(p->place, scratch, count, err);
    BF_ALLOC(p->said, scratch, count, err);
    BF_ALLOC(meaning, scratch, count, err);
    BF_TRY(bf__map_apply(map, &found, meaning, p->said, scratch, err));
    BF_TRY(bf__schema_make(&p->schema, p->group, p->place, meaning, count, known, file->path,
                           scratch, err));
    if (p != first)
        BF_TRY(bf__schema_compare(&first->schema, first->file->path, &p->schema, file->path, err));
    bf_status status = bf__schema_check(&p->schema, file->arrays ? file->arrays : file->names,
                                        count, file->path, err);
    const int *width = p->schema.width;
    bool lacks = !width[BF__S] || !width[BF__A] || !width[BF__R];
    return lacks && !map->count ? propose(&found, status, scratch, err) : status;
}

/* ---- Columns that are kept */

/* The place of a column without a meaning among those to keep; -1: it is not kept. */
static int extra_place(const bf_dataset *data, const char *name) {
    for (int k = 0; k < data->extras; k++)
        if (strcmp(data->extra_names[k], name) == 0)
            return k;
    return -1;
}

const double *bf__dataset_extra(const bf_dataset *data, const char *name) {
    int k = extra_place(data, name);
    return k >= 0 ? data->extra + k * data->n : NULL;
}

const char *bf__dataset_extra_word(const bf_dataset *data, const char *name, int64_t code) {
    int k = extra_place(data, name);
    return k >= 0 && data->extra_words && data->extra_words[k] ? data->extra_words[k][code] : NULL;
}

/* Which columns to keep: every file has to have them. A column that a mapping has given a meaning
 * can be kept, too. */
static bf_status find_extras(bf_dataset *data, const char *keep, const part *parts, int count,
                             bf_arena *arena, bf_error *err) {
    char **names;
    if (!keep || !*keep)
        return BF_OK;
    BF_TRY(bf__split(&names, &data->extras, keep, arena, err));
    data->extra_names = (const char *const *)names;
    for (int k = 0; k < data->extras; k++)
        for (int f = 0; f < count; f++) {
            const bf__file *file = parts[f].file;
            int found = 0;
            while (found < file->count && strcmp(file->names[found], names[k]) != 0)
                found++;
            if (found == file->count)
                return bf_fail(err, BF_EDATA, "%s: there is no column '%s', which was asked for",
                               file->path, names[k]);
            if (parts[f].group[found] != BF__GROUPS && bf__name_parse(names[k]).group != BF__GROUPS)
                return bf_fail(err, BF_EUSAGE,
                               "%s: the column '%s' has a meaning of its own (docs/log-format.md) "
                               "and cannot be used for another",
                               file->path, names[k]);
        }
    return BF_OK;
}

/* The columns of an array go by its name. */
static const char *shown_name(const bf__file *file, int c) {
    return file->arrays && file->arrays[c] ? file->arrays[c] : file->names[c];
}

/* The names of columns without a meaning, "x, y", each once. */
static bf_status list_ignored(bf_dataset *data, const part *parts, int count, bf_arena *arena,
                              bf_error *err) {
    char *text;
    size_t room = 1024, used = 0;
    BF_ALLOC(text, arena, (int64_t)room, err);
    for (int f = 0; f < count; f++)
        for (int c = 0; c < parts[f].file->count; c++) {
            const char *name = shown_name(parts[f].file, c);
            bool known =
                parts[f].group[c] != BF__GROUPS || extra_place(data, parts[f].file->names[c]) >= 0;
            for (int g = 0; g <= f && !known; g++)
                for (int b = 0; b < (g < f ? parts[g].file->count : c) && !known; b++)
                    known = strcmp(shown_name(parts[g].file, b), name) == 0;
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

/* ---- Kinds */

/* The columns of all files: what is known of each before it is read. Columns that are kept are the
 * last group. */
typedef struct plan {
    bf__look *looks[BF__GROUPS + 1]; /* (width) */
    bf__kind *kinds[BF__GROUPS + 1]; /* (width) */
    int width[BF__GROUPS + 1];
    bf__words **extra_words; /* (extras) */
} plan;

static void add_look(bf__look *sum, const bf__look *look) {
    sum->numbers += look->numbers;
    sum->flags += look->flags;
    sum->times += look->times;
    sum->texts += look->texts;
    sum->gaps += look->gaps;
}

/* The place of column c of a file in the plan; false if nobody wants it. */
static bool place_of(const bf_dataset *data, const part *p, int c, int *group, int *place) {
    *group = (int)p->group[c];
    *place = *group == BF__GROUPS ? extra_place(data, p->file->names[c]) : p->place[c];
    return *place >= 0;
}

/* Puts together what all files say about a column, and decides what it holds. */
static bf_status decide(plan *out, const bf_dataset *data, const part *parts, int count,
                        bool named_actions, bf_arena *scratch, bf_error *err) {
    static const bf__look numbers = {.numbers = 1};
    const bf__schema *schema = &parts[0].schema;
    for (int g = 0; g <= BF__GROUPS; g++) {
        out->width[g] = g < BF__GROUPS ? schema->width[g] : data->extras;
        BF_ZALLOC(out->looks[g], scratch, out->width[g], err);
        BF_ZALLOC(out->kinds[g], scratch, out->width[g], err);
    }
    for (int f = 0; f < count; f++)
        for (int c = 0; c < parts[f].file->count; c++) {
            int g, place;
            if (!place_of(data, &parts[f], c, &g, &place))
                continue;
            const bf__look *looks = parts[f].file->looks;
            add_look(&out->looks[g][place], looks ? &looks[c] : &numbers);
            if (parts[f].said[c] != BF__ANY)
                out->kinds[g][place] = parts[f].said[c];
        }
    for (int j = 0; j < out->width[BF__NS]; j++) { /* s and s' are of one kind */
        add_look(&out->looks[BF__S][j], &out->looks[BF__NS][j]);
        if (out->kinds[BF__S][j] == BF__ANY)
            out->kinds[BF__S][j] = out->kinds[BF__NS][j];
    }
    for (int g = 0; g <= BF__GROUPS; g++)
        for (int j = 0; j < out->width[g]; j++)
            if (out->kinds[g][j] == BF__ANY)
                out->kinds[g][j] = bf__kind_of(
                    (bf__column_group)g, g < BF__GROUPS && schema->plain[g], &out->looks[g][j]);
    for (int j = 0; j < out->width[BF__NS]; j++)
        out->kinds[BF__NS][j] = out->kinds[BF__S][j];
    if (named_actions && schema->plain[BF__A])
        out->kinds[BF__A][0] = BF__TEXT;
    return BF_OK;
}

/* Some groups hold nothing but numbers, whatever the mapping says. */
static bf_status check_kinds(const plan *p, const bf__schema *schema, const char *path,
                             bf_error *err) {
    char name[48];
    for (int g = 0; g < BF__GROUPS; g++)
        for (int j = 0; j < p->width[g]; j++) {
            bool words = g == BF__S || g == BF__NS || g == BF__EPISODE ||
                         (g == BF__A && schema->plain[BF__A]);
            if (p->kinds[g][j] == BF__TEXT && !words)
                return bf_fail(err, BF_EUSAGE, "%s: `map`: %s holds numbers, not text", path,
                               bf__name_of(schema, (bf__column_group)g, j, name));
        }
    return BF_OK;
}

static bf_status make_words(bf__rows *table, plan *p, const bf__labels *labels, bf_arena *arena,
                            bf_arena *scratch, bf_error *err) {
    for (int g = 0; g < BF__GROUPS; g++) {
        BF_ZALLOC(table->words[g], scratch, p->width[g], err);
        for (int j = 0; j < p->width[g]; j++)
            if (g == BF__NS)
                table->words[g][j] = table->words[BF__S][j];
            else if (p->kinds[g][j] == BF__TEXT)
                BF_TRY(bf__words_create(&table->words[g][j], arena, err));
    }
    BF_ZALLOC(p->extra_words, scratch, p->width[BF__GROUPS], err);
    for (int k = 0; k < p->width[BF__GROUPS]; k++)
        if (p->kinds[BF__GROUPS][k] == BF__TEXT)
            BF_TRY(bf__words_create(&p->extra_words[k], arena, err));
    for (int k = 0; table->schema.plain[BF__A] && k < labels->count; k++) {
        int64_t code;
        BF_TRY(bf__words_add(table->words[BF__A][0], labels->text[k], strlen(labels->text[k]),
                             &code, err));
    }
    return BF_OK;
}

/* ---- Filling */

/* Columns that the log keeps as they are. The others are turned into something smaller. */
static bool is_kept(const plan *p, const bf__schema *schema, int g) {
    bool turned = g == BF__EPISODE || g == BF__T || g == BF__TERMINATED || g == BF__TRUNCATED ||
                  g == BF__MASK || (g == BF__A && schema->plain[BF__A]);
    for (int j = 0; (g == BF__S || g == BF__NS) && j < p->width[g]; j++)
        turned |= p->kinds[g][j] == BF__TEXT;
    return !turned;
}

static bf_status make_room(bf_dataset *data, bf__rows *table, const plan *p, bf_arena *arena,
                           bf_arena *scratch, bf_error *err) {
    BF_ALLOC(table->row, arena, data->n, err);
    for (int g = 0; g < BF__GROUPS; g++) {
        BF_ZALLOC(table->names[g], scratch, p->width[g], err);
        if (p->width[g])
            BF_ALLOC(table->column[g], is_kept(p, &table->schema, g) ? arena : scratch,
                     data->n * p->width[g], err);
    }
    double *extra = NULL;
    if (data->extras > 0)
        BF_ALLOC(extra, arena, data->n * data->extras, err);
    data->extra = extra;
    return BF_OK;
}

static bf_status copy_text(const char **out, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    strcpy(copy, text);
    *out = copy;
    return BF_OK;
}

/* Where the columns of file f go. */
static bf_status make_sinks(bf__sink **out, bf_dataset *data, bf__rows *table, const plan *p,
                            const part *of, int64_t first, bool gaps, bf_arena *arena,
                            bf_arena *scratch, bf_error *err) {
    const bf__file *file = of->file;
    double *extra = (double *)(uintptr_t)data->extra;
    BF_ZALLOC(*out, scratch, file->count, err);
    for (int c = 0; c < file->count; c++) {
        int g, place;
        if (!place_of(data, of, c, &g, &place))
            continue;
        bf__kind kind = p->kinds[g][place];
        double *block = g < BF__GROUPS ? table->column[g] : extra;
        (*out)[c] =
            (bf__sink){.values = block + data->n * place + first,
                       .flag = kind == BF__FLAG,
                       .time = kind == BF__TIME,
                       .gaps = gaps,
                       .words = g < BF__GROUPS ? table->words[g][place] : p->extra_words[place]};
        if (g < BF__GROUPS && !table->names[g][place])
            BF_TRY(copy_text(&table->names[g][place],
                             file->labels ? file->labels[c] : file->names[c], arena, err));
    }
    return BF_OK;
}

/* Columns that are kept and have a meaning besides are copied from where they were read to. */
static void copy_meant(bf_dataset *data, const bf__rows *table, plan *p) {
    double *extra = (double *)(uintptr_t)data->extra;
    for (int g = 0; g < BF__GROUPS; g++)
        for (int j = 0; j < p->width[g]; j++) {
            int k = extra_place(data, table->names[g][j]);
            if (k < 0)
                continue;
            memcpy(extra + k * data->n, table->column[g] + j * data->n,
                   (size_t)data->n * sizeof *extra);
            p->extra_words[k] = table->words[g][j];
        }
}

static bf_status keep_extra_words(bf_dataset *data, const plan *p, bf_arena *arena, bf_error *err) {
    const char *const **words;
    BF_ZALLOC(words, arena, data->extras, err);
    for (int k = 0; k < data->extras; k++)
        words[k] = p->extra_words[k] ? p->extra_words[k]->text : NULL;
    data->extra_words = words;
    return BF_OK;
}

static bf_status fill(bf_dataset *data, bf__rows *table, const part *parts, int count,
                      const bf__sources *from, const bf_context *context, bf_arena *arena,
                      bf_arena *scratch, bf_error *err) {
    plan p = {0};
    bool gaps = bf__gaps_allowed(from->options->missing) || from->faults;
    table->schema = parts[0].schema;
    const bf__labels *labels =
        table->schema.labels.count ? &table->schema.labels : &from->map.actions;
    BF_TRY(decide(&p, data, parts, count, labels->count > 0, scratch, err));
    BF_TRY(check_kinds(&p, &table->schema, parts[0].file->path, err));
    BF_TRY(make_words(table, &p, labels, arena, scratch, err));
    BF_TRY(make_room(data, table, &p, arena, scratch, err));
    table->timed = p.width[BF__T] && p.kinds[BF__T][0] == BF__TIME;
    for (int f = 0; f < count; f++) {
        bf__sink *sinks;
        const bf__file *file = parts[f].file;
        int64_t first = data->sources[f].first;
        BF_TRY(make_sinks(&sinks, data, table, &p, &parts[f], first, gaps, arena, scratch, err));
        BF_TRY(file->reader->fill(file, sinks, table->row + first, context, scratch, err));
    }
    copy_meant(data, table, &p);
    return keep_extra_words(data, &p, arena, err);
}

/* How many actions and states there are, if files say so. */
static bf_status take_counts(bf_dataset *out, const bf__file *files, int count, bf_error *err) {
    for (int f = 0; f < count; f++) {
        if (files[f].actions != files[0].actions || files[f].states != files[0].states)
            return bf_fail(err, BF_EDATA,
                           "%s: %d actions and %lld states, but %s has %d and %lld; files of one "
                           "log have the same spaces",
                           files[f].path, files[f].actions, (long long)files[f].states,
                           files[0].path, files[0].actions, (long long)files[0].states);
        out->actions = out->actions ? out->actions : files[f].actions;
        out->states = out->states ? out->states : files[f].states;
    }
    return BF_OK;
}

bf_status bf__load(bf_dataset *out, const bf__sources *from, const bf_context *context,
                   bf_arena *arena, bf_arena *scratch, bf_error *err) {
    bf_source *sources;
    part *parts;
    bf__rows table = {0};
    BF_ALLOC(parts, scratch, from->count, err);
    BF_ALLOC(sources, arena, from->count, err);
    for (int f = 0; f < from->count; f++) {
        const bf__file *file = &from->files[f];
        BF_TRY(understand(&parts[f], &parts[0], file, &from->map, scratch, err));
        sources[f] = (bf_source){NULL, out->n, file->reader->by_line, file->by_episode};
        BF_TRY(copy_text(&sources[f].path, file->path, arena, err));
        out->n += file->rows;
    }
    out->sources = sources;
    out->source_count = from->count;
    out->rows_read = out->n;
    BF_TRY(find_extras(out, from->options->keep, parts, from->count, arena, err));
    BF_TRY(list_ignored(out, parts, from->count, arena, err));
    BF_TRY(fill(out, &table, parts, from->count, from, context, arena, scratch, err));
    if (from->files[0].piece) {
        BF_TRY(bf__piece_cut(from->files[0].piece, out, &table, err));
        if (out->n == 0)
            return BF_OK;
    }
    out->row = table.row;
    if (from->faults)
        BF_TRY(bf__gaps_list(out, &table, from->options->missing, from->faults, scratch, err));
    if (!from->faults || !from->faults->found)
        BF_TRY(bf__gaps_find(out, &table, from->options->missing, arena, scratch, err));
    BF_TRY(bf__assign(out, &table, from->faults, arena, err));
    if (from->faults && from->faults->found) { /* no log, but the other values can be looked at */
        BF_TRY(bf__dataset_values(out, from->faults, err));
        return bf__faults_first(from->faults, err);
    }
    BF_TRY(bf__assemble(out, &table, from->options, context, arena, scratch, err));
    BF_TRY(take_counts(out, from->files, from->count, err));
    return bf__dataset_check(out, from->faults, err);
}
