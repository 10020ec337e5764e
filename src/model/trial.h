/* trial.h - A policy run in a fitted process. */
#ifndef BF_MODEL_TRIAL_H
#define BF_MODEL_TRIAL_H

#include "model/actor.h"
#include "model/dynamics.h"

#define BF__TRIAL_MOST 64 /* members */

typedef struct bf__trial_task {
    const bf__dynamics *dynamics;
    const bf__actor *actor;
    int64_t steps; /* of every chain */
    int chains;    /* of each member */
    bool replay;   /* chains are as long as the log's episodes, and every step counts alike */
    const char *what;
} bf__trial_task;

typedef struct bf__trial {
    double value;                  /* the mean over the members */
    double member[BF__TRIAL_MOST]; /* the value of each */
    double error;                  /* standard error that the number and length of chains leave */
    double drift;                  /* value of the last quarter less that of the one before it */
    double cut;  /* share of steps that lead out of the range of the log, by a twentieth of it */
    double far;  /* share of steps that are farther from the log than few of its own rows */
    double ends; /* steps that ended an episode */
    double length, gain; /* of episodes that ended: mean steps and return; NaN: none */
} bf__trial;

bf_status bf__trial_run(bf__trial *out, const bf__trial_task *task, const bf_context *context,
                        bf_arena *arena, bf_error *err);

/* What to take off a difference m that a simulator finds to the log, if its replay of the log is
 * off by `off`, of which `variance` is the squared standard error: (1 - variance / off^2) off, but
 * nothing that would make m larger, or change its sign. */
double bf__flattery(double m, double off, double variance);

#endif
