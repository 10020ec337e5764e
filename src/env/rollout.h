/* rollout.h - A policy in an environment, in many chains side by side. */
#ifndef BF_ENV_ROLLOUT_H
#define BF_ENV_ROLLOUT_H

#include "backflow/context.h"
#include "backflow/env.h"

#define BF_ROLLOUT_BLOCK                                                                           \
    64 /* chains that move together; a policy is asked about so many states                        \
        */

/* Chain c starts at a start state, or one drawn from `begin`, and restarts whenever an episode
 * ends. It draws everything from the stream (seed, "rollout", first + c * stride), so what it does
 * depends on nothing else. */
typedef struct bf__rollout {
    const bf_env *env;
    const bf_policy *policy;
    bf_rewards rewards;
    int64_t chains, steps;
    int64_t first, stride; /* stride 0 means 1 */
    bool once;             /* a chain is over after its first episode */
    const double *begin;   /* (S): where chains of a finite environment begin; NULL: start states */
    const char *task;      /* for progress */
} bf__rollout;

/* One step of the chains first .. first + count - 1. */
typedef struct bf__rollout_step {
    int64_t first, t;
    int count;
    const double *seen, *next; /* (d, count); next is the state reached, terminal or not */
    const double *mu;          /* (A, count): the policy at `seen` */
    const int32_t *action;
    const double *reward;
    const uint8_t *terminated;
    const uint8_t *over; /* the chain had ended before this step (only with `once`) */
} bf__rollout_step;

/* Called for every step of every block, in order of t. Several threads call it at once, each with
 * chains of its own. */
typedef bf_status (*bf__visit)(void *context, const bf__rollout_step *batch, bf_error *err);

/* The result is the same, byte for byte, for any number of threads. If the progress callback asks
 * to stop, the status is BF_ECANCELLED. */
bf_status bf__rollout_run(const bf__rollout *rollout, bf__visit visit, void *visit_context,
                          const bf_context *context, bf_error *err);

#endif
