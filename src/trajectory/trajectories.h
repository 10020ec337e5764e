/* trajectories.h - Episodes weighed by products of ratios: what is, wis and pdis share. */
#ifndef BF_TRAJECTORY_TRAJECTORIES_H
#define BF_TRAJECTORY_TRAJECTORIES_H

#include "estimator/answer.h"
#include "problem/steps.h"

typedef struct bf__trajectories {
    int64_t episodes;
    const double *log_ratio; /* (n): log of the product of beta up to and including the row */
    const double *before;    /* (n): up to the row before; 0 at the start of an episode */
    const double *whole;     /* (episodes): over the whole episode */
    const double *u;         /* (n): gamma^t */
    const double *weight;    /* (episodes): how much they count, mean 1; NULL: all the same */
    const double *spans; /* (episodes): D_e = sum_t gamma^t, and what follows an absorbing end */
    double span;         /* where all D_e are the same; 0 otherwise */
    int64_t longest;
    bf__steps steps;
} bf__trajectories;

/* -INFINITY is the log of a ratio of 0. */
bf_status bf__trajectories_make(bf__trajectories *out, const char *method,
                                const bf_problem *problem, bf_arena *arena, bf_error *err);

/* Whether the last row of an episode ends for good. */
static inline bool bf__trajectories_stays(const bf__trajectories *t, int64_t last) {
    return t->steps.absorbs && t->steps.ended[last];
}

/* How much episode e counts. */
static inline double bf__trajectory_weight(const bf__trajectories *t, int64_t e) {
    return t->weight ? t->weight[e] : 1;
}

/* E_pi of the span by prefix products, an unbiased estimate, or the span itself where it is the
 * same for all. */
bf_status bf__trajectories_span(double *out, const bf__trajectories *t, const bf_problem *problem,
                                bf_error *err);

/* exp(log_ratio), or the sentence that says it cannot be held. */
bf_status bf__trajectories_exp(double *out, double log_ratio, const bf__trajectories *t,
                               bf_error *err);

/* The answer from weights on rows, and how many episodes it rests on: whole-episode ratios. */
void bf__trajectories_result(bf_estimate *out, const bf_problem *problem, const bf__trajectories *t,
                             const double *weights);

#endif
