/* tally.c - The counts of a finite log: filled in any order, the same to the last bit.
 *
 * States are found by their coordinates and edges by (pair, next state), each in a table with open
 * addressing that is at most half full. Arrays grow by doubling within the arena, so that a tally
 * holds at most three times what it needs.
 *
 * Cost O(d) per row and state looked up; memory O(S (d + A) + pairs + edges), whatever the rows. */
#include "problem/tally.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/grow.h"

enum { ROOM = 64 };
static const double probability = 0x1p89; /* units of a sum of numbers up to 1.000001 */

/* ---- Growing */

static bf_status grow_states(bf__tally *t, int64_t room, bf_error *err) {
    bf__tally_states *s = &t->states;
    int64_t n = s->count, wide = n * t->actions, more = room * t->actions;
    BF__GROW(s->key, n * t->d, room * t->d, t->arena, err);
    BF__GROW(s->first, n, room, t->arena, err);
    BF__GROW(s->starts, n, room, t->arena, err);
    BF__GROW(s->pi, wide, more, t->arena, err);
    BF__GROW(s->low, wide, more, t->arena, err);
    BF__GROW(s->high, wide, more, t->arena, err);
    BF__GROW(s->pair, wide, more, t->arena, err);
    s->room = room;
    return BF_OK;
}

static bf_status grow_pairs(bf__tally *t, int64_t room, bf_error *err) {
    bf__tally_pairs *p = &t->pairs;
    BF__GROW(p->state, p->count, room, t->arena, err);
    BF__GROW(p->action, p->count, room, t->arena, err);
    BF__GROW(p->first, p->count, room, t->arena, err);
    BF__GROW(p->rows, p->count, room, t->arena, err);
    BF__GROW(p->ended, p->count, room, t->arena, err);
    BF__GROW(p->reward, p->count, room, t->arena, err);
    p->room = room;
    return BF_OK;
}

static bf_status grow_edges(bf__tally *t, int64_t room, bf_error *err) {
    bf__tally_edges *e = &t->edges;
    BF__GROW(e->pair, e->count, room, t->arena, err);
    BF__GROW(e->to, e->count, room, t->arena, err);
    BF__GROW(e->first, e->count, room, t->arena, err);
    BF__GROW(e->rows, e->count, room, t->arena, err);
    e->room = room;
    return BF_OK;
}

/* ---- Finding */

static uint64_t mix(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * 0xBF58476D1CE4E5B9u;
    return hash ^ (hash >> 29);
}

static uint64_t hash_state(const double *x, int d) {
    uint64_t hash = 0x9E3779B97F4A7C15u, bits;
    for (int j = 0; j < d; j++) {
        memcpy(&bits, &x[j], sizeof bits);
        hash = mix(hash, bits);
    }
    return hash ^ (hash >> 32);
}

static uint64_t hash_edge(int64_t pair, int64_t to) {
    uint64_t hash = mix(mix(0x9E3779B97F4A7C15u, (uint64_t)pair), (uint64_t)to);
    return hash ^ (hash >> 32);
}

/* The slot of the state, which holds its number or -1. Coordinates have no -0. */
static int64_t *state_slot(const bf__tally *t, const double *x) {
    const bf__tally_states *s = &t->states;
    size_t size = (size_t)t->d * sizeof *x;
    uint64_t at = hash_state(x, t->d) & s->mask;
    while (s->slots[at] >= 0 && memcmp(s->key + s->slots[at] * t->d, x, size) != 0)
        at = (at + 1) & s->mask;
    return &s->slots[at];
}

static int64_t *edge_slot(const bf__tally *t, int64_t pair, int64_t to) {
    const bf__tally_edges *e = &t->edges;
    uint64_t at = hash_edge(pair, to) & e->mask;
    while (e->slots[at] >= 0 && (e->pair[e->slots[at]] != pair || e->to[e->slots[at]] != to))
        at = (at + 1) & e->mask;
    return &e->slots[at];
}

/* A table of free slots, at least twice `room`. */
static bf_status clear_slots(int64_t **slots, uint64_t *mask, int64_t room, bf_arena *arena,
                             bf_error *err) {
    uint64_t size = 2 * ROOM;
    while (size < 2 * (uint64_t)room)
        size *= 2;
    BF_ALLOC(*slots, arena, (int64_t)size, err);
    memset(*slots, 0xFF, size * sizeof **slots);
    *mask = size - 1;
    return BF_OK;
}

bf_status bf__tally_index(bool *twice, bf__tally *t, bf_error *err) {
    bf__tally_states *s = &t->states;
    bf__tally_edges *e = &t->edges;
    *twice = false;
    BF_TRY(clear_slots(&s->slots, &s->mask, s->room, t->arena, err));
    BF_TRY(clear_slots(&e->slots, &e->mask, e->room, t->arena, err));
    for (int64_t k = 0; k < s->count; k++) {
        int64_t *slot = state_slot(t, s->key + k * t->d);
        *twice = *twice || *slot >= 0;
        *slot = k;
    }
    for (int64_t k = 0; k < e->count; k++) {
        int64_t *slot = edge_slot(t, e->pair[k], e->to[k]);
        *twice = *twice || *slot >= 0;
        *slot = k;
    }
    return BF_OK;
}

bf_status bf__tally_reserve(bf__tally *t, int64_t states, int64_t pairs, int64_t edges,
                            bf_error *err) {
    BF_TRY(grow_states(t, states + ROOM, err));
    BF_TRY(grow_pairs(t, pairs + ROOM, err));
    return grow_edges(t, edges + ROOM, err);
}

bf_status bf__tally_make(bf__tally *out, int d, int actions, bool follow, int exponent,
                         bf_arena *arena, bf_error *err) {
    bool twice;
    *out = (bf__tally){
        .d = d, .actions = actions, .follow = follow, .exponent = exponent, .arena = arena};
    BF_ALLOC(out->x, arena, d, err);
    BF_TRY(bf__tally_reserve(out, 0, 0, 0, err));
    return bf__tally_index(&twice, out, err);
}

int64_t bf__tally_find(const bf__tally *t, const double *x) {
    return *state_slot(t, x);
}

int64_t bf__tally_edge(const bf__tally *t, int64_t pair, int64_t to) {
    return *edge_slot(t, pair, to);
}

/* ---- Adding */

static bf_status more_states(bf__tally *t, bf_error *err) {
    bf__tally_states *s = &t->states;
    BF_TRY(grow_states(t, 2 * s->room, err));
    BF_TRY(clear_slots(&s->slots, &s->mask, s->room, t->arena, err));
    for (int64_t k = 0; k < s->count; k++)
        *state_slot(t, s->key + k * t->d) = k;
    return BF_OK;
}

static bf_status more_edges(bf__tally *t, bf_error *err) {
    bf__tally_edges *e = &t->edges;
    BF_TRY(grow_edges(t, 2 * e->room, err));
    BF_TRY(clear_slots(&e->slots, &e->mask, e->room, t->arena, err));
    for (int64_t k = 0; k < e->count; k++)
        *edge_slot(t, e->pair[k], e->to[k]) = k;
    return BF_OK;
}

/* The number of the state x (d), seen at `place`. */
static bf_status note_state(int64_t *out, bf__tally *t, const double *x, int64_t place,
                            bf_error *err) {
    bf__tally_states *s = &t->states;
    int64_t *slot = state_slot(t, x), k = *slot;
    if (k < 0) {
        if (s->count == INT32_MAX)
            return bf_fail(err, BF_EDATA, "a finite model takes fewer than 2^31 states");
        if (s->count == s->room) {
            BF_TRY(more_states(t, err));
            slot = state_slot(t, x);
        }
        *slot = k = s->count++;
        memcpy(s->key + k * t->d, x, (size_t)t->d * sizeof *x);
        s->first[k] = place;
        s->starts[k] = 0;
        for (int64_t a = k * t->actions; a < (k + 1) * t->actions; a++) {
            s->pi[a] = 0;
            s->low[a] = INFINITY;
            s->high[a] = -INFINITY;
            s->pair[a] = -1;
        }
    }
    if (place < s->first[k])
        s->first[k] = place;
    *out = k;
    return BF_OK;
}

static bf_status note_pair(int64_t *out, bf__tally *t, int64_t state, int32_t action, int64_t row,
                           bf_error *err) {
    bf__tally_pairs *p = &t->pairs;
    int64_t *place = &t->states.pair[state * t->actions + action], k = *place;
    if (k < 0) {
        if (p->count == p->room)
            BF_TRY(grow_pairs(t, 2 * p->room, err));
        *place = k = p->count++;
        p->state[k] = state;
        p->action[k] = action;
        p->first[k] = row;
        p->rows[k] = p->ended[k] = 0;
        p->reward[k] = 0;
    }
    if (row < p->first[k])
        p->first[k] = row;
    *out = k;
    return BF_OK;
}

static bf_status note_edge(bf__tally *t, int64_t pair, int64_t to, int64_t row, int64_t rows,
                           bf_error *err) {
    bf__tally_edges *e = &t->edges;
    int64_t *slot = edge_slot(t, pair, to), k = *slot;
    if (k < 0) {
        if (e->count == e->room) {
            BF_TRY(more_edges(t, err));
            slot = edge_slot(t, pair, to);
        }
        *slot = k = e->count++;
        e->pair[k] = pair;
        e->to[k] = to;
        e->first[k] = row;
        e->rows[k] = 0;
    }
    if (row < e->first[k])
        e->first[k] = row;
    e->rows[k] += rows;
    return BF_OK;
}

/* Row i of p (A, n) at a state. */
static void note_policy(bf__tally *t, int64_t state, const double *p, int64_t n, int64_t i) {
    bf__tally_states *s = &t->states;
    for (int a = 0; a < t->actions; a++) {
        double x = p[a * n + i];
        int64_t at = state * t->actions + a;
        bf__total_add(&s->pi[at], x, probability);
        s->low[at] = fmin(s->low[at], x);
        s->high[at] = fmax(s->high[at], x);
    }
}

static void take(double *x, const double *block, int d, int64_t n, int64_t i) {
    for (int j = 0; j < d; j++)
        x[j] = block[j * n + i] + 0.0; /* -0 becomes 0 */
}

bf_status bf__tally_add(bf__tally *t, const bf_dataset *data, int64_t first,
                        const bf__tally_rows *rows, bf_error *err) {
    int64_t n = data->n;
    double *x = t->x, scale = bf__total_scale(t->exponent), most = ldexp(1, t->exponent);
    char where[256];
    for (int64_t i = 0; i < n; i++) {
        int64_t state, next = -1, pair;
        bool ended = !t->follow && data->terminated && data->terminated[i];
        double r = data->reward[i];
        if (!(fabs(r) <= most))
            return bf_fail(err, BF_EDATA,
                           "%s: r: %.10g is larger than %g, which was to be the most",
                           bf_dataset_where(data, i, where, sizeof where), r, most);
        take(x, data->state, t->d, n, i);
        BF_TRY(note_state(&state, t, x, 2 * (first + i), err));
        BF_TRY(note_pair(&pair, t, state, data->action[i], first + i, err));
        if (!ended) {
            take(x, data->next_state, t->d, n, i);
            BF_TRY(note_state(&next, t, x, 2 * (first + i) + 1, err));
            BF_TRY(note_edge(t, pair, next, first + i, 1, err));
            note_policy(t, next, data->npi, n, i);
        }
        if (data->pi)
            note_policy(t, state, data->pi, n, i);
        t->pairs.rows[pair]++;
        t->pairs.ended[pair] += ended;
        bf__total_add(&t->pairs.reward[pair], r, scale);
        t->ended += ended;
        if (rows) {
            rows->state[i] = (int32_t)state;
            rows->next[i] = (int32_t)next;
            rows->pair[i] = pair;
        }
    }
    for (int64_t e = 0; e < data->episodes; e++) {
        take(x, data->state, t->d, n, data->order[data->begin[e]]);
        t->states.starts[*state_slot(t, x)]++;
    }
    t->rows += n;
    t->episodes += data->episodes;
    t->bag = t->bag || !data->begin;
    return BF_OK;
}

/* ---- Two become one */

static bf_status merge_states(int64_t *number, bf__tally *into, const bf__tally *from,
                              bf_error *err) {
    const bf__tally_states *s = &from->states;
    int actions = into->actions;
    for (int64_t k = 0; k < s->count; k++) {
        BF_TRY(note_state(&number[k], into, s->key + k * from->d, s->first[k], err));
        into->states.starts[number[k]] += s->starts[k];
        for (int a = 0; a < actions; a++) {
            int64_t to = number[k] * actions + a, of = k * actions + a;
            into->states.pi[to] = bf__total_join(into->states.pi[to], s->pi[of]);
            into->states.low[to] = fmin(into->states.low[to], s->low[of]);
            into->states.high[to] = fmax(into->states.high[to], s->high[of]);
        }
    }
    return BF_OK;
}

bf_status bf__tally_merge(bf__tally *into, const bf__tally *from, bf_error *err) {
    const bf__tally_pairs *p = &from->pairs;
    const bf__tally_edges *e = &from->edges;
    int64_t *state, *pair;
    if (into->d != from->d || into->actions != from->actions || into->follow != from->follow ||
        into->exponent != from->exponent)
        return bf_fail(err, BF_EUSAGE, "counts of different questions cannot be made one");
    BF_ALLOC(state, into->arena, from->states.count, err);
    BF_ALLOC(pair, into->arena, p->count, err);
    BF_TRY(merge_states(state, into, from, err));
    for (int64_t k = 0; k < p->count; k++) {
        BF_TRY(note_pair(&pair[k], into, state[p->state[k]], p->action[k], p->first[k], err));
        into->pairs.rows[pair[k]] += p->rows[k];
        into->pairs.ended[pair[k]] += p->ended[k];
        into->pairs.reward[pair[k]] = bf__total_join(into->pairs.reward[pair[k]], p->reward[k]);
    }
    for (int64_t k = 0; k < e->count; k++)
        BF_TRY(note_edge(into, pair[e->pair[k]], state[e->to[k]], e->first[k], e->rows[k], err));
    into->rows += from->rows;
    into->ended += from->ended;
    into->episodes += from->episodes;
    into->bag = into->bag || from->bag;
    return BF_OK;
}

/* ---- In order */

typedef struct placed {
    int64_t group, first, number;
} placed;

static int by_place(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* rank (count): where each goes, by group (NULL: all are of one) and first. */
static void rank_of(int64_t *rank, placed *list, const int64_t *group, const int64_t *first,
                    int64_t count) {
    for (int64_t k = 0; k < count; k++)
        list[k] = (placed){group ? group[k] : 0, first[k], k};
    qsort(list, (size_t)count, sizeof *list, by_place);
    for (int64_t k = 0; k < count; k++)
        rank[list[k].number] = k;
}

/* Item k of `array`, of `size` bytes, goes to place rank[k]. */
static void permute(void *array, void *spare, const int64_t *rank, int64_t count, size_t size) {
    char *to = spare, *from = array;
    for (int64_t k = 0; k < count; k++)
        memcpy(to + (size_t)rank[k] * size, from + (size_t)k * size, size);
    memcpy(array, spare, (size_t)count * size);
}

bf_status bf__tally_sort(bf__tally *t, bf_error *err) {
    bf__tally_states *s = &t->states;
    bf__tally_pairs *p = &t->pairs;
    bf__tally_edges *e = &t->edges;
    int64_t most = s->count > p->count ? s->count : p->count, *state, *pair, *edge;
    size_t wide = (size_t)t->actions * sizeof(bf__total), row = (size_t)t->d * sizeof *s->key;
    placed *list;
    char *spare;
    bool twice;
    bf_mark mark = bf_arena_mark(t->arena);
    most = e->count > most ? e->count : most;
    wide = row > wide ? row : wide;
    BF_ALLOC(list, t->arena, most, err);
    BF_ALLOC(spare, t->arena, most * (int64_t)wide, err);
    BF_ALLOC(state, t->arena, s->count, err);
    BF_ALLOC(pair, t->arena, p->count, err);
    BF_ALLOC(edge, t->arena, e->count, err);
    rank_of(state, list, NULL, s->first, s->count);
    rank_of(pair, list, NULL, p->first, p->count);
    for (int64_t k = 0; k < p->count; k++)
        p->state[k] = state[p->state[k]];
    for (int64_t k = 0; k < e->count; k++) {
        e->pair[k] = pair[e->pair[k]];
        e->to[k] = state[e->to[k]];
    }
    for (int64_t k = 0; k < s->count * t->actions; k++)
        s->pair[k] = s->pair[k] < 0 ? -1 : pair[s->pair[k]];
    rank_of(edge, list, e->pair, e->first, e->count);
    size_t actions = (size_t)t->actions;
    permute(s->key, spare, state, s->count, row);
    permute(s->first, spare, state, s->count, sizeof *s->first);
    permute(s->starts, spare, state, s->count, sizeof *s->starts);
    permute(s->pi, spare, state, s->count, actions * sizeof *s->pi);
    permute(s->low, spare, state, s->count, actions * sizeof *s->low);
    permute(s->high, spare, state, s->count, actions * sizeof *s->high);
    permute(s->pair, spare, state, s->count, actions * sizeof *s->pair);
    permute(p->state, spare, pair, p->count, sizeof *p->state);
    permute(p->action, spare, pair, p->count, sizeof *p->action);
    permute(p->first, spare, pair, p->count, sizeof *p->first);
    permute(p->rows, spare, pair, p->count, sizeof *p->rows);
    permute(p->ended, spare, pair, p->count, sizeof *p->ended);
    permute(p->reward, spare, pair, p->count, sizeof *p->reward);
    permute(e->pair, spare, edge, e->count, sizeof *e->pair);
    permute(e->to, spare, edge, e->count, sizeof *e->to);
    permute(e->first, spare, edge, e->count, sizeof *e->first);
    permute(e->rows, spare, edge, e->count, sizeof *e->rows);
    bf_arena_rewind(t->arena, mark);
    return bf__tally_index(&twice, t, err);
}
