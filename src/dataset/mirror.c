/* mirror.c - A log together with its mirror image.
 *
 * Some processes look the same from the other side: a pole that leans to the left and is pushed to
 * the left does what one does that leans and is pushed to the right. If M is such a map of states
 * and actions, (M s, M a, r, M s') is as good a transition of the process as (s, a, r, s'), and a
 * log has twice the rows. Nothing is asked of the policies: the target is looked at in mirrored
 * states, too, and the mirror of an episode is one of a behaviour that is the mirror of the log's.
 * Start states have to be symmetric if the question is about them.
 *
 * The text that describes M is read by mirror_map.c.
 *
 * What the log says of the target at its states says nothing of their mirrors: pi, npi, na and sa
 * are left out, and the policy has to be given itself. The mirror of a row has its row number, its
 * weight, its duration and the columns that were kept.
 *
 * Cost  one copy of the log, twice its size */
#include "dataset/mirror.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/mirror_map.h"

/* out (width, 2 n): columns and what they are in the mirror. */
static bf_status turn_block(const double **out, const double *x, int width, int64_t n,
                            const bf__turn *t, bf_arena *arena, bf_error *err) {
    double *both;
    if (!x)
        return BF_OK;
    BF_ALLOC(both, arena, 2 * n * width, err);
    for (int j = 0; j < width; j++)
        for (int64_t i = 0; i < n; i++) {
            both[j * 2 * n + 2 * i] = x[j * n + i];
            both[j * 2 * n + 2 * i + 1] = t->shift[j] + t->sign[j] * x[t->from[j] * n + i];
        }
    *out = both;
    return BF_OK;
}

/* out (width, 2 n) of elements of `size` bytes: column a of a mirrored row is column to[a] of its
 * row; `to` NULL: the same one. */
static bf_status copy_block(const void **out, const void *x, int64_t width, size_t size, int64_t n,
                            const int32_t *to, bf_arena *arena, bf_error *err) {
    *out = NULL;
    if (!x)
        return BF_OK;
    char *both = bf_arena_alloc(arena, 2 * n * width, size, err);
    if (!both)
        return BF_ENOMEM;
    for (int64_t k = 0; k < width; k++)
        for (int64_t i = 0; i < n; i++) {
            const char *own = (const char *)x + (size_t)(k * n + i) * size;
            const char *other = (const char *)x + (size_t)((to ? to[k] : k) * n + i) * size;
            memcpy(both + (size_t)(k * 2 * n + 2 * i) * size, own, size);
            memcpy(both + (size_t)(k * 2 * n + 2 * i + 1) * size, other, size);
        }
    *out = both;
    return BF_OK;
}

#define COPY(field, width, to)                                                                     \
    do {                                                                                           \
        const void *copy = NULL;                                                                   \
        BF_TRY(                                                                                    \
            copy_block(&copy, data->field, width, sizeof *data->field, data->n, to, arena, err));  \
        out->field = copy;                                                                         \
    } while (0)

/* States of a finite space stay in one. */
static bf_status check_states(bf_dataset *out, const bf__mirror_map *m, const char *text,
                              bf_error *err) {
    char where[256];
    double most = 0;
    double *both[2] = {(double *)(uintptr_t)out->state, (double *)(uintptr_t)out->next_state};
    for (int next = 0; next < 2 && out->states > 0; next++)
        for (int64_t i = 1; i < out->n; i += 2) {
            double *s = &both[next][i];
            if (m->states)
                *s = m->states[(int64_t)*s];
            if (!(*s >= 0 && *s < 2147483647.0) || *s != floor(*s))
                return bf_fail(err, BF_EUSAGE,
                               "%s: `mirror` '%s' makes state %.15g of it %.15g, which is none: "
                               "states are 0, 1, ...",
                               bf_dataset_where(out, i, where, sizeof where), text,
                               both[next][i - 1], *s);
            most = fmax(most, *s);
        }
    if (out->states > 0 && most >= (double)out->states)
        out->states = (int64_t)most + 1;
    return BF_OK;
}

static bf_status mirror_episodes(bf_dataset *out, const bf_dataset *data, bf_arena *arena,
                                 bf_error *err) {
    int64_t *begin, *order, put = 0;
    double *id = NULL;
    if (!data->begin)
        return BF_OK;
    if (data->episode_id)
        BF_ALLOC(id, arena, 2 * data->episodes, err);
    BF_ALLOC(begin, arena, 2 * data->episodes + 1, err);
    BF_ALLOC(order, arena, 2 * data->n, err);
    for (int64_t e = 0; e < 2 * data->episodes; e++) {
        begin[e] = put;
        if (id)
            id[e] = data->episode_id[e / 2];
        for (int64_t j = data->begin[e / 2]; j < data->begin[e / 2 + 1]; j++)
            order[put++] = 2 * data->order[j] + e % 2;
    }
    begin[2 * data->episodes] = put;
    out->begin = begin;
    out->order = order;
    out->episodes = 2 * data->episodes;
    out->episode_id = id;
    return BF_OK;
}

static bf_status mirror_sources(bf_dataset *out, const bf_dataset *data, bf_arena *arena,
                                bf_error *err) {
    bf_source *sources;
    BF_ALLOC(sources, arena, data->source_count, err);
    for (int f = 0; f < data->source_count; f++) {
        sources[f] = data->sources[f];
        sources[f].first *= 2;
    }
    out->sources = sources;
    return BF_OK;
}

static bf_status mirror_actions(bf_dataset *out, const bf_dataset *data, const bf__mirror_map *m,
                                bf_arena *arena, bf_error *err) {
    int32_t *action;
    if (!data->action)
        return turn_block(&out->action_vector, data->action_vector, data->action_dim, data->n,
                          &m->action, arena, err);
    BF_ALLOC(action, arena, 2 * data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        action[2 * i] = data->action[i];
        action[2 * i + 1] = m->actions[data->action[i]];
    }
    out->action = action;
    out->actions = m->action_count;
    COPY(mu_all, data->actions, m->actions);
    COPY(mask, data->actions, m->actions);
    return BF_OK;
}

bf_status bf__dataset_mirror(bf_dataset *out, const bf_dataset *data, const char *text,
                             bf_arena *arena, bf_error *err) {
    bf__mirror_map m;
    if (data->mirrored)
        return bf_fail(err, BF_EUSAGE, "`mirror`: the log has its mirror image already");
    BF_TRY(bf__mirror_map_make(&m, text, data, arena, err));
    *out = *data;
    out->n = 2 * data->n;
    out->mirrored = true;
    out->share = NULL;
    out->pi = out->npi = out->na = out->sa = NULL;
    out->samples = 0;
    BF_TRY(turn_block(&out->state, data->state, data->state_dim, data->n, &m.state, arena, err));
    BF_TRY(turn_block(&out->next_state, data->next_state, data->state_dim, data->n, &m.state, arena,
                      err));
    BF_TRY(mirror_actions(out, data, &m, arena, err));
    COPY(reward, 1, NULL);
    COPY(terminated, 1, NULL);
    COPY(truncated, 1, NULL);
    COPY(weight, 1, NULL);
    COPY(duration, 1, NULL);
    COPY(mu, 1, NULL);
    COPY(extra, data->extras, NULL);
    COPY(row, 1, NULL);
    BF_TRY(mirror_episodes(out, data, arena, err));
    BF_TRY(mirror_sources(out, data, arena, err));
    return check_states(out, &m, text, err);
}

bf_status bf_dataset_mirror(const bf_dataset **out, const bf_dataset *data, const char *text,
                            bf_arena *arena, bf_error *err) {
    bf_dataset *both;
    BF_ALLOC(both, arena, 1, err);
    BF_TRY(bf__dataset_mirror(both, data, text, arena, err));
    *out = both;
    return BF_OK;
}

bool bf_dataset_mirrored(const bf_dataset *data) {
    return data->mirrored;
}
