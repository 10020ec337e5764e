/* truth.h - What a policy earns when it is run. */
#ifndef BF_STATS_TRUTH_H
#define BF_STATS_TRUTH_H

#include "backflow/env.h"
#include "backflow/log.h"
#include "stats/batch.h"

typedef enum bf__truth_kind {
    BF_TRUTH_AVERAGE,    /* reward per step in the long run; an episode that ends restarts */
    BF_TRUTH_DISCOUNTED, /* (1 - gamma) sum gamma^t r_t from a start state, with restarts too */
    BF_TRUTH_EPISODE,    /* sum gamma^t r_t of one episode, cut after `steps` */
} bf__truth_kind;

/* A zero stands for a default that suits the kind. bf__truth_plan fills the defaults in. */
typedef struct bf__truth_plan {
    bf__truth_kind kind;
    double gamma;
    int64_t chains, steps; /* steps of each chain that count */
    int64_t burn_in;       /* steps before those that count; average only; -1: default */
} bf__truth_plan;

typedef struct bf__truth {
    bf__mean value;
    int64_t transitions;     /* simulated, burn-in included */
    int64_t ends;            /* episodes that terminated in the steps that count */
    bf__mean episode_return; /* average: by renewal; episode: the value; NaN if no episode ended */
    bf__mean episode_length;
} bf__truth;

void bf__truth_defaults(bf__truth_plan *plan, const bf_env *env);

/* The plan has to be filled in. If there is one chain, the error is by batch means; otherwise it
 * comes from the spread between chains. */
bf_status bf__truth_run(bf__truth *out, const bf__truth_plan *plan, const bf_env *env,
                        const bf_policy *policy, bf_rewards rewards, const bf_context *context,
                        bf_arena *arena, bf_error *err);

#endif
