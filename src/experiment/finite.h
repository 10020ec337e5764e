/* finite.h - What the experiments on finite problems share: problems whose every number is exact,
 * and logs of them that are distributed as the behaviour's long run is. */
#ifndef BF_EXPERIMENT_FINITE_H
#define BF_EXPERIMENT_FINITE_H

#include "experiment/experiment.h"

#define BF_FINITE_PROBLEMS "modelwin,ladder,gridwalk"
#define BF_FINITE_HELP     "LIST: Finite problems, with commas: modelwin, ladder, gridwalk."

/* Adds one panel per problem of the list --finite, with every method at every number of transitions
 * of the list --sizes: trajectories of `steps` of them. The rest of the settings is as in `like`.
 */
bf_status bf__finite_plan(bf__study *study, const char *finite, const char *sizes, int64_t steps,
                          const bf__setting *like, const bf__contender *const *methods,
                          int method_count, int64_t runs, bf__quantity quantity, bf_error *err);

/* Settings, panel by panel and size by size, in which the RMSE of method `a` is below that of `b`
 * by more than two standard errors of the difference (*below), above by as much (*above), and
 * all. */
bf_status bf__finite_contest(int *below, int *above, int *all, const bf__study *study,
                             const char *a, const char *b, bf_error *err);

#endif
