/* drop.c - Rows that are left out of a log: those with gaps, and those beyond what was asked for.
 *
 * Dropping a row moves the following ones down, in place. */
#include "dataset/drop.h"

#include "backflow/rng.h"
#include "core/fail.h"

/* The columns belong to this log, so we may write to them. */
static void keep_reals(const double *column, int width, int64_t n, const int64_t *next) {
    double *values = (double *)(uintptr_t)column;
    int64_t place = 0;
    for (int j = 0; column && j < width; j++)
        for (int64_t i = 0; i < n; i++)
            if (next[i] >= 0)
                values[place++] = values[j * n + i];
}

static void keep_flags(const uint8_t *column, int width, int64_t n, const int64_t *next) {
    uint8_t *values = (uint8_t *)(uintptr_t)column;
    int64_t place = 0;
    for (int j = 0; column && j < width; j++)
        for (int64_t i = 0; i < n; i++)
            if (next[i] >= 0)
                values[place++] = values[j * n + i];
}

void bf__drop(bf_dataset *data, bf__rows *rows, int64_t *next) {
    int64_t n = data->n;
    int width = data->state_dim;
    keep_reals(data->state, width, n, next);
    keep_reals(data->next_state, width, n, next);
    keep_reals(data->reward, 1, n, next);
    keep_reals(data->action_vector, data->action_dim, n, next);
    keep_reals(data->weight, 1, n, next);
    keep_reals(data->duration, 1, n, next);
    keep_reals(data->mu, 1, n, next);
    keep_reals(data->mu_all, data->actions, n, next);
    keep_reals(data->pi, data->actions, n, next);
    keep_reals(data->npi, data->actions, n, next);
    keep_reals(data->na, data->samples * data->action_dim, n, next);
    keep_reals(data->sa, data->samples * data->action_dim, n, next);
    keep_reals(data->extra, data->extras, n, next);
    keep_flags(data->terminated, 1, n, next);
    keep_flags(data->truncated, 1, n, next);
    keep_flags(data->mask, data->actions, n, next);
    int32_t *action = (int32_t *)(uintptr_t)data->action;
    bf_source *sources = (bf_source *)(uintptr_t)data->sources;
    int64_t place = 0, source = 0;
    for (int64_t i = 0; i < n; i++) { /* from here on next[i] is the new place of row i */
        while (source < data->source_count && sources[source].first == i)
            sources[source++].first = place;
        if (next[i] < 0)
            continue;
        if (action)
            action[place] = action[i];
        rows->row[place] = rows->row[i];
        next[i] = place++;
    }
    int64_t *order = (int64_t *)(uintptr_t)data->order;
    int64_t *begin = (int64_t *)(uintptr_t)data->begin;
    double *id = (double *)(uintptr_t)data->episode_id;
    int64_t count = 0, put = 0;
    for (int64_t e = 0; e < data->episodes; e++) {
        int64_t from = begin[e], to = begin[e + 1], head = put;
        for (int64_t j = from; j < to; j++)
            if (next[order[j]] >= 0)
                order[put++] = next[order[j]];
        if (put == head)
            continue;
        begin[count] = head; /* count <= e: begin[e + 1] is still to be read */
        if (id)
            id[count] = id[e];
        count++;
    }
    if (begin)
        begin[count] = put;
    data->episodes = count;
    data->n = place;
}

/* ---- Some of the episodes */

/* A random order of 0 .. count-1. */
static void shuffle(int64_t *items, int64_t count, bf_rng *rng) {
    for (int64_t k = 0; k < count; k++)
        items[k] = k;
    for (int64_t k = count - 1; k > 0; k--) {
        int64_t other = bf_rng_below(rng, k + 1), swap = items[k];
        items[k] = items[other];
        items[other] = swap;
    }
}

bf_status bf__choose_rows(bf_dataset *data, bf__rows *rows, int64_t most, const bf_context *context,
                          bf_arena *scratch, bf_error *err) {
    int64_t n = data->n, count = data->begin ? data->episodes : n, *items, *next, kept = 0;
    bf_rng rng = bf_rng_make(context ? context->seed : 0, "max_rows", 0);
    if (most <= 0 || n <= most)
        return BF_OK;
    BF_ALLOC(items, scratch, count, err);
    BF_ALLOC(next, scratch, n, err);
    shuffle(items, count, &rng);
    for (int64_t i = 0; i < n; i++)
        next[i] = -1;
    for (int64_t k = 0; k < count; k++) {
        int64_t from = data->begin ? data->begin[items[k]] : items[k];
        int64_t to = data->begin ? data->begin[items[k] + 1] : from + 1;
        if (kept + to - from > most)
            continue; /* a shorter one may still fit */
        kept += to - from;
        for (int64_t j = from; j < to; j++)
            next[data->begin ? data->order[j] : j] = 0;
    }
    if (kept == 0)
        return bf_fail(err, BF_EUSAGE,
                       "`max_rows`: %lld, but no episode of the log is as short as that",
                       (long long)most);
    data->rows_left_out = n - kept;
    bf__drop(data, rows, next);
    return BF_OK;
}
