/* memory.c - A log from the arrays of a calling program.
 *
 * The arrays are read like those of a NumPy archive: the same names, shapes, checks and messages.
 * Only where the elements lie is another matter: anywhere, any stride, one of five types. Every
 * element is copied once, into the columns of the log. */
#include <string.h>

#include "core/fail.h"
#include "dataset/arrays.h"
#include "dataset/texts.h"

#define LOOK 1000 /* texts that are looked at, to see what a column holds */

typedef struct entry {
    const char *key;
    bf_array array;           /* numbers, or codes of words; */
    const char *const *words; /* (word_count); NULL: numbers, or */
    const char *const *text;  /* (rows) a text per row */
    int64_t word_count;
    struct entry *next;
} entry;

struct bf_columns {
    const char *name;
    bf_read_options options;
    bf_arena *arena;
    entry *first, **last;
    int count;
};

static const struct {
    char kind;
    int size;
} elements[] = {
    [BF_FLOAT64] = {'f', 8}, [BF_FLOAT32] = {'f', 4}, [BF_INT32] = {'i', 4},
    [BF_INT64] = {'i', 8},   [BF_UINT8] = {'u', 1},
};

static bf_status copy_text(const char **out, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    strcpy(copy, text);
    *out = copy;
    return BF_OK;
}

bf_status bf_columns_create(bf_columns **out, const char *name, bf_arena *arena, bf_error *err) {
    bf_columns *columns;
    BF_ZALLOC(columns, arena, 1, err);
    columns->arena = arena;
    columns->last = &columns->first;
    BF_TRY(copy_text(&columns->name, name ? name : "arrays", arena, err));
    *out = columns;
    return BF_OK;
}

static bf_status check_array(const bf_columns *columns, const char *name, const bf_array *array,
                             bf_error *err) {
    int64_t count = 1;
    if ((int)array->type < 0 || (size_t)array->type >= sizeof elements / sizeof *elements)
        return bf_fail(err, BF_EUSAGE, "%s: %s: type %d is none of the bf_element types",
                       columns->name, name, (int)array->type);
    if (array->ndim < 1 || array->ndim > 3)
        return bf_fail(err, BF_EUSAGE, "%s: %s: %d dimensions; an array has 1, 2 or 3",
                       columns->name, name, array->ndim);
    for (int d = 0; d < array->ndim; d++)
        if (array->shape[d] < 0 || __builtin_mul_overflow(count, array->shape[d], &count) ||
            count > INT64_MAX / 16)
            return bf_fail(err, BF_EUSAGE, "%s: %s: shape[%d] is %lld, which no array has",
                           columns->name, name, d, (long long)array->shape[d]);
    if (!array->data && count > 0)
        return bf_fail(err, BF_EUSAGE, "%s: %s: data is NULL", columns->name, name);
    return BF_OK;
}

static bf_status add_entry(bf_columns *columns, const char *name, entry filled, bf_error *err) {
    entry *e;
    BF_ALLOC(e, columns->arena, 1, err);
    *e = filled;
    BF_TRY(copy_text(&e->key, name, columns->arena, err));
    *columns->last = e;
    columns->last = &e->next;
    columns->count++;
    return BF_OK;
}

bf_status bf_columns_add(bf_columns *columns, const char *name, const bf_array *array,
                         bf_error *err) {
    BF_TRY(check_array(columns, name, array, err));
    return add_entry(columns, name, (entry){.array = *array}, err);
}

bf_status bf_columns_add_words(bf_columns *columns, const char *name, const bf_array *codes,
                               const char *const *words, int64_t count, bf_error *err) {
    BF_TRY(check_array(columns, name, codes, err));
    if (codes->ndim != 1 || elements[codes->type].kind == 'f')
        return bf_fail(err, BF_EUSAGE, "%s: %s: codes of words are whole numbers of shape (n)",
                       columns->name, name);
    if (!words || count < 0)
        return bf_fail(err, BF_EUSAGE, "%s: %s: there are no words", columns->name, name);
    return add_entry(columns, name, (entry){.array = *codes, .words = words, .word_count = count},
                     err);
}

bf_status bf_columns_add_text(bf_columns *columns, const char *name, const char *const *text,
                              int64_t rows, bf_error *err) {
    bf_array array = bf_array_1d(text, BF_INT64, rows); /* of this, only the shape is used */
    BF_TRY(check_array(columns, name, &array, err));
    return add_entry(columns, name, (entry){.array = array, .text = text}, err);
}

bf_status bf_columns_set_options(bf_columns *columns, const bf_read_options *options,
                                 bf_error *err) {
    if (options->map.count < 0 || options->map.count > BF_LIST_ROOM)
        return bf_fail(err, BF_EUSAGE, "`map`: %d texts", options->map.count);
    columns->options = *options;
    return BF_OK;
}

/* ---- As a reader */

typedef struct opened {
    const bf_columns *columns;
    bf__keyed *keyed;      /* (count) */
    const entry **entries; /* (count) */
} opened;

/* What a column of text looks like, from its first rows or words. */
static void look_at(bf__look *look, const entry *e, int64_t rows) {
    const char *const *text = e->text ? e->text : e->words;
    int64_t count = e->text ? rows : e->word_count;
    if (!text)
        look->numbers++;
    for (int64_t k = 0; text && k < count && k < LOOK; k++)
        if (text[k])
            bf__text_look(look, text[k], strlen(text[k]));
}

static bf_status open_columns(bf__file *file, const bf_context *context, bf_arena *scratch,
                              bf_error *err) {
    (void)context;
    opened *own = file->own;
    int count = 0;
    bf__look *looks;
    BF_ZALLOC(own->keyed, scratch, own->columns->count, err);
    BF_ALLOC(own->entries, scratch, own->columns->count, err);
    for (const entry *e = own->columns->first; e; e = e->next) {
        bf__keyed *a = &own->keyed[count];
        own->entries[count++] = e;
        a->key = e->key;
        a->npy.kind = elements[e->array.type].kind;
        a->npy.size = elements[e->array.type].size;
        a->npy.dims = e->array.ndim;
        a->npy.count = 1;
        for (int d = 0; d < e->array.ndim; d++)
            a->npy.count *= a->npy.shape[d] = e->array.shape[d];
        BF_TRY(bf__keyed_count(a, file->path, err));
    }
    BF_TRY(bf__keyed_name(file, own->keyed, count, scratch, err));
    BF_ZALLOC(looks, scratch, file->count, err);
    for (int k = 0; k < count; k++)
        for (int j = 0; j < own->keyed[k].columns; j++)
            look_at(&looks[own->keyed[k].first + j], own->entries[k], file->rows);
    file->looks = looks;
    return BF_OK;
}

#define TAKE(type)                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                              \
        type value;                                                                                \
        memcpy(&value, at + i * stride, sizeof value);                                             \
        out[i] = (double)value;                                                                    \
    }                                                                                              \
    return

/* Column `column` of an array: its last dimensions taken together, in C order. */
static void take(const bf_array *array, int64_t column, double *out) {
    int64_t n = array->shape[0], stride = array->strides[0];
    const char *at = array->data;
    for (int d = array->ndim - 1; d >= 1; d--) {
        at += column % array->shape[d] * array->strides[d];
        column /= array->shape[d];
    }
    switch (array->type) {
    case BF_FLOAT64:
        TAKE(double);
    case BF_FLOAT32:
        TAKE(float);
    case BF_INT32:
        TAKE(int32_t);
    case BF_INT64:
        TAKE(int64_t);
    case BF_UINT8:
        TAKE(uint8_t);
    }
}

static bf_status fill_text(const bf__file *file, const entry *e, const bf__sink *sink,
                           bf_error *err) {
    double *out = sink->values;
    if (!e->text)
        take(&e->array, 0, out);
    for (int64_t i = 0; i < file->rows; i++) {
        const char *text = "";
        if (e->text && e->text[i])
            text = e->text[i];
        if (!e->text && out[i] >= 0) {
            if (out[i] >= (double)e->word_count)
                return bf_fail(err, BF_EDATA,
                               "%s: row %lld: %s: code %.17g, but there are %lld words", file->path,
                               (long long)i, e->key, out[i], (long long)e->word_count);
            text = e->words[(int64_t)out[i]] ? e->words[(int64_t)out[i]] : "";
        }
        BF_TRY(bf__text_take(&out[i], sink, text, strlen(text), file->path, i, e->key, err));
    }
    return BF_OK;
}

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    (void)context;
    (void)scratch;
    const opened *own = file->own;
    for (int64_t i = 0; i < file->rows; i++)
        row[i] = i;
    for (int k = 0; k < own->columns->count; k++)
        for (int j = 0; j < own->keyed[k].columns; j++) {
            const bf__sink *sink = &sinks[own->keyed[k].first + j];
            const entry *e = own->entries[k];
            if (!sink->values)
                continue;
            if (e->words || e->text) {
                BF_TRY(fill_text(file, e, sink, err));
                continue;
            }
            take(&e->array, j, sink->values);
            if (sink->words)
                BF_TRY(bf__sink_words(sink, file->rows, err));
        }
    return BF_OK;
}

static const bf__reader reader = {.name = "memory", .open = open_columns, .fill = fill};

bf_status bf_dataset_from_columns(const bf_dataset **out, const bf_columns *columns,
                                  const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset *data;
    opened own = {.columns = columns};
    bf__file source = {.path = columns->name, .reader = &reader, .own = &own};
    BF_ALLOC(data, arena, 1, err);
    BF_TRY(bf__dataset_from(data, &source, &columns->options, context, arena, err));
    *out = data;
    return BF_OK;
}
