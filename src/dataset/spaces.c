/* spaces.c - What an observation or an action is made of, and how it becomes columns.
 *
 * Combined choices (an action of several parts) are one number: the last part varies fastest, as
 * numpy.ravel_multi_index has it. */
#include "dataset/spaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"

enum { DEEPEST = 16, MOST_LEAVES = 4096 };
#define MOST_COLUMNS  (1 << 20)
#define MOST_PRODUCTS 1000000

typedef struct parse {
    bf__space *out;
    const char *name; /* begins messages */
    bf_arena *arena;
    bf_error *err;
    int room; /* of out->leaves */
} parse;

static bf_status wrong_space(const parse *p, const char *place, const char *why) {
    return bf_fail(p->err, BF_EFORMAT, "%s%s: %s", p->name, place, why);
}

/* ---- Leaves */

static bf_status add_leaf(parse *p, bf__leaf **out, const char *place) {
    bf__space *space = p->out;
    if (space->count == p->room) {
        bf__leaf *larger;
        p->room = p->room ? 2 * p->room : 8;
        if (p->room > MOST_LEAVES)
            return wrong_space(p, place, "more parts than can be read");
        BF_ALLOC(larger, p->arena, p->room, p->err);
        if (space->count)
            memcpy(larger, space->leaves, (size_t)space->count * sizeof *larger);
        space->leaves = larger;
    }
    char *copy;
    BF_ALLOC(copy, p->arena, (int64_t)strlen(place) + 1, p->err);
    strcpy(copy, place);
    *out = &space->leaves[space->count++];
    **out = (bf__leaf){.place = copy, .elements = 1};
    return BF_OK;
}

static bf_status add_dimension(const parse *p, bf__leaf *leaf, int64_t length) {
    if (leaf->dims == BF__NPY_DIMS - 1)
        return wrong_space(p, leaf->place, "more dimensions than can be read");
    if (length < 1 || length > MOST_COLUMNS || (leaf->elements *= length) > MOST_COLUMNS)
        return wrong_space(p, leaf->place, "a shape that cannot be read");
    leaf->shape[leaf->dims++] = length;
    return BF_OK;
}

static bf_status make_choices(const parse *p, bf__leaf *leaf) {
    BF_ZALLOC(leaf->n, p->arena, leaf->elements, p->err);
    BF_ZALLOC(leaf->start, p->arena, leaf->elements, p->err);
    return BF_OK;
}

static bf_status take_choice(const parse *p, bf__leaf *leaf, int64_t e, const json_t *n,
                             const json_t *start) {
    json_int_t first = json_integer_value(start);
    if (!json_is_integer(n) || json_integer_value(n) < 1 || json_integer_value(n) > MOST_COLUMNS ||
        (start && !json_is_integer(start)) || first > INT32_MAX || first < INT32_MIN)
        return wrong_space(p, leaf->place, "the number of choices cannot be read");
    leaf->n[e] = json_integer_value(n);
    leaf->start[e] = first;
    return BF_OK;
}

static bf_status take_box(parse *p, const json_t *text, const char *place) {
    const json_t *shape = json_object_get(text, "shape");
    const char *type = json_string_value(json_object_get(text, "dtype"));
    bf__leaf *leaf;
    BF_TRY(add_leaf(p, &leaf, place));
    if (!json_is_array(shape))
        return wrong_space(p, place, "a Box without a shape");
    for (size_t d = 0; d < json_array_size(shape); d++)
        BF_TRY(add_dimension(p, leaf, json_integer_value(json_array_get(shape, d))));
    return bf__space_check_shape(leaf, type && strcmp(type, "uint8") == 0, p->name, p->err);
}

/* MultiDiscrete: nvec may be a list of lists; its shape is that of the array. */
static bf_status take_nvec(const parse *p, bf__leaf *leaf, const json_t *n, const json_t *start,
                           int depth, int64_t *e) {
    if (!json_is_array(n))
        return *e < leaf->elements ? take_choice(p, leaf, (*e)++, n, start)
                                   : wrong_space(p, leaf->place, "the rows of nvec differ");
    if (depth >= leaf->dims || (int64_t)json_array_size(n) != leaf->shape[depth])
        return wrong_space(p, leaf->place, "the rows of nvec differ");
    for (size_t k = 0; k < json_array_size(n); k++)
        BF_TRY(take_nvec(p, leaf, json_array_get(n, k), json_array_get(start, k), depth + 1, e));
    return BF_OK;
}

/* MultiBinary: n is a number, or the shape. */
static bf_status take_binary(const parse *p, bf__leaf *leaf, const json_t *n) {
    if (!json_is_integer(n) && !json_is_array(n))
        return wrong_space(p, leaf->place, "a MultiBinary without its n");
    if (json_is_integer(n))
        BF_TRY(add_dimension(p, leaf, json_integer_value(n)));
    for (size_t d = 0; d < json_array_size(n); d++)
        BF_TRY(add_dimension(p, leaf, json_integer_value(json_array_get(n, d))));
    leaf->binary = true;
    BF_TRY(make_choices(p, leaf));
    for (int64_t e = 0; e < leaf->elements; e++)
        leaf->n[e] = 2;
    return BF_OK;
}

static bf_status take_choices(parse *p, const json_t *text, const char *type, const char *place) {
    bf__leaf *leaf;
    BF_TRY(add_leaf(p, &leaf, place));
    if (strcmp(type, "Discrete") == 0) {
        BF_TRY(make_choices(p, leaf));
        return take_choice(p, leaf, 0, json_object_get(text, "n"), json_object_get(text, "start"));
    }
    if (strcmp(type, "MultiBinary") == 0)
        return take_binary(p, leaf, json_object_get(text, "n"));
    int64_t e = 0;
    const json_t *n = json_object_get(text, "nvec");
    if (!json_is_array(n))
        return wrong_space(p, place, "a MultiDiscrete without its nvec");
    for (const json_t *row = n; json_is_array(row); row = json_array_get(row, 0))
        BF_TRY(add_dimension(p, leaf, (int64_t)json_array_size(row)));
    BF_TRY(make_choices(p, leaf));
    BF_TRY(take_nvec(p, leaf, n, json_object_get(text, "start"), 0, &e));
    return e == leaf->elements ? BF_OK : wrong_space(p, place, "the rows of nvec differ");
}

/* ---- Spaces */

static bf_status take_space(parse *p, const json_t *text, const char *place, int depth) {
    const char *type = json_string_value(json_object_get(text, "type"));
    const json_t *parts = json_object_get(text, "subspaces"), *part;
    char below[1024];
    if (!type)
        return wrong_space(p, place, "not the description of a space: it has no type");
    if (depth == DEEPEST || strlen(place) > 700)
        return wrong_space(p, place, "deeper than can be read");
    if (strcmp(type, "Box") == 0)
        return take_box(p, text, place);
    if (strcmp(type, "Discrete") == 0 || strcmp(type, "MultiDiscrete") == 0 ||
        strcmp(type, "MultiBinary") == 0)
        return take_choices(p, text, type, place);
    if (strcmp(type, "Dict") == 0 && json_is_object(parts)) {
        const char *key;
        json_object_foreach((json_t *)(uintptr_t)parts, key, part) {
            snprintf(below, sizeof below, "%s/%.200s", place, key);
            BF_TRY(take_space(p, part, below, depth + 1));
        }
        return BF_OK;
    }
    if (strcmp(type, "Tuple") == 0 && json_is_array(parts)) {
        for (size_t k = 0; k < json_array_size(parts); k++) {
            snprintf(below, sizeof below, "%s/_index_%zu", place, k);
            BF_TRY(take_space(p, json_array_get(parts, k), below, depth + 1));
        }
        return BF_OK;
    }
    return bf_fail(p->err, BF_EFORMAT,
                   "%s%s: a space of type '%.40s', which is no numbers; Box, Discrete, "
                   "MultiDiscrete, MultiBinary, and Dict and Tuple of these can be read",
                   p->name, place, type);
}

/* Whether a number of the leaf is one column per value. */
static bool is_spread(const bf__leaf *leaf, int64_t e) {
    return leaf->n && leaf->n[e] && !leaf->binary;
}

static int64_t columns_of(const bf__leaf *leaf, int64_t e) {
    return is_spread(leaf, e) ? leaf->n[e] : 1;
}

/* Says where the columns of each leaf begin, and what can be said of the whole. */
static bf_status lay_out(parse *p) {
    bf__space *space = p->out;
    if (space->count == 0)
        return wrong_space(p, "", "a space without any numbers");
    space->choice = true;
    space->products = 1;
    for (int k = 0; k < space->count; k++) {
        bf__leaf *leaf = &space->leaves[k];
        leaf->column = space->width;
        space->choice = space->choice && leaf->n;
        for (int64_t e = 0; e < leaf->elements; e++) {
            int64_t columns = columns_of(leaf, e);
            space->width += columns;
            space->widest = columns > space->widest ? columns : space->widest;
            if (leaf->n && space->products <= MOST_PRODUCTS)
                space->products *= leaf->n[e];
        }
        if (space->width > MOST_COLUMNS)
            return wrong_space(p, leaf->place, "more columns than can be read");
    }
    space->index = space->choice && space->count == 1 && space->leaves[0].dims == 0;
    return BF_OK;
}

bf_status bf__space_parse(bf__space *out, const json_t *text, const char *name, bf_arena *arena,
                          bf_error *err) {
    parse p = {out, name, arena, err, 0};
    *out = (bf__space){0};
    BF_TRY(take_space(&p, text, "", 0));
    return lay_out(&p);
}

bf_status bf__space_guess(bf__space *out, const bf__npy *array, const char *name, bf_arena *arena,
                          bf_error *err) {
    parse p = {out, name, arena, err, 0};
    bf__leaf *leaf;
    *out = (bf__space){0};
    BF_TRY(add_leaf(&p, &leaf, ""));
    bool one = array->dims == 1 || (array->dims == 2 && array->shape[1] == 1);
    for (int d = 1; d < array->dims && !(one && array->kind != 'f'); d++)
        BF_TRY(add_dimension(&p, leaf, array->shape[d]));
    if (one && array->kind != 'f')
        BF_TRY(make_choices(&p, leaf));
    BF_TRY(bf__space_check_shape(leaf, array->kind == 'u' && array->size == 1, name, err));
    return lay_out(&p);
}

bf_status bf__space_check_shape(const bf__leaf *leaf, bool bytes, const char *name, bf_error *err) {
    char shape[160] = "";
    if (leaf->dims < (bytes ? 2 : 3))
        return BF_OK;
    for (int d = 0; d < leaf->dims; d++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%lld", d ? " x " : "",
                 (long long)leaf->shape[d]);
    return bf_fail(err, BF_EFORMAT,
                   "%s%s: images of %s; a state has to be a list of numbers that says what "
                   "matters: encode the images first (with a trained network, say) and write the "
                   "codes as a log",
                   name, leaf->place, shape);
}

/* ---- Values */

static bf_status no_choice(const bf__leaf *leaf, int64_t e, double value, bf_error *err) {
    if (leaf->n[e] == 0)
        return bf_fail(err, BF_EDATA, "%.17g is not a choice; choices are whole numbers", value);
    return bf_fail(err, BF_EDATA, "%.17g is none of the %lld choices %lld to %lld", value,
                   (long long)leaf->n[e], (long long)leaf->start[e],
                   (long long)(leaf->start[e] + leaf->n[e] - 1));
}

bf_status bf__space_check(const bf__leaf *leaf, const double *values, int64_t rows, int64_t *at,
                          bf_error *err) {
    for (; leaf->n && *at < rows * leaf->elements; ++*at) {
        int64_t e = *at % leaf->elements;
        double x = values[*at] - (double)leaf->start[e];
        bool choice = x == floor(x) && (leaf->n[e] == 0 || (x >= 0 && x < (double)leaf->n[e]));
        if (!choice && !bf__is_faulty(values[*at]))
            return no_choice(leaf, e, values[*at], err);
    }
    return BF_OK;
}

/* One number for all choices; the leaf's own are the next lower ones. */
static void combine_choices(const bf__space *space, const bf__leaf *leaf, const double *values,
                            int64_t rows, double *out) {
    for (int64_t i = 0; i < rows; i++) {
        double index = leaf == space->leaves ? 0 : out[i];
        for (int64_t e = 0; e < leaf->elements; e++)
            index = index * (double)leaf->n[e] +
                    (values ? values[i * leaf->elements + e] : bf__faulty()) -
                    (double)leaf->start[e];
        out[i] = isnan(index) ? bf__faulty() : index;
    }
}

void bf__space_put(const bf__space *space, const bf__leaf *leaf, const double *values, int64_t rows,
                   bool combine, const bf__sink *sinks, int64_t offset) {
    int64_t column = leaf->column;
    if (combine || space->index) {
        if (sinks[0].values)
            combine_choices(space, leaf, values, rows, sinks[0].values + offset);
        return;
    }
    for (int64_t e = 0; e < leaf->elements; e++) {
        int64_t columns = columns_of(leaf, e);
        for (int64_t c = 0; c < columns; c++) {
            double *out = sinks[column + c].values;
            for (int64_t i = 0; out && i < rows; i++) {
                double x = values ? values[i * leaf->elements + e] : bf__faulty();
                bool spread = is_spread(leaf, e) && !bf__is_faulty(x);
                out[offset + i] = spread ? x == (double)(leaf->start[e] + c) : x;
            }
        }
        column += columns;
    }
}

/* ---- Names */

static void name_element(const bf__leaf *leaf, int64_t e, char *text, size_t size) {
    int64_t at[BF__NPY_DIMS];
    for (int d = leaf->dims - 1; d >= 0; d--) {
        at[d] = e % leaf->shape[d];
        e /= leaf->shape[d];
    }
    for (int d = 0; d < leaf->dims; d++)
        snprintf(text + strlen(text), size - strlen(text), "%s%lld", d ? "," : "[",
                 (long long)at[d]);
    if (leaf->dims)
        snprintf(text + strlen(text), size - strlen(text), "]");
}

void bf__space_label(const bf__space *space, int64_t column, char *text, size_t size) {
    int k = 0;
    while (k + 1 < space->count && space->leaves[k + 1].column <= column)
        k++;
    const bf__leaf *leaf = &space->leaves[k];
    int64_t e = 0, left = column - leaf->column;
    for (; left >= columns_of(leaf, e); e++)
        left -= columns_of(leaf, e);
    snprintf(text, size, "%s", leaf->place + (*leaf->place == '/'));
    for (char *c = text; *c; c++)
        if (*c == '/')
            *c = '.';
        else if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    name_element(leaf, e, text, size);
    if (is_spread(leaf, e) && !space->index)
        snprintf(text + strlen(text), size - strlen(text), "=%lld",
                 (long long)(leaf->start[e] + left));
}
