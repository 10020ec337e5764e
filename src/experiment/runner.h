/* runner.h - Runs everything that studies have planned. */
#ifndef BF_EXPERIMENT_RUNNER_H
#define BF_EXPERIMENT_RUNNER_H

#include "experiment/experiment.h"
#include "experiment/store.h"

typedef struct bf__truth_effort {
    int64_t steps;  /* of the simulation that the precise value comes from, where none is exact */
    int64_t single; /* of the paper's kind of truth: one run */
} bf__truth_effort;

/* Fills in the groups of every study. What the store has is taken from there; the rest is run, one
 * run per thread, and goes into it. Runs that several studies share are run once. The numbers do
 * not depend on the threads. */
bf_status bf__studies_run(bf__study *studies, int count, const bf__truth_effort *effort,
                          bf__store *store, const bf_context *context, bf_arena *arena,
                          bf_error *err);

#endif
