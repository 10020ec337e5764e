/* label_states.h - Real-valued states that are few: a finite state space given as coordinates. */
#ifndef BF_PROBLEM_LABEL_STATES_H
#define BF_PROBLEM_LABEL_STATES_H

#include "dataset/dataset.h"

/* Where the states of the log, next states included, are at most a fifth as many as its
 * transitions, *out is the log with states numbered, and *found is true. */
bf_status bf__label_states(bool *found, bf_dataset *out, const bf_dataset *data, bf_arena *arena,
                           bf_error *err);

#endif
