/* influence.h - What each cluster of a log contributes to the error of an estimate.
 *
 * The estimate of weights w is sum_i w_i r_i. If q is the differential value of the target policy,
 * its error is, to first order, the sum over clusters of
 *
 *     c_j = sum_{i in j} w_i (r_i - rho - <psi_i, q>)  +  F (V(s0_j) - mean V) / starts,
 *
 * the surprise in every transition of the cluster, and that of where its episodes started; F is
 * the flow of mass through starts. The standard error is the root of J / (J - 1) sum_j c_j^2. */
#ifndef BF_TRUST_INFLUENCE_H
#define BF_TRUST_INFLUENCE_H

#include "estimator/answer.h"
#include "trust/clusters.h"

enum { BF__MOST_REWARDS = 4 };

typedef struct bf__influence {
    int rewards;                  /* K: how many quantities */
    double *c;                    /* (K, J) */
    double sum[BF__MOST_REWARDS]; /* of c: what q says is left of the weights' error */
    double se[BF__MOST_REWARDS];
    bool exact; /* q is not fitted: a plain mean needs none, finite states have it in closed form */
    int64_t features;
    double ridge;
} bf__influence;

/* Of a plain mean of the rows: q is 0. */
bf_status bf__influence_mean(bf__influence *out, const bf_problem *problem, const double *rewards,
                             int count, const double *w, const bf__clusters *clusters,
                             bf_arena *arena, bf_error *err);

/* Finite states: q in closed form on the count model. rewards (count, n). */
bf_status bf__influence_cells(bf__influence *out, const bf_problem *problem, const double *rewards,
                              int count, const double *w, const bf__clusters *clusters,
                              const bf_context *context, bf_arena *arena, bf_error *err);

/* Real-valued states: q linear in kernel features. The q of a cluster is fitted without its fold.
 * `periodic` and `scale` as points.h takes them. */
bf_status bf__influence_features(bf__influence *out, const bf_problem *problem,
                                 const double *rewards, int count, const double *w,
                                 const bf__clusters *clusters, const char *periodic,
                                 const char *scale, const bf_context *context, bf_arena *arena,
                                 bf_error *err);

/* Fills sum and se from c (K, J). */
void bf__influence_finish(bf__influence *out, int64_t clusters);

#endif
