/* truth.h - What a policy earns when it is run. */
#ifndef BF_STATS_TRUTH_H
#define BF_STATS_TRUTH_H

#include "backflow/context.h"
#include "backflow/env.h"
#include "stats/batch.h"

void bf__truth_defaults(bf_truth_plan *plan, const bf_env *env);

/* The plan is filled in. One chain: error by batch means; several: between chains. */
bf_status bf__truth_run(bf_truth *out, const bf_truth_plan *plan, const bf_env *env,
                        const bf_policy *policy, bf_rewards rewards, const bf_context *context,
                        bf_arena *arena, bf_error *err);

#endif
