/* parts.h - An estimator run on complementary parts of a log. */
#ifndef BF_TRUST_PARTS_H
#define BF_TRUST_PARTS_H

#include "estimator/answer.h"
#include "trust/clusters.h"
#include "trust/error.h"

/* What is looked at in every answer. */
typedef enum bf__measure {
    BF__VALUE,
    BF__RETURN, /* of an episode; NaN where the method has none */
    BF__LENGTH,
    BF__MEASURES,
} bf__measure;

typedef struct bf__parts {
    int count;                                  /* of all splits together, one after the other */
    int split[BF__PARTS_ROOM];                  /* (count): which split a part belongs to */
    double value[BF__MEASURES][BF__PARTS_ROOM]; /* (count); NaN: the part gave no answer */
    uint64_t seed;    /* split r is dealt by the stream (seed, "parts", r) */
    int failed;       /* parts without an answer */
    const char *why;  /* what the first of them said */
    double seconds;   /* not part of the answer */
    bool interrupted; /* the user stopped it: what is there is not used */
} bf__parts;

/* The measures of one answer. */
void bf__measures(double out[BF__MEASURES], const bf_estimate *estimate);

/* Runs the estimator on every part of every split: counts (splits) says how many parts. A split
 * with more parts than there are clusters is left out. */
bf_status bf__parts_run(bf__parts *out, const int *counts, int splits,
                        const bf_estimator *estimator, const bf_problem *problem,
                        const bf_settings *settings, const bf__clusters *clusters,
                        const bf_context *context, bf_arena *arena, bf_error *err);

#endif
