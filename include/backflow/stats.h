/* stats.h - What a policy earns in an environment: the truth. */
#ifndef BACKFLOW_STATS_H
#define BACKFLOW_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/context.h"
#include "backflow/env.h"
#include "backflow/memory.h"
#include "backflow/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_mean {
    double value;
    double error; /* standard error; NaN from fewer than two values */
} bf_mean;

typedef enum bf_truth_kind {
    BF_TRUTH_AVERAGE,    /* reward per step in the long run, restarting where an episode ends */
    BF_TRUTH_DISCOUNTED, /* (1 - gamma) sum gamma^t r_t from a start state, restarting likewise */
    BF_TRUTH_EPISODE,    /* sum gamma^t r_t of one episode, cut after `steps` */
} bf_truth_kind;

/* Zeros stand for defaults that suit the kind; bf_truth_plan fills them in. */
typedef struct bf_truth_plan {
    bf_truth_kind kind;
    double gamma;
    int64_t chains, steps; /* steps of each chain that count */
    int64_t burn_in;       /* steps before those; average only; -1: default */
    bf_rewards rewards;
    bool simulate; /* even if the environment has a model and the value could be solved for */
    size_t size;   /* sizeof(bf_truth_plan), or 0: the fields above are all there is */
} bf_truth_plan;

typedef struct bf_truth {
    bf_mean value;
    int64_t transitions;    /* simulated, burn-in included */
    int64_t ends;           /* episodes that terminated in the steps that count */
    bf_mean episode_return; /* average: by renewal; episode: the value. NaN without an end */
    bf_mean episode_length;
    const bf_truth_plan *plan; /* with its defaults filled in */
    bool exact;                /* solved for, not simulated: the error is 0 */
} bf_truth;

/* Solves for the value if the environment is finite, and runs the policy otherwise: one chain has
 * its error by batch means, several between chains. */
BF_API bf_status bf_true_value(const bf_truth **out, const bf_truth_plan *plan, const bf_env *env,
                               const bf_policy *policy, const bf_context *context, bf_arena *arena,
                               bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
