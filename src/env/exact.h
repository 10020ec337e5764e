/* exact.h - The true value of a policy in a finite environment. */
#ifndef BF_ENV_EXACT_H
#define BF_ENV_EXACT_H

#include "backflow/env.h"

/* If gamma = 1, the value is the average reward per step in the long run. If gamma < 1, it is (1 -
 * gamma) times the discounted sum from the start distribution. If `visits` (S) is not NULL, it
 * takes the share of time that the policy spends in each state. The environment must have a
 * model. */
bf_status bf__exact_value(double *out, const bf_env *env, const bf_policy *policy, double gamma,
                          double *visits, bf_arena *arena, bf_error *err);

#endif
