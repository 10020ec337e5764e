/* critic.h - One network of fitted Q evaluation: its targets, its moves, and when to stop. */
#ifndef BF_VALUE_CRITIC_H
#define BF_VALUE_CRITIC_H

#include "backflow/context.h"
#include "problem/network_inputs.h"

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

typedef struct bf__critic bf__critic;

/* What one member says. */
typedef struct bf__critic_answer {
    double value;
    double drift;  /* of the value, from the earlier half of the closings that answer to the later;
                      if there is none, of rounds; from the first one on, if only one answers */
    double lambda; /* of the closings that answer, in the mean; NaN if the rounds answer */
    double bellman, held_out; /* root mean square residual on rows that it has and has not seen */
    double scale;             /* deviation of the action values */
    bool early;               /* a later window was worse on the rows that it has not seen */
} bf__critic_answer;

/* Fills the inputs of the task from its pairs. */
bf_status bf__critic_inputs(bf__critic_task *task, bf_arena *arena, bf_error *err);

bf_status bf__critic_make(bf__critic **out, const bf__critic_task *task, int member,
                          bf_arena *arena, bf_error *err);

/* Rounds first .. last - 1, or less if it has been stopped, each of so many steps of a batch. One
 * thread; members are independent. */
enum { BF__CRITIC_STEPS = 32 };
void bf__critic_train(bf__critic *critic, int64_t first, int64_t last);

/* Closes the equation (closing.c) with the network as it stands, and notes what that says. The
 * first makes the sums for it; members are independent, on one thread each. The second solves, one
 * member after the other, for `arena`. BF__CRITIC_CLOSINGS times at most; a member that had been
 * stopped before its last closing is left as it is. */
enum { BF__CRITIC_CLOSINGS = 16 };
bf_status bf__critic_sum(bf__critic *critic, bf_error *err);
bf_status bf__critic_close(bf__critic *critic, bf_arena *arena, bf_error *err);

bf__critic_answer bf__critic_says(const bf__critic *critic);

/* gap (n): <psi_i, h> as closing.h has it, in the mean over those of the later half of the closings
 * that are believed. false: there is none. */
bool bf__critic_gap(double *gap, const bf__critic *critic);

#endif
