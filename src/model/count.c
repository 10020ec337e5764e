/* count.c - The count model of a finite log under the target policy, solved.
 *
 * The model is the log's frequencies: from pair (s, a) to s' as often as the log went there, at the
 * mean reward. Where the target takes actions that the log never shows in a state, it is taken to
 * choose among the others (`covered` says how often that matters); in a state where the log shows
 * no action at all, the process restarts.
 *
 * Value   sum_s d(s) r(s), d the stationary distribution of the chain of the target. Several closed
 *         classes are mixed by the probability of ending in each from START.
 * Cost    that of the chain (solver/chain.c): O(S^3) up to some thousand states, then sweeps. */
#include "model/count.h"

#include <math.h>

#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"

/* pi (C) from the policy, over the actions seen; miss (S) the share of those that are not. */
static void choose(double *pi, double *miss, const bf__cells *m) {
    for (int64_t s = 0; s < m->states; s++) {
        double known = 0, all = 0, rows = 0;
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            all += m->pi[s * m->actions + a];
            if (c < 0)
                continue;
            known += m->pi[s * m->actions + a];
            rows += (double)m->count[c];
        }
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            if (c >= 0) /* no action of the target was seen here: as the log chose */
                pi[c] = known > 0  ? m->pi[s * m->actions + a] / known
                        : rows > 0 ? (double)m->count[c] / rows
                                   : 1;
        }
        miss[s] = all > 0 ? 1 - known / all : 1;
    }
}

static bf_status build(bf__count *out, const double *start, bf_arena *arena, bf_error *err) {
    const bf__cells *m = out->cells;
    int64_t states = m->states, most = 2 * states, edges = 0, *begin;
    int32_t *index;
    double *prob, *reward;
    for (int64_t c = 0; c < m->cells; c++)
        most += m->begin[c + 1] - m->begin[c] + 1;
    BF_ALLOC(begin, arena, states + 2, err);
    BF_ALLOC(index, arena, most, err);
    BF_ALLOC(prob, arena, most, err);
    BF_ZALLOC(reward, arena, states + 1, err);
    for (int64_t s = 0; s < states; s++) {
        bool any = false;
        begin[s] = edges;
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            if (c < 0)
                continue;
            any = true;
            reward[s] += out->pi[c] * m->reward[c];
            for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++) {
                index[edges] = m->to[j];
                prob[edges++] = out->pi[c] * m->prob[j];
            }
            index[edges] = (int32_t)states;
            prob[edges++] = out->pi[c] * m->restart[c];
        }
        if (!any) {
            index[edges] = (int32_t)states;
            prob[edges++] = 1;
        }
    }
    begin[states] = edges;
    for (int64_t s = 0; s < states; s++)
        if (start[s] > 0) {
            index[edges] = (int32_t)s;
            prob[edges++] = start[s];
        }
    begin[states + 1] = edges;
    out->chain = (bf__chain){states + 1, begin, index, prob};
    out->reward = reward;
    return BF_OK;
}

/* Where the process restarts: the log's start states, or, for want of them, its states. */
static bf_status start_of(double **out, const bf__cells *m, bf_arena *arena, bf_error *err) {
    double rows = 0;
    BF_ZALLOC(*out, arena, m->states, err);
    for (int64_t c = 0; c < m->cells; c++)
        rows += (double)m->count[c];
    for (int64_t c = 0; c < m->cells && !m->has_start; c++)
        (*out)[m->state_of[c]] += (double)m->count[c] / rows;
    for (int64_t s = 0; s < m->states && m->has_start; s++)
        (*out)[s] = m->start[s];
    return BF_OK;
}

/* Each closed class: its gain, and its share of the long run. */
static bf_status solve_classes(bf__count *out, const bf_context *context, bf_arena *arena,
                               bf_error *err) {
    int64_t states = out->cells->states;
    double *gain, *mass, *share, *from, *d;
    BF_ALLOC(gain, arena, out->classes.count, err);
    BF_ZALLOC(mass, arena, states, err);
    BF_ZALLOC(share, arena, out->classes.count, err);
    BF_ZALLOC(from, arena, states + 1, err);
    BF_ALLOC(d, arena, states + 1, err);
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
            inside += d[s];
        double part = out->closed == 1 ? 1 : share[k];
        for (int64_t s = 0; s < states; s++) {
            gain[k] += d[s] / inside * out->reward[s];
            mass[s] += part * d[s] / inside;
        }
        out->residual = fmax(out->residual, residual);
        out->low = fmin(out->low, gain[k]);
        out->high = fmax(out->high, gain[k]);
        out->value += part * gain[k];
    }
    out->gain = gain;
    out->mass = mass;
    return BF_OK;
}

bf_status bf__count_solve(bf__count *out, const bf__cells *cells, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    double *pi, *miss, *start;
    *out = (bf__count){.cells = cells, .low = INFINITY, .high = -INFINITY, .covered = 1};
    BF_ALLOC(pi, arena, cells->cells, err);
    BF_ALLOC(miss, arena, cells->states, err);
    choose(pi, miss, cells);
    out->pi = pi;
    BF_TRY(start_of(&start, cells, arena, err));
    BF_TRY(build(out, start, arena, err));
    BF_TRY(bf__chain_classes(&out->classes, &out->chain, arena, err));
    BF_TRY(solve_classes(out, context, arena, err));
    for (int64_t s = 0; s < cells->states; s++)
        out->covered -= out->mass[s] * miss[s];
    if (out->covered > 1 - 1e-14)
        out->covered = 1;
    return BF_OK;
}

bf_status bf__count_gap(double *gap, const bf__count *count, const double *q, bf_arena *arena,
                        bf_error *err) {
    const bf__cells *m = count->cells;
    const bf__chain *chain = &count->chain;
    double *v;
    bf_mark mark = bf_arena_mark(arena);
    BF_ZALLOC(v, arena, m->states + 1, err);
    for (int64_t c = 0; c < m->cells; c++)
        v[m->state_of[c]] += count->pi[c] * q[c];
    for (int64_t j = chain->begin[m->states]; j < chain->begin[m->states + 1]; j++)
        v[m->states] += chain->prob[j] * v[chain->index[j]];
    for (int64_t c = 0; c < m->cells; c++) {
        gap[c] = q[c] - m->restart[c] * v[m->states];
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            gap[c] -= m->prob[j] * v[m->to[j]];
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__count_report(bf_estimate *out, const bf__count *count, bf_arena *arena,
                           bf_error *err) {
    const bf__cells *m = count->cells;
    bf__diagnose(out, BF__D_COVERAGE_MODEL, count->covered);
    bf__diagnose(out, BF__D_CELLS, (double)(m->cells - m->absorbing));
    bf__diagnose(out, BF__D_MODEL_CLASSES, count->closed);
    BF_TRY(bf__remark_classes(out, m, count->closed, count->low, count->high, arena, err));
    return bf__remark_doubts(out, m, count->residual, arena, err);
}
