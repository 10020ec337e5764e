/* walk_cells.c - The chain of a log with finitely many states: from pair to pair.
 *
 * From pair c the process goes to state s' with the frequency that the log shows, and takes a' with
 * probability pi(a'|s'). If it meets pairs that the log never shows, it goes on as
 * problem/count_model.c says, which is how the answer was made: as the log did in s', or, now and
 * then, anywhere in the log.
 * Cost  O(n + edges), edges the (pair, next state) combinations of the log times A */
#include <string.h>

#include "core/fail.h"
#include "detail/walk.h"
#include "problem/count_model.h"

/* What the target does: pi (C), and leave (S), how often it goes on anywhere. */
typedef struct filling {
    const double *pi, *leave;
    const double *seen; /* (C): what the log shows of it; NULL: all */
} filling;

/* Calls for every edge of the chain on pairs: from cell c to cell d. Counts them by d if `at` is
 * NULL, and puts them in place otherwise. */
static void each_edge(int64_t *count, int64_t *at, int32_t *from, double *prob, double *seen,
                      const bf__cells *m, const filling *f) {
    for (int64_t c = 0; c < m->cells; c++)
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            for (int a = 0; a < m->actions; a++) {
                int64_t d = m->cell_at[(int64_t)m->to[j] * m->actions + a];
                if (d < 0 || !(f->pi[d] * m->prob[j] > 0) || m->count[d] == 0)
                    continue;
                if (!at) {
                    count[d]++;
                    continue;
                }
                if (seen)
                    seen[at[d]] = m->prob[j] * f->seen[d];
                from[at[d]] = (int32_t)c;
                prob[at[d]++] = m->prob[j] * f->pi[d];
            }
}

/* Whether the target, from the starts, ever comes to a state where the log shows not all it does.
 */
static bf_status meets_gaps(bool *out, const bf__cells *m, const double *miss, bf_arena *arena,
                            bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int32_t *stack;
    bool *met;
    int64_t depth = 0;
    BF_ALLOC(stack, arena, m->states, err);
    BF_ZALLOC(met, arena, m->states, err);
    *out = false;
    for (int32_t s = 0; s < (int32_t)m->states; s++)
        if (m->start[s] > 0) {
            met[s] = true;
            stack[depth++] = s;
        }
    while (depth > 0 && !*out) {
        int32_t s = stack[--depth];
        *out = miss[s] > 1e-12;
        for (int a = 0; a < m->actions; a++) {
            int64_t c = m->cell_at[s * m->actions + a];
            for (int64_t j = c < 0 ? 0 : m->begin[c]; c >= 0 && j < m->begin[c + 1]; j++)
                if (bf__cell_pi(m, c) > 0 && m->prob[j] > 0 && !met[m->to[j]]) {
                    met[m->to[j]] = true;
                    stack[depth++] = m->to[j];
                }
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* away (C): where mass that goes on anywhere in the log is next. A state there may send it on. */
static bf_status go_anywhere(const double **out, const bf__cells *m, const filling *f,
                             bf_arena *arena, bf_error *err) {
    double rows = 0, passed = 0, *away;
    BF_ALLOC(away, arena, m->cells, err);
    for (int64_t c = 0; c < m->cells; c++)
        rows += m->count[c];
    memset(away, 0, (size_t)m->cells * sizeof *away);
    for (int64_t c = 0; c < m->cells; c++) {
        int32_t s = m->state_of[c];
        passed += m->count[c] / rows * f->leave[s];
        for (int a = 0; a < m->actions; a++) {
            int64_t d = m->cell_at[s * m->actions + a];
            if (d >= 0)
                away[d] += m->count[c] / rows * f->pi[d];
        }
    }
    for (int64_t c = 0; c < m->cells; c++)
        away[c] /= 1 - passed;
    *out = away;
    return BF_OK;
}

static bf_status make_edges(bf__walk *out, const bf__cells *m, const filling *f, bf_arena *arena,
                            bf_error *err) {
    int64_t *begin, *at;
    int32_t *from;
    double *prob, *seen = NULL;
    BF_ZALLOC(begin, arena, m->cells + 1, err);
    BF_ALLOC(at, arena, m->cells, err);
    each_edge(begin + 1, NULL, NULL, NULL, NULL, m, f);
    for (int64_t c = 0; c < m->cells; c++) {
        begin[c + 1] += begin[c];
        at[c] = begin[c];
    }
    BF_ALLOC(from, arena, begin[m->cells], err);
    BF_ALLOC(prob, arena, begin[m->cells], err);
    if (f->seen)
        BF_ALLOC(seen, arena, begin[m->cells], err);
    each_edge(NULL, at, from, prob, seen, m, f);
    out->begin = begin;
    out->from = from;
    out->prob = prob;
    out->seen = seen;
    return BF_OK;
}

/* Where it starts, ends and leaves. */
static bf_status make_ends(bf__walk *out, const bf__cells *m, const filling *f, bf_arena *arena,
                           bf_error *err) {
    double *start, *seen, *end, *leave, lost = 0;
    BF_ALLOC(start, arena, m->cells, err);
    BF_ALLOC(seen, arena, m->cells, err);
    BF_ZALLOC(end, arena, m->cells, err);
    BF_ZALLOC(leave, arena, m->cells, err);
    if (f->leave)
        BF_TRY(go_anywhere(&out->away, m, f, arena, err));
    for (int64_t s = 0; s < m->states && f->leave; s++)
        lost += m->start[s] * f->leave[s];
    for (int64_t c = 0; c < m->cells; c++) {
        int32_t s = m->state_of[c];
        start[c] = m->start[s] * f->pi[c] + (lost > 0 ? lost * out->away[c] : 0);
        seen[c] = m->start[s] * (f->seen ? f->seen[c] : f->pi[c]);
        for (int64_t j = m->begin[c]; j < m->begin[c + 1] && m->count[c] > 0; j++) {
            end[c] += m->absorbing && m->to[j] == m->states - 1 ? m->prob[j] : 0;
            leave[c] += f->leave ? m->prob[j] * f->leave[m->to[j]] : 0;
        }
    }
    out->start = start;
    out->seen_start = f->seen ? seen : NULL;
    out->end = end;
    out->leave = f->leave ? leave : NULL;
    return BF_OK;
}

bf_status bf__walk_cells(bf__walk *out, const bf_problem *problem, bool fill, bf_arena *arena,
                         bf_error *err) {
    bf__cells m;
    bf__count_model count;
    bf_problem undiscounted = *problem;
    bool gaps;
    double *pi;
    undiscounted.gamma = 1;
    BF_TRY(bf__cells_build(&m, &undiscounted, arena, err));
    BF_TRY(bf__count_model_build(&count, &m, arena, err));
    BF_TRY(meets_gaps(&gaps, &m, count.miss, arena, err));
    BF_ALLOC(pi, arena, m.cells, err);
    for (int64_t c = 0; c < m.cells; c++)
        pi[c] = bf__cell_pi(&m, c);
    filling f = {.pi = pi};
    if (fill && gaps)
        f = (filling){.pi = count.pi, .leave = count.leave, .seen = pi};
    *out = (bf__walk){.chain = "tabular", .n = m.cells, .restart = m.restart, .reward = m.reward};
    BF_TRY(make_edges(out, &m, &f, arena, err));
    return make_ends(out, &m, &f, arena, err);
}
