/* memory.c - A log from the arrays of a calling program.
 *
 * The arrays are read like those of a NumPy archive: the same names, shapes, checks and messages.
 * Only where the elements lie is another matter: anywhere, any stride, one of five types. Every
 * element is copied once, into the columns of the log. */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/arrays.h"

typedef struct entry {
    const char *key;
    bf_array array;
    struct entry *next;
} entry;

struct bf_columns {
    const char *name;
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

bf_status bf_columns_add(bf_columns *columns, const char *name, const bf_array *array,
                         bf_error *err) {
    entry *e;
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
    BF_ALLOC(e, columns->arena, 1, err);
    *e = (entry){.array = *array};
    BF_TRY(copy_text(&e->key, name, columns->arena, err));
    *columns->last = e;
    columns->last = &e->next;
    columns->count++;
    return BF_OK;
}

/* ---- As a reader */

typedef struct opened {
    const bf_columns *columns;
    bf__keyed *keyed;      /* (count) */
    const entry **entries; /* (count) */
} opened;

static bf_status open_columns(bf__file *file, const bf_context *context, bf_arena *scratch,
                              bf_error *err) {
    (void)context;
    opened *own = file->own;
    int count = 0;
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
        if (bf__keyed_meant(a->key))
            BF_TRY(bf__keyed_count(a, file->path, err));
    }
    return bf__keyed_name(file, own->keyed, count, scratch, err);
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

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    (void)context;
    (void)scratch;
    (void)err;
    const opened *own = file->own;
    for (int64_t i = 0; i < file->rows; i++)
        row[i] = i;
    for (int k = 0; k < own->columns->count; k++)
        for (int j = 0; j < own->keyed[k].columns; j++) {
            const bf__sink *sink = &sinks[own->keyed[k].first + j];
            if (sink->values)
                take(&own->entries[k]->array, j, sink->values);
        }
    return BF_OK;
}

static const bf__reader reader = {.name = "memory", .open = open_columns, .fill = fill};

bf_status bf_dataset_from_columns(const bf_dataset **out, const bf_columns *columns,
                                  const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset *data;
    opened own = {.columns = columns};
    BF_ALLOC(data, arena, 1, err);
    BF_TRY(bf__dataset_from(data, columns->name, &reader, &own, context, arena, err));
    *out = data;
    return BF_OK;
}
