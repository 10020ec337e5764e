/* survey_bytes.c - What was seen of a log as bytes. Sums are settled and sets are sorted, so that
 * the bytes do not depend on how rows were dealt. */
#include <math.h>
#include <stdio.h>

#include "core/fail.h"
#include "pass/survey.h"

enum { MOST_COLUMNS = 1 << 20, LONGEST_TEXT = 1100 };

static void pack_spot(bf__packer *out, const bf__spot *spot) {
    bf__pack_text(out, spot->path);
    bf__pack_i64(out, spot->row);
    bf__pack_i64(out, spot->by_line);
    bf__pack_i64(out, spot->by_episode);
}

static void pack_column(bf__packer *out, bf__seen_column *c) {
    bf__exact_sum_settle(&c->sum);
    bf__exact_sum_settle(&c->squares);
    bf__pack_totals(out, c->sum.bin, BF__EXACT_BINS);
    bf__pack_totals(out, c->squares.bin, BF__EXACT_BINS);
    bf__pack_i64(out, c->too_large);
    bf__pack_f64(out, c->low);
    bf__pack_f64(out, c->high);
    pack_spot(out, &c->low_at);
    pack_spot(out, &c->high_at);
}

static bf_status pack_set(bf__packer *out, bf__distinct *set, bf_error *err) {
    const uint64_t *list;
    BF_TRY(bf__distinct_sorted(&list, set, out->arena, err));
    bf__pack_i64(out, set->full);
    bf__pack_u64(out, set->full ? set->limit : 0);
    bf__pack_i64(out, set->count);
    for (int64_t k = 0; k < set->count; k++)
        bf__pack_u64(out, list[k]);
    return BF_OK;
}

bf_status bf__seen_pack(bf__packer *out, void *self, bf_error *err) {
    bf__seen *s = self;
    if (s->named)
        return bf_fail(err, BF_EDATA,
                       "columns of words: a survey of a log with words cannot be sent or kept");
    const int64_t numbers[] = {
        s->state_dim,  s->action_dim, s->samples,  s->actions,        s->states,
        s->real_state, s->bag,        s->inferred, s->rows,           s->read,
        s->dropped,    s->episodes,   s->steps,    s->broken,         s->terminated,
        s->truncated,  s->masked,     s->mirrored, s->ignored != NULL};
    bf__pack_i64s(out, numbers, (int64_t)(sizeof numbers / sizeof *numbers));
    for (int k = 0; k < BF__SEEN_HAS; k++)
        bf__pack_i64(out, s->has[k]);
    if (s->state_dim == 0)
        return BF_OK;
    for (int j = 0; j < s->state_dim; j++)
        bf__pack_text(out, s->names[j]);
    if (s->ignored)
        bf__pack_text(out, s->ignored);
    for (int c = 0; c < bf__seen_columns(s); c++)
        pack_column(out, &s->column[c]);
    bf__pack_i64s(out, s->action_count, s->actions);
    bf__pack_i64s(out, s->mask_count, s->actions);
    bf__pack_i64(out, s->length_count);
    for (int64_t k = 0; k < s->length_count; k++) {
        bf__pack_i64(out, s->lengths[k].length);
        bf__pack_i64(out, s->lengths[k].count);
    }
    bf__few_pack(out, &s->few);
    BF_TRY(pack_set(out, &s->starts, err));
    return pack_set(out, &s->transitions, err);
}

static bf_status unpack_spot(bf__spot *spot, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    const char *path;
    BF_TRY(bf__unpack_text(&path, in, BF__SEEN_PATH - 1, arena, err));
    snprintf(spot->path, sizeof spot->path, "%s", path);
    spot->row = bf__unpack_i64(in);
    spot->by_line = bf__unpack_in(in, 0, 1);
    spot->by_episode = bf__unpack_in(in, 0, 1);
    return BF_OK;
}

static bf_status unpack_column(bf__seen_column *c, bf__unpacker *in, bf_arena *arena,
                               bf_error *err) {
    bf__unpack_totals(in, c->sum.bin, BF__EXACT_BINS);
    bf__unpack_totals(in, c->squares.bin, BF__EXACT_BINS);
    for (int k = 0; k < BF__EXACT_BINS; k++) { /* settled, as they were written */
        bf__total least = k + 1 < BF__EXACT_BINS ? 0 : -((bf__total)1 << 62);
        bf__total most = (bf__total)1 << (k + 1 < BF__EXACT_BINS ? 32 : 62);
        in->bad = in->bad || c->sum.bin[k] < least || c->sum.bin[k] >= most ||
                  c->squares.bin[k] < least || c->squares.bin[k] >= most;
    }
    c->too_large = bf__unpack_in(in, 0, 1);
    c->low = bf__unpack_f64(in);
    c->high = bf__unpack_f64(in);
    in->bad = in->bad || isnan(c->low) || isnan(c->high);
    BF_TRY(unpack_spot(&c->low_at, in, arena, err));
    return unpack_spot(&c->high_at, in, arena, err);
}

static bf_status unpack_set(bf__distinct *set, bf__unpacker *in, bf_error *err) {
    bool full = bf__unpack_in(in, 0, 1);
    uint64_t limit = bf__unpack_u64(in), before = 0;
    int64_t count = bf__unpack_count(in, 8);
    in->bad = in->bad || count > BF__DISTINCT || (full && limit == 0);
    for (int64_t k = 0; k < count && !in->bad; k++) {
        uint64_t hash = bf__unpack_u64(in);
        in->bad = in->bad || hash <= before || (full && hash >= limit);
        before = hash;
        BF_TRY(bf__distinct_add(set, hash, err));
    }
    set->full = full;
    set->limit = limit;
    return BF_OK;
}

static void unpack_numbers(bf__seen *s, bool *ignored, bf__unpacker *in) {
    const int64_t many = INT64_MAX / 4;
    s->state_dim = (int)bf__unpack_in(in, 0, MOST_COLUMNS);
    s->action_dim = (int)bf__unpack_in(in, 0, 1 << 10);
    s->samples = (int)bf__unpack_in(in, 0, 1 << 10);
    s->actions = (int)bf__unpack_in(in, 0, 1 << 20);
    s->states = bf__unpack_in(in, -1, INT32_MAX);
    s->real_state = bf__unpack_in(in, 0, 1);
    s->bag = bf__unpack_in(in, 0, 1);
    s->inferred = bf__unpack_in(in, 0, 1);
    int64_t *sums[] = {&s->rows,   &s->read,       &s->dropped,   &s->episodes, &s->steps,
                       &s->broken, &s->terminated, &s->truncated, &s->masked};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        *sums[k] = bf__unpack_in(in, 0, many);
    s->mirrored = bf__unpack_in(in, 0, 1);
    *ignored = bf__unpack_in(in, 0, 1);
    for (int k = 0; k < BF__SEEN_HAS; k++)
        s->has[k] = bf__unpack_in(in, 0, 1);
}

bf_status bf__seen_unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__seen *s;
    bool ignored;
    BF_TRY(bf__seen_make(&s, arena, err));
    *self = s;
    unpack_numbers(s, &ignored, in);
    /* A column takes more than 2,000 bytes, an action 16: no more than that can be asked for. */
    in->bad = in->bad || (size_t)bf__seen_columns(s) > (in->size - in->at) / 2000 + 3 ||
              (size_t)s->actions > (in->size - in->at) / 16 ||
              (s->state_dim == 0 && (s->rows > 0 || s->actions > 0 || s->action_dim > 0)) ||
              (s->state_dim > 0 && s->rows == 0) || (s->action_dim > 0 && s->actions > 0);
    if (in->bad || s->state_dim == 0)
        return BF_OK;
    BF_ALLOC(s->names, arena, s->state_dim, err);
    for (int j = 0; j < s->state_dim; j++)
        BF_TRY(bf__unpack_text(&s->names[j], in, BF__SEEN_NAME - 1, arena, err));
    if (ignored)
        BF_TRY(bf__unpack_text(&s->ignored, in, LONGEST_TEXT, arena, err));
    BF_TRY(bf__seen_make_columns(s, err));
    for (int c = 0; c < bf__seen_columns(s) && !in->bad; c++)
        BF_TRY(unpack_column(&s->column[c], in, arena, err));
    int actions = s->actions;
    s->actions = 0;
    BF_TRY(bf__seen_make_actions(s, actions, err));
    bf__unpack_i64s(in, s->action_count, actions, 0, INT64_MAX / 4);
    bf__unpack_i64s(in, s->mask_count, actions, 0, INT64_MAX / 4);
    int64_t lengths = bf__unpack_count(in, 16), before = 0;
    for (int64_t k = 0; k < lengths && !in->bad; k++) {
        int64_t length = bf__unpack_in(in, before + 1, INT64_MAX / 4);
        BF_TRY(bf__seen_add_length(s, length, bf__unpack_in(in, 1, INT64_MAX / 4), err));
        before = length;
    }
    bf__few_unpack(&s->few, in);
    BF_TRY(unpack_set(&s->starts, in, err));
    return unpack_set(&s->transitions, in, err);
}
