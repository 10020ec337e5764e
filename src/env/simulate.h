/* simulate.h - A log of one or several behaviours in an environment. */
#ifndef BF_ENV_SIMULATE_H
#define BF_ENV_SIMULATE_H

#include "backflow/env.h"
#include "backflow/log.h"
#include "dataset/dataset.h"

typedef struct bf__simulation {
    const bf_env *env;
    bf_rewards rewards;
    const bf_policy *const *behaviors; /* trajectory e follows behaviour e % behavior_count */
    int behavior_count;
    const bf_policy *target;     /* if not NULL, fills pi and npi */
    int64_t trajectories, steps; /* steps: transitions of each trajectory */
} bf__simulation;

/* Trajectories begin at start states and have `steps` transitions each, in order. If an episode
 * ends inside a trajectory, its last row is `terminated` and has the terminal state as next state,
 * and the next row begins a new episode at a start state. The last row of a trajectory is
 * `truncated`, unless it is terminated. Everything lives in `arena`. */
bf_status bf__simulate(bf_dataset *out, const bf__simulation *simulation, const bf_context *context,
                       bf_arena *arena, bf_error *err);

#endif
