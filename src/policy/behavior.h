/* behavior.h - The behaviour policy of a log that does not give it. */
#ifndef BF_POLICY_BEHAVIOR_H
#define BF_POLICY_BEHAVIOR_H

#include "backflow/policy.h"
#include "dataset/dataset.h"

/* Fills data->mu and data->mu_all from the policy. If the policy never takes a row's action, that
 * is an error. */
bf_status bf__behavior_apply(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                             bf_error *err);

/* Fits them to the log itself. Only for discrete actions. */
bf_status bf__behavior_fit(bf_behavior *out, bf_dataset *data, const bf_context *context,
                           bf_arena *arena, bf_error *err);

#endif
