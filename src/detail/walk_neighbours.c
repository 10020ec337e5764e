/* walk_neighbours.c - The chain of a log with real-valued states: that of neighbours_chain.c.
 *
 * The chain is asked for with gamma 1/2, because a question with gamma 1 has no start states unless
 * steps end. Undoing it is exact: powers of 2 do not round. */
#include "core/fail.h"
#include "detail/walk.h"
#include "weights/neighbours_chain.h"

static const char *text_of(const bf_settings *settings, const char *name) {
    const bf_option *row = settings ? bf_settings_find(settings, name) : NULL;
    if (!row || row->type != BF_OPTION_STRING)
        return NULL;
    return *(const char *const *)bf_settings_value(settings, name);
}

static int neighbours_of(const bf_settings *settings) {
    const bf_option *row = settings ? bf_settings_find(settings, "neighbours") : NULL;
    if (!row || row->type != BF_OPTION_INT)
        return 16;
    return (int)*(const int64_t *)bf_settings_value(settings, "neighbours");
}

bf_status bf__walk_neighbours(bf__walk *out, const bf_problem *problem, const bf_settings *settings,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__points points;
    bf__visits chain;
    bf_problem halved = *problem;
    double *prob, *restart, *end, *leave;
    halved.gamma = 0.5;
    BF_TRY(bf__points_make(&points, &halved, text_of(settings, "periodic"),
                           text_of(settings, "scale"), context, arena, err));
    BF_TRY(bf__neighbours_chain(&chain, &halved, &points, neighbours_of(settings), context, arena,
                                err));
    int64_t edges = chain.begin[chain.n];
    BF_ALLOC(prob, arena, edges, err);
    BF_ALLOC(restart, arena, chain.n, err);
    BF_ALLOC(end, arena, chain.n, err);
    BF_ALLOC(leave, arena, chain.n, err);
    for (int64_t j = 0; j < chain.n; j++) {
        restart[j] = 2 * (chain.restart[j] - 0.5);
        leave[j] = chain.leave ? 2 * chain.leave[j] : 0;
        end[j] = 1 - restart[j] - leave[j];
    }
    for (int64_t e = 0; e < edges; e++) {
        prob[e] = 2 * chain.prob[e];
        end[chain.from[e]] -= prob[e];
    }
    /* Nothing is lost here: what neither goes on nor begins anew has ended, or is rounding. */
    for (int64_t j = 0; j < chain.n; j++)
        end[j] = end[j] > 1e-9 ? end[j] : 0;
    *out = (bf__walk){.chain = "neighbours",
                      .n = chain.n,
                      .begin = chain.begin,
                      .from = chain.from,
                      .prob = prob,
                      .restart = restart,
                      .end = end,
                      .leave = leave,
                      .away = chain.away,
                      .start = chain.start,
                      .reward = chain.reward};
    return BF_OK;
}
