/* steps.c - What a step of the log means. Cost O(n), to see whether any step ends. */
#include "problem/steps.h"

#include <string.h>

bf__steps bf__steps_make(const uint8_t *terminated, int64_t n, double gamma, bf_terminal terminal) {
    bf__steps steps = {.gamma = gamma};
    if (terminal != BF_TERMINAL_IGNORE)
        steps.ended = terminated;
    bool any = steps.ended && memchr(steps.ended, 1, (size_t)n);
    steps.restarts = any && terminal == BF_TERMINAL_RESTART;
    steps.absorbs = any && terminal == BF_TERMINAL_ABSORB;
    steps.starts = gamma < 1 || steps.restarts;
    steps.over = gamma == 1 && steps.absorbs;
    return steps;
}

bf__steps bf__steps_of(const bf_problem *problem) {
    return bf__steps_make(problem->data->terminated, problem->data->n, problem->gamma,
                          (bf_terminal)problem->terminal);
}
