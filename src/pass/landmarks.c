/* landmarks.c - The pass that counts how many rows of the log belong to each pair of the sample.
 *
 * Cost  one search among K landmarks per row. */
#include "pass/landmarks.h"

#include "core/fail.h"

bf_status bf__landmarks_make(bf_pass **out, const bf__lens *lens, bf_arena *arena, bf_error *err) {
    bf__landmarks *m;
    BF_ZALLOC(m, arena, 1, err);
    m->lens = *lens;
    BF_ZALLOC(m->rows, arena, lens->nodes.n, err);
    BF_TRY(bf__lens_print(&m->print, lens, arena, err));
    return bf__pass_make(out, &bf__pass_landmarks, m, arena, err);
}

bf_status bf__landmarks_of(const bf__landmarks **out, const bf_pass *pass, bf_error *err) {
    if (pass->kind != &bf__pass_landmarks)
        return bf_fail(err, BF_EUSAGE, "a pass `%s`, where one of landmarks is needed",
                       pass->kind->name);
    *out = pass->self;
    return BF_OK;
}

static void note_episode(bf__landmarks *m, int64_t rows) {
    m->longest = rows > m->longest ? rows : m->longest;
}

static bf_status add(void *self, const bf_dataset *data, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err) {
    bf__landmarks *m = self;
    int32_t *place;
    (void)first;
    BF_ALLOC(place, scratch, data->n, err);
    BF_TRY(bf__lens_places(place, &m->lens, data, threads, scratch, err));
    for (int64_t i = 0; i < data->n; i++)
        if (place[i] >= 0)
            m->rows[place[i]]++;
    for (int64_t k = 0; k < data->episodes; k++)
        note_episode(m, data->begin[k + 1] - data->begin[k]);
    if (data->n > 0)
        note_episode(m, 1); /* of a log without episodes each row is one */
    m->all += data->n;
    return BF_OK;
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    bf__landmarks *m = into;
    const bf__landmarks *o = from;
    if (m->print != o->print)
        return bf_fail(err, BF_EUSAGE, "landmarks of different samples cannot be made one");
    for (int64_t j = 0; j < m->lens.nodes.n; j++)
        m->rows[j] += o->rows[j];
    note_episode(m, o->longest);
    m->all += o->all;
    return BF_OK;
}

static bf_status pack(bf__packer *out, void *self, bf_error *err) {
    const bf__landmarks *m = self;
    (void)err;
    bf__lens_pack(out, &m->lens);
    bf__pack_i64(out, m->all);
    bf__pack_i64(out, m->longest);
    bf__pack_i64s(out, m->rows, m->lens.nodes.n);
    return BF_OK;
}

static bf_status unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__landmarks *m;
    size_t from = in->at;
    BF_ZALLOC(m, arena, 1, err);
    *self = m;
    BF_TRY(bf__lens_unpack(&m->lens, in, arena, err));
    if (in->bad || m->lens.ratio) {
        in->bad = true;
        return BF_OK;
    }
    m->print = bf__checksum(in->bytes + from, in->at - from);
    m->all = bf__unpack_in(in, 0, INT64_MAX / 4);
    m->longest = bf__unpack_in(in, 0, (int64_t)1 << 36);
    BF_ZALLOC(m->rows, arena, m->lens.nodes.n, err);
    bf__unpack_i64s(in, m->rows, m->lens.nodes.n, 0, INT64_MAX / 4);
    return BF_OK;
}

const bf__pass_kind bf__pass_landmarks = {
    .name = "landmarks", .add = add, .merge = merge, .pack = pack, .unpack = unpack};
