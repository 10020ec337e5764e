/* evaluate.c - What a policy earns in an episode, by Gymnasium's rewards and time limits.
 *
 *     mean over episodes of sum_t r_t,  t < env->limit, until the environment ends the episode
 *
 * Sums are per chain and are added up in order, so that the number of threads changes no digit. */
#include "train/evaluate.h"

#include <math.h>

#include "core/fail.h"
#include "env/rollout.h"

static bf_status add(void *context, const bf__rollout_step *batch, bf_error *err) {
    double *returns = context;
    (void)err;
    for (int c = 0; c < batch->count; c++)
        if (!batch->over[c])
            returns[batch->first + c] += batch->reward[c];
    return BF_OK;
}

bf_status bf__evaluate(bf__evaluation *out, const bf_env *env, const bf_policy *policy,
                       int64_t first, int64_t count, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    bf_context silent = {.threads = context->threads, .seed = context->seed};
    bf__rollout rollout = {.env = env,
                           .policy = policy,
                           .rewards = BF_REWARDS_GYMNASIUM,
                           .chains = count,
                           .steps = env->limit,
                           .first = first,
                           .once = true};
    bf_mark mark = bf_arena_mark(arena);
    double *returns;
    BF_ZALLOC(returns, arena, count, err);
    BF_TRY(bf__rollout_run(&rollout, add, returns, &silent, err));
    double sum = 0, square = 0, worst = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        sum += returns[i];
        worst = fmin(worst, returns[i]);
    }
    for (int64_t i = 0; i < count; i++)
        square += (returns[i] - sum / (double)count) * (returns[i] - sum / (double)count);
    bf_arena_rewind(arena, mark);
    double n = (double)count;
    *out = (bf__evaluation){sum / n, n > 1 ? sqrt(square / (n - 1) / n) : INFINITY, worst};
    return BF_OK;
}
