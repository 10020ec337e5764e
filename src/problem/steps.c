/* steps.c - What a step of the log means. Cost O(n), to see whether any step ends. */
#include "problem/steps.h"

#include <string.h>

#include "core/fail.h"

bf__steps bf__steps_any(bool any, double gamma, bf_terminal terminal) {
    bf__steps steps = {.gamma = gamma};
    steps.restarts = any && terminal == BF_TERMINAL_RESTART;
    steps.absorbs = any && terminal == BF_TERMINAL_ABSORB;
    steps.starts = gamma < 1 || steps.restarts;
    steps.over = gamma == 1 && steps.absorbs;
    return steps;
}

bf__steps bf__steps_make(const uint8_t *terminated, int64_t n, double gamma, bf_terminal terminal) {
    bool any = terminated && memchr(terminated, 1, (size_t)n);
    bf__steps steps = bf__steps_any(any, gamma, terminal);
    if (terminal != BF_TERMINAL_IGNORE)
        steps.ended = terminated;
    return steps;
}

bf__steps bf__steps_of(const bf_problem *problem) {
    return bf__steps_make(problem->data->terminated, problem->data->n, problem->gamma,
                          (bf_terminal)problem->terminal);
}

bf_status bf__steps_last(const bf_problem *problem, bf_error *err) {
    if (bf__steps_of(problem).over)
        return bf_fail(err, BF_EUSAGE,
                       "`terminal` absorb: after the end there is reward 0 for ever, and so the "
                       "long-run average is 0; choose restart, or `gamma` below 1");
    return BF_OK;
}
