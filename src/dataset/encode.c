/* encode.c - Columns of words become numbers: one input per category, a number per action.
 *
 * A state of one column of words is a finite state space, and its words are the states. Among other
 * columns, a column of words with K categories becomes K inputs of 0 and 1, in its place. States
 * and categories are in alphabetical order, so that they do not depend on the order of rows;
 * actions are in the order in which they were named, or else first taken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "dataset/assemble.h"

#define MOST_CATEGORIES 1000 /* of one column among others: more are ids, or free text */

/* ---- Sorting */

typedef struct ranked {
    const char *text;
    int64_t code;
} ranked;

static int by_text(const void *left, const void *right) {
    return strcmp(((const ranked *)left)->text, ((const ranked *)right)->text);
}

/* The words in alphabetical order; rank[code] is the place of a word. */
static bf_status sort_words(const char ***sorted, double **rank, const bf__words *words,
                            bf_arena *arena, bf_arena *scratch, bf_error *err) {
    ranked *list;
    BF_ALLOC(list, scratch, words->count, err);
    BF_ALLOC(*rank, scratch, words->count, err);
    BF_ALLOC(*sorted, arena, words->count, err);
    for (int64_t k = 0; k < words->count; k++)
        list[k] = (ranked){words->text[k], k};
    qsort(list, (size_t)words->count, sizeof *list, by_text);
    for (int64_t k = 0; k < words->count; k++) {
        (*sorted)[k] = list[k].text;
        (*rank)[list[k].code] = (double)k;
    }
    return BF_OK;
}

/* ---- States */

/* A column of words as it will be: its categories, and the first of its inputs. */
typedef struct coded {
    int64_t count; /* categories; 0: a column of numbers */
    const char **text;
    double *rank;
    int first;
} coded;

static bf_status finite_states(bf_dataset *data, const bf__rows *rows, bf_arena *arena,
                               bf_arena *scratch, bf_error *err) {
    const char **labels;
    double *rank;
    const bf__words *words = rows->words[BF__S][0];
    BF_TRY(sort_words(&labels, &rank, words, arena, scratch, err));
    const double *from[] = {rows->column[BF__S], rows->column[BF__NS]};
    const double **to[] = {&data->state, &data->next_state};
    for (int b = 0; b < 2; b++) {
        double *block;
        if (!from[b])
            continue;
        BF_ALLOC(block, arena, data->n, err);
        for (int64_t i = 0; i < data->n; i++)
            block[i] = from[b][i] >= 0 ? rank[(int64_t)from[b][i]] : from[b][i];
        *to[b] = block;
    }
    data->states = words->count;
    data->state_labels = labels;
    data->real_state = false;
    return BF_OK;
}

/* Copies (width, n) of numbers and codes into (d, n). */
static bf_status expand(const double **out, const double *from, const coded *columns, int width,
                        int d, int64_t n, bf_arena *arena, bf_error *err) {
    double *to;
    if (!from)
        return BF_OK;
    BF_ALLOC(to, arena, n * d, err);
    for (int j = 0; j < width; j++) {
        const double *values = from + j * n;
        double *block = to + columns[j].first * n;
        if (!columns[j].count) {
            memcpy(block, values, (size_t)n * sizeof *block);
            continue;
        }
        memset(block, 0, (size_t)(columns[j].count * n) * sizeof *block);
        for (int64_t i = 0; i < n; i++)
            if (values[i] >= 0)
                block[(int64_t)columns[j].rank[(int64_t)values[i]] * n + i] = 1;
    }
    *out = to;
    return BF_OK;
}

static bf_status name_inputs(bf_dataset *data, const bf__rows *rows, const coded *columns,
                             int width, bf_arena *arena, bf_error *err) {
    bf__input *inputs;
    BF_ALLOC(inputs, arena, data->state_dim, err);
    for (int j = 0; j < width; j++) {
        const char *column = rows->names[BF__S][j];
        inputs[columns[j].first] = (bf__input){column, column, NULL};
        for (int64_t k = 0; k < columns[j].count; k++) {
            char *name;
            size_t size = strlen(column) + strlen(columns[j].text[k]) + 2;
            BF_ALLOC(name, arena, (int64_t)size, err);
            snprintf(name, size, "%s=%s", column, columns[j].text[k]);
            inputs[columns[j].first + k] = (bf__input){name, column, columns[j].text[k]};
        }
    }
    data->inputs = inputs;
    return BF_OK;
}

bf_status bf__encode_states(bf_dataset *data, bf__rows *rows, bf_arena *arena, bf_arena *scratch,
                            bf_error *err) {
    int width = rows->schema.width[BF__S], d = 0;
    bool words = false;
    coded *columns;
    BF_ZALLOC(columns, scratch, width, err);
    if (width == 1 && rows->words[BF__S][0])
        BF_TRY(finite_states(data, rows, arena, scratch, err));
    for (int j = 0; j < width; j++) {
        const bf__words *of = rows->words[BF__S][j];
        columns[j].first = d;
        if (!of || width == 1) {
            d++;
            continue;
        }
        if (of->count > MOST_CATEGORIES)
            return bf_fail(err, BF_EDATA,
                           "%s: %s: %lld different texts ('%.40s', '%.40s', ...); a category of a "
                           "state has at most %d",
                           data->sources[0].path, rows->names[BF__S][j], (long long)of->count,
                           of->text[0], of->text[1], MOST_CATEGORIES);
        words = true;
        columns[j].count = of->count;
        BF_TRY(sort_words(&columns[j].text, &columns[j].rank, of, arena, scratch, err));
        d += (int)of->count;
    }
    if (words) {
        BF_TRY(expand(&data->state, rows->column[BF__S], columns, width, d, data->n, arena, err));
        BF_TRY(expand(&data->next_state, rows->column[BF__NS], columns, width, d, data->n, arena,
                      err));
        data->real_state = true;
    }
    data->state_dim = d;
    return name_inputs(data, rows, columns, width, arena, err);
}

/* ---- Actions */

static bf_status unknown_action(const bf_dataset *data, const bf__rows *rows, int64_t i,
                                const bf__words *words, bf_error *err) {
    char where[256], list[256];
    return bf_fail(err, BF_EDATA, "%s: %s: '%s' is not one of the actions: %s",
                   bf_dataset_where(data, i, where, sizeof where), rows->names[BF__A][0],
                   words->text[(int64_t)rows->column[BF__A][i]],
                   bf__list_names(list, rows->schema.labels.text, rows->schema.labels.count));
}

/* The names of all actions; those that nobody named have their number. */
static bf_status name_actions(bf_dataset *data, const bf__words *words, bf_arena *arena,
                              bf_error *err) {
    const char **names;
    if (data->actions < words->count)
        data->actions = (int)words->count;
    BF_ALLOC(names, arena, data->actions, err);
    for (int a = 0; a < data->actions; a++) {
        char *number;
        if (a < words->count) {
            names[a] = words->text[a];
            continue;
        }
        BF_ALLOC(number, arena, 16, err);
        snprintf(number, 16, "%d", a);
        names[a] = number;
    }
    data->action_names = names;
    return BF_OK;
}

/* The number of the action of row i. */
static bf_status read_action(int32_t *out, const bf_dataset *data, const bf__rows *rows, int64_t i,
                             bf_error *err) {
    double a = rows->gap && rows->gap[i] ? 0 : rows->column[BF__A][i]; /* such a row goes */
    char where[256];
    if (!(a >= 0 && a <= 1e6) || a != floor(a))
        return bf_fail(err, BF_EDATA,
                       "%s: %s: %.17g is not an action; actions are 0, 1, 2, ... (vectors of "
                       "numbers are a0, a1, ...)",
                       bf_dataset_where(data, i, where, sizeof where), rows->names[BF__A][0], a);
    if (rows->schema.labels.count && a >= rows->schema.labels.count)
        return unknown_action(data, rows, i, rows->words[BF__A][0], err);
    *out = (int32_t)a;
    return BF_OK;
}

bf_status bf__encode_actions(bf_dataset *data, const bf__rows *rows, bf__faults *faults,
                             bf_arena *arena, bf_error *err) {
    const bf__words *words = rows->words[BF__A][0];
    int32_t *action;
    BF_ALLOC(action, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        action[i] = -1;
        if (faults && !rows->gap && isnan(rows->column[BF__A][i])) /* it is told */
            continue;
        bf_status status = read_action(&action[i], data, rows, i, err);
        if (status != BF_OK) {
            bf_fault at = bf__fault_at(data, i, rows->names[BF__A][0]);
            BF_TRY(bf__faults_take(faults, status, &at, err));
        }
    }
    data->action = action;
    return words ? name_actions(data, words, arena, err) : BF_OK;
}
