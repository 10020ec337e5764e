/* exact.h - The true value of a policy in a finite environment. */
#ifndef BF_ENV_EXACT_H
#define BF_ENV_EXACT_H

#include "backflow/env.h"

/* gamma = 1: average reward per step in the long run; below 1: (1 - gamma) times the discounted
 * sum from the start distribution. Where `visits` is not NULL it gets the share of time (S) that
 * the policy spends in each state. The environment has a model. */
bf_status bf__exact_value(double *out, const bf_env *env, const bf_policy *policy, double gamma,
                          double *visits, bf_arena *arena, bf_error *err);

#endif
