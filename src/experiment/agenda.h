/* agenda.h - What studies need to have run: cells, true values, and the jobs that they make. */
#ifndef BF_EXPERIMENT_AGENDA_H
#define BF_EXPERIMENT_AGENDA_H

#include "experiment/experiment.h"
#include "experiment/store.h"
#include "team/team.h"

typedef struct bf__truth_effort {
    int64_t steps;  /* of the simulation that gives the precise value, if it is not exact */
    int64_t single; /* of the paper's truth: one run */
} bf__truth_effort;

/* One run of one group. */
typedef struct bf__cell {
    char log[BF_KEY_SIZE]; /* names the log that the cells of one job share */
    char key[BF_KEY_SIZE];
    const bf__setting *setting;
    const bf__contender *method;
    int64_t run;
} bf__cell;

/* A true value by simulation. */
typedef struct bf__truth_task {
    char key[BF_KEY_SIZE];
    const bf__setting *setting;
    bf_truth_plan plan;
    bool single;
} bf__truth_task;

typedef struct bf__run_job {
    const bf__cell *cells; /* NULL: the job is a true value */
    const bf__truth_task *truth;
    int count; /* cells */
    double cost;
} bf__run_job;

/* Everything that has to be run; the same in every process. */
typedef struct bf__agenda {
    bf__cell *cells;
    bf__truth_task *truths;
    bf__run_job *jobs; /* the largest first */
    int64_t cell_count, truth_count, job_count;
} bf__agenda;

/* Everything that the studies need and the store does not have, each once. With a team, the first
 * process looks into its store and tells the others, whose store is NULL. */
bf_status bf__agenda_make(bf__agenda *out, const bf__study *studies, int count,
                          const bf__truth_effort *effort, uint64_t seed, const bf__store *store,
                          const bf__team *team, bf_arena *arena, bf_error *err);

/* A run of a group, with its keys. */
void bf__cell_make(bf__cell *out, const bf__run_group *group, uint64_t seed, int64_t run);

/* Whether a setting has a truth of this kind that has to be simulated; and how, with its key. */
bool bf__truth_simulated(const bf__setting *setting, bool single);
void bf__truth_task_make(bf__truth_task *out, const bf__setting *setting, bool single,
                         const bf__truth_effort *effort, uint64_t seed);

#endif
