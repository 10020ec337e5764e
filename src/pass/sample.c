/* sample.c - The first pass: what there is, and a sample of whole episodes.
 *
 * Every episode has a hash, of the seed and of every number in its rows. Sorted by hash, the sample
 * is the longest run of episodes from the first on whose rows are at most as many as asked for;
 * longer episodes are left out from the start. A part of a log keeps at least what it has of the
 * sample of the whole, whatever the other parts hold, so that samples of parts can be made one. The
 * sample is in the order of the hashes, which says nothing of where in the files an episode was:
 * batches may come in any order.
 *
 * A log without episodes is sampled row by row.
 *
 * Cost    O(1) per number read, and O(log k) per episode that is kept; memory of up to four times
 *         the sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/grow.h"
#include "core/mix.h"
#include "pass/kind.h"
#include "pass/rows.h"

typedef struct episode {
    uint64_t hash;
    int64_t rows, at; /* its first row in the store */
} episode;

typedef struct sample {
    int64_t most;         /* rows of the sample */
    uint64_t seed, limit; /* an episode of this hash or above is not of the sample, if `full` */
    bool full;
    bf__row_form form;
    int64_t rows, episodes, dropped, states; /* states -1: no rows yet */
    double low, high;
    bool bag;
    int64_t count, room; /* episodes here */
    episode *list;
    int64_t used, store_room; /* rows in the store */
    double *store;            /* (store_room, width) */
    double *scratch;          /* (width) */
    bf_arena *arena;
} sample;

/* ---- Keeping the episodes of least hash */

static int by_hash(const void *a, const void *b) {
    const episode *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->rows != y->rows)
        return x->rows < y->rows ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b) {
    const episode *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static bool too_late(const sample *s, uint64_t hash) {
    return s->full && hash >= s->limit;
}

/* Leaves the sample alone, in its order. Episodes that are the same go or stay together. */
static void cut(sample *s) {
    int64_t kept = 0, count = 0;
    if (s->count > 1)
        qsort(s->list, (size_t)s->count, sizeof *s->list, by_hash);
    while (count < s->count && !too_late(s, s->list[count].hash) &&
           kept + s->list[count].rows <= s->most)
        kept += s->list[count++].rows;
    if (count < s->count && !too_late(s, s->list[count].hash)) {
        s->full = true;
        s->limit = s->list[count].hash;
    }
    while (count > 0 && too_late(s, s->list[count - 1].hash))
        count--;
    s->count = count;
}

/* Cuts, and moves what is left to the front of the store. */
static void compact(sample *s) {
    size_t row = (size_t)s->form.width * sizeof *s->store;
    cut(s);
    if (s->count > 1)
        qsort(s->list, (size_t)s->count, sizeof *s->list, by_place);
    s->used = 0;
    for (int64_t k = 0; k < s->count; k++) {
        episode *e = &s->list[k];
        memmove(s->store + s->used * s->form.width, s->store + e->at * s->form.width,
                (size_t)e->rows * row);
        e->at = s->used;
        s->used += e->rows;
    }
}

/* Room in the store for an episode of so many rows, at most s->most. */
static bf_status make_room(sample *s, int64_t rows, bf_error *err) {
    size_t row = (size_t)s->form.width * sizeof *s->store;
    int64_t enough = 2 * s->most;
    if (s->used + rows > s->store_room && s->store_room >= enough)
        compact(s);
    if (s->used + rows > s->store_room) {
        int64_t room = 2 * s->store_room + rows + 256;
        room = room < enough ? room : enough;
        BF_TRY(bf__grow(&s->store, s->used, room, row, s->arena, err));
        s->store_room = room;
    }
    if (s->count == s->room) {
        int64_t room = 2 * s->room + 256;
        BF__GROW(s->list, s->count, room, s->arena, err);
        s->room = room;
    }
    return BF_OK;
}

/* Takes an episode in, if it may be of the sample. */
static bf_status keep(sample *s, uint64_t hash, int64_t rows, const double *values, bf_error *err) {
    if (rows > s->most || too_late(s, hash))
        return BF_OK;
    BF_TRY(make_room(s, rows, err));
    if (too_late(s, hash)) /* as making room has found */
        return BF_OK;
    memcpy(s->store + s->used * s->form.width, values,
           (size_t)(rows * s->form.width) * sizeof *values);
    s->list[s->count++] = (episode){hash, rows, s->used};
    s->used += rows;
    return BF_OK;
}

/* ---- Adding */

static uint64_t mix_row(uint64_t hash, const double *values, int width) {
    for (int c = 0; c < width; c++)
        hash = bf__mix_real(hash, values[c]);
    return hash;
}

/* Rows order[0 .. count), as one episode. */
static bf_status add_episode(sample *s, const bf_dataset *data, const int64_t *order, int64_t count,
                             bf_error *err) {
    uint64_t hash = bf__mix(s->seed, (uint64_t)count);
    int width = s->form.width;
    for (int64_t j = 0; j < count; j++) {
        bf__row_take(s->scratch, &s->form, data, order[j]);
        hash = mix_row(hash, s->scratch, width);
    }
    if (count > s->most || too_late(s, hash))
        return BF_OK;
    BF_TRY(make_room(s, count, err));
    if (too_late(s, hash)) /* as making room has found */
        return BF_OK;
    for (int64_t j = 0; j < count; j++)
        bf__row_take(s->store + (s->used + j) * width, &s->form, data, order[j]);
    s->list[s->count++] = (episode){hash, count, s->used};
    s->used += count;
    return BF_OK;
}

static void note(sample *s, int64_t rows, int64_t episodes, int64_t dropped, int64_t states,
                 bool bag) {
    s->rows += rows;
    s->episodes += episodes;
    s->dropped += dropped;
    s->bag = s->bag || bag;
    if (s->states == 0 || states == 0)
        s->states = 0; /* real-valued somewhere is real-valued */
    else
        s->states = states > s->states ? states : s->states;
}

static bf_status add(void *self, const bf_dataset *data, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err) {
    sample *s = self;
    (void)first;
    (void)threads;
    (void)scratch;
    BF_TRY(bf__row_form_of(&s->form, data, s->arena, err));
    if (!s->scratch)
        BF_ALLOC(s->scratch, s->arena, s->form.width, err);
    for (int64_t e = 0; e < data->episodes; e++)
        BF_TRY(add_episode(s, data, data->order + data->begin[e],
                           data->begin[e + 1] - data->begin[e], err));
    for (int64_t i = 0; i < data->n && !data->begin; i++)
        BF_TRY(add_episode(s, data, &i, 1, err));
    for (int64_t i = 0; i < data->n; i++) {
        s->low = fmin(s->low, data->reward[i]);
        s->high = fmax(s->high, data->reward[i]);
    }
    note(s, data->n, data->episodes, data->rows_dropped, data->states, !data->begin);
    return BF_OK;
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    sample *s = into;
    const sample *o = from;
    if (s->most != o->most || s->seed != o->seed)
        return bf_fail(err, BF_EUSAGE, "samples of different sizes or seeds cannot be made one");
    if (o->form.width == 0)
        return BF_OK;
    if (s->form.width == 0)
        s->form = o->form;
    BF_TRY(bf__row_form_join(&s->form, &o->form, err));
    if (o->full && (!s->full || o->limit < s->limit)) {
        s->full = true;
        s->limit = o->limit;
    }
    for (int64_t k = 0; k < o->count; k++) {
        const episode *e = &o->list[k];
        BF_TRY(keep(s, e->hash, e->rows, o->store + e->at * s->form.width, err));
    }
    s->low = fmin(s->low, o->low);
    s->high = fmax(s->high, o->high);
    note(s, o->rows, o->episodes, o->dropped, o->states, o->bag);
    return BF_OK;
}

static bf_status make(sample **out, int64_t most, uint64_t seed, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, 1, err);
    **out = (sample){.most = most,
                     .seed = seed,
                     .states = -1,
                     .low = INFINITY,
                     .high = -INFINITY,
                     .arena = arena};
    return BF_OK;
}

bf_status bf_pass_sample(bf_pass **out, int64_t rows, uint64_t seed, bf_arena *arena,
                         bf_error *err) {
    sample *s;
    if (rows < 1 || rows > INT64_MAX / 1024)
        return bf_fail(err, BF_EUSAGE, "rows: %lld is no size of a sample", (long long)rows);
    BF_TRY(make(&s, rows, seed, arena, err));
    return bf__pass_make(out, &bf__pass_sample, s, arena, err);
}

/* ---- What came of it */

bf_overview bf_pass_overview(const bf_pass *pass) {
    sample *s = pass->self;
    cut(s);
    bf_overview o = {.rows = s->rows,
                     .episodes = s->bag ? 0 : s->episodes,
                     .dropped = s->dropped,
                     .states = s->states > 0 ? s->states : 0,
                     .actions = s->form.action_dim > 0 ? 0 : s->form.actions,
                     .reward_low = s->low,
                     .reward_high = s->high};
    for (int64_t k = 0; k < s->count; k++)
        o.sample_rows += s->list[k].rows;
    o.sample_episodes = s->bag ? 0 : s->count;
    return o;
}

bf_status bf_pass_sample_log(const bf_dataset **out, const bf_pass *pass, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    const sample *s = pass->self;
    bf_overview o = bf_pass_overview(pass);
    bf_dataset *data;
    int64_t *begin;
    double *values;
    (void)context;
    if (o.rows == 0)
        return bf_fail(err, BF_EDATA, "there are no rows to sample");
    if (o.sample_rows == 0)
        return bf_fail(err, BF_EDATA,
                       "no sample: %lld rows were asked for, and the shortest run of episodes has "
                       "more",
                       (long long)s->most);
    BF_ALLOC(begin, arena, s->count + 1, err);
    BF_ALLOC(values, arena, o.sample_rows * s->form.width, err);
    begin[0] = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const episode *e = &s->list[k];
        memcpy(values + begin[k] * s->form.width, s->store + e->at * s->form.width,
               (size_t)(e->rows * s->form.width) * sizeof *values);
        begin[k + 1] = begin[k] + e->rows;
    }
    BF_ALLOC(data, arena, 1, err);
    BF_TRY(
        bf__rows_log(data, &s->form, values, o.sample_rows, begin, o.sample_episodes, arena, err));
    if (data->states > 0)
        data->states = o.states; /* which other rows may have more of */
    *out = data;
    return BF_OK;
}

/* ---- Bytes */

static bf_status pack(bf__packer *out, void *self, bf_error *err) {
    sample *s = self;
    (void)err;
    cut(s);
    bf__pack_i64(out, s->most);
    bf__pack_u64(out, s->seed);
    bf__pack_u64(out, s->full ? s->limit : UINT64_MAX);
    bf__pack_i64(out, s->full);
    bf__pack_i64(out, s->rows);
    bf__pack_i64(out, s->episodes);
    bf__pack_i64(out, s->dropped);
    bf__pack_i64(out, s->states);
    bf__pack_i64(out, s->bag);
    bf__pack_f64(out, s->low);
    bf__pack_f64(out, s->high);
    bf__row_form_pack(out, &s->form);
    bf__pack_i64(out, s->count);
    for (int64_t k = 0; k < s->count; k++) {
        bf__pack_u64(out, s->list[k].hash);
        bf__pack_i64(out, s->list[k].rows);
        bf__pack_f64s(out, s->store + s->list[k].at * s->form.width,
                      s->list[k].rows * s->form.width);
    }
    return BF_OK;
}

static bf_status unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    sample *s;
    int64_t most = bf__unpack_in(in, 1, INT64_MAX / 1024), kept = 0;
    BF_TRY(make(&s, most, bf__unpack_u64(in), arena, err));
    *self = s;
    s->limit = bf__unpack_u64(in);
    s->full = bf__unpack_in(in, 0, 1);
    s->rows = bf__unpack_in(in, 0, INT64_MAX / 4);
    s->episodes = bf__unpack_in(in, 0, INT64_MAX / 4);
    s->dropped = bf__unpack_in(in, 0, INT64_MAX / 4);
    s->states = bf__unpack_in(in, -1, INT32_MAX);
    s->bag = bf__unpack_in(in, 0, 1);
    s->low = bf__unpack_f64(in);
    s->high = bf__unpack_f64(in);
    BF_TRY(bf__row_form_unpack(&s->form, in, arena, err));
    int64_t count = bf__unpack_count(in, 16);
    if (in->bad || (count > 0 && s->form.width == 0)) {
        in->bad = true;
        return BF_OK;
    }
    size_t row = (size_t)s->form.width * sizeof *s->store;
    for (int64_t k = 0; k < count && !in->bad; k++) {
        uint64_t hash = bf__unpack_u64(in);
        int64_t rows = bf__unpack_in(in, 1, s->most - kept);
        if (in->bad || (size_t)rows > (in->size - in->at) / row) {
            in->bad = true;
            break;
        }
        BF_TRY(make_room(s, rows, err));
        bf__unpack_f64s(in, s->store + s->used * s->form.width, rows * s->form.width);
        s->list[s->count++] = (episode){hash, rows, s->used};
        s->used += rows;
        kept += rows;
    }
    return BF_OK;
}

const bf__pass_kind bf__pass_sample = {
    .name = "sample", .add = add, .merge = merge, .pack = pack, .unpack = unpack};
