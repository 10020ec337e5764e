/* actor.h - A policy that can be asked anywhere: the one that the question has, or one fitted to
 * what a log shows of it. */
#ifndef BF_MODEL_ACTOR_H
#define BF_MODEL_ACTOR_H

#include "backflow/policy.h"
#include "backflow/rng.h"
#include "solver/krr.h"

/* What is known of a policy: n states, and at each of them M sampled vectors of `dim` numbers or
 * the probabilities of A actions. */
typedef struct bf__actor_task {
    int64_t n;
    int inputs, members;
    const double *x;     /* (n, inputs), coordinates of the states */
    const int32_t *fold; /* (n) */
    int dim, samples;    /* of vectors; 0: actions are numbers */
    int actions;
    const double *shown; /* (n, samples, dim), or (n, actions) */
    int64_t features;
    int rounds;
    const char *what;
} bf__actor_task;

typedef struct bf__actor {
    const bf_policy *policy; /* NULL: it was fitted */
    int state_dim;           /* numbers of a state, if there is a policy */
    int dim, actions;
    const bool *seen;         /* (actions): left out if not; NULL: all are kept */
    bf__krr mean;             /* of vectors, or the probabilities */
    bf__krr variance;         /* of vectors */
    const double *pool;       /* (pool_rows, dim): deviations in units of the fitted ones */
    int64_t pool_rows;        /* 0: it does the same always */
    const double *low, *high; /* (dim): the range of what was shown */
} bf__actor;

bf_status bf__actor_fit(bf__actor *out, const bf__actor_task *task, const bf_context *context,
                        bf_arena *arena, bf_error *err);

/* The numbers of `scratch` that drawing n actions takes. */
int64_t bf__actor_room(const bf__actor *actor, int64_t n);

/* Draws an action at each of n states, as member `member` of the fit has it: u (n, dim), or one
 * number of u (n, actions) is 1. x (n, inputs) are the states' coordinates, `states` (d, n) the
 * states themselves. Stream j gives the numbers of state j. */
bf_status bf__actor_draw(double *u, const bf__actor *actor, int member, const double *x,
                         const double *states, int64_t n, bf_rng *streams, double *scratch,
                         bf_error *err);

#endif
