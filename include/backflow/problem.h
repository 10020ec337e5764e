/* problem.h - The question: what does a target policy earn per step? */
#ifndef BACKFLOW_PROBLEM_H
#define BACKFLOW_PROBLEM_H

#include <stddef.h>

#include "backflow/dataset.h"
#include "backflow/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a step that ended in a terminal state. */
typedef enum bf_terminal {
    BF_TERMINAL_RESTART, /* the next state is a start state: the mean over the log's */
    BF_TERMINAL_ABSORB,  /* the process stays where it is, at reward 0 */
    BF_TERMINAL_IGNORE,  /* the logged next state is used like any other */
} bf_terminal;

/* A log with its target policy, data->pi and data->npi, and what its steps mean. */
typedef struct bf_problem {
    const bf_dataset *data;
    double gamma; /* 1: long-run average; below 1: discounted, times 1 - gamma */
    int terminal; /* bf_terminal */
    /* The target policy itself, for methods that ask about states that are not in the log; it
     * agrees with data->pi and data->npi. NULL: the columns are all there is. */
    const bf_policy *target;
    size_t size; /* sizeof(bf_problem), or 0: the fields above are all there is */
} bf_problem;

#ifdef __cplusplus
}
#endif
#endif
