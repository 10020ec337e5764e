/* parts.h - An estimator run on complementary parts of a log. */
#ifndef BF_TRUST_PARTS_H
#define BF_TRUST_PARTS_H

#include "estimator/answer.h"
#include "trust/clusters.h"

enum { BF__MOST_SPLITS = 4, BF__MOST_PARTS = 8 };

/* What is looked at in every answer. */
typedef enum bf__measure {
    BF__VALUE,
    BF__RETURN, /* of an episode; NaN where the method has none */
    BF__LENGTH,
    BF__MEASURES,
} bf__measure;

typedef struct bf__parts_split {
    int parts;
    double value[BF__MEASURES][BF__MOST_PARTS]; /* NaN: the part gave no answer */
} bf__parts_split;

typedef struct bf__parts {
    int splits;
    bf__parts_split split[BF__MOST_SPLITS];
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

/* What splits say about one measure, whose value on the whole log is `value`.
 *
 *     noise^2 = mean over splits of  sum_k (v_k - vbar)^2 / (K (K - 1)),   df = sum (K - 1)
 *     bias    = mean over splits of  vbar - value
 *
 * noise^2 estimates the variance on the whole log; whatever is linear in the clusters cancels in
 * the bias, which is the error that a part has and the whole has less of. */
typedef struct bf__scatter {
    double noise, bias;
    double square; /* mean over splits of (vbar - value)^2 */
    int df;        /* 0: no split is whole */
} bf__scatter;
bf__scatter bf__parts_scatter(const bf__parts *parts, bf__measure measure, double value);

#endif
