/* survey.c - What is in a log, in numbers and in words.
 *
 * The words are about what spoils an estimate later: columns that were not understood, actions
 * never seen, next states that are not the next rows', a policy that is missing where restarts
 * will ask for it. Cost: a few passes over the columns; O(n log n) for the lengths of episodes. */
#include "report/survey.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/numeric.h"
#include "dataset/extreme.h"
#include "dataset/mask.h"

#define HASHED 1000000 /* transitions among which repetitions are looked for */

static bf_status note(bf__survey *out, bf_arena *arena, bf_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bf_status note(bf__survey *out, bf_arena *arena, bf_error *err, const char *format, ...) {
    char *text;
    va_list arguments;
    if (out->note_count == BF__NOTES)
        return BF_OK;
    BF_ALLOC(text, arena, 1280, err);
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    vsnprintf(text, 1280, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    out->notes[out->note_count++] = text;
    return BF_OK;
}

const char *bf__plural(int64_t count, const char *noun, char text[64]) {
    snprintf(text, 64, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
    return text;
}

static bf__range range_of(const double *x, int64_t n) {
    bf__range r = {x[0], 0, x[0], 0};
    double squares = 0;
    for (int64_t i = 0; i < n; i++) {
        r.min = x[i] < r.min ? x[i] : r.min;
        r.max = x[i] > r.max ? x[i] : r.max;
        r.mean += x[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - r.mean) * (x[i] - r.mean) / (double)n;
    r.sd = r.min == r.max ? 0 : sqrt(squares);
    return r;
}

static uint64_t mix(uint64_t hash, double value) {
    uint64_t bits;
    value += 0.0; /* -0 and 0 are the same number */
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

/* Puts `hash` into the table of 2^k slots; false where it was there already. */
static bool insert(uint64_t *slots, uint64_t mask, uint64_t hash) {
    hash += hash == 0;
    uint64_t at = (hash * 0xD6E8FEB86659FD93u) >> 20 & mask;
    for (; slots[at]; at = (at + 1) & mask)
        if (slots[at] == hash)
            return false;
    slots[at] = hash;
    return true;
}

static bf_status hash_table(uint64_t **slots, uint64_t *mask, int64_t n, bf_arena *arena,
                            bf_error *err) {
    uint64_t size = 16;
    while (size < 2 * (uint64_t)n)
        size *= 2;
    *mask = size - 1;
    BF_ZALLOC(*slots, arena, (int64_t)size, err);
    return BF_OK;
}

static uint64_t hash_state(const bf_dataset *d, const double *state, int64_t i, uint64_t hash) {
    for (int j = 0; j < d->state_dim; j++)
        hash = mix(hash, state[j * d->n + i]);
    return hash;
}

static bf_status count_repeated(bf__survey *out, const bf_dataset *d, bf_arena *arena,
                                bf_error *err) {
    uint64_t *slots = NULL, mask = 0;
    int64_t n = d->n < HASHED ? d->n : HASHED, repeated = 0;
    BF_TRY(hash_table(&slots, &mask, n, arena, err));
    for (int64_t i = 0; i < n; i++) {
        uint64_t hash = hash_state(d, d->next_state, i, hash_state(d, d->state, i, 1));
        hash = mix(hash, d->reward[i]);
        if (d->action)
            hash = mix(hash, d->action[i]);
        for (int k = 0; k < d->action_dim; k++)
            hash = mix(hash, d->action_vector[k * d->n + i]);
        repeated += !insert(slots, mask, hash);
    }
    out->repeated = (double)repeated / (double)n;
    return BF_OK;
}

static bf_status count_masks(bf__survey *out, const bf_dataset *d, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(out->mask_count, arena, d->actions, err);
    for (int64_t i = 0; i < d->n; i++) {
        bool any = false;
        for (int a = 0; a < d->actions; a++) {
            any |= bf__masked(d, i, a);
            out->mask_count[a] += bf__masked(d, i, a);
        }
        out->masked += any;
    }
    return BF_OK;
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bf_status take_episodes(bf__survey *out, const bf_dataset *d, bf_arena *arena,
                               bf_error *err) {
    int64_t *length, steps = 0, broken = 0;
    uint64_t *slots = NULL, mask = 0;
    if (!d->begin)
        return BF_OK;
    BF_ALLOC(length, arena, d->episodes, err);
    BF_TRY(hash_table(&slots, &mask, d->episodes, arena, err));
    for (int64_t e = 0; e < d->episodes; e++) {
        length[e] = d->begin[e + 1] - d->begin[e];
        out->start_states += insert(slots, mask, hash_state(d, d->state, d->order[d->begin[e]], 1));
        for (int64_t j = d->begin[e]; j + 1 < d->begin[e + 1]; j++, steps++)
            broken += hash_state(d, d->next_state, d->order[j], 1) !=
                      hash_state(d, d->state, d->order[j + 1], 1);
    }
    qsort(length, (size_t)d->episodes, sizeof *length, by_size);
    out->shortest = length[0];
    out->median = length[d->episodes / 2];
    out->longest = length[d->episodes - 1];
    out->broken = steps ? (double)broken / (double)steps : 0;
    return BF_OK;
}

/* ---- Words */

static bf_status note_extreme(bf__survey *out, const bf_dataset *d, bf_arena *arena,
                              bf_error *err) {
    bf__extreme x;
    char where[256];
    if (!bf__dataset_extreme(&x, d))
        return BF_OK;
    return note(out, arena, err,
                "%s: %s: %g is far from everything else in its column, where nine of ten numbers "
                "are within %g of %g: is it meant?",
                bf_dataset_where(d, x.row, where, sizeof where), x.column, x.value, x.usual,
                x.middle);
}

static bf_status note_columns(bf__survey *out, const bf_dataset *d, bf_arena *arena,
                              bf_error *err) {
    if (d->ignored)
        BF_TRY(
            note(out, arena, err, "columns that mean nothing here were ignored: %s", d->ignored));
    for (int j = 0; j < d->state_dim; j++) {
        char name[128];
        if (out->state[j].min == out->state[j].max)
            BF_TRY(note(out, arena, err, "state column %s is constant (%g): it tells nothing",
                        bf_dataset_state_name(d, j, name, sizeof name), out->state[j].min));
    }
    if (out->reward.min == out->reward.max)
        BF_TRY(note(out, arena, err, "the reward is always %g: every policy earns that",
                    out->reward.min));
    for (int a = 0; a < d->actions; a++) {
        char name[128];
        if (out->action_count[a] == 0)
            BF_TRY(note(out, arena, err,
                        "action %s was never taken: nothing is known about what follows it",
                        bf_dataset_action_name(d, a, name, sizeof name)));
    }
    if (!d->states && out->repeated > 0.01)
        BF_TRY(note(out, arena, err, "%.3g%% of the transitions are exact copies of earlier ones",
                    100 * out->repeated));
    return BF_OK;
}

static bf_status note_episodes(bf__survey *out, const bf_dataset *d, bf_arena *arena,
                               bf_error *err) {
    char text[64], gaps[512];
    if (bf_dataset_gaps_text(d, gaps, sizeof gaps))
        BF_TRY(note(out, arena, err, "%s", gaps));
    if (d->mirrored)
        BF_TRY(note(out, arena, err,
                    "every row counts as its mirror, too: half of the transitions and of the "
                    "episodes are mirrored ones"));
    if (d->rows_left_out)
        BF_TRY(note(out, arena, err, "%s left out at random, in whole episodes",
                    bf__plural(d->rows_left_out, "row", text)));
    if (d->rows_dropped)
        BF_TRY(note(out, arena, err,
                    "%s dropped: the last row of an unterminated episode has no next state",
                    bf__plural(d->rows_dropped, "row", text)));
    if (d->episodes_inferred)
        BF_TRY(note(out, arena, err,
                    "there is no column episode or t: episodes were told by the order of rows"));
    if (!d->begin)
        BF_TRY(note(out, arena, err,
                    "no episodes: start states are not known, so terminated steps cannot restart "
                    "and `gamma` has to be 1; a column episode would help"));
    if (out->broken > 0)
        BF_TRY(note(out, arena, err,
                    "in %.3g%% of the steps within an episode the next state is not the state of "
                    "the next row: are the rows complete and in order?",
                    100 * out->broken));
    return BF_OK;
}

static bf_status note_policy(bf__survey *out, const bf_dataset *d, bf_arena *arena, bf_error *err) {
    if (!d->npi && !d->na)
        BF_TRY(note(out, arena, err, "no target policy in the log (%s): `policy` will be needed",
                    d->action ? "columns npi0, ..." : "columns na0_0, ..."));
    if (d->npi && !d->pi && out->terminated)
        BF_TRY(note(out, arena, err,
                    "steps terminate, but the target policy at start states is not known (columns "
                    "pi0, ...): restarts will need `policy`"));
    return BF_OK;
}

bf_status bf__survey_take(bf__survey *out, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    int64_t n = data->n;
    *out = (bf__survey){0};
    BF_ALLOC(out->state, arena, data->state_dim, err);
    BF_ALLOC(out->action_vector, arena, data->action_dim, err);
    BF_ZALLOC(out->action_count, arena, data->actions, err);
    for (int j = 0; j < data->state_dim; j++)
        out->state[j] = range_of(data->state + j * n, n);
    for (int k = 0; k < data->action_dim; k++)
        out->action_vector[k] = range_of(data->action_vector + k * n, n);
    out->reward = range_of(data->reward, n);
    if (data->weight)
        out->weight = range_of(data->weight, n);
    if (data->duration)
        out->duration = range_of(data->duration, n);
    for (int64_t i = 0; i < n; i++) {
        if (data->action)
            out->action_count[data->action[i]]++;
        out->terminated += data->terminated && data->terminated[i];
        out->truncated += data->truncated && data->truncated[i];
    }
    if (data->mask)
        BF_TRY(count_masks(out, data, arena, err));
    BF_TRY(count_repeated(out, data, arena, err));
    BF_TRY(take_episodes(out, data, arena, err));
    BF_TRY(note_extreme(out, data, arena, err));
    BF_TRY(note_columns(out, data, arena, err));
    BF_TRY(note_episodes(out, data, arena, err));
    return note_policy(out, data, arena, err);
}
