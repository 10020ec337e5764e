/* cells.c - A log as a finite model: visited (s, a) pairs, where they lead, what they pay.
 *
 * Works for any log whose states repeat: a state is a vector of numbers, two states are the same
 * where all numbers are. Cost O(n d) with hashing; memory O(n + S A). */
#include "problem/cells.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

/* ---- Numbering states */

typedef struct numbering {
    const bf_dataset *data;
    int32_t *slots;   /* -1 is free; by the state itself where states are whole numbers, */
    uint64_t mask;    /* by open addressing otherwise; 0: the former */
    int64_t *example; /* (2n): as in bf__cells */
    int64_t count;
} numbering;

/* Coordinate j of point `id`: row id / 2, its state or (odd) its next state. */
static double coordinate(const bf_dataset *data, int64_t id, int j) {
    const double *block = id & 1 ? data->next_state : data->state;
    return block[(int64_t)j * data->n + id / 2] + 0.0; /* -0 becomes 0 */
}

static bool same_state(const bf_dataset *data, int64_t a, int64_t b) {
    for (int j = 0; j < data->state_dim; j++)
        if (coordinate(data, a, j) != coordinate(data, b, j))
            return false;
    return true;
}

static int32_t add_state(numbering *s, uint64_t at, int64_t id) {
    s->slots[at] = (int32_t)s->count;
    s->example[s->count] = id;
    return (int32_t)s->count++;
}

static int32_t number_of(numbering *s, int64_t id) {
    if (s->mask == 0) {
        uint64_t at = (uint64_t)coordinate(s->data, id, 0);
        return s->slots[at] >= 0 ? s->slots[at] : add_state(s, at, id);
    }
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int j = 0; j < s->data->state_dim; j++) {
        double x = coordinate(s->data, id, j);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 0xBF58476D1CE4E5B9u;
        hash ^= hash >> 29;
    }
    hash ^= hash >> 32;
    for (uint64_t at = hash & s->mask;; at = (at + 1) & s->mask) {
        int32_t found = s->slots[at];
        if (found < 0)
            return add_state(s, at, id);
        if (same_state(s->data, s->example[found], id))
            return found;
    }
}

/* state (n) and next (n): numbers of s and s'; -1 for the next state of a row that ended. */
static bf_status number_states(bf__cells *m, const bf_dataset *data, int32_t *state, int32_t *next,
                               bf_arena *arena, bf_error *err) {
    numbering s = {.data = data};
    int64_t *example;
    BF_ALLOC(example, arena, 2 * data->n + 1, err);
    s.example = example;
    bf_mark mark = bf_arena_mark(arena);
    bool direct = data->states > 0 && data->states < 4 * data->n + 1024;
    int64_t room = direct ? data->states : 16;
    while (!direct && room < 4 * data->n)
        room *= 2;
    BF_ALLOC(s.slots, arena, room, err);
    memset(s.slots, 0xFF, (size_t)room * sizeof *s.slots);
    s.mask = direct ? 0 : (uint64_t)room - 1;
    for (int64_t i = 0; i < data->n; i++) {
        state[i] = number_of(&s, 2 * i);
        next[i] = bf__step_ended(&m->steps, i) ? -1 : number_of(&s, 2 * i + 1);
    }
    bf_arena_rewind(arena, mark);
    m->states = s.count;
    m->example = example;
    return BF_OK;
}

/* ---- Cells and the policy */

static bf_status collect_cells(bf__cells *m, const bf_dataset *data, const int32_t *state,
                               bf_arena *arena, bf_error *err) {
    int64_t n = data->n, pairs = m->states * m->actions, limit = n + 1;
    int64_t *row_cell, *count, *cell_at;
    int32_t *state_of, *action_of;
    double *reward;
    BF_ALLOC(row_cell, arena, n, err);
    BF_ALLOC(cell_at, arena, pairs, err);
    if (pairs + 1 < limit)
        limit = pairs + 1;
    BF_ALLOC(state_of, arena, limit, err);
    BF_ALLOC(action_of, arena, limit, err);
    BF_ZALLOC(count, arena, limit, err);
    BF_ZALLOC(reward, arena, limit, err);
    for (int64_t i = 0; i < pairs; i++)
        cell_at[i] = -1;
    m->cells = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t *cell = &cell_at[state[i] * (int64_t)m->actions + data->action[i]];
        if (*cell < 0) {
            *cell = m->cells++;
            state_of[*cell] = state[i];
            action_of[*cell] = data->action[i];
        }
        row_cell[i] = *cell;
        count[*cell]++;
        reward[*cell] += data->reward[i];
    }
    for (int64_t c = 0; c < m->cells; c++)
        reward[c] /= (double)count[c];
    if (m->absorbing) {
        int64_t c = m->cells++;
        state_of[c] = (int32_t)(m->states - 1);
        action_of[c] = 0;
        cell_at[(m->states - 1) * m->actions] = c;
    }
    m->row_cell = row_cell;
    m->cell_at = cell_at;
    m->state_of = state_of;
    m->action_of = action_of;
    m->count = count;
    m->reward = reward;
    return BF_OK;
}

/* Adds one row's pi to the sums, and notes how far it is from the first seen for that state. */
static void add_policy(bf__cells *m, double *pi, int64_t *seen, int64_t *first, int32_t s,
                       const double *block, int64_t n, int64_t row, int64_t id,
                       const bf_dataset *data) {
    if (seen[s]++ == 0)
        first[s] = id;
    const double *early = first[s] & 1 ? data->npi : data->pi;
    for (int a = 0; a < m->actions; a++) {
        double p = block[a * n + row];
        pi[(int64_t)s * m->actions + a] += p;
        double apart = fabs(p - early[a * n + first[s] / 2]);
        if (apart > m->pi_disagreement)
            m->pi_disagreement = apart;
    }
}

static bf_status collect_policy(bf__cells *m, const bf_dataset *data, const int32_t *state,
                                const int32_t *next, bf_arena *arena, bf_error *err) {
    double *pi;
    int64_t *seen, *first;
    BF_ZALLOC(pi, arena, m->states * m->actions, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ZALLOC(seen, arena, m->states, err);
    BF_ZALLOC(first, arena, m->states, err);
    for (int64_t i = 0; i < data->n; i++) {
        if (next[i] >= 0)
            add_policy(m, pi, seen, first, next[i], data->npi, data->n, i, 2 * i + 1, data);
        if (data->pi)
            add_policy(m, pi, seen, first, state[i], data->pi, data->n, i, 2 * i, data);
    }
    for (int64_t s = 0; s < m->states; s++) {
        double sum = 0; /* the rows' own sums may be off by what the reader lets pass */
        for (int a = 0; a < m->actions; a++)
            sum += pi[s * m->actions + a];
        for (int a = 0; a < m->actions && sum > 0; a++)
            pi[s * m->actions + a] /= sum;
    }
    bf_arena_rewind(arena, mark);
    if (m->absorbing)
        pi[(m->states - 1) * m->actions] = 1;
    m->pi = pi;
    return BF_OK;
}

/* ---- Where cells lead */

static bf_status collect_flow(bf__cells *m, const bf_dataset *data, const int32_t *next,
                              bf_arena *arena, bf_error *err) {
    int64_t n = data->n, *begin, *order, *fill;
    int32_t *to;
    double *prob, *restart;
    BF_ALLOC(begin, arena, m->cells + 1, err);
    BF_ALLOC(to, arena, n + 1 + m->cells, err);
    BF_ALLOC(prob, arena, n + 1 + m->cells, err);
    BF_ZALLOC(restart, arena, m->cells, err);
    bf_mark mark = bf_arena_mark(arena);
    /* Rows by cell. */
    BF_ALLOC(order, arena, n, err);
    BF_ZALLOC(fill, arena, m->cells + 1, err);
    for (int64_t c = 0; c < m->cells; c++)
        fill[c + 1] = fill[c] + m->count[c];
    for (int64_t i = 0; i < n; i++)
        order[fill[m->row_cell[i]]++] = i;
    /* Next states of one cell are gathered in `share`, touched entries only. */
    double *share;
    BF_ZALLOC(share, arena, m->states, err);
    int64_t edges = 0, row = 0;
    for (int64_t c = 0; c < m->cells; c++) {
        begin[c] = edges;
        double each = m->count[c] ? m->steps.gamma / (double)m->count[c] : 0;
        for (int64_t k = 0; k < m->count[c]; k++, row++) {
            int64_t i = order[row];
            int32_t s = next[i];
            if (s < 0 && m->steps.restarts) {
                restart[c] += each;
                continue;
            }
            if (s < 0)
                s = (int32_t)(m->states - 1);
            if (share[s] == 0)
                to[edges++] = s;
            share[s] += each;
        }
        if (m->count[c] == 0) { /* the absorbing cell */
            to[edges++] = m->state_of[c];
            share[m->state_of[c]] = m->steps.gamma;
        }
        for (int64_t j = begin[c]; j < edges; j++) {
            prob[j] = share[to[j]];
            share[to[j]] = 0;
        }
        restart[c] += 1 - m->steps.gamma;
    }
    begin[m->cells] = edges;
    bf_arena_rewind(arena, mark);
    m->begin = begin;
    m->to = to;
    m->prob = prob;
    m->restart = restart;
    return BF_OK;
}

bf_status bf__cells_build(bf__cells *out, const bf_problem *problem, bf_arena *arena,
                          bf_error *err) {
    const bf_dataset *data = problem->data;
    if (!data->action)
        return bf_fail(err, BF_EDATA,
                       "tabular weights need discrete actions: the log has real-valued ones");
    if (data->n > INT32_MAX / 2)
        return bf_fail(err, BF_EDATA, "tabular weights take at most 2^30 transitions");
    bf__cells m = {.actions = data->actions, .steps = bf__steps_of(problem)};
    m.absorbing = m.steps.absorbs;
    int32_t *state, *next;
    BF_ALLOC(state, arena, data->n, err);
    BF_ALLOC(next, arena, data->n, err);
    BF_TRY(number_states(&m, data, state, next, arena, err));
    m.row_state = state;
    m.row_next = next;
    if (m.absorbing)
        m.states++;
    BF_TRY(collect_cells(&m, data, state, arena, err));
    BF_TRY(collect_policy(&m, data, state, next, arena, err));
    BF_TRY(collect_flow(&m, data, next, arena, err));
    double *start;
    BF_ZALLOC(start, arena, m.states, err);
    for (int64_t e = 0; e < data->episodes; e++)
        start[state[data->order[data->begin[e]]]] += 1.0 / (double)data->episodes;
    m.start = start;
    m.has_start = data->episodes > 0;
    *out = m;
    return BF_OK;
}
