/* cells.c - A log as a finite model: visited (s, a) pairs, where they lead, what they pay.
 *
 * Works for any log whose states repeat: a state is a vector of numbers, two states are the same
 * where all numbers are. A log in memory is counted (tally.c) as one that is read in pieces is, so
 * that both give the same model to the last digit.
 *
 * Cost O(n d) with hashing; memory O(n + S A). */
#include "problem/cells.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/row_weights.h"

/* ---- What was counted */

/* The counts of a tally as numbers: rows, or sums of their weights. */
typedef struct sums {
    double *rows, *ended, *reward; /* (pairs); reward is the mean */
    double *edge;                  /* (edges) */
    double *start;                 /* (states), of sum 1; all 0 if there are no start states */
} sums;

static bf_status make_sums(sums *out, const bf__tally *t, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(out->rows, arena, t->pairs.count, err);
    BF_ZALLOC(out->ended, arena, t->pairs.count, err);
    BF_ZALLOC(out->reward, arena, t->pairs.count, err);
    BF_ZALLOC(out->edge, arena, t->edges.count, err);
    BF_ZALLOC(out->start, arena, t->states.count, err);
    return BF_OK;
}

/* Whether there are start states. */
static bool has_start(const bf__tally *t) {
    return t->episodes > 0 && !t->bag;
}

/* Every row counts the same. */
static void count_rows(sums *out, const bf__tally *t) {
    double scale = bf__total_scale(t->exponent);
    for (int64_t c = 0; c < t->pairs.count; c++) {
        out->rows[c] = (double)t->pairs.rows[c];
        out->ended[c] = (double)t->pairs.ended[c];
        out->reward[c] = bf__total_mean(t->pairs.reward[c], t->pairs.rows[c], scale);
    }
    for (int64_t k = 0; k < t->edges.count; k++)
        out->edge[k] = (double)t->edges.rows[k];
    for (int64_t s = 0; s < t->states.count && has_start(t); s++)
        out->start[s] = (double)t->states.starts[s] / (double)t->episodes;
}

/* Rows count by their weights w (n). */
static bf_status weigh_rows(sums *out, const bf__tally *t, const bf__tally_rows *rows,
                            const bf_dataset *data, const double *w, bf_arena *arena,
                            bf_error *err) {
    const double *start;
    BF_TRY(bf__start_weights(&start, data, arena, err));
    for (int64_t i = 0; i < data->n; i++) {
        int64_t c = rows->pair[i];
        out->rows[c] += w[i];
        out->reward[c] += w[i] * data->reward[i];
        if (rows->next[i] >= 0)
            out->edge[bf__tally_edge(t, c, rows->next[i])] += w[i];
        else
            out->ended[c] += w[i];
    }
    for (int64_t c = 0; c < t->pairs.count; c++)
        out->reward[c] /= out->rows[c];
    for (int64_t e = 0; e < data->episodes; e++)
        out->start[rows->state[data->order[data->begin[e]]]] += start[e] / (double)data->episodes;
    return BF_OK;
}

/* ---- Pairs and the policy */

static bf_status take_pairs(bf__cells *m, const bf__tally *t, const sums *of, bf_arena *arena,
                            bf_error *err) {
    const bf__tally_pairs *p = &t->pairs;
    int64_t cells = p->count + m->absorbing, *cell_at;
    int32_t *state_of, *action_of;
    double *reward, *count, *ended;
    BF_ALLOC(cell_at, arena, m->states * m->actions, err);
    BF_ALLOC(state_of, arena, cells, err);
    BF_ALLOC(action_of, arena, cells, err);
    BF_ALLOC(count, arena, cells, err);
    BF_ALLOC(ended, arena, cells, err);
    BF_ALLOC(reward, arena, cells, err);
    memcpy(cell_at, t->states.pair, (size_t)(t->states.count * m->actions) * sizeof *cell_at);
    for (int64_t c = 0; c < p->count; c++) {
        state_of[c] = (int32_t)p->state[c];
        action_of[c] = p->action[c];
        count[c] = of->rows[c];
        ended[c] = of->ended[c];
        reward[c] = of->reward[c];
    }
    m->cells = cells;
    if (m->absorbing) {
        int64_t c = p->count;
        state_of[c] = (int32_t)(m->states - 1);
        action_of[c] = 0;
        count[c] = ended[c] = 0;
        reward[c] = 0;
        for (int a = 0; a < m->actions; a++)
            cell_at[(m->states - 1) * m->actions + a] = a == 0 ? c : -1;
    }
    m->cell_at = cell_at;
    m->state_of = state_of;
    m->action_of = action_of;
    m->count = count;
    m->ended = ended;
    m->reward = reward;
    return BF_OK;
}

/* The mean over the rows that give pi for a state, scaled to sum to 1: the rows' own sums may be
 * off by what the reader lets pass. */
static bf_status take_policy(bf__cells *m, const bf__tally *t, bf_arena *arena, bf_error *err) {
    const bf__tally_states *s = &t->states;
    double *pi;
    BF_ZALLOC(pi, arena, m->states * m->actions, err);
    for (int64_t k = 0; k < s->count; k++) {
        double sum = 0;
        for (int64_t at = k * m->actions; at < (k + 1) * m->actions; at++) {
            sum += pi[at] = bf__total_value(s->pi[at], 1);
            m->pi_disagreement = fmax(m->pi_disagreement, s->high[at] - s->low[at]);
        }
        for (int64_t at = k * m->actions; at < (k + 1) * m->actions && sum > 0; at++)
            pi[at] /= sum;
    }
    if (m->absorbing)
        pi[(m->states - 1) * m->actions] = 1;
    m->pi = pi;
    return BF_OK;
}

/* ---- Where pairs lead */

static bf_status take_flow(bf__cells *m, const bf__tally *t, const sums *of, bf_arena *arena,
                           bf_error *err) {
    const bf__tally_edges *e = &t->edges;
    int64_t *begin, edges = 0, at = 0;
    int32_t *to;
    double *prob, *restart, gamma = m->steps.gamma;
    BF_ALLOC(begin, arena, m->cells + 1, err);
    BF_ALLOC(to, arena, e->count + m->cells, err);
    BF_ALLOC(prob, arena, e->count + m->cells, err);
    BF_ALLOC(restart, arena, m->cells, err);
    for (int64_t c = 0; c < m->cells; c++) {
        double rows = m->count[c];
        begin[c] = edges;
        for (; at < e->count && e->pair[at] == c; at++) {
            to[edges] = (int32_t)e->to[at];
            prob[edges++] = gamma * of->edge[at] / rows;
        }
        bool stays = m->absorbing && (m->ended[c] > 0 || m->count[c] == 0);
        if (stays) { /* what ended, and the absorbing pair itself */
            to[edges] = (int32_t)(m->states - 1);
            prob[edges++] = m->count[c] > 0 ? gamma * m->ended[c] / rows : gamma;
        }
        restart[c] = 1 - gamma;
        if (m->ended[c] > 0 && !m->absorbing)
            restart[c] += gamma * m->ended[c] / rows;
    }
    begin[m->cells] = edges;
    m->begin = begin;
    m->to = to;
    m->prob = prob;
    m->restart = restart;
    return BF_OK;
}

static bf_status take_starts(bf__cells *m, const bf__tally *t, const sums *of, bf_arena *arena,
                             bf_error *err) {
    double *start;
    BF_ZALLOC(start, arena, m->states, err);
    m->has_start = has_start(t);
    memcpy(start, of->start, (size_t)t->states.count * sizeof *start);
    m->start = start;
    return BF_OK;
}

static bf_status make(bf__cells *out, const bf__tally *tally, const sums *of, double gamma,
                      bf_terminal terminal, bf_arena *arena, bf_error *err) {
    bf__cells m = {.actions = tally->actions,
                   .rows = tally->rows,
                   .steps = bf__steps_any(tally->ended > 0, gamma, terminal)};
    m.absorbing = m.steps.absorbs;
    m.states = tally->states.count + m.absorbing;
    m.dim = tally->d;
    m.point = tally->states.key;
    BF_TRY(take_pairs(&m, tally, of, arena, err));
    BF_TRY(take_policy(&m, tally, arena, err));
    BF_TRY(take_flow(&m, tally, of, arena, err));
    BF_TRY(take_starts(&m, tally, of, arena, err));
    *out = m;
    return BF_OK;
}

bf_status bf__cells_of(bf__cells *out, const bf__tally *tally, double gamma, bf_terminal terminal,
                       bf_arena *arena, bf_error *err) {
    sums of;
    BF_TRY(make_sums(&of, tally, arena, err));
    count_rows(&of, tally);
    return make(out, tally, &of, gamma, terminal, arena, err);
}

/* ---- A log in memory */

static int reward_exponent(const bf_dataset *data) {
    double most = 0;
    for (int64_t i = 0; i < data->n; i++)
        most = fmax(most, fabs(data->reward[i]));
    return bf__total_exponent(most);
}

static bf_status mean_durations(bf__cells *m, const bf_dataset *data, bf_arena *arena,
                                bf_error *err) {
    double *mean;
    BF_ZALLOC(mean, arena, m->cells, err);
    for (int64_t i = 0; i < data->n; i++)
        mean[m->row_cell[i]] +=
            (m->row_weight ? m->row_weight[i] : 1) * data->elapsed[i] / m->count[m->row_cell[i]];
    m->duration = mean;
    return BF_OK;
}

bf_status bf__cells_build(bf__cells *out, const bf_problem *problem, bf_arena *arena,
                          bf_error *err) {
    const bf_dataset *data = problem->data;
    bf__tally tally;
    bf__tally_rows rows;
    if (!data->action)
        return bf_fail(err, BF_EDATA,
                       "tabular weights need discrete actions: the log has real-valued ones");
    if (data->n > INT32_MAX / 2)
        return bf_fail(err, BF_EDATA, "tabular weights take at most 2^30 transitions");
    BF_ALLOC(rows.state, arena, data->n, err);
    BF_ALLOC(rows.next, arena, data->n, err);
    BF_ALLOC(rows.pair, arena, data->n, err);
    BF_TRY(bf__tally_make(&tally, data->state_dim, data->actions,
                          problem->terminal == BF_TERMINAL_IGNORE, reward_exponent(data), arena,
                          err));
    BF_TRY(bf__tally_add(&tally, data, 0, &rows, err));
    BF_TRY(bf__tally_sort(&tally, err)); /* states and pairs are in order already; edges by pair */
    sums of;
    const double *w;
    BF_TRY(make_sums(&of, &tally, arena, err));
    BF_TRY(bf__row_weights_array(&w, data, arena, err));
    if (w)
        BF_TRY(weigh_rows(&of, &tally, &rows, data, w, arena, err));
    else
        count_rows(&of, &tally);
    BF_TRY(make(out, &tally, &of, problem->gamma, (bf_terminal)problem->terminal, arena, err));
    out->steps = bf__steps_of(problem);
    out->row_weight = w;
    out->row_state = rows.state;
    out->row_next = rows.next;
    out->row_cell = rows.pair;
    return data->elapsed ? mean_durations(out, data, arena, err) : BF_OK;
}

bf_status bf__cells_weights(double **out, const bf__cells *m, const double *mass, bf_arena *arena,
                            bf_error *err) {
    double *w;
    BF_ALLOC(w, arena, m->rows, err);
    for (int64_t i = 0; i < m->rows; i++)
        w[i] = mass[m->row_cell[i]] / m->count[m->row_cell[i]] *
               (m->row_weight ? m->row_weight[i] : 1);
    *out = w;
    return BF_OK;
}
