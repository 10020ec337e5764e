/* simulate.c - A log of one or several behaviours in an environment.
 *
 * Chain e of the rollout is trajectory e, which is rows e * T .. e * T + T - 1 of the log. Chains
 * write to rows of their own, so nothing has to be sorted or merged afterwards. If a trajectory is
 * one episode, the rows after its end are taken out in the end. */
#include "env/simulate.h"

#include <string.h>

#include "core/fail.h"
#include "env/rollout.h"
#include "policy/kind.h"

/* The columns as long as they can be written to. The columns of the dataset point at them. */
typedef struct columns {
    const bf_simulation *simulation;
    int64_t n, behavior;
    double *state, *next_state, *reward, *mu, *pi, *npi;
    int32_t *action;
    uint8_t *terminated, *truncated, *over;
} columns;

static void scatter(double *column, int64_t n, const double *block, int rows, int count,
                    const int64_t *row) {
    for (int j = 0; j < rows; j++)
        for (int c = 0; c < count; c++)
            column[j * n + row[c]] = block[j * count + c];
}

static bf_status visit(void *context, const bf__rollout_step *batch, bf_error *err) {
    columns *log = context;
    const bf_simulation *s = log->simulation;
    int count = batch->count, dim = s->env->state_dim, actions = s->env->actions;
    int64_t row[BF_ROLLOUT_BLOCK];
    for (int c = 0; c < count; c++) {
        int64_t trajectory = log->behavior + (batch->first + c) * s->behavior_count;
        int64_t i = row[c] = trajectory * s->steps + batch->t;
        log->over[i] = batch->over[c];
        log->action[i] = batch->action[c];
        log->reward[i] = batch->reward[c];
        log->mu[i] = batch->mu[batch->action[c] * count + c];
        log->terminated[i] = batch->terminated[c];
        log->truncated[i] = batch->t == s->steps - 1 && !batch->terminated[c];
    }
    scatter(log->state, log->n, batch->seen, dim, count, row);
    scatter(log->next_state, log->n, batch->next, dim, count, row);
    if (!s->target)
        return BF_OK;
    double p[BF_ENV_MAX_ACTIONS * BF_ROLLOUT_BLOCK];
    BF_TRY(s->target->probabilities(s->target, batch->seen, count, p, err));
    scatter(log->pi, log->n, p, actions, count, row);
    BF_TRY(s->target->probabilities(s->target, batch->next, count, p, err));
    scatter(log->npi, log->n, p, actions, count, row);
    return BF_OK;
}

static bf_status allocate(columns *log, bf_arena *arena, bf_error *err) {
    const bf_simulation *s = log->simulation;
    int64_t n = log->n;
    BF_ALLOC(log->state, arena, n * s->env->state_dim, err);
    BF_ALLOC(log->next_state, arena, n * s->env->state_dim, err);
    BF_ALLOC(log->reward, arena, n, err);
    BF_ALLOC(log->mu, arena, n, err);
    BF_ALLOC(log->action, arena, n, err);
    BF_ALLOC(log->terminated, arena, n, err);
    BF_ALLOC(log->truncated, arena, n, err);
    BF_ALLOC(log->over, arena, n, err);
    memset(log->over, 1, (size_t)n); /* rows that nobody comes to */
    if (s->target) {
        BF_ALLOC(log->pi, arena, n * s->env->actions, err);
        BF_ALLOC(log->npi, arena, n * s->env->actions, err);
    }
    return BF_OK;
}

/* Moves the rows of a column (width, n) that are not over to its front: (width, kept). */
static void squeeze(void *column, int64_t width, size_t size, const columns *log) {
    char *to = column;
    for (int64_t k = 0; column && k < width; k++)
        for (int64_t i = 0; i < log->n; i++)
            if (!log->over[i]) {
                memmove(to, (char *)column + (size_t)(k * log->n + i) * size, size);
                to += size;
            }
}

/* Takes out the rows that are over. */
static void take_out(columns *log) {
    const bf_env *env = log->simulation->env;
    int64_t kept = 0;
    for (int64_t i = 0; i < log->n; i++)
        kept += !log->over[i];
    if (kept == log->n)
        return;
    squeeze(log->state, env->state_dim, sizeof *log->state, log);
    squeeze(log->next_state, env->state_dim, sizeof *log->next_state, log);
    squeeze(log->reward, 1, sizeof *log->reward, log);
    squeeze(log->mu, 1, sizeof *log->mu, log);
    squeeze(log->pi, env->actions, sizeof *log->pi, log);
    squeeze(log->npi, env->actions, sizeof *log->npi, log);
    squeeze(log->action, 1, sizeof *log->action, log);
    squeeze(log->terminated, 1, 1, log);
    squeeze(log->truncated, 1, 1, log);
    log->n = kept;
}

/* An episode begins with each trajectory and after each termination. */
static bf_status mark_episodes(bf_dataset *out, bf_arena *arena, bf_error *err) {
    int64_t episodes = 0, *begin, *order;
    for (int64_t i = 0; i < out->n; i++)
        episodes += out->terminated[i] || out->truncated[i];
    BF_ALLOC(begin, arena, episodes + 1, err);
    BF_ALLOC(order, arena, out->n, err);
    int64_t e = 0;
    begin[0] = 0;
    for (int64_t i = 0; i < out->n; i++) {
        order[i] = i;
        if (out->terminated[i] || out->truncated[i])
            begin[++e] = i + 1;
    }
    out->episodes = episodes;
    out->begin = begin;
    out->order = out->row = order;
    out->rows_read = out->n;
    return BF_OK;
}

bf_status bf__simulate_from(bf_dataset *out, const bf_simulation *simulation, const double *begin,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_env *env = simulation->env;
    columns log = {.simulation = simulation};
    if (__builtin_mul_overflow(simulation->trajectories, simulation->steps, &log.n) ||
        log.n > INT64_MAX / (64 * BF_ENV_MAX_DIM))
        return bf_fail(err, BF_ENOMEM, "out of memory: %lld trajectories of %lld steps",
                       (long long)simulation->trajectories, (long long)simulation->steps);
    BF_TRY(allocate(&log, arena, err));
    int behaviors = simulation->behavior_count;
    for (int k = 0; k < behaviors; k++) {
        log.behavior = k;
        bf__rollout rollout = {.env = env,
                               .policy = simulation->behaviors[k],
                               .rewards = simulation->rewards,
                               .chains = (simulation->trajectories - k + behaviors - 1) / behaviors,
                               .steps = simulation->steps,
                               .first = k,
                               .stride = behaviors,
                               .begin = begin,
                               .once = simulation->per_episode,
                               .task = "simulating"};
        BF_TRY(bf__rollout_run(&rollout, visit, &log, context, err));
    }
    take_out(&log);
    *out = (bf_dataset){.n = log.n,
                        .state_dim = env->state_dim,
                        .actions = env->actions,
                        .states = env->states,
                        .state = log.state,
                        .next_state = log.next_state,
                        .action = log.action,
                        .reward = log.reward,
                        .terminated = log.terminated,
                        .truncated = log.truncated,
                        .mu = log.mu,
                        .pi = log.pi,
                        .npi = log.npi};
    return mark_episodes(out, arena, err);
}

bf_status bf__simulate(bf_dataset *out, const bf_simulation *simulation, const bf_context *context,
                       bf_arena *arena, bf_error *err) {
    return bf__simulate_from(out, simulation, NULL, context, arena, err);
}

bf_status bf_simulate(const bf_dataset **out, const bf_simulation *simulation,
                      const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset *data;
    BF_ALLOC(data, arena, 1, err);
    BF_TRY(bf__simulate(data, simulation, context, arena, err));
    *out = data;
    return BF_OK;
}
