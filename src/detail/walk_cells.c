/* walk_cells.c - The chain of a log with finitely many states: from pair to pair.
 *
 * From pair c the process goes to state s' with the frequency that the log shows, and takes a' with
 * probability pi(a'|s').
 * Cost  O(n + edges), edges the (pair, next state) combinations of the log times A */
#include <string.h>

#include "core/fail.h"
#include "detail/walk.h"
#include "problem/cells.h"

/* Calls for every edge of the chain on pairs: from cell c to cell d with probability p. Counts them
 * by d if `at` is NULL, and puts them in place otherwise. */
static void each_edge(int64_t *count, int64_t *at, int32_t *from, double *prob,
                      const bf__cells *m) {
    for (int64_t c = 0; c < m->cells; c++)
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            for (int a = 0; a < m->actions; a++) {
                int64_t d = m->cell_at[(int64_t)m->to[j] * m->actions + a];
                double pi = d < 0 ? 0 : m->pi[(int64_t)m->to[j] * m->actions + a];
                if (!(pi * m->prob[j] > 0) || m->count[d] == 0)
                    continue;
                if (!at) {
                    count[d]++;
                    continue;
                }
                from[at[d]] = (int32_t)c;
                prob[at[d]++] = m->prob[j] * pi;
            }
}

bf_status bf__walk_cells(bf__walk *out, const bf_problem *problem, bf_arena *arena, bf_error *err) {
    bf__cells m;
    bf_problem undiscounted = *problem;
    undiscounted.gamma = 1;
    int64_t *begin, *at;
    int32_t *from;
    double *prob, *start, *end;
    BF_TRY(bf__cells_build(&m, &undiscounted, arena, err));
    BF_ZALLOC(begin, arena, m.cells + 1, err);
    BF_ALLOC(at, arena, m.cells, err);
    BF_ALLOC(start, arena, m.cells, err);
    BF_ZALLOC(end, arena, m.cells, err);
    each_edge(begin + 1, NULL, NULL, NULL, &m);
    for (int64_t c = 0; c < m.cells; c++) {
        begin[c + 1] += begin[c];
        at[c] = begin[c];
    }
    BF_ALLOC(from, arena, begin[m.cells], err);
    BF_ALLOC(prob, arena, begin[m.cells], err);
    each_edge(NULL, at, from, prob, &m);
    for (int64_t c = 0; c < m.cells; c++) {
        start[c] = m.start[m.state_of[c]] * bf__cell_pi(&m, c);
        for (int64_t j = m.begin[c]; j < m.begin[c + 1] && m.absorbing && m.count[c] > 0; j++)
            end[c] += m.to[j] == m.states - 1 ? m.prob[j] : 0;
    }
    *out = (bf__walk){.chain = "tabular",
                      .n = m.cells,
                      .begin = begin,
                      .from = from,
                      .prob = prob,
                      .restart = m.restart,
                      .end = end,
                      .start = start,
                      .reward = m.reward};
    return BF_OK;
}
