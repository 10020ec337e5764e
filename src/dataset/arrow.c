/* arrow.c - A log from a stream of Arrow record batches: frames of other programs, without copies.
 *
 * The stream is the C stream interface of Arrow, which frames of every kind speak. Its batches stay
 * where their owner has them until the log is made. Every element is copied once, into the columns
 * of the log; then the batches are given back.
 *
 * Columns behave as those of text files do: names, mapping, words, points in time and gaps are the
 * business of load.c. A dictionary is decoded once per batch, so that a column of words costs one
 * look-up per row.
 *
 * Whole numbers of more than 53 bits, which doubles do not hold, are refused, unless the column is
 * text: ids keep every digit then. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/arrays.h"
#include "dataset/texts.h"
#include "format/arrow.h"

enum { LOOK = 1000 }; /* texts that are looked at, to see what a column holds */
#define EXACT (INT64_C(1) << 53)

typedef struct batch {
    struct ArrowArray array;
    struct batch *next;
} batch;

typedef struct opened {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    batch *first;
    bf__arrow_type *types, *values; /* (count); of dictionaries, the types of codes and values */
} opened;

/* ---- Opening */

static bf_status stream_failed(const bf__file *file, opened *own, int code, bf_error *err) {
    const char *said = own->stream->get_last_error(own->stream);
    return bf_fail(err, code == ENOMEM ? BF_ENOMEM : BF_EDATA, "%s: the stream failed: %s",
                   file->path, said && *said ? said : strerror(code));
}

static bf_status take_schema(bf__file *file, opened *own, bf_arena *scratch, bf_error *err) {
    const struct ArrowSchema *schema = &own->schema;
    int code = own->stream->get_schema(own->stream, &own->schema);
    if (code)
        return stream_failed(file, own, code, err);
    if (strcmp(schema->format, "+s") != 0)
        return bf_fail(err, BF_EDATA, "%s: the stream has elements of type '%s', not rows",
                       file->path, schema->format);
    if (schema->n_children > INT32_MAX)
        return bf_fail(err, BF_EDATA, "%s: %lld columns", file->path,
                       (long long)schema->n_children);
    file->count = (int)schema->n_children;
    BF_ALLOC(file->names, scratch, file->count, err);
    BF_ALLOC(own->types, scratch, file->count, err);
    BF_ALLOC(own->values, scratch, file->count, err);
    for (int c = 0; c < file->count; c++) {
        const struct ArrowSchema *child = schema->children[c];
        file->names[c] = child->name ? child->name : "";
        own->types[c] = bf__arrow_type_of(child->format);
        own->values[c] =
            child->dictionary ? bf__arrow_type_of(child->dictionary->format) : own->types[c];
    }
    return BF_OK;
}

/* What a batch says of itself has to hold: it comes from another program. */
static bf_status check_batch(const bf__file *file, const opened *own,
                             const struct ArrowArray *array, bf_error *err) {
    int64_t end = array->offset + array->length;
    bool fits = array->n_children == file->count && array->length >= 0 && array->offset >= 0;
    for (int c = 0; c < file->count && fits; c++) {
        const struct ArrowArray *child = array->children[c];
        fits = own->types[c].form == BF__ARROW_OTHER || bf__arrow_fits(child, own->types[c], end);
        if (fits && own->schema.children[c]->dictionary)
            fits = child->dictionary &&
                   (own->values[c].form == BF__ARROW_OTHER ||
                    bf__arrow_fits(child->dictionary, own->values[c], child->dictionary->length));
    }
    return fits ? BF_OK
                : bf_fail(err, BF_EDATA,
                          "%s: a batch does not have the columns that the stream "
                          "has announced",
                          file->path);
}

static bf_status take_batches(bf__file *file, opened *own, const bf_context *context,
                              bf_arena *scratch, bf_error *err) {
    batch **last = &own->first;
    for (;;) {
        batch *b;
        BF_ZALLOC(b, scratch, 1, err);
        int code = own->stream->get_next(own->stream, &b->array);
        if (code)
            return stream_failed(file, own, code, err);
        if (!b->array.release)
            return BF_OK;
        *last = b;
        last = &b->next;
        BF_TRY(check_batch(file, own, &b->array, err));
        file->rows += b->array.length;
        if (!bf__progress(context, "reading batches", (double)file->rows, 0, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
}

/* Looks at the texts of column c, or at the words of its first dictionary. */
static void look_at_text(bf__look *look, const opened *own, int c) {
    int64_t left = LOOK;
    for (const batch *b = own->first; b && left > 0; b = b->next) {
        const struct ArrowArray *array = b->array.children[c];
        bool coded = own->schema.children[c]->dictionary != NULL;
        int64_t first = coded ? 0 : b->array.offset;
        if (coded)
            array = array->dictionary;
        int64_t count = coded ? array->length : b->array.length;
        for (int64_t i = 0; i < count && left > 0; i++, left--) {
            size_t length;
            const char *text = bf__arrow_text(&length, array, own->values[c], first + i);
            if (text)
                bf__text_look(look, text, length);
        }
    }
}

static bool is_text(bf__arrow_type type) {
    return type.form == BF__ARROW_TEXT || type.form == BF__ARROW_VIEWS;
}

static bf_status open_stream(bf__file *file, const bf_context *context, bf_arena *scratch,
                             bf_error *err) {
    opened *own = file->own;
    bf__look *looks;
    BF_TRY(take_schema(file, own, scratch, err));
    BF_TRY(take_batches(file, own, context, scratch, err));
    BF_ZALLOC(looks, scratch, file->count, err);
    for (int c = 0; c < file->count; c++) {
        bf__arrow_type type = own->values[c];
        if (is_text(type))
            look_at_text(&looks[c], own, c);
        else if (type.time)
            looks[c].times = 1;
        else if (type.form == BF__ARROW_BOOL)
            looks[c].flags = 1;
        else
            looks[c].numbers = 1;
    }
    file->looks = looks;
    return BF_OK;
}

static void close_stream(bf__file *file) {
    opened *own = file->own;
    for (batch *b = own->first; b; b = b->next)
        if (b->array.release)
            b->array.release(&b->array);
    if (own->schema.release)
        own->schema.release(&own->schema);
    if (own->stream->release)
        own->stream->release(own->stream);
}

/* ---- Filling */

/* A column of one batch, or its dictionary, and where it goes. */
typedef struct piece {
    const struct ArrowArray *array;
    bf__arrow_type type;
    int64_t first, count; /* elements of the array */
    int64_t row;          /* of the first one, for messages */
    const bf__sink *sink;
    const char *source, *column;
} piece;

static bf_status too_large(const piece *p, int64_t i, int64_t value, bf_error *err) {
    return bf_fail(err, BF_EDATA,
                   "%s: row %lld: %s: %" PRId64 " has more digits than a number keeps; if it is an "
                   "id, make text of it",
                   p->source, (long long)(p->row + i), p->column, value);
}

static bool is_whole(bf__arrow_type type) {
    return (type.form == BF__ARROW_SIGNED || type.form == BF__ARROW_UNSIGNED) && type.times == 1 &&
           type.over == 1 && !type.time;
}

/* Whole numbers and truth values as words: 17 and true. */
static bf_status fill_words(double *out, const piece *p, bf_error *err) {
    for (int64_t i = 0; i < p->count; i++) {
        char text[32];
        int64_t value, code;
        double truth;
        out[i] = NAN;
        if (bf__arrow_gap(p->array, p->first + i)) {
            BF_TRY(bf__text_take(&out[i], p->sink, NULL, 0, p->source, p->row + i, p->column, err));
            continue;
        }
        if (p->type.form == BF__ARROW_BOOL) {
            bf__arrow_numbers(&truth, p->array, p->type, p->first + i, 1);
            snprintf(text, sizeof text, "%s", truth != 0 ? "true" : "false");
        } else {
            if (!bf__arrow_whole(&value, p->array, p->type, p->first + i))
                return too_large(p, i, INT64_MAX, err);
            snprintf(text, sizeof text, "%" PRId64, value);
        }
        BF_TRY(bf__words_add(p->sink->words, text, strlen(text), &code, err));
        out[i] = (double)code;
    }
    return BF_OK;
}

static bf_status fill_numbers(double *out, const piece *p, bf_error *err) {
    int64_t value;
    bf__arrow_numbers(out, p->array, p->type, p->first, p->count);
    for (int64_t i = 0; i < p->count; i++)
        if (out[i] != out[i] && bf__arrow_gap(p->array, p->first + i))
            BF_TRY(bf__text_take(&out[i], p->sink, NULL, 0, p->source, p->row + i, p->column, err));
    for (int64_t i = 0; is_whole(p->type) && p->type.size == 8 && i < p->count; i++)
        if (fabs(out[i]) >= (double)EXACT) {
            bool kept = bf__arrow_whole(&value, p->array, p->type, p->first + i);
            return too_large(p, i, kept ? value : INT64_MAX, err);
        }
    if (!p->sink->words)
        return BF_OK;
    bf__sink numbers = *p->sink;
    numbers.values = out;
    return bf__sink_words(&numbers, p->count, err);
}

static bf_status fill_piece(double *out, const piece *p, bf_error *err) {
    if (is_text(p->type)) {
        for (int64_t i = 0; i < p->count; i++) {
            size_t length = 0;
            const char *text = bf__arrow_text(&length, p->array, p->type, p->first + i);
            BF_TRY(bf__text_take(&out[i], p->sink, text, length, p->source, p->row + i, p->column,
                                 err));
        }
        return BF_OK;
    }
    if (p->sink->words && (is_whole(p->type) || p->type.form == BF__ARROW_BOOL))
        return fill_words(out, p, err);
    return fill_numbers(out, p, err);
}

/* A column of codes: the dictionary first, whose gaps and slips count only if a row has them. */
static bf_status fill_coded(double *out, const piece *p, bf__arrow_type values, bf_arena *scratch,
                            bf_error *err) {
    const struct ArrowArray *dictionary = p->array->dictionary;
    int64_t size = dictionary->length, code;
    double *value;
    bool *known;
    BF_ALLOC(value, scratch, size, err);
    BF_ZALLOC(known, scratch, size, err);
    for (int64_t i = 0; i < p->count; i++) {
        piece one = {dictionary, values, 0, 1, p->row + i, p->sink, p->source, p->column};
        if (bf__arrow_gap(p->array, p->first + i)) {
            BF_TRY(bf__text_take(&out[i], p->sink, NULL, 0, p->source, p->row + i, p->column, err));
            continue;
        }
        if (!bf__arrow_whole(&code, p->array, p->type, p->first + i) || code < 0 || code >= size)
            return bf_fail(err, BF_EDATA, "%s: row %lld: %s: a code outside its dictionary",
                           p->source, (long long)(p->row + i), p->column);
        one.first = code;
        if (!known[code])
            BF_TRY(fill_piece(&value[code], &one, err));
        known[code] = true;
        out[i] = value[code];
    }
    return BF_OK;
}

static bf_status fill_column(const bf__file *file, const opened *own, int c, const bf__sink *sink,
                             bf_arena *scratch, bf_error *err) {
    int64_t row = 0;
    const struct ArrowSchema *schema = own->schema.children[c];
    if (own->values[c].form == BF__ARROW_OTHER || own->types[c].form == BF__ARROW_OTHER)
        return bf_fail(err, BF_EDATA,
                       "%s: %s: elements of Arrow type '%s' are neither numbers, truth values, "
                       "texts nor times",
                       file->path, file->names[c],
                       schema->dictionary ? schema->dictionary->format : schema->format);
    for (const batch *b = own->first; b; b = b->next) {
        piece p = {b->array.children[c], own->types[c], b->array.offset, b->array.length, row, sink,
                   file->path,           file->names[c]};
        bf_mark mark = bf_arena_mark(scratch);
        BF_TRY(schema->dictionary ? fill_coded(sink->values + row, &p, own->values[c], scratch, err)
                                  : fill_piece(sink->values + row, &p, err));
        bf_arena_rewind(scratch, mark);
        row += b->array.length;
    }
    return BF_OK;
}

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    for (int64_t i = 0; i < file->rows; i++)
        row[i] = i;
    for (int c = 0; c < file->count; c++) {
        if (!bf__progress(context, "reading columns", c, file->count, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
        if (sinks[c].values)
            BF_TRY(fill_column(file, file->own, c, &sinks[c], scratch, err));
    }
    return BF_OK;
}

static const bf__reader reader = {
    .name = "arrow", .open = open_stream, .fill = fill, .close = close_stream};

bf_status bf_dataset_from_arrow(const bf_dataset **out, struct ArrowArrayStream *stream,
                                const char *name, const bf_read_options *options,
                                const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset *data;
    opened own = {.stream = stream};
    bf__file source = {.path = name ? name : "frame", .reader = &reader, .own = &own};
    data = bf_arena_alloc(arena, 1, sizeof *data, err);
    if (!data) {
        stream->release(stream);
        return BF_ENOMEM;
    }
    BF_TRY(bf__dataset_from(data, &source, options, context, arena, err));
    *out = data;
    return BF_OK;
}
