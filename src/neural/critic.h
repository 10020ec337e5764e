/* critic.h - One network of fitted Q evaluation: its targets, its moves, and when to stop. */
#ifndef BF_VALUE_CRITIC_H
#define BF_VALUE_CRITIC_H

#include "backflow/context.h"
#include "neural/critic_task.h"

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

bf_status bf__critic_make(bf__critic **out, const bf__critic_task *task, int member,
                          bf_arena *arena, bf_error *err);

/* Rounds first .. last - 1, or less if it has been stopped. One thread; members are independent. */
void bf__critic_train(bf__critic *critic, int64_t first, int64_t last);

/* Notes the network as it stands, to close its equation (closing.c) later. BF__CRITIC_CLOSINGS
 * times at most; a member that had been stopped before its last note is left as it is. */
enum { BF__CRITIC_CLOSINGS = 16 };
void bf__critic_note(bf__critic *critic);
/* Closes the equation of a noted network, the k-th of the later half of them, which are those that
 * answer; nothing if there is none. The first makes the sums for it; members are independent, on
 * one thread each. The second solves, one member after the other, for `arena`. */
bf_status bf__critic_sum(bf__critic *critic, int k, bf_error *err);
bf_status bf__critic_close(bf__critic *critic, int k, bf_arena *arena, bf_error *err);

bf__critic_answer bf__critic_says(const bf__critic *critic);

/* gap (n): <psi_i, h> as closing.h has it, in the mean over those of the closings that are
 * believed. false: there is none. */
bool bf__critic_gap(double *gap, const bf__critic *critic);

#endif
