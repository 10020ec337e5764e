/* truth.c - What a policy earns when it is run. Every estimate is compared with this.
 *
 * Average      Chains begin at start states. Each has a burn-in that does not count. The value is
 * the mean over chains and steps, and its error comes from the spread between chains. The paper's
 * own truth (section 5) is one chain of 50,000 steps without burn-in; its error comes from 50 batch
 * means. Episodes     By renewal: return = reward per step / ends per step, length = 1 / ends per
 * step. Discounted   Each chain is one draw of the sum, which is cut as soon as gamma^t < 1e-10.
 * Cost         chains * steps; the default is about five million steps. */
#include "stats/truth.h"

#include <math.h>

#include "core/fail.h"
#include "env/exact.h"
#include "env/rollout.h"

#define BATCHES 50
#define BUDGET  5000000

void bf__truth_defaults(bf_truth_plan *plan, const bf_env *env) {
    if (plan->kind == BF_TRUTH_AVERAGE) {
        plan->chains = plan->chains ? plan->chains : 256;
        plan->steps = plan->steps ? plan->steps : 20000;
        plan->burn_in = plan->burn_in >= 0 ? plan->burn_in : 2000;
        return;
    }
    plan->burn_in = 0;
    if (plan->kind == BF_TRUTH_EPISODE) {
        plan->chains = plan->chains ? plan->chains : 1000;
        plan->steps = plan->steps ? plan->steps : env->limit;
        return;
    }
    double needed = plan->gamma > 0 ? ceil(log(1e-10) / log(plan->gamma)) : 1;
    plan->steps = plan->steps ? plan->steps : needed < 1e9 ? (int64_t)needed + 1 : (int64_t)1e9;
    if (plan->chains == 0)
        plan->chains = plan->steps < BUDGET / 256 ? BUDGET / plan->steps : 256;
}

/* Sums over each chain. */
typedef struct tally {
    const bf_truth_plan *plan;
    double *reward, *ends, *length; /* (chains) */
    double *series;                 /* (steps): every reward of a single chain, or NULL */
} tally;

static bf_status visit(void *context, const bf__rollout_step *batch, bf_error *err) {
    (void)err;
    tally *sums = context;
    const bf_truth_plan *plan = sums->plan;
    int64_t t = batch->t - plan->burn_in;
    if (t < 0)
        return BF_OK;
    double weight = plan->kind == BF_TRUTH_AVERAGE ? 1 : pow(plan->gamma, (double)t);
    for (int c = 0; c < batch->count; c++) {
        if (batch->over[c])
            continue;
        sums->reward[batch->first + c] += weight * batch->reward[c];
        sums->ends[batch->first + c] += batch->terminated[c];
        sums->length[batch->first + c] += 1;
    }
    if (sums->series)
        sums->series[t] = batch->reward[0];
    return BF_OK;
}

static void summarise(bf_truth *out, const tally *sums) {
    const bf_truth_plan *plan = sums->plan;
    int64_t chains = plan->chains;
    const bf_mean none = {NAN, NAN};
    out->episode_return = out->episode_length = none;
    for (int64_t c = 0; c < chains; c++) {
        out->ends += (int64_t)sums->ends[c];
        out->transitions += (int64_t)sums->length[c] + plan->burn_in;
    }
    if (plan->kind == BF_TRUTH_AVERAGE && out->ends > 0) {
        out->episode_return = bf__ratio_of(sums->reward, sums->ends, chains);
        out->episode_length = bf__ratio_of(sums->length, sums->ends, chains);
    }
    double scale = plan->kind == BF_TRUTH_AVERAGE      ? 1 / (double)plan->steps
                   : plan->kind == BF_TRUTH_DISCOUNTED ? 1 - plan->gamma
                                                       : 1;
    for (int64_t c = 0; c < chains; c++)
        sums->reward[c] *= scale;
    out->value = sums->series ? bf__batch_means(sums->series, plan->steps, BATCHES)
                              : bf__mean_of(sums->reward, chains);
    if (plan->kind == BF_TRUTH_EPISODE) {
        out->episode_return = out->value;
        out->episode_length = bf__mean_of(sums->length, chains);
    }
}

bf_status bf__truth_run(bf_truth *out, const bf_truth_plan *plan, const bf_env *env,
                        const bf_policy *policy, bf_rewards rewards, const bf_context *context,
                        bf_arena *arena, bf_error *err) {
    *out = (bf_truth){.transitions = 0};
    tally sums = {.plan = plan};
    BF_ZALLOC(sums.reward, arena, plan->chains, err);
    BF_ZALLOC(sums.ends, arena, plan->chains, err);
    BF_ZALLOC(sums.length, arena, plan->chains, err);
    if (plan->chains == 1 && plan->kind == BF_TRUTH_AVERAGE)
        BF_ZALLOC(sums.series, arena, plan->steps, err);
    bf__rollout rollout = {.env = env,
                           .policy = policy,
                           .rewards = rewards,
                           .chains = plan->chains,
                           .steps = plan->burn_in + plan->steps,
                           .once = plan->kind == BF_TRUTH_EPISODE,
                           .task = "simulating"};
    BF_TRY(bf__rollout_run(&rollout, visit, &sums, context, err));
    summarise(out, &sums);
    return BF_OK;
}

bf_status bf_true_value(const bf_truth **out, const bf_truth_plan *plan, const bf_env *env,
                        const bf_policy *policy, const bf_context *context, bf_arena *arena,
                        bf_error *err) {
    bf_truth *truth;
    bf_truth_plan *filled;
    BF_ZALLOC(truth, arena, 1, err);
    BF_ALLOC(filled, arena, 1, err);
    *filled = *plan;
    bf__truth_defaults(filled, env);
    truth->exact = env->model && !plan->simulate && plan->kind != BF_TRUTH_EPISODE;
    if (truth->exact)
        BF_TRY(bf__exact_value(&truth->value.value, env, policy, plan->gamma, NULL, arena, err));
    else
        BF_TRY(bf__truth_run(truth, filled, env, policy, plan->rewards, context, arena, err));
    truth->plan = filled;
    *out = truth;
    return BF_OK;
}
