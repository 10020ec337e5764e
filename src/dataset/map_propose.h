/* map_propose.h - What the columns of a file probably are, by their names. */
#ifndef BF_DATASET_MAP_PROPOSE_H
#define BF_DATASET_MAP_PROPOSE_H

#include "dataset/map.h"

/* A mapping that would make a log of the columns, "state=obs_0,obs_1 action=action reward=reward";
 * NULL if the names do not tell state, action and reward. In `arena`. */
bf_status bf__map_propose(const char **out, const bf__found *found, bf_arena *arena, bf_error *err);

#endif
