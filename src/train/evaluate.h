/* evaluate.h - What a policy earns in an episode, by Gymnasium's rewards and time limits. */
#ifndef BF_TRAIN_EVALUATE_H
#define BF_TRAIN_EVALUATE_H

#include "backflow/context.h"
#include "backflow/env.h"

typedef struct bf__evaluation {
    double mean, error; /* mean of the undiscounted return, and its standard error */
    double worst;
} bf__evaluation;

/* Runs episodes first .. first + count - 1 of the context's seed. `arena` is left as it was. */
bf_status bf__evaluate(bf__evaluation *out, const bf_env *env, const bf_policy *policy,
                       int64_t first, int64_t count, const bf_context *context, bf_arena *arena,
                       bf_error *err);

#endif
