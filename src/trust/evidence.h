/* evidence.h - What the verdict goes by: facts about where the weights of an answer lie. */
#ifndef BF_TRUST_EVIDENCE_H
#define BF_TRUST_EVIDENCE_H

#include "estimator/answer.h"
#include "trust/clusters.h"
#include "trust/trust.h"

/* A number that could not be measured is NaN, and no rule goes by it. */
typedef struct bf__evidence {
    const bf_estimate *estimate;
    const bf_trust *trust;
    double n, low, high, deviation; /* rows; the rewards of the log */
    double weighted_deviation;      /* of the reward under the weights */
    bool ends;                      /* episodes end, and the next one starts */
    double ended;                   /* share of the weight on rows that end an episode */
    double episodes;                /* episodes or other clusters, J */
    double effective;               /* of them, those that carry the weight: 1 / sum of squares */
    double largest;                 /* share of the weight that one of them has */
    double gap;      /* share of the target's next pairs with no logged pair of another cluster
                        within one median step */
    double longest;  /* steps of the longest episode of the log */
    double horizon;  /* steps that the question looks ahead: the expected length of an episode, or
                        1 / (1 - gamma); INFINITY if neither ends it */
    double age_rise; /* mean weight of the latest fifth of the rows, over that of the others */
    double still;    /* share of the weight on rows whose state hardly moves */
} bf__evidence;

bf_status bf__evidence_gather(bf__evidence *out, const bf_estimate *estimate,
                              const bf_problem *problem, const bf_trust *trust,
                              const bf__clusters *clusters, const char *periodic, const char *scale,
                              const bf_context *context, bf_arena *arena, bf_error *err);

#endif
