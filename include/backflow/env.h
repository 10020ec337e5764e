/* env.h - Built-in environments: where logs and true values come from.
 *
 * A step is pure: it reads and writes the state it is given and draws from the stream it is given.
 * Termination comes from the environment; time limits come from whoever rolls out. */
#ifndef BACKFLOW_ENV_H
#define BACKFLOW_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/context.h"
#include "backflow/dataset.h"
#include "backflow/memory.h"
#include "backflow/policy.h"
#include "backflow/rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bf_rewards {
    BF_REWARDS_PAPER,     /* of the black-box paper: +100 at a goal, -100 at a fall, ... */
    BF_REWARDS_GYMNASIUM, /* the environment's own, for parity and training thresholds */
} bf_rewards;

#define BF_ENV_MAX_DIM     8 /* no environment has longer states */
#define BF_ENV_MAX_ACTIONS 8 /* nor more actions */

/* A policy that comes with an environment: a function, or a network. */
typedef struct bf_env_policy {
    const char *name, *summary;
    /* What it does at one state as a policy sees it: p (actions). NULL: a network does it. */
    void (*probabilities)(const double *seen, double *p);
    const char *network; /* the text of a network policy's file */
} bf_env_policy;

typedef struct bf_env bf_env;
struct bf_env {
    const char *name, *summary;
    int inner_dim; /* numbers in the state that `step` moves */
    int state_dim; /* numbers that a policy and a log see: what `observe` writes */
    int actions;
    int64_t states; /* S of a finite environment (its state is one whole number); 0 otherwise */
    int64_t limit;  /* usual time limit of an episode */
    /* Column names, or kinds of coordinate: "x", "theta" ...; state_dim of them. */
    const char *const *state_names;

    void (*reset)(double *state, bf_rng *rng); /* a start state */
    /* Moves `state`; returns whether the new state is terminal. */
    bool (*step)(double *state, int action, bf_rewards rewards, bf_rng *rng, double *reward);
    void (*observe)(const double *state, double *seen);

    /* Finite environments: P (S * A, S) row-major, expected reward R (S * A), start p0 (S), which
     * the caller owns. NULL otherwise. */
    void (*model)(double *p, double *r, double *p0);

    const bf_env_policy *policies; /* the last one has no name; NULL: none */
};

/* Every environment, in the order of envs.def; NULL past the end. */
BF_API const bf_env *bf_env_at(int index);
BF_API const bf_env *bf_env_find(const char *name);

/* A policy for `env` as a user writes it: NAME or NAME@ALPHA, where NAME is `uniform`, one of
 * env->policies, or a policy file. With ALPHA it is the mixture alpha * NAME + (1 - alpha) *
 * uniform; without, `alpha` (1: NAME itself) stands for it. In `arena`. */
BF_API bf_status bf_env_policy_parse(const bf_policy **out, const bf_env *env, const char *spec,
                                     double alpha, bf_arena *arena, bf_error *err);

/* The same for a log of so many `actions`, with ENV:NAME for a policy that an environment has. */
BF_API bf_status bf_policy_parse(const bf_policy **out, const char *spec, int actions,
                                 bf_arena *arena, bf_error *err);

/* ---- Logs */

typedef struct bf_simulation {
    const bf_env *env;
    bf_rewards rewards;
    const bf_policy *const *behaviors; /* trajectory e follows number e % behavior_count */
    int behavior_count;
    const bf_policy *target;     /* fills pi and npi; NULL: none */
    int64_t trajectories, steps; /* steps: transitions of each */
    bool per_episode;            /* a trajectory is one episode, and `steps` is its time limit */
    size_t size; /* sizeof(bf_simulation), or 0: the fields above are all there is */
} bf_simulation;

/* A log. Trajectories begin at start states and have `steps` transitions each, in order. If an
 * episode ends inside one, its last row is `terminated`, with the terminal state as next state, and
 * the next row begins a new episode at a start state; with per_episode, the trajectory is over. The
 * last row of a trajectory is `truncated`, unless it is terminated. */
BF_API bf_status bf_simulate(const bf_dataset **out, const bf_simulation *simulation,
                             const bf_context *context, bf_arena *arena, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
