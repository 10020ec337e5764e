/* subset.h - A log of some of the clusters of a log. */
#ifndef BF_TRUST_SUBSET_H
#define BF_TRUST_SUBSET_H

#include "trust/clusters.h"

/* The rows whose cluster c has part[c] == which, in the order of the log, with their episodes.
 * Blocks are pieces of episodes, whose first rows are no start states: then the subset has no
 * episodes. The numbers of states and actions are those of the whole log. In `arena`. */
bf_status bf__subset(bf_dataset *out, const bf_dataset *data, const bf__clusters *clusters,
                     const int32_t *part, int32_t which, bf_arena *arena, bf_error *err);

#endif
