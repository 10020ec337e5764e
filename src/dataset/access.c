/* access.c - What programs see of a log: its shape, its columns, where it came from. */
#include <stdio.h>
#include <string.h>

#include "dataset/dataset.h"

int64_t bf_dataset_rows(const bf_dataset *data) {
    return data->n;
}

int bf_dataset_state_dim(const bf_dataset *data) {
    return data->state_dim;
}

int64_t bf_dataset_states(const bf_dataset *data) {
    return data->states;
}

int bf_dataset_actions(const bf_dataset *data) {
    return data->actions;
}

int bf_dataset_action_dim(const bf_dataset *data) {
    return data->action_dim;
}

int bf_dataset_samples(const bf_dataset *data) {
    return data->samples;
}

int64_t bf_dataset_rows_read(const bf_dataset *data) {
    return data->rows_read;
}

int64_t bf_dataset_rows_dropped(const bf_dataset *data) {
    return data->rows_dropped;
}

const char *bf_dataset_ignored(const bf_dataset *data) {
    return data->ignored;
}

int64_t bf_dataset_rows_left_out(const bf_dataset *data) {
    return data->rows_left_out;
}

bool bf_dataset_gap(const bf_dataset *data, int index, const char **column, int64_t *count) {
    if (index < 0 || index >= data->gap_count)
        return false;
    *column = data->gaps[index].column;
    *count = data->gaps[index].count;
    return true;
}

const char *bf_dataset_gaps_text(const bf_dataset *data, char *text, int size) {
    size_t room = (size_t)size, used = 0;
    if (!data->gap_count)
        return NULL;
    used = (size_t)snprintf(text, room, "missing values in ");
    for (int k = 0; k < data->gap_count && used + 64 < room; k++)
        used += (size_t)snprintf(
            text + used, room - used, "%s%s (%lld)", k ? ", " : "",
            used + 64 + strlen(data->gaps[k].column) < room ? data->gaps[k].column : "...",
            (long long)data->gaps[k].count);
    if (used >= room)
        return text;
    if (data->rows_gapped)
        used += (size_t)snprintf(text + used, room - used, ": %lld rows were left out",
                                 (long long)data->rows_gapped);
    else
        used +=
            (size_t)snprintf(text + used, room - used, ": filled with %s",
                             strcmp(data->missing, "mean") == 0 ? "the usual value of the column"
                                                                : "the last value of the episode");
    if (data->starts_gapped && used < room)
        snprintf(text + used, room - used, "; episodes that lost their first row: %lld",
                 (long long)data->starts_gapped);
    if (data->gaps_early && used < room)
        snprintf(text + used, room - used, ", or the usual one if there was none (%lld)",
                 (long long)data->gaps_early);
    return text;
}

/* A block (width, n), column after column, as an array (n, width); width 0: (n). */
static bf_array block(const double *values, int64_t n, int64_t width) {
    bf_array array = bf_array_1d(values, BF_FLOAT64, n);
    if (width) {
        array.ndim = 2;
        array.shape[1] = width;
        array.strides[1] = n * (int64_t)sizeof *values;
    }
    return array;
}

/* mask (A, n) as (n, A). */
static bf_array flags(const uint8_t *values, int64_t n, int64_t width) {
    bf_array array = bf_array_1d(values, BF_UINT8, n);
    array.ndim = 2;
    array.shape[1] = width;
    array.strides[1] = n;
    return array;
}

/* na (M * k, n) as (n, M, k): column m * k + c is dimension c of sample m. */
static bf_array samples(const double *values, int64_t n, int64_t count, int64_t dim) {
    bf_array array = block(values, n, count);
    array.ndim = 3;
    array.shape[2] = dim;
    array.strides[2] = n * (int64_t)sizeof *values;
    array.strides[1] = dim * array.strides[2];
    return array;
}

bool bf_dataset_column(bf_array *out, const bf_dataset *data, const char *name) {
    int64_t n = data->n;
    int64_t dim = data->state_dim == 1 && !data->real_state ? 0 : data->state_dim;
    const struct {
        const char *name;
        bf_array array;
    } columns[] = {
        {"s", block(data->state, n, dim)},
        {"ns", block(data->next_state, n, dim)},
        {"a", data->action ? bf_array_1d(data->action, BF_INT32, n)
                           : block(data->action_vector, n, data->action_dim)},
        {"r", block(data->reward, n, 0)},
        {"terminated", bf_array_1d(data->terminated, BF_UINT8, n)},
        {"truncated", bf_array_1d(data->truncated, BF_UINT8, n)},
        {"weight", block(data->weight, n, 0)},
        {"duration", block(data->duration, n, 0)},
        {"mu", block(data->mu, n, 0)},
        {"mu_all", block(data->mu_all, n, data->actions)},
        {"pi", block(data->pi, n, data->actions)},
        {"npi", block(data->npi, n, data->actions)},
        {"mask", flags(data->mask, n, data->actions)},
        {"na", samples(data->na, n, data->samples, data->action_dim)},
        {"sa", samples(data->sa, n, data->samples, data->action_dim)},
    };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        if (strcmp(columns[c].name, name) == 0 && columns[c].array.data) {
            *out = columns[c].array;
            return true;
        }
    return false;
}

int64_t bf_dataset_episodes(const bf_dataset *data, const int64_t **begin, const int64_t **order,
                            bool *inferred) {
    if (begin)
        *begin = data->begin;
    if (order)
        *order = data->order;
    if (inferred)
        *inferred = data->episodes_inferred;
    return data->episodes;
}

const char *bf_dataset_file(const bf_dataset *data, int index, int64_t *rows) {
    if (index < 0 || index >= data->source_count)
        return NULL;
    int64_t end = index + 1 < data->source_count ? data->sources[index + 1].first : data->n;
    if (rows)
        *rows = end - data->sources[index].first;
    return data->sources[index].path;
}

/* ---- Names */

static const char *put(char *text, int size, const char *name) {
    snprintf(text, (size_t)size, "%s", name);
    return text;
}

static const char *put_number(char *text, int size, const char *before, int64_t number) {
    snprintf(text, (size_t)size, "%s%lld", before, (long long)number);
    return text;
}

const char *bf_dataset_state_name(const bf_dataset *data, int j, char *text, int size) {
    if (data->inputs)
        return put(text, size, data->inputs[j].name);
    if (data->state_dim == 1 && !data->real_state)
        return put(text, size, "s");
    return put_number(text, size, "s", j);
}

const char *bf_dataset_state_label(const bf_dataset *data, int64_t s, char *text, int size) {
    return data->state_labels && s < data->states ? put(text, size, data->state_labels[s])
                                                  : put_number(text, size, "", s);
}

const char *bf_dataset_action_name(const bf_dataset *data, int a, char *text, int size) {
    return data->action_names ? put(text, size, data->action_names[a])
                              : put_number(text, size, "", a);
}

const char *bf_dataset_episode_name(const bf_dataset *data, int64_t e, char *text, int size) {
    if (!data->episode_id)
        return put_number(text, size, "", e);
    return data->episode_words ? put(text, size, data->episode_words[(int64_t)data->episode_id[e]])
                               : put_number(text, size, "", (int64_t)data->episode_id[e]);
}

bool bf_dataset_episodes_named(const bf_dataset *data) {
    return data->episode_words != NULL;
}

bool bf_dataset_actions_named(const bf_dataset *data) {
    return data->action_names != NULL;
}

bool bf_dataset_states_named(const bf_dataset *data) {
    return data->state_labels != NULL;
}

bool bf_dataset_state_source(const bf_dataset *data, int j, const char **column,
                             const char **category) {
    if (!data->inputs)
        return false;
    *column = data->inputs[j].column;
    *category = data->inputs[j].category;
    return true;
}

const char *bf__place_text(const bf_source *source, int64_t row, char *text, int size) {
    long long number = (long long)row;
    if (!source)
        snprintf(text, (size_t)size, "row %lld", number);
    else if (source->by_line)
        snprintf(text, (size_t)size, "%s:%lld", source->path, number);
    else if (source->by_episode)
        snprintf(text, (size_t)size, "%s: episode_%lld, step %lld", source->path, number >> 32,
                 number & 0xffffffff);
    else
        snprintf(text, (size_t)size, "%s: row %lld", source->path, number);
    return text;
}

const char *bf_dataset_where(const bf_dataset *data, int64_t i, char *text, int size) {
    int source = data->source_count - 1;
    while (source > 0 && data->sources[source].first > i)
        source--;
    return bf__place_text(source < 0 ? NULL : &data->sources[source], data->row ? data->row[i] : i,
                          text, size);
}
