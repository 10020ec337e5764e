/* count_model.c - The count model of a finite log under the target policy, solved.
 *
 * The model is the log's frequencies: from pair (s, a) to s' as often as the log went there, at the
 * mean reward. Gaps, where the target takes actions that the log never shows in a state, are filled
 * by what the log does show, in that state and then anywhere:
 *
 *     the share of the target that was never seen in s does what the log did in s, but for a part
 *     PRIOR / (rows in s + PRIOR) of it, which goes on somewhere as the log did: at a state drawn
 *     from all its rows (LOG)
 *
 * so a state that was met once, by an action that leads nowhere, is no trap; and the part vanishes
 * with data. In a state without any rows all of it leaves. Where some pairs that the target takes
 * lead to each other only, on few rows, and the log has gaps elsewhere, that they are never left is
 * no more than N rows say: they are left with probability PRIOR / (N + PRIOR) a step. A log without
 * gaps is taken at its word.
 *
 * Value   sum_s d(s) r(s), d the stationary distribution of the chain of the target. Several closed
 *         classes are mixed by the probability of ending in each from START.
 * Cost    that of the chain (solver/chain.c): O(S^3) up to some thousand states, then sweeps. */
#include "problem/count_model.h"

#include <math.h>

#include "core/fail.h"

static const double prior = 0.3; /* rows; chosen on logs of bench/gaps, seeds 1 to 3 */

/* pi (C) and leave (S); miss (S) the share of the target that was never seen. */
static void choose(double *pi, double *leave, double *miss, const bf__cells *m) {
    for (int64_t s = 0; s < m->states; s++) {
        double known = 0, all = 0, rows = 0;
        bool ended = m->absorbing && s == m->states - 1;
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            all += m->pi[s * m->actions + a];
            if (c < 0)
                continue;
            known += m->pi[s * m->actions + a];
            rows += m->count[c];
        }
        bool whole = ended || (all > 0 && known >= all * (1 - 1e-12));
        miss[s] = ended ? 0 : all > 0 ? 1 - known / all : 1;
        leave[s] = whole ? 0 : miss[s] * prior / (rows + prior);
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            if (c >= 0 && whole)
                pi[c] = ended ? 1 : m->pi[s * m->actions + a] / known;
            else if (c >= 0)
                pi[c] = (all > 0 ? m->pi[s * m->actions + a] / all : 0) +
                        (miss[s] - leave[s]) * m->count[c] / rows;
        }
    }
}

/* Closed sets of states that few rows say are closed: they are left, too. Whether there are any. */
static bool open_traps(double *pi, double *leave, const bf__count_model *count, double *rows) {
    const bf__cells *m = count->cells;
    double total = 0;
    int closed = 0;
    for (int32_t k = 0; k < count->classes.count; k++) {
        rows[k] = 0;
        closed += count->classes.closed[k];
    }
    for (int64_t c = 0; c < m->cells; c++) {
        rows[count->classes.class_of[m->state_of[c]]] += m->count[c];
        total += m->count[c];
    }
    bool any = false;
    for (int64_t c = 0; c < m->cells; c++) {
        int32_t k = count->classes.class_of[m->state_of[c]];
        bool trap = count->classes.closed[k] && rows[k] > 0 && (closed > 1 || 2 * rows[k] < total);
        if (trap)
            pi[c] *= rows[k] / (rows[k] + prior);
        any = any || trap;
    }
    for (int64_t s = 0; s < m->states; s++) {
        double stays = 0;
        for (int a = 0; a < m->actions; a++)
            if (m->cell_at[s * m->actions + a] >= 0)
                stays += pi[m->cell_at[s * m->actions + a]];
        if (count->classes.closed[count->classes.class_of[s]] && stays < 1 - 1e-12)
            leave[s] = 1 - stays;
    }
    return any;
}

/* The edges of state s; returns how many. */
static int64_t leads(int32_t *index, double *prob, double *reward, const bf__count_model *out,
                     int64_t s) {
    const bf__cells *m = out->cells;
    int64_t edges = 0;
    for (int a = 0; a < m->actions; a++) {
        int64_t c = m->cell_at[s * m->actions + a];
        if (c < 0)
            continue;
        *reward += out->pi[c] * m->reward[c];
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++) {
            index[edges] = m->to[j];
            prob[edges++] = out->pi[c] * m->prob[j];
        }
        index[edges] = (int32_t)m->states;
        prob[edges++] = out->pi[c] * m->restart[c];
    }
    if (out->leave[s] > 0) {
        index[edges] = (int32_t)m->states + 1;
        prob[edges++] = out->leave[s];
    }
    return edges;
}

static bf_status build(bf__count_model *out, const double *start, const double *rows,
                       bf_arena *arena, bf_error *err) {
    const bf__cells *m = out->cells;
    int64_t states = m->states, most = 4 * states, edges = 0, nodes = states + 1, *begin;
    int32_t *index;
    double *prob, *reward;
    for (int64_t c = 0; c < m->cells; c++)
        most += m->begin[c + 1] - m->begin[c] + 1;
    for (int64_t s = 0; s < states; s++)
        if (out->leave[s] > 0)
            nodes = states + 2;
    BF_ALLOC(begin, arena, states + 3, err);
    BF_ALLOC(index, arena, most, err);
    BF_ALLOC(prob, arena, most, err);
    BF_ZALLOC(reward, arena, states + 2, err);
    for (int64_t s = 0; s < nodes; s++) {
        begin[s] = edges;
        if (s < states)
            edges += leads(index + edges, prob + edges, reward + s, out, s);
        for (int64_t t = 0; t < states && s >= states; t++) {
            double to = s == states ? start[t] : rows[t];
            if (to > 0) {
                index[edges] = (int32_t)t;
                prob[edges++] = to;
            }
        }
    }
    begin[nodes] = edges;
    out->chain = (bf__chain){nodes, begin, index, prob};
    out->reward = reward;
    return bf__chain_classes(&out->classes, &out->chain, arena, err);
}

/* rows (S): the log's own share of time in each state; start (S) where the process restarts: the
 * log's start states, or, for want of them, its states. */
static bf_status start_of(double **start, double **rows, const bf__cells *m, bf_arena *arena,
                          bf_error *err) {
    double total = 0;
    BF_ZALLOC(*start, arena, m->states, err);
    BF_ZALLOC(*rows, arena, m->states, err);
    for (int64_t c = 0; c < m->cells; c++)
        total += m->count[c];
    for (int64_t c = 0; c < m->cells; c++)
        (*rows)[m->state_of[c]] += m->count[c] / total;
    for (int64_t s = 0; s < m->states; s++)
        (*start)[s] = m->has_start ? m->start[s] : (*rows)[s];
    return BF_OK;
}

/* The mean duration of a step, if the long run is d (nodes), of which `inside` are steps; 1 if
 * steps are the time. */
static double duration_of(const bf__count_model *count, const double *d, double inside) {
    const bf__cells *m = count->cells;
    double time = 0;
    for (int64_t c = 0; c < m->cells && m->duration; c++)
        time += d[m->state_of[c]] / inside * count->pi[c] * m->duration[c];
    return time > 0 ? time : 1;
}

/* Each closed class: its gain, and its share of the long run. */
static bf_status solve_classes(bf__count_model *out, const bf_context *context, bf_arena *arena,
                               bf_error *err) {
    int64_t states = out->cells->states, nodes = out->chain.n;
    double *gain, *mass, *share, *from, *d;
    BF_ALLOC(gain, arena, out->classes.count, err);
    BF_ZALLOC(mass, arena, states, err);
    BF_ZALLOC(share, arena, out->classes.count, err);
    BF_ZALLOC(from, arena, nodes, err);
    BF_ALLOC(d, arena, nodes, err);
    for (int32_t k = 0; k < out->classes.count; k++)
        out->closed += out->classes.closed[k];
    from[states] = 1;
    if (out->closed > 1)
        BF_TRY(bf__chain_absorption(share, &out->chain, &out->classes, from, context, arena, err));
    for (int32_t k = 0; k < out->classes.count; k++) {
        double residual, inside = 0;
        gain[k] = 0;
        if (!out->classes.closed[k])
            continue;
        BF_TRY(
            bf__chain_stationary(d, &residual, &out->chain, &out->classes, k, context, arena, err));
        for (int64_t s = 0; s < states; s++)
            inside += d[s] * (1 - out->leave[s]);
        double part = out->closed == 1 ? 1 : share[k];
        for (int64_t s = 0; s < states; s++) {
            gain[k] += d[s] / inside * out->reward[s];
            mass[s] += part * d[s] / inside;
        }
        if (nodes > states + 1)
            out->left += part * d[states + 1] / inside;
        out->residual = fmax(out->residual, residual);
        double time = duration_of(out, d, inside);
        out->low = fmin(out->low, gain[k] / time);
        out->high = fmax(out->high, gain[k] / time);
        out->value += part * gain[k];
    }
    out->gain = gain;
    out->mass = mass;
    return BF_OK;
}

bf_status bf__count_model_build(bf__count_model *out, const bf__cells *cells, bf_arena *arena,
                                bf_error *err) {
    double *pi, *leave, *miss, *start, *rows, *of_class;
    *out = (bf__count_model){.cells = cells, .low = INFINITY, .high = -INFINITY, .covered = 1};
    BF_ALLOC(pi, arena, cells->cells, err);
    BF_ALLOC(leave, arena, cells->states, err);
    BF_ALLOC(miss, arena, cells->states, err);
    choose(pi, leave, miss, cells);
    out->pi = pi;
    out->leave = leave;
    out->miss = miss;
    BF_TRY(start_of(&start, &rows, cells, arena, err));
    BF_TRY(build(out, start, rows, arena, err));
    BF_ALLOC(of_class, arena, out->classes.count, err);
    if (out->chain.n > cells->states + 1 && open_traps(pi, leave, out, of_class))
        BF_TRY(build(out, start, rows, arena, err));
    return BF_OK;
}

bf_status bf__count_model_solve(bf__count_model *out, const bf__cells *cells,
                                const bf_context *context, bf_arena *arena, bf_error *err) {
    double visits = 0, seen = 0;
    BF_TRY(bf__count_model_build(out, cells, arena, err));
    BF_TRY(solve_classes(out, context, arena, err));
    for (int64_t s = 0; s < cells->states; s++) {
        visits += out->mass[s];
        seen += out->mass[s] * (1 - out->miss[s]);
    }
    out->covered = visits > 0 && seen < visits * (1 - 1e-14) ? seen / visits : 1;
    return BF_OK;
}

/* v (nodes): what q is worth at each node, on the way out of it. */
static void node_values(double *v, const bf__count_model *count, const double *q) {
    const bf__cells *m = count->cells;
    const bf__chain *chain = &count->chain;
    int64_t log_node = m->states + 1;
    double known = 0,
           passed = 0; /* of LOG: q of the states it leads to, and how often it is back */
    for (int64_t c = 0; c < m->cells; c++)
        v[m->state_of[c]] += count->pi[c] * q[c];
    if (chain->n > log_node) {
        for (int64_t j = chain->begin[log_node]; j < chain->begin[log_node + 1]; j++) {
            known += chain->prob[j] * v[chain->index[j]];
            passed += chain->prob[j] * count->leave[chain->index[j]];
        }
        v[log_node] = known / (1 - passed);
        for (int64_t s = 0; s < m->states; s++)
            v[s] += count->leave[s] * v[log_node];
    }
    for (int64_t j = chain->begin[m->states]; j < chain->begin[m->states + 1]; j++)
        v[m->states] += chain->prob[j] * v[chain->index[j]];
}

bf_status bf__count_model_gap(double *gap, const bf__count_model *count, const double *q,
                              bf_arena *arena, bf_error *err) {
    const bf__cells *m = count->cells;
    double *v;
    bf_mark mark = bf_arena_mark(arena);
    BF_ZALLOC(v, arena, count->chain.n, err);
    node_values(v, count, q);
    for (int64_t c = 0; c < m->cells; c++) {
        gap[c] = q[c] - m->restart[c] * v[m->states];
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            gap[c] -= m->prob[j] * v[m->to[j]];
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
