/* rollout.c - A policy in an environment, in many chains side by side.
 *
 * A network is cheap per state only if it is asked about many states at once. One chain cannot do
 * that, because each state depends on the one before. So 64 chains move together:
 *
 *     seen (d, 64) -> policy -> mu (A, 64) -> draw -> action (64) -> step -> next (d, 64)
 *
 * Blocks of 64 chains are shared out among threads. Each chain has a random stream of its own, and
 * the blocks are the same for any number of threads. Therefore the number of threads changes no
 * digit.
 *
 * Cost  per step and chain one policy row, one draw and one env->step; no memory but the stack */
#include "env/rollout.h"

#include <omp.h>
#include <stdatomic.h>

#include "core/context.h"
#include "core/fail.h"
#include "policy/kind.h"

enum { BLOCK = BF_ROLLOUT_BLOCK };

typedef struct block {
    double inner[BLOCK][BF_ENV_MAX_DIM];
    double seen[BF_ENV_MAX_DIM * BLOCK], next[BF_ENV_MAX_DIM * BLOCK];
    double mu[BF_ENV_MAX_ACTIONS * BLOCK], reward[BLOCK];
    int32_t action[BLOCK];
    uint8_t terminated[BLOCK], over[BLOCK];
    bf_rng rng[BLOCK];
} block;

/* What the threads share. */
typedef struct run {
    const bf__rollout *rollout;
    bf__visit visit;
    void *visit_context;
    const bf_context *context;
    double total;
    _Atomic int64_t done; /* counts the steps of all blocks */
    atomic_bool stop;
} run;

static void look(const bf_env *env, const double *inner, double *columns, int count, int chain) {
    double one[BF_ENV_MAX_DIM];
    env->observe(inner, one);
    for (int j = 0; j < env->state_dim; j++)
        columns[j * count + chain] = one[j];
}

static void start(block *b, const bf__rollout *r, int64_t first, int count, uint64_t seed) {
    int64_t stride = r->stride ? r->stride : 1;
    for (int c = 0; c < count; c++) {
        b->rng[c] = bf_rng_make(seed, "rollout", (uint64_t)(r->first + (first + c) * stride));
        b->over[c] = 0;
        if (r->begin)
            b->inner[c][0] = bf_rng_choice(&b->rng[c], r->begin, 1, (int)r->env->states);
        else
            r->env->reset(b->inner[c], &b->rng[c]);
        look(r->env, b->inner[c], b->seen, count, c);
    }
}

/* Draws an action for every chain of the block and makes the step. */
static void advance(block *b, const bf__rollout *r, int count) {
    const bf_env *env = r->env;
    for (int c = 0; c < count; c++) {
        b->action[c] = bf_rng_choice(&b->rng[c], b->mu + c, count, env->actions);
        b->terminated[c] =
            env->step(b->inner[c], b->action[c], r->rewards, &b->rng[c], &b->reward[c]);
        look(env, b->inner[c], b->next, count, c);
    }
}

/* Makes the state after the step the state before the next one. A chain whose episode ended starts
 * again. Returns how many chains go on. */
static int turn_over(block *b, const bf__rollout *r, int count) {
    int going = 0;
    for (int i = 0; i < r->env->state_dim * count; i++)
        b->seen[i] = b->next[i];
    for (int c = 0; c < count; c++) {
        if (b->terminated[c]) {
            b->over[c] |= r->once;
            r->env->reset(b->inner[c], &b->rng[c]);
            look(r->env, b->inner[c], b->seen, count, c);
        }
        going += !b->over[c];
    }
    return going;
}

/* Only the calling thread, which is thread 0 of the team, reports progress. */
static bool go_on(run *shared) {
    int64_t done = atomic_fetch_add_explicit(&shared->done, 1, memory_order_relaxed);
    if (done % 64 == 0 && omp_get_thread_num() == 0 &&
        !bf__progress(shared->context, shared->rollout->task ? shared->rollout->task : "simulating",
                      (double)done, shared->total, NULL))
        atomic_store(&shared->stop, true);
    return !atomic_load_explicit(&shared->stop, memory_order_relaxed);
}

static bf_status run_block(run *shared, int64_t first, int count, bf_error *err) {
    const bf__rollout *r = shared->rollout;
    block b;
    start(&b, r, first, count, shared->context ? shared->context->seed : 1);
    bf__rollout_step batch = {.first = first,
                              .count = count,
                              .seen = b.seen,
                              .next = b.next,
                              .mu = b.mu,
                              .action = b.action,
                              .reward = b.reward,
                              .terminated = b.terminated,
                              .over = b.over};
    int going = count;
    for (batch.t = 0; batch.t < r->steps && going > 0; batch.t++) {
        if (!go_on(shared))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
        BF_TRY(r->policy->probabilities(r->policy, b.seen, count, b.mu, err));
        advance(&b, r, count);
        BF_TRY(shared->visit(shared->visit_context, &batch, err));
        going = turn_over(&b, r, count);
    }
    return BF_OK;
}

bf_status bf__rollout_run(const bf__rollout *rollout, bf__visit visit, void *visit_context,
                          const bf_context *context, bf_error *err) {
    int64_t blocks = (rollout->chains + BLOCK - 1) / BLOCK;
    run shared = {rollout, visit, visit_context, context, (double)(blocks * rollout->steps), 0, 0};
    bf_status status = BF_OK;
    atomic_bool failed = false; /* the thread that sets it writes status and err */
    int threads = bf__threads(context);
    if (threads > blocks)
        threads = blocks > 0 ? (int)blocks : 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t k = 0; k < blocks; k++) {
        int64_t first = k * BLOCK, left = rollout->chains - first;
        bf_error mine = {BF_OK, ""};
        bf_status got = run_block(&shared, first, left < BLOCK ? (int)left : BLOCK, &mine);
        if (got != BF_OK && !atomic_exchange(&failed, true)) {
            status = got;
            if (err)
                *err = mine;
        }
        if (got != BF_OK)
            atomic_store(&shared.stop, true);
    }
    return status;
}
