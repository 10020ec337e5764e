/* q_cells.c - The differential value on the count model of a finite log, exactly.
 *
 *     v(s) = r(s) - g(s) + sum_t P(s, t) v(t),    q(s, a) = r(s, a) - g(s) + sum_t P(s, a, t) v(t)
 *
 * with g the gain of the closed class that a state ends in (a mean of them where it may end in
 * several). v is free by a constant per closed class: it is 0 at the first state of each.
 *
 * Cost  O(S^3) for S up to DIRECT states by elimination; sweeps of O(edges) past that. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "linalg/dense.h"
#include "model/count_report.h"
#include "value/q.h"
#include "value/q_cells.h"

enum { DIRECT = 4000, SWEEPS = 20000 };

/* x = rhs + P x where `pinned` is 0; x = rhs where it is 1. *left is the largest |error| left. */
static bf_status solve_dense(double *x, const bf__chain *chain, const double *rhs,
                             const uint8_t *pinned, bf_arena *arena, bf_error *err) {
    int64_t n = chain->n;
    bf_mark mark = bf_arena_mark(arena);
    double *a;
    BF_ZALLOC(a, arena, n * n, err);
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] = 1;
        for (int64_t j = chain->begin[i]; j < chain->begin[i + 1] && !pinned[i]; j++)
            a[i * n + chain->index[j]] -= chain->prob[j];
    }
    memcpy(x, rhs, (size_t)n * sizeof *x);
    BF_TRY(bf__lu_solve(x, 1, a, n, arena, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status solve_sweeps(double *x, double *left, const bf__chain *chain, const double *rhs,
                              const uint8_t *pinned, const bf_context *context, bf_error *err) {
    for (int64_t i = 0; i < chain->n; i++)
        x[i] = pinned[i] ? rhs[i] : 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0, size = 0;
        if (sweep % 100 == 0 && !bf__progress(context, "solving for q", sweep, SWEEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
        for (int64_t i = 0; i < chain->n; i++) {
            double sum = rhs[i], stay = 0;
            if (pinned[i])
                continue;
            for (int64_t j = chain->begin[i]; j < chain->begin[i + 1]; j++) {
                if (chain->index[j] == i)
                    stay += chain->prob[j];
                else
                    sum += chain->prob[j] * x[chain->index[j]];
            }
            double to = sum / (1 - stay);
            change = fmax(change, fabs(to - x[i]));
            size = fmax(size, fabs(to));
            x[i] = to;
        }
        *left = change;
        if (change <= 1e-13 * (1 + size))
            return BF_OK;
    }
    return BF_OK;
}

static bf_status solve(double *x, double *left, const bf__chain *chain, const double *rhs,
                       const uint8_t *pinned, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    if (chain->n <= DIRECT)
        return solve_dense(x, chain, rhs, pinned, arena, err);
    return solve_sweeps(x, left, chain, rhs, pinned, context, err);
}

/* g (nodes): the gain from each node on. */
static bf_status gains(double *g, double *left, const bf__count_model *count,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t nodes = count->chain.n;
    double *rhs;
    uint8_t *pinned;
    BF_ZALLOC(rhs, arena, nodes, err);
    BF_ZALLOC(pinned, arena, nodes, err);
    bool passing = false; /* any node from which the process goes away for good */
    for (int64_t s = 0; s < nodes; s++) {
        int32_t k = count->classes.class_of[s];
        pinned[s] = count->classes.closed[k];
        rhs[s] = pinned[s] ? count->gain[k] : 0;
        passing = passing || !pinned[s];
        g[s] = count->closed == 1 ? count->value : rhs[s];
    }
    if (passing && count->closed > 1)
        BF_TRY(solve(g, left, &count->chain, rhs, pinned, context, arena, err));
    return BF_OK;
}

/* v (nodes). */
static bf_status values(double *v, double *left, const bf__count_model *count, const double *g,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t nodes = count->chain.n;
    double *rhs;
    uint8_t *pinned, *done;
    BF_ZALLOC(rhs, arena, nodes, err);
    BF_ZALLOC(pinned, arena, nodes, err);
    BF_ZALLOC(done, arena, count->classes.count, err);
    for (int64_t s = 0; s < nodes; s++) {
        int32_t k = count->classes.class_of[s];
        if (count->classes.closed[k] && !done[k])
            done[k] = pinned[s] = 1;
        else if (s < count->cells->states) /* START and LOG take no time */
            rhs[s] = count->reward[s] - (1 - count->leave[s]) * g[s];
    }
    return solve(v, left, &count->chain, rhs, pinned, context, arena, err);
}

/* q (C) from v. A state without actions has no q of its own: the process leaves it at once. */
static void pair_values(double *q, const bf__count_model *count, const double *g, const double *v) {
    const bf__cells *m = count->cells;
    for (int64_t c = 0; c < m->cells; c++) {
        q[c] = m->reward[c] - g[m->state_of[c]] + m->restart[c] * v[m->states];
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            q[c] += m->prob[j] * v[m->to[j]];
    }
}

bf_status bf__cell_values_of(bf__cell_values *out, const bf__cells *m, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    bf__count_model *count;
    double *g, *v, *q;
    BF_ALLOC(count, arena, 1, err);
    BF_TRY(bf__count_model_solve(count, m, context, arena, err));
    BF_ALLOC(g, arena, count->chain.n, err);
    BF_ALLOC(v, arena, count->chain.n, err);
    BF_ALLOC(q, arena, m->cells, err);
    *out = (bf__cell_values){.cells = m, .count = count, .g = g, .v = v, .q = q};
    BF_TRY(gains(g, &out->left, count, context, arena, err));
    BF_TRY(values(v, &out->left, count, g, context, arena, err));
    pair_values(q, count, g, v);
    return BF_OK;
}

bf_status bf__cell_values_solve(bf__cell_values *out, const bf_problem *problem,
                                const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__cells *m;
    BF_ALLOC(m, arena, 1, err);
    BF_TRY(bf__cells_build(m, problem, arena, err));
    return bf__cell_values_of(out, m, context, arena, err);
}

bf_status bf__q_cells(bf__q *out, const bf_problem *problem, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    bf__cell_values s;
    double *cell_gap, *gap;
    BF_TRY(bf__cell_values_solve(&s, problem, context, arena, err));
    BF_ALLOC(cell_gap, arena, s.cells->cells, err);
    BF_ALLOC(gap, arena, n, err);
    BF_TRY(bf__count_model_gap(cell_gap, s.count, s.q, arena, err));
    for (int64_t i = 0; i < n; i++)
        gap[i] = cell_gap[s.cells->row_cell[i]];
    *out = (bf__q){.value = s.count->value, .gap = gap, .model = "tabular"};
    if (s.left > 1e-9)
        BF_TRY(bf__warn(&out->remarks, arena, err, BF__W_NOT_SOLVED, true,
                        "q was found only to %.3g", s.left));
    return bf__count_model_report(&out->remarks, s.count, arena, err);
}
