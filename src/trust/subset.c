/* subset.c - A log of some of the clusters of a log.
 *
 * Cost  one copy of the rows that are kept. */
#include "trust/subset.h"

#include <string.h>

#include "core/fail.h"

typedef struct chosen {
    int64_t from, n;      /* rows of the log, and of the subset */
    const int64_t *rows;  /* (n): ascending */
    const int64_t *place; /* (from): place in the subset, or -1 */
} chosen;

static bf_status choose(chosen *out, const bf_dataset *data, const bf__clusters *clusters,
                        const int32_t *part, int32_t which, bf_arena *arena, bf_error *err) {
    int64_t *rows, *place, n = 0;
    BF_ALLOC(rows, arena, data->n, err);
    BF_ALLOC(place, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        bool kept = part[clusters->of[i]] == which;
        place[i] = kept ? n : -1;
        if (kept)
            rows[n++] = i;
    }
    *out = (chosen){data->n, n, rows, place};
    return BF_OK;
}

/* Columns of `size` bytes an element: out (width, n) from column (width, from). */
static bf_status pick(const void **out, const void *column, int64_t width, size_t size,
                      const chosen *c, bf_arena *arena, bf_error *err) {
    if (!column)
        return BF_OK;
    char *copy = bf_arena_alloc(arena, width * c->n, size, err);
    if (!copy)
        return BF_ENOMEM;
    for (int64_t k = 0; k < width; k++)
        for (int64_t i = 0; i < c->n; i++)
            memcpy(copy + (size_t)(k * c->n + i) * size,
                   (const char *)column + (size_t)(k * c->from + c->rows[i]) * size, size);
    *out = copy;
    return BF_OK;
}

#define PICK(field, width)                                                                         \
    do {                                                                                           \
        const void *copy = NULL;                                                                   \
        BF_TRY(pick(&copy, data->field, width, sizeof *data->field, &c, arena, err));              \
        out->field = copy;                                                                         \
    } while (0)

/* An episode is kept as a whole or not at all. */
static bf_status keep_episodes(bf_dataset *out, const bf_dataset *data, const chosen *c,
                               bf_arena *arena, bf_error *err) {
    int64_t *begin, *order, put = 0;
    double *id = NULL;
    if (data->episode_id)
        BF_ALLOC(id, arena, data->episodes, err);
    BF_ALLOC(begin, arena, data->episodes + 1, err);
    BF_ALLOC(order, arena, c->n, err);
    out->episodes = 0;
    for (int64_t e = 0; e < data->episodes; e++) {
        if (c->place[data->order[data->begin[e]]] < 0)
            continue;
        if (id)
            id[out->episodes] = data->episode_id[e];
        begin[out->episodes++] = put;
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            order[put++] = c->place[data->order[j]];
    }
    begin[out->episodes] = put;
    out->begin = begin;
    out->order = order;
    out->episode_id = id;
    return BF_OK;
}

/* Sources say where in the subset each file begins. */
static bf_status keep_sources(bf_dataset *out, const bf_dataset *data, const chosen *c,
                              bf_arena *arena, bf_error *err) {
    bf_source *sources;
    BF_ALLOC(sources, arena, data->source_count, err);
    for (int f = 0; f < data->source_count; f++) {
        sources[f] = data->sources[f];
        sources[f].first = 0;
        while (sources[f].first < c->n && c->rows[sources[f].first] < data->sources[f].first)
            sources[f].first++;
    }
    out->sources = sources;
    return BF_OK;
}

bf_status bf__subset(bf_dataset *out, const bf_dataset *data, const bf__clusters *clusters,
                     const int32_t *part, int32_t which, bf_arena *arena, bf_error *err) {
    chosen c;
    BF_TRY(choose(&c, data, clusters, part, which, arena, err));
    *out = *data;
    out->share = NULL;
    out->n = c.n;
    PICK(state, data->state_dim);
    PICK(next_state, data->state_dim);
    PICK(action, 1);
    PICK(action_vector, data->action_dim);
    PICK(reward, 1);
    PICK(terminated, 1);
    PICK(truncated, 1);
    PICK(weight, 1);
    PICK(duration, 1);
    PICK(mu, 1);
    PICK(mu_all, data->actions);
    PICK(pi, data->actions);
    PICK(npi, data->actions);
    PICK(mask, data->actions);
    PICK(na, (int64_t)data->samples * data->action_dim);
    PICK(sa, (int64_t)data->samples * data->action_dim);
    PICK(extra, data->extras);
    PICK(row, 1);
    out->begin = out->order = NULL;
    out->episode_id = NULL;
    out->episodes = 0;
    if (data->begin && strcmp(clusters->kind, "block") != 0)
        BF_TRY(keep_episodes(out, data, &c, arena, err));
    return data->sources ? keep_sources(out, data, &c, arena, err) : BF_OK;
}
