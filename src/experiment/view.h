/* view.h - A log as a method is shown it: with its mirror image, with columns that mean nothing,
 * with time limits for ends. */
#ifndef BF_EXPERIMENT_VIEW_H
#define BF_EXPERIMENT_VIEW_H

#include "experiment/experiment.h"

/* The log of a setting as contender->view has it, with the target applied, in `out`:
 *
 *   "mirror"  with its mirror image; the environment has to be symmetric
 *   "idle"    with three columns of noise behind the state
 *   "limits"  rows that a time limit cut end their episode
 *   "clock"   the same, and the time is part of the state: then the limit is an end like any other
 *
 * *policy becomes NULL if the target cannot be asked about the states of the view. */
bf_status bf__view_make(bf_dataset *out, const bf_policy **policy, const char *view,
                        const bf_dataset *data, const bf__setting *setting, uint64_t seed,
                        bf_arena *arena, bf_error *err);

#endif
