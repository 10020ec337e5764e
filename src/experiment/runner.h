/* runner.h - Runs everything that studies have planned. */
#ifndef BF_EXPERIMENT_RUNNER_H
#define BF_EXPERIMENT_RUNNER_H

#include "experiment/agenda.h"

/* Fills in the groups of every study. Runs that the store has are taken from there. The others are
 * run, one run per thread, and go into the store. Runs that several studies share are run once. The
 * numbers do not depend on the number of threads. With a team, whose processes have all planned the
 * same studies, runs are dealt to processes; only the first has the store, the others have NULL,
 * and the groups of the first are filled. */
bf_status bf__studies_run(bf__study *studies, int count, const bf__truth_effort *effort,
                          bf__store *store, const bf_context *context, const bf__team *team,
                          bf_arena *arena, bf_error *err);

#endif
