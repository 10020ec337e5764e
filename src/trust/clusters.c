/* clusters.c - What may be taken for independent: the units that a log is split by.
 *
 * Rows of one episode hang together; different episodes start anew and are independent. A user may
 * know better: all episodes of one patient, or of one site, are one cluster. A log without episodes
 * has no such unit of itself; blocks of consecutive rows are a stand-in that the user has to ask
 * for, because only the user knows that the rows are in the order of time. A row and its mirror are
 * in one cluster, whatever clusters are. */
#include "trust/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"

typedef struct keyed {
    double key;
    int64_t row;
} keyed;

static int by_key(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Numbers the distinct values of the column. */
static bf_status by_column(bf__clusters *out, const bf_dataset *data, const double *column,
                           const char *name, bf_arena *arena, bf_error *err) {
    int32_t *of;
    char here[256], there[256];
    BF_ALLOC(of, arena, data->n, err);
    bf_mark mark = bf_arena_mark(arena);
    keyed *list;
    BF_ALLOC(list, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        list[i] = (keyed){column[i], i};
    qsort(list, (size_t)data->n, sizeof *list, by_key);
    for (int64_t j = 0; j < data->n; j++) {
        out->count += j == 0 || list[j].key != list[j - 1].key;
        of[list[j].row] = (int32_t)(out->count - 1);
    }
    bf_arena_rewind(arena, mark);
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e] + 1; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j], first = data->order[data->begin[e]];
            if (of[i] != of[first])
                return bf_fail(err, BF_EDATA,
                               "%s: %s: %.17g, but the episode began with %.17g (%s); all rows of "
                               "an episode have to be in one cluster",
                               bf_dataset_where(data, i, here, sizeof here), name, column[i],
                               column[first], bf_dataset_where(data, first, there, sizeof there));
        }
    out->of = of;
    out->kind = "column";
    return BF_OK;
}

/* Blocks of consecutive rows, in the order of time where the log says it; none spans two episodes.
 */
static bf_status by_block(bf__clusters *out, const bf_dataset *data, int64_t block, bf_arena *arena,
                          bf_error *err) {
    int32_t *of;
    BF_ALLOC(of, arena, data->n, err);
    int64_t whole[2] = {0, data->n}, runs = data->begin ? data->episodes : 1;
    const int64_t *begin = data->begin ? data->begin : whole;
    for (int64_t e = 0; e < runs; e++)
        for (int64_t j = begin[e]; j < begin[e + 1]; j++) {
            int64_t i = data->begin ? data->order[j] : j;
            bool is_mirror = data->mirrored && i % 2 == 1;
            int64_t place = data->begin || !data->mirrored ? j - begin[e] : j / 2;
            out->count += !is_mirror && place % block == 0;
            if (!is_mirror)
                of[i] = (int32_t)(out->count - 1);
        }
    for (int64_t i = 1; i < data->n && data->mirrored; i += 2)
        of[i] = of[i - 1];
    out->of = of;
    out->kind = "block";
    return BF_OK;
}

bf_status bf__clusters_make(bf__clusters *out, const bf_dataset *data, const double *column,
                            const char *name, int64_t block, bf_arena *arena, bf_error *err) {
    *out = (bf__clusters){.kind = "episode"};
    if (column)
        return by_column(out, data, column, name, arena, err);
    if (block > 0)
        return by_block(out, data, block, arena, err);
    if (!data->begin) {
        out->none = "The log is a bag of transitions: nothing says which of them are independent.";
        return BF_OK;
    }
    int32_t *of;
    BF_ALLOC(of, arena, data->n, err);
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            of[data->order[j]] = (int32_t)bf__episode_own(data, e);
    out->of = of;
    out->count = bf__episodes_own(data);
    if (out->count < 2)
        out->none = "The log is one episode: nothing in it is independent of the rest.";
    return BF_OK;
}

bf_status bf__clusters_for(bf__clusters *out, const bf_dataset *data, const bf_trust_options *how,
                           bf_arena *arena, bf_error *err) {
    const char *name = how->cluster;
    const double *column = name ? bf__dataset_extra(data, name) : NULL;
    if (name && !column)
        return bf_fail(err, BF_EUSAGE, "cluster: the log has not kept a column '%s'", name);
    if (name && how->block > 0)
        return bf_fail(err, BF_EUSAGE, "--block: not beside --cluster");
    return bf__clusters_make(out, data, column, name, how->block, arena, err);
}

void bf__clusters_deal(int32_t *part, int64_t count, int parts, uint64_t seed, const char *purpose,
                       uint64_t replicate) {
    bf_rng rng = bf_rng_make(seed, purpose, replicate);
    for (int64_t j = 0; j < count; j++)
        part[j] = (int32_t)(j % parts);
    for (int64_t j = count - 1; j > 0; j--) {
        int64_t other = bf_rng_below(&rng, j + 1);
        int32_t swap = part[j];
        part[j] = part[other];
        part[other] = swap;
    }
}

double bf__clusters_share(double *share, const bf__clusters *clusters, const double *w, int64_t n) {
    double sum = 0, squares = 0;
    memset(share, 0, (size_t)clusters->count * sizeof *share);
    for (int64_t i = 0; i < n; i++) {
        share[clusters->of[i]] += w ? w[i] : 1;
        sum += w ? w[i] : 1;
    }
    for (int64_t j = 0; j < clusters->count; j++) {
        share[j] = sum > 0 ? share[j] / sum : 1 / (double)clusters->count;
        squares += share[j] * share[j];
    }
    return 1 / squares;
}
