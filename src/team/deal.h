/* deal.h - Jobs for the threads of a process, and for the processes of a team.
 *
 * Jobs have numbers, and every process knows what a number stands for. A thread takes the next job
 * and runs it from beginning to end. What comes out is bytes, in as many pieces as the job likes,
 * and the first process takes each piece as soon as it is there: what is finished is safe, whatever
 * happens later. */
#ifndef BF_TEAM_DEAL_H
#define BF_TEAM_DEAL_H

#include "team/team.h"

typedef struct bf__deal bf__deal; /* what is under way */

typedef struct bf__work {
    int64_t count; /* jobs */
    int threads;   /* that run jobs, in each process */
    int inner;     /* threads that a job uses itself, if it uses OpenMP */
    /* Runs a job and gives what comes out (bf__deal_give). A failure ends all the work. */
    bf_status (*run)(void *self, int64_t job, bf__deal *deal, bf_error *err);
    /* In the first process, one at a time: a piece of what came out of a job, and its end. */
    bf_status (*take)(void *self, int64_t job, const void *bytes, size_t size, bf_error *err);
    void (*finished)(void *self, int64_t job);
    /* Now and then on the caller's thread, in every process; false asks for an end, and the work
     * then fails as cancelled. */
    bool (*watch)(void *self);
    void *self;
} bf__work;

/* Runs all jobs: BF_OK, or the first failure. What a failure left undone was not begun or was told
 * to stop (bf__deal_going). `team` may be NULL; its processes have to agree on the status
 * afterwards, because only those know of a failure that had it, and the first. */
bf_status bf__deal_run(const bf__work *work, const bf__team *team, bf_arena *arena, bf_error *err);

/* For a job that is running: gives bytes to the first process, and returns when they may go. */
bf_status bf__deal_give(bf__deal *deal, int64_t job, const void *bytes, size_t size, bf_error *err);

/* Whether a job that is running should go on. */
bool bf__deal_going(const bf__deal *deal);

#endif
