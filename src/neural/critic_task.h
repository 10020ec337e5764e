/* critic_task.h - What the networks of fitted Q evaluation are asked, and where. */
#ifndef BF_NEURAL_CRITIC_TASK_H
#define BF_NEURAL_CRITIC_TASK_H

#include "problem/network_inputs.h"

enum { BF__CRITIC_STEPS = 32 }; /* of a batch each, in a round */

/* States at which networks are asked for h, each with all of its choices. */
typedef struct bf__critic_places {
    int64_t count;
    int choices;
    const float *z; /* (d, count) */
    const float *u; /* (choices, k, count): action vectors; NULL: the actions of a finite set */
} bf__critic_places;

/* Where the answers are that belong to rows: those of row i at place at[i] of `places`, or i if
 * `at` is NULL. */
typedef struct bf__critic_view {
    int places;
    const int64_t *at;
} bf__critic_view;

typedef struct bf__critic_task { /* what all members share */
    const bf_problem *problem;
    const bf__pairs *pairs;
    const int32_t *fold; /* (n): member e learns from the rows of the other folds; NULL: from all */
    const char *hidden;
    int64_t rounds, batch;
    double rate;
    int closings; /* how many are to come; 0: the rounds answer */
    bool gaps;    /* whether bf__critic_gap will be asked for, which needs closings */
    uint64_t seed;
    const float *inputs;            /* (inputs, n): the logged pairs */
    const double *next_p, *start_p; /* (K, n), (K, starts) */
    bf__critic_places places[3];    /* what is asked in a round: one of them, or all three */
    bf__critic_view logged, next, start;
} bf__critic_task;

/* Fills the inputs of the task from its pairs. */
bf_status bf__critic_inputs(bf__critic_task *task, bf_arena *arena, bf_error *err);

#endif
