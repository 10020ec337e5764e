/* survey.c - What is in a log, for `inspect`: ranges and moments of its columns, how often actions
 * were taken, lengths of episodes, and how many different start states and transitions there are.
 *
 * Counts are whole numbers and sums are exact (core/exact_sum.h). Lengths are counted one by one:
 * n rows have at most sqrt(2 n) different ones. Different states and transitions are counted up to
 * 2^20, and estimated beyond (core/distinct.h).
 *
 * Cost    O(1) per number
 * Memory  3 kB per column, 16 bytes per length, at most 24 MB for each of the two sets */
#include "pass/survey.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/grow.h"
#include "core/mix.h"
#include "dataset/mask.h"

/* ---- Making */

bf_status bf__seen_make(bf__seen **out, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, 1, err);
    **out = (bf__seen){.states = -1,
                       .starts = bf__distinct_make(BF__DISTINCT, arena),
                       .transitions = bf__distinct_make(BF__DISTINCT, arena),
                       .arena = arena};
    return BF_OK;
}

bf_status bf__seen_make_columns(bf__seen *s, bf_error *err) {
    BF_TRY(bf__few_begin(&s->few, 2 * s->state_dim + s->action_dim + 1, s->arena, err));
    BF_ZALLOC(s->column, s->arena, bf__seen_columns(s), err);
    for (int c = 0; c < bf__seen_columns(s); c++) {
        s->column[c].low = INFINITY;
        s->column[c].high = -INFINITY;
    }
    return BF_OK;
}

static bf_status copy_text(const char **out, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    strcpy(copy, text);
    *out = copy;
    return BF_OK;
}

static void find_form(bf__seen *out, const bf_dataset *d) {
    out->state_dim = d->state_dim;
    out->action_dim = d->action_dim;
    out->samples = d->samples;
    out->real_state = d->real_state;
    out->named = d->action_names || d->state_labels || d->episode_words;
    const bool has[BF__SEEN_HAS] = {
        [BF__HAS_PI] = d->pi,         [BF__HAS_NPI] = d->npi,           [BF__HAS_NA] = d->na,
        [BF__HAS_MU] = d->mu,         [BF__HAS_MU_ALL] = d->mu_all,     [BF__HAS_MASK] = d->mask,
        [BF__HAS_WEIGHT] = d->weight, [BF__HAS_DURATION] = d->duration,
    };
    memcpy(out->has, has, sizeof has);
}

static bf_status begin(bf__seen *s, const bf_dataset *d, bf_error *err) {
    find_form(s, d);
    BF_TRY(bf__seen_make_columns(s, err));
    BF_ALLOC(s->names, s->arena, s->state_dim, err);
    for (int j = 0; j < s->state_dim; j++) {
        char name[BF__SEEN_NAME];
        BF_TRY(
            copy_text(&s->names[j], bf_dataset_state_name(d, j, name, sizeof name), s->arena, err));
    }
    return d->ignored ? copy_text(&s->ignored, d->ignored, s->arena, err) : BF_OK;
}

/* Batches of one log have the same columns, under the same names. */
static bf_status compare(const bf__seen *s, const bf__seen *o, bf_error *err) {
    bool same = s->state_dim == o->state_dim && s->action_dim == o->action_dim &&
                s->samples == o->samples && s->real_state == o->real_state &&
                memcmp(s->has, o->has, sizeof s->has) == 0;
    for (int j = 0; same && o->names && j < s->state_dim; j++)
        same = strcmp(s->names[j], o->names[j]) == 0;
    if (!same)
        return bf_fail(err, BF_EDATA, "batches of one log have to have the same columns");
    if (s->named || o->named)
        return bf_fail(err, BF_EDATA,
                       "columns of words: a survey of a log in parts holds numbers, because words "
                       "have other codes in every part");
    return BF_OK;
}

bf_status bf__seen_make_actions(bf__seen *s, int actions, bf_error *err) {
    if (actions > s->action_room) {
        int64_t *counts, *masks;
        BF_ZALLOC(counts, s->arena, actions, err);
        BF_ZALLOC(masks, s->arena, actions, err);
        for (int a = 0; a < s->actions; a++) {
            counts[a] = s->action_count[a];
            masks[a] = s->mask_count[a];
        }
        s->action_count = counts;
        s->mask_count = masks;
        s->action_room = actions;
    }
    s->actions = actions > s->actions ? actions : s->actions;
    return BF_OK;
}

/* ---- Adding */

static bool is_before(const bf__spot *a, const bf__spot *b) {
    int order = strcmp(a->path, b->path);
    return order != 0 ? order < 0 : a->row < b->row;
}

static void take_low(bf__seen_column *c, double low, const bf__spot *at) {
    if (low < c->low || (low == c->low && is_before(at, &c->low_at)))
        c->low_at = *at;
    c->low = fmin(c->low, low);
}

static void take_high(bf__seen_column *c, double high, const bf__spot *at) {
    if (high > c->high || (high == c->high && is_before(at, &c->high_at)))
        c->high_at = *at;
    c->high = fmax(c->high, high);
}

static bf__spot spot_of(const bf_dataset *d, const bf_source *source, int64_t i) {
    bf__spot spot = {.row = d->row ? d->row[i] : i};
    if (source) {
        snprintf(spot.path, sizeof spot.path, "%s", source->path);
        spot.by_line = source->by_line;
        spot.by_episode = source->by_episode;
    }
    return spot;
}

/* Rows [from, to) of a column, which are of one file. */
static void add_range(bf__seen_column *c, const double *x, const bf_dataset *d,
                      const bf_source *source, int64_t from, int64_t to) {
    int64_t low = from, high = from;
    if (from >= to)
        return;
    for (int64_t i = from; i < to; i++) {
        low = x[i] < x[low] ? i : low;
        high = x[i] > x[high] ? i : high;
        bf__exact_sum_add(&c->sum, x[i]);
        if (fabs(x[i]) < 1e150)
            bf__exact_sum_add_square(&c->squares, x[i]);
        else
            c->too_large = true;
    }
    bf__spot first = spot_of(d, source, low), last = spot_of(d, source, high);
    take_low(c, x[low], &first);
    take_high(c, x[high], &last);
}

static void add_column(bf__seen_column *c, const double *x, const bf_dataset *d) {
    for (int f = 0; x && f < d->source_count; f++)
        add_range(c, x, d, &d->sources[f], d->sources[f].first,
                  f + 1 < d->source_count ? d->sources[f + 1].first : d->n);
    if (x && d->source_count == 0)
        add_range(c, x, d, NULL, 0, d->n);
}

static void add_columns(bf__seen *s, const bf_dataset *d) {
    int64_t n = d->n;
    bf__seen_column *c = s->column;
    for (int j = 0; j < s->state_dim; j++)
        add_column(c++, d->state + j * n, d);
    for (int j = 0; j < s->state_dim; j++)
        add_column(c++, d->next_state + j * n, d);
    for (int k = 0; k < s->action_dim; k++)
        add_column(c++, d->action_vector + k * n, d);
    add_column(c++, d->reward, d);
    add_column(c++, d->weight, d);
    add_column(c, d->duration, d);
}

static uint64_t hash_state(const bf_dataset *d, const double *state, int64_t i, uint64_t hash) {
    for (int j = 0; j < d->state_dim; j++)
        hash = bf__mix_real(hash, state[j * d->n + i]);
    return hash;
}

static void take_row(double *to, const bf_dataset *d, int64_t i) {
    for (int j = 0; j < d->state_dim; j++)
        *to++ = d->state[j * d->n + i];
    for (int j = 0; j < d->state_dim; j++)
        *to++ = d->next_state[j * d->n + i];
    for (int k = 0; k < d->action_dim; k++)
        *to++ = d->action_vector[k * d->n + i];
    *to = d->reward[i];
}

static bf_status add_rows(bf__seen *s, const bf_dataset *d, bf_error *err) {
    for (int64_t i = 0; i < d->n; i++) {
        uint64_t hash = hash_state(d, d->next_state, i, hash_state(d, d->state, i, 1));
        bool any = false;
        double *few;
        hash = bf__mix_real(hash, d->reward[i]);
        if (d->action)
            hash = bf__mix_real(hash, d->action[i]);
        for (int k = 0; k < d->action_dim; k++)
            hash = bf__mix_real(hash, d->action_vector[k * d->n + i]);
        BF_TRY(bf__distinct_add(&s->transitions, hash, err));
        if (bf__few_take(&few, &s->few, hash))
            take_row(few, d, i);
        if (d->action)
            s->action_count[d->action[i]]++;
        s->terminated += d->terminated && d->terminated[i];
        s->truncated += d->truncated && d->truncated[i];
        for (int a = 0; d->mask && a < d->actions; a++) {
            any |= bf__masked(d, i, a);
            s->mask_count[a] += bf__masked(d, i, a);
        }
        s->masked += any;
    }
    return BF_OK;
}

/* Counts episodes of this length; lengths are in order. */
bf_status bf__seen_add_length(bf__seen *s, int64_t length, int64_t count, bf_error *err) {
    int64_t low = 0, high = s->length_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->lengths[middle].length < length)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->length_count && s->lengths[low].length == length) {
        s->lengths[low].count += count;
        return BF_OK;
    }
    if (s->length_count == s->length_room) {
        int64_t room = 2 * s->length_room + 64;
        BF__GROW(s->lengths, s->length_count, room, s->arena, err);
        s->length_room = room;
    }
    memmove(s->lengths + low + 1, s->lengths + low,
            (size_t)(s->length_count - low) * sizeof *s->lengths);
    s->lengths[low] = (bf__length){length, count};
    s->length_count++;
    return BF_OK;
}

/* Whether the next state of row i is the state of row k. */
static bool leads_to(const bf_dataset *d, int64_t i, int64_t k) {
    for (int j = 0; j < d->state_dim; j++)
        if (d->next_state[j * d->n + i] != d->state[j * d->n + k])
            return false;
    return true;
}

static bf_status add_episodes(bf__seen *s, const bf_dataset *d, bf_error *err) {
    for (int64_t e = 0; e < d->episodes; e++) {
        int64_t first = d->begin[e], end = d->begin[e + 1];
        BF_TRY(bf__seen_add_length(s, end - first, 1, err));
        BF_TRY(bf__distinct_add(&s->starts, hash_state(d, d->state, d->order[first], 1), err));
        for (int64_t j = first; j + 1 < end; j++)
            s->broken += !leads_to(d, d->order[j], d->order[j + 1]);
        s->steps += end - first - 1;
    }
    s->episodes += d->episodes;
    return BF_OK;
}

static void join_states(bf__seen *s, int64_t states) {
    if (s->states == 0 || states == 0)
        s->states = 0; /* real-valued somewhere is real-valued */
    else
        s->states = states > s->states ? states : s->states;
}

static bf_status add(void *self, const bf_dataset *d, int64_t first, int threads, bf_arena *scratch,
                     bf_error *err) {
    bf__seen *s = self, here = {.states = -1};
    (void)first;
    (void)threads;
    (void)scratch;
    if (s->state_dim > 0) {
        find_form(&here, d);
        BF_TRY(compare(s, &here, err));
    } else {
        BF_TRY(begin(s, d, err));
    }
    if (d->action)
        BF_TRY(bf__seen_make_actions(s, d->actions, err));
    add_columns(s, d);
    BF_TRY(add_rows(s, d, err));
    BF_TRY(add_episodes(s, d, err));
    join_states(s, d->states);
    s->bag = s->bag || !d->begin;
    s->inferred = s->inferred || d->episodes_inferred;
    s->mirrored = s->mirrored || d->mirrored;
    s->rows += d->n;
    s->read += d->rows_read;
    s->dropped += d->rows_dropped;
    return BF_OK;
}

/* ---- Made one */

static void join_column(bf__seen_column *c, const bf__seen_column *o) {
    bf__exact_sum_join(&c->sum, &o->sum);
    bf__exact_sum_join(&c->squares, &o->squares);
    c->too_large = c->too_large || o->too_large;
    take_low(c, o->low, &o->low_at);
    take_high(c, o->high, &o->high_at);
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    bf__seen *s = into;
    const bf__seen *o = from;
    if (o->state_dim == 0)
        return BF_OK;
    if (s->state_dim == 0) {
        s->state_dim = o->state_dim;
        s->action_dim = o->action_dim;
        s->samples = o->samples;
        s->real_state = o->real_state;
        memcpy(s->has, o->has, sizeof s->has);
        BF_ALLOC(s->names, s->arena, s->state_dim, err);
        for (int j = 0; j < s->state_dim; j++)
            BF_TRY(copy_text(&s->names[j], o->names[j], s->arena, err));
        if (o->ignored)
            BF_TRY(copy_text(&s->ignored, o->ignored, s->arena, err));
        BF_TRY(bf__seen_make_columns(s, err));
    }
    BF_TRY(compare(s, o, err));
    BF_TRY(bf__seen_make_actions(s, o->actions, err));
    for (int c = 0; c < bf__seen_columns(s); c++)
        join_column(&s->column[c], &o->column[c]);
    for (int a = 0; a < o->actions; a++) {
        s->action_count[a] += o->action_count[a];
        s->mask_count[a] += o->mask_count[a];
    }
    for (int64_t k = 0; k < o->length_count; k++)
        BF_TRY(bf__seen_add_length(s, o->lengths[k].length, o->lengths[k].count, err));
    BF_TRY(bf__distinct_join(&s->starts, &o->starts, err));
    BF_TRY(bf__distinct_join(&s->transitions, &o->transitions, err));
    bf__few_join(&s->few, &o->few);
    join_states(s, o->states);
    s->bag = s->bag || o->bag;
    s->inferred = s->inferred || o->inferred;
    s->mirrored = s->mirrored || o->mirrored;
    int64_t *sums[] = {&s->rows,   &s->read,       &s->dropped,   &s->episodes, &s->steps,
                       &s->broken, &s->terminated, &s->truncated, &s->masked};
    const int64_t more[] = {o->rows,   o->read,       o->dropped,   o->episodes, o->steps,
                            o->broken, o->terminated, o->truncated, o->masked};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        *sums[k] += more[k];
    return BF_OK;
}

const bf__pass_kind bf__pass_survey = {.name = "survey",
                                       .any_rows = true,
                                       .add = add,
                                       .merge = merge,
                                       .pack = bf__seen_pack,
                                       .unpack = bf__seen_unpack};

bf_status bf_pass_survey(bf_pass **out, bf_arena *arena, bf_error *err) {
    bf__seen *s;
    BF_TRY(bf__seen_make(&s, arena, err));
    return bf__pass_make(out, &bf__pass_survey, s, arena, err);
}

bf_status bf__seen_of(bf__seen **out, const bf_pass *pass, bf_error *err) {
    if (pass->kind != &bf__pass_survey)
        return bf_fail(err, BF_EUSAGE, "a pass `%s` where `survey` is needed", pass->kind->name);
    *out = pass->self;
    return BF_OK;
}
