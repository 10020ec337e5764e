/* worlds.h - What experiments on lists of small problems share. Of the finite ones every number is
 * exact, and their logs are distributed as the behaviour's long run is. */
#ifndef BF_EXPERIMENT_WORLDS_H
#define BF_EXPERIMENT_WORLDS_H

#include "experiment/experiment.h"

#define BF_FINITE_HELP "LIST: Finite problems, with commas: modelwin, ladder, gridwalk."

/* A problem with the question that is asked of it. */
typedef struct bf__world {
    const char *name, *title, *behavior, *target;
} bf__world;

/* Problems that an option chooses from. */
typedef struct bf__worlds {
    const char *option, *sizes; /* --option lists problems, --sizes numbers of transitions */
    const bf__world *list;
    int count;
} bf__worlds;

/* Adds one panel per problem that `names` lists, with every method at every number of transitions
 * of the list `sizes`: trajectories of `steps` of them. The rest of the settings is as in `like`.
 */
bf_status bf__worlds_plan(bf__study *study, const bf__worlds *worlds, const char *names,
                          const char *sizes, int64_t steps, const bf__setting *like,
                          const bf__contender *const *methods, int method_count, int64_t runs,
                          bf__quantity quantity, bf_error *err);

/* The same of the finite problems, for options --finite and --sizes. */
bf_status bf__finite_plan(bf__study *study, const char *finite, const char *sizes, int64_t steps,
                          const bf__setting *like, const bf__contender *const *methods,
                          int method_count, int64_t runs, bf__quantity quantity, bf_error *err);

/* Settings, panel by panel and size by size, in which the RMSE of method `a` is below that of `b`
 * by more than two standard errors of the difference (*below), above by as much (*above), and
 * all. */
bf_status bf__finite_contest(int *below, int *above, int *all, const bf__study *study,
                             const char *a, const char *b, bf_error *err);

#endif
