/* columns.c - What the log shows of every column, and what the target makes of it.
 *
 * Cost: O(n) for every column, and a sort of at most SAMPLE rows of it. */
#include "page/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

enum { SAMPLE = 20000, FEW = 12 }; /* rows that say where a column lies; values that are named */

/* ---- Names */

int bf__inputs_together(const bf_dataset *data, int j) {
    const char *column, *category, *other;
    int count = 1;
    if (!bf_dataset_state_source(data, j, &column, &category) || !category)
        return 1;
    while (j + count < data->state_dim &&
           bf_dataset_state_source(data, j + count, &other, &category) && category &&
           strcmp(other, column) == 0)
        count++;
    return count;
}

const char *bf__input_name(const bf_dataset *data, int j, char *text, int size) {
    const char *column, *category;
    if (!bf_dataset_state_source(data, j, &column, &category) || !category)
        return bf_dataset_state_name(data, j, text, size);
    snprintf(text, (size_t)size, "%s", column);
    return text;
}

const char *bf__action_part_name(const bf_dataset *data, int k, char *text, int size) {
    snprintf(text, (size_t)size, data->action_dim > 1 ? "a%d" : "a", k);
    return text;
}

/* Which of the categories row i has; `count`: none. */
static int category_of(const bf_dataset *data, int j, int count, int64_t i) {
    int k = 0;
    while (k < count && data->state[(j + k) * data->n + i] == 0)
        k++;
    return k;
}

const char *bf__category_at(const bf_dataset *data, int j, int count, int64_t i) {
    const char *column, *category;
    int k = category_of(data, j, count, i);
    return k < count && bf_dataset_state_source(data, j + k, &column, &category) ? category : NULL;
}

/* What codes are called: states, actions, or the categories of the column that begins at `first`.
 */
typedef const char *namer(const bf_dataset *data, int first, int64_t code, char *text, int size);

static const char *state_name(const bf_dataset *data, int first, int64_t s, char *text, int size) {
    (void)first;
    return bf_dataset_state_label(data, s, text, size);
}

static const char *action_name(const bf_dataset *data, int first, int64_t a, char *text, int size) {
    (void)first;
    return bf_dataset_action_name(data, (int)a, text, size);
}

static const char *category_name(const bf_dataset *data, int first, int64_t k, char *text,
                                 int size) {
    const char *column, *category = NULL;
    int j = first + (int)k;
    if (k >= bf__inputs_together(data, first) ||
        !bf_dataset_state_source(data, j, &column, &category))
        category = "(none of them)";
    snprintf(text, (size_t)size, "%s", category);
    return text;
}

/* ---- Bins */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int bf__column_bin(const bf__column *c, int64_t i) {
    if (c->code)
        return c->bin[c->code[i]];
    if (!c->values) {
        double at = (c->x[i] - c->low) / (c->high - c->low) * c->count;
        return at > 0 ? (at < c->count - 1 ? (int)at : c->count - 1) : 0;
    }
    for (int k = 0; k < c->count; k++)
        if (c->x[i] == c->value[k])
            return k;
    return c->count - 1;
}

/* Whether there are at most FEW different numbers; then they are the bins. */
static bool find_values(bf__column *c) {
    c->count = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int k = 0;
        while (k < c->count && c->value[k] != c->x[i])
            k++;
        if (k < c->count)
            continue;
        if (c->count == FEW)
            return false;
        c->value[c->count++] = c->x[i];
    }
    qsort(c->value, (size_t)c->count, sizeof *c->value, ascending);
    for (int k = 0; k < c->count; k++)
        snprintf(c->label[k], BF__LABEL, "%.6g", c->value[k]);
    return true;
}

/* Even bins over all but the outermost hundredths, which fall into the first and the last. */
static bf_status find_range(bf__column *c, bf_arena *arena, bf_error *err) {
    int64_t stride = c->n / SAMPLE + 1, count = (c->n + stride - 1) / stride;
    double *sample;
    BF_ALLOC(sample, arena, count, err);
    for (int64_t k = 0; k < count; k++)
        sample[k] = c->x[k * stride];
    qsort(sample, (size_t)count, sizeof *sample, ascending);
    c->count = BF__BINS;
    c->low = sample[count / 100];
    c->high = sample[count - 1 - count / 100];
    if (!(c->high > c->low)) {
        c->low = sample[0];
        c->high = sample[count - 1];
    }
    if (!(c->high > c->low)) {
        c->low -= 0.5;
        c->high += 0.5;
    }
    return BF_OK;
}

/* Codes: the most frequent ones have a bin each, the others share the last. */
static bf_status find_codes(bf__column *c, int64_t codes, const double *weights, namer *name,
                            int first, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    double *share;
    int *bin;
    BF_ZALLOC(share, arena, codes, err);
    BF_ALLOC(bin, arena, codes, err);
    for (int64_t i = 0; i < c->n; i++)
        share[c->code[i]] += bf__row_weight(&c->rows, i) / (double)c->n + weights[i];
    bool all = codes <= BF__BINS;
    c->values = true;
    c->count = all ? (int)codes : BF__BINS;
    for (int64_t k = 0; k < codes; k++)
        bin[k] = all ? (int)k : BF__BINS - 1;
    for (int k = 0; k < BF__BINS - 1 && !all; k++) {
        int64_t most = -1;
        for (int64_t s = 0; s < codes; s++)
            if (bin[s] == BF__BINS - 1 && (most < 0 || share[s] > share[most]))
                most = s;
        bin[most] = k;
    }
    for (int64_t s = 0; s < codes; s++)
        if (all || bin[s] < BF__BINS - 1)
            name(data, first, s, c->label[bin[s]], BF__LABEL);
    if (!all)
        snprintf(c->label[BF__BINS - 1], BF__LABEL, "all others");
    c->bin = bin;
    return BF_OK;
}

static void fill(bf__column *c, const double *weights) {
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++)
        sum += weights[i];
    for (int64_t i = 0; i < c->n; i++) {
        int k = bf__column_bin(c, i);
        c->logged[k] += bf__row_weight(&c->rows, i) / (double)c->n;
        c->target[k] += weights[i] / sum;
    }
    for (int k = 0; k < c->count; k++)
        c->distance += 0.5 * fabs(c->target[k] - c->logged[k]);
}

/* ---- Columns */

static bf_status add_numbers(bf__columns *out, bf__column_role role, const double *x, int64_t n,
                             const double *weights, bf_arena *arena, bf_error *err) {
    bf__column *c = &out->column[out->count++];
    c->role = role;
    c->rows = out->rows;
    c->n = n;
    c->x = x;
    c->values = find_values(c);
    if (!c->values)
        BF_TRY(find_range(c, arena, err));
    fill(c, weights);
    return BF_OK;
}

static bf_status add_codes(bf__columns *out, bf__column_role role, const int32_t *code,
                           int64_t codes, namer *name, int first, const bf_dataset *data,
                           const double *weights, bf_arena *arena, bf_error *err) {
    bf__column *c = &out->column[out->count++];
    c->role = role;
    c->rows = out->rows;
    c->n = data->n;
    c->code = code;
    BF_TRY(find_codes(c, codes, weights, name, first, data, arena, err));
    fill(c, weights);
    return BF_OK;
}

/* The numbers from j on that are one column: a finite state, categories, or one number. */
static bf_status add_input(bf__columns *out, int j, int together, const bf_dataset *data,
                           const double *weights, bf_arena *arena, bf_error *err) {
    bool finite = data->states > 0;
    int32_t *code;
    if (!finite && together == 1)
        return add_numbers(out, BF__COLUMN_STATE, data->state + j * data->n, data->n, weights,
                           arena, err);
    BF_ALLOC(code, arena, data->n, err);
    bool none = false;
    for (int64_t i = 0; i < data->n; i++) {
        code[i] = finite ? (int32_t)data->state[i] : category_of(data, j, together, i);
        none = none || (!finite && code[i] == together);
    }
    return add_codes(out, BF__COLUMN_STATE, code, finite ? data->states : together + none,
                     finite ? state_name : category_name, j, data, weights, arena, err);
}

static bf_status add_states(bf__columns *out, const bf_dataset *data, const double *weights,
                            bf_arena *arena, bf_error *err) {
    for (int j = 0, together; j < data->state_dim; j += together) {
        together = bf__inputs_together(data, j);
        BF_TRY(add_input(out, j, together, data, weights, arena, err));
        bf__input_name(data, j, out->column[out->count - 1].name, sizeof out->column->name);
    }
    out->states = out->count;
    return BF_OK;
}

static bf_status add_actions(bf__columns *out, const bf_dataset *data, const double *weights,
                             bf_arena *arena, bf_error *err) {
    if (data->action) {
        BF_TRY(add_codes(out, BF__COLUMN_ACTION, data->action, data->actions, action_name, 0, data,
                         weights, arena, err));
        snprintf(out->column[out->count - 1].name, sizeof out->column->name, "action");
    }
    for (int k = 0; k < data->action_dim; k++) {
        BF_TRY(add_numbers(out, BF__COLUMN_ACTION, data->action_vector + k * data->n, data->n,
                           weights, arena, err));
        bf__action_part_name(data, k, out->column[out->count - 1].name, sizeof out->column->name);
    }
    return BF_OK;
}

bf_status bf__columns_take(bf__columns *out, const bf_dataset *data, const double *weights,
                           bf_arena *arena, bf_error *err) {
    *out = (bf__columns){.rows = bf__row_weights_of(data)};
    BF_ZALLOC(out->column, arena, data->state_dim + data->action_dim + 2, err);
    BF_TRY(add_states(out, data, weights, arena, err));
    BF_TRY(add_actions(out, data, weights, arena, err));
    BF_TRY(add_numbers(out, BF__COLUMN_REWARD, data->reward, data->n, weights, arena, err));
    snprintf(out->column[out->count - 1].name, sizeof out->column->name, "reward");
    BF_ALLOC(out->order, arena, out->count, err);
    for (int k = 0; k < out->count; k++) {
        int at = k;
        while (k < out->states && at > 0 &&
               out->column[out->order[at - 1]].distance < out->column[k].distance) {
            out->order[at] = out->order[at - 1];
            at--;
        }
        out->order[at] = k;
    }
    return BF_OK;
}
