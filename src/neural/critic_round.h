/* critic_round.h - The rows that a round of fitted Q evaluation looks at, and what the network says
 * there. */
#ifndef BF_NEURAL_CRITIC_ROUND_H
#define BF_NEURAL_CRITIC_ROUND_H

#include "backflow/rng.h"
#include "neural/critic_task.h"
#include "solver/mlp.h"

typedef struct bf__round {
    const bf__critic_task *task;
    bool all;             /* every round looks at all rows and starts */
    int64_t count, *rows; /* rows of this round, in order: how many, which */
    int64_t starts, *start;
    /* What was asked last. */
    float *said[3];         /* (choices, count): outputs at each of the task's places */
    int32_t *asked[3], now; /* (count): the round in which each was last asked for; this one */
    int64_t *wanted[3], wanting[3]; /* places of this round: which, how many */
    float *z, *u, *block;           /* a block of them: states, action vectors, outputs */
} bf__round;

bf_status bf__round_make(bf__round *out, const bf__critic_task *task, bf_arena *arena,
                         bf_error *err);

/* Draws the rows of a round, unless it is all of them. */
void bf__round_draw(bf__round *round, bf_rng *rng);
/* Asks the network `parameters` at all that these rows need. */
void bf__round_ask(bf__round *round, const bf__mlp *net, const float *parameters);

/* The output at the logged pair of row i, which is one of the round. */
float bf__round_logged(const bf__round *round, int64_t i);
/* `scale` times the mean output over the target's choices at row i of n, whose probabilities are
 * p (K, n). */
double bf__round_expects(const bf__round *round, double scale, const bf__critic_view *view,
                         const double *p, int64_t n, int64_t i);

#endif
