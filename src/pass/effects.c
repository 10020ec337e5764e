/* effects.c - The last pass: what each episode contributes, summed over all.
 *
 * An episode has a few numbers, its effects (gauge.h). The pass sums them and their products, from
 * which the standard error of the answer and the number of episodes that carry it follow. */
#include "pass/effects.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

static double scale_of(const bf__gauge *g, int a, int b) {
    return bf__total_scale(g->exponent[a] + (b < 0 ? 0 : g->exponent[b]));
}

double bf__effects_sum(const bf__effects *e, int a) {
    return bf__total_value(e->sum[a], scale_of(&e->gauge, a, -1));
}

double bf__effects_cross(const bf__effects *e, int a, int b) {
    return bf__total_value(e->cross[a][b], scale_of(&e->gauge, a, b));
}

/* ---- Adding */

static bf_status add_episode(bf__effects *e, const bf_dataset *data, const int64_t *order,
                             int64_t count, bf_error *err) {
    double effect[BF__EFFECTS];
    char where[256];
    BF_TRY(bf__gauge_apply(effect, &e->gauge, data, order, count, err));
    for (int a = 0; a < BF__EFFECTS; a++) {
        if (!(fabs(effect[a]) <= ldexp(1, e->gauge.exponent[a])))
            return bf_fail(err, BF_ENUMERIC,
                           "%s: the episode that begins here has an effect of %g, which is more "
                           "than the log can have",
                           bf_dataset_where(data, order[0], where, sizeof where), effect[a]);
        bf__total_add(&e->sum[a], effect[a], scale_of(&e->gauge, a, -1));
        for (int b = 0; b <= a; b++)
            bf__total_add(&e->cross[a][b], effect[a] * effect[b], scale_of(&e->gauge, a, b));
    }
    e->largest = fmax(e->largest, effect[BF__EFFECT_SHARE]);
    e->episodes++;
    return BF_OK;
}

static bf_status add(void *self, const bf_dataset *data, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err) {
    bf__effects *e = self;
    double scale = bf__total_scale(e->gauge.reward_exponent);
    (void)first;
    (void)threads;
    (void)scratch;
    if (!data->action || data->state_dim != e->gauge.names.d ||
        data->actions > e->gauge.names.actions)
        return bf_fail(err, BF_EDATA, "%s: not the log that was counted", data->sources[0].path);
    for (int64_t k = 0; k < data->episodes; k++)
        BF_TRY(add_episode(e, data, data->order + data->begin[k],
                           data->begin[k + 1] - data->begin[k], err));
    for (int64_t i = 0; i < data->n && !data->begin; i++)
        BF_TRY(add_episode(e, data, &i, 1, err));
    bf__total_add_all(&e->reward, data->reward, data->n, scale);
    e->rows += data->n;
    e->bag = e->bag || !data->begin;
    return BF_OK;
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    bf__effects *e = into;
    const bf__effects *o = from;
    if (!bf__gauge_same(&e->gauge, &o->gauge))
        return bf_fail(err, BF_EUSAGE, "effects of different answers cannot be made one");
    for (int a = 0; a < BF__EFFECTS; a++) {
        e->sum[a] = bf__total_join(e->sum[a], o->sum[a]);
        for (int b = 0; b <= a; b++)
            e->cross[a][b] = bf__total_join(e->cross[a][b], o->cross[a][b]);
    }
    e->reward = bf__total_join(e->reward, o->reward);
    e->largest = fmax(e->largest, o->largest);
    e->rows += o->rows;
    e->episodes += o->episodes;
    e->bag = e->bag || o->bag;
    return BF_OK;
}

bf_status bf__effects_make(bf_pass **out, const bf__gauge *gauge, bf_arena *arena, bf_error *err) {
    bf__effects *e;
    BF_ZALLOC(e, arena, 1, err);
    e->gauge = *gauge;
    return bf__pass_make(out, &bf__pass_effects, e, arena, err);
}

bf_status bf__effects_of(const bf__effects **out, const bf_pass *pass, bf_error *err) {
    if (pass->kind != &bf__pass_effects)
        return bf_fail(err, BF_EUSAGE, "a pass `%s`, where one of effects is needed",
                       pass->kind->name);
    *out = pass->self;
    return BF_OK;
}

/* ---- Bytes */

static bf_status pack(bf__packer *out, void *self, bf_error *err) {
    const bf__effects *e = self;
    (void)err;
    bf__gauge_pack(out, &e->gauge);
    bf__pack_i64(out, e->rows);
    bf__pack_i64(out, e->episodes);
    bf__pack_i64(out, e->bag);
    bf__pack_f64(out, e->largest);
    bf__pack_totals(out, &e->reward, 1);
    for (int a = 0; a < BF__EFFECTS; a++) {
        bf__pack_totals(out, &e->sum[a], 1);
        bf__pack_totals(out, e->cross[a], a + 1);
    }
    return BF_OK;
}

static bf_status unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__effects *e;
    BF_ZALLOC(e, arena, 1, err);
    *self = e;
    BF_TRY(bf__gauge_unpack(&e->gauge, in, arena, err));
    if (in->bad)
        return BF_OK;
    e->rows = bf__unpack_in(in, 0, INT64_MAX / 4);
    e->episodes = bf__unpack_in(in, 0, INT64_MAX / 4);
    e->bag = bf__unpack_in(in, 0, 1);
    e->largest = bf__unpack_f64(in);
    bf__unpack_totals(in, &e->reward, 1);
    for (int a = 0; a < BF__EFFECTS; a++) {
        bf__unpack_totals(in, &e->sum[a], 1);
        bf__unpack_totals(in, e->cross[a], a + 1);
    }
    return BF_OK;
}

const bf__pass_kind bf__pass_effects = {
    .name = "effects", .add = add, .merge = merge, .pack = pack, .unpack = unpack};
