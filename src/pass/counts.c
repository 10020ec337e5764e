/* counts.c - The pass of finite states: everything that a model of the log is made of.
 *
 * It is problem/tally.c as a pass. For finite states the counts are all that blackbox and model go
 * by, so that their answer from counts is that of the whole log in memory. */
#include "pass/counts.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

static bf_status add(void *self, const bf_dataset *data, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err) {
    bf__counts *c = self;
    bf__tally *t = &c->tally;
    (void)threads;
    (void)scratch;
    if (!data->action || data->state_dim != t->d || data->actions > t->actions)
        return bf_fail(err, BF_EDATA,
                       "%s: %d numbers in a state and %d actions, where the sample has %d and %d",
                       data->sources[0].path, data->state_dim, data->actions, t->d, t->actions);
    if (!data->npi)
        return bf_fail(err, BF_ENEEDS, "%s: counts need the target policy at the next states",
                       data->sources[0].path);
    return bf__tally_add(t, data, first, NULL, err);
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    bf__counts *c = into;
    const bf__counts *o = from;
    return bf__tally_merge(&c->tally, &o->tally, err);
}

bf_status bf_pass_counts(bf_pass **out, const bf_problem *sampled, const bf_overview *overview,
                         bf_arena *arena, bf_error *err) {
    const bf_dataset *data = sampled->data;
    bf__counts *c;
    double most = fmax(fabs(overview->reward_low), fabs(overview->reward_high));
    if (!data->action)
        return bf_fail(err, BF_EDATA, "counts need discrete actions: the log has vectors");
    BF_ALLOC(c, arena, 1, err);
    c->low = overview->reward_low;
    c->high = overview->reward_high;
    BF_TRY(bf__tally_make(&c->tally, data->state_dim, data->actions,
                          sampled->terminal == BF_TERMINAL_IGNORE, bf__total_exponent(most), arena,
                          err));
    return bf__pass_make(out, &bf__pass_counts, c, arena, err);
}

bf_status bf__counts_of(bf__counts **out, bf_pass *pass, bf_error *err) {
    if (pass->kind != &bf__pass_counts)
        return bf_fail(err, BF_EUSAGE, "a pass `%s`, where one of counts is needed",
                       pass->kind->name);
    *out = pass->self;
    return bf__tally_sort(&(*out)->tally, err);
}

/* ---- Bytes */

static bf_status pack(bf__packer *out, void *self, bf_error *err) {
    bf__counts *c = self;
    bf__tally *t = &c->tally;
    const bf__tally_states *s = &t->states;
    const bf__tally_pairs *p = &t->pairs;
    const bf__tally_edges *e = &t->edges;
    BF_TRY(bf__tally_sort(t, err));
    bf__pack_i64(out, t->d);
    bf__pack_i64(out, t->actions);
    bf__pack_i64(out, t->follow);
    bf__pack_i64(out, t->exponent);
    bf__pack_f64(out, c->low);
    bf__pack_f64(out, c->high);
    bf__pack_i64(out, t->rows);
    bf__pack_i64(out, t->ended);
    bf__pack_i64(out, t->episodes);
    bf__pack_i64(out, t->bag);
    bf__pack_i64(out, s->count);
    bf__pack_i64(out, p->count);
    bf__pack_i64(out, e->count);
    bf__pack_f64s(out, s->key, s->count * t->d);
    bf__pack_i64s(out, s->first, s->count);
    bf__pack_i64s(out, s->starts, s->count);
    bf__pack_totals(out, s->pi, s->count * t->actions);
    bf__pack_f64s(out, s->low, s->count * t->actions);
    bf__pack_f64s(out, s->high, s->count * t->actions);
    bf__pack_i64s(out, p->state, p->count);
    for (int64_t k = 0; k < p->count; k++)
        bf__pack_i64(out, p->action[k]);
    bf__pack_i64s(out, p->first, p->count);
    bf__pack_i64s(out, p->rows, p->count);
    bf__pack_i64s(out, p->ended, p->count);
    bf__pack_totals(out, p->reward, p->count);
    bf__pack_i64s(out, e->pair, e->count);
    bf__pack_i64s(out, e->to, e->count);
    bf__pack_i64s(out, e->first, e->count);
    bf__pack_i64s(out, e->rows, e->count);
    return BF_OK;
}

static void unpack_states(bf__unpacker *in, bf__tally *t) {
    bf__tally_states *s = &t->states;
    bf__unpack_f64s(in, s->key, s->count * t->d);
    bf__unpack_i64s(in, s->first, s->count, 0, INT64_MAX);
    bf__unpack_i64s(in, s->starts, s->count, 0, INT64_MAX / 4);
    bf__unpack_totals(in, s->pi, s->count * t->actions);
    bf__unpack_f64s(in, s->low, s->count * t->actions);
    bf__unpack_f64s(in, s->high, s->count * t->actions);
    for (int64_t k = 0; k < s->count * t->d; k++)
        in->bad = in->bad || !isfinite(s->key[k]) || (s->key[k] == 0 && signbit(s->key[k]));
    for (int64_t k = 0; k < s->count * t->actions; k++)
        s->pair[k] = -1;
}

static void unpack_pairs(bf__unpacker *in, bf__tally *t) {
    bf__tally_pairs *p = &t->pairs;
    bf__unpack_i64s(in, p->state, p->count, 0, t->states.count - 1);
    for (int64_t k = 0; k < p->count; k++)
        p->action[k] = (int32_t)bf__unpack_in(in, 0, t->actions - 1);
    bf__unpack_i64s(in, p->first, p->count, 0, INT64_MAX / 2);
    bf__unpack_i64s(in, p->rows, p->count, 1, INT64_MAX / 4);
    bf__unpack_i64s(in, p->ended, p->count, 0, INT64_MAX / 4);
    bf__unpack_totals(in, p->reward, p->count);
    for (int64_t k = 0; k < p->count && !in->bad; k++) {
        int64_t *at = &t->states.pair[p->state[k] * t->actions + p->action[k]];
        in->bad = *at >= 0 || p->ended[k] > p->rows[k];
        *at = k;
    }
}

static bf_status unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__counts *c;
    bool twice;
    BF_ZALLOC(c, arena, 1, err);
    *self = c;
    bf__tally *t = &c->tally;
    int d = (int)bf__unpack_in(in, 1, 1 << 20), actions = (int)bf__unpack_in(in, 1, 1 << 20);
    bool follow = bf__unpack_in(in, 0, 1);
    int exponent = (int)bf__unpack_in(in, BF__TOTAL_LEAST, BF__TOTAL_MOST + 1);
    c->low = bf__unpack_f64(in);
    c->high = bf__unpack_f64(in);
    int64_t rows = bf__unpack_in(in, 0, INT64_MAX / 4), ended = bf__unpack_in(in, 0, rows),
            episodes = bf__unpack_in(in, 0, rows);
    bool bag = bf__unpack_in(in, 0, 1);
    int64_t states = bf__unpack_count(in, 8 * (size_t)(d + actions)),
            pairs = bf__unpack_count(in, 8), edges = bf__unpack_count(in, 8);
    if (in->bad)
        return BF_OK;
    BF_TRY(bf__tally_make(t, d, actions, follow, exponent, arena, err));
    BF_TRY(bf__tally_reserve(t, states, pairs, edges, err));
    t->rows = rows;
    t->ended = ended;
    t->episodes = episodes;
    t->bag = bag;
    t->states.count = states;
    t->pairs.count = pairs;
    t->edges.count = edges;
    unpack_states(in, t);
    unpack_pairs(in, t);
    bf__unpack_i64s(in, t->edges.pair, edges, 0, pairs - 1);
    bf__unpack_i64s(in, t->edges.to, edges, 0, states - 1);
    bf__unpack_i64s(in, t->edges.first, edges, 0, INT64_MAX / 2);
    bf__unpack_i64s(in, t->edges.rows, edges, 1, INT64_MAX / 4);
    BF_TRY(bf__tally_index(&twice, t, err));
    in->bad = in->bad || twice;
    return BF_OK;
}

const bf__pass_kind bf__pass_counts = {
    .name = "counts", .add = add, .merge = merge, .pack = pack, .unpack = unpack};
