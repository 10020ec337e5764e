/* runner.h - Runs everything that studies have planned. */
#ifndef BF_EXPERIMENT_RUNNER_H
#define BF_EXPERIMENT_RUNNER_H

#include "experiment/experiment.h"
#include "experiment/store.h"

typedef struct bf__truth_effort {
    int64_t steps;  /* of the simulation that gives the precise value, if it is not exact */
    int64_t single; /* of the paper's truth: one run */
} bf__truth_effort;

/* Fills in the groups of every study. Runs that the store has are taken from there. The others are
 * run, one run per thread, and go into the store. Runs that several studies share are run once. The
 * numbers do not depend on the number of threads. */
bf_status bf__studies_run(bf__study *studies, int count, const bf__truth_effort *effort,
                          bf__store *store, const bf_context *context, bf_arena *arena,
                          bf_error *err);

#endif
