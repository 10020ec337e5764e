/* compare.h - Which of several policies is better, as far as one log can tell.
 *
 * Every policy is estimated from the same log, with the same parts of it for the intervals, and
 * differences are judged in pairs: what the policies' errors have in common cancels. The log's own
 * behaviour is one more contestant, if its mean reward answers the same question: gamma is 1 and
 * steps do not end for good. */
#ifndef BACKFLOW_COMPARE_H
#define BACKFLOW_COMPARE_H

#include "backflow/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_named_policy {
    const char *name;
    const bf_policy *policy;
} bf_named_policy;

enum { BF_MOST_POLICIES = 32 };

/* What came out: a handle, in the arena that bf_compare_policies was given. */
typedef struct bf_contest bf_contest;

/* Estimates 1 to BF_MOST_POLICIES policies by one method. `problem` is the question without its
 * target; names have to differ. `how` NULL: the defaults. */
BF_API bf_status bf_compare_policies(const bf_contest **out, const bf_named_policy *policies,
                                     int count, const bf_estimator *estimator,
                                     const bf_problem *problem, const bf_settings *settings,
                                     const bf_trust_options *how, const bf_context *context,
                                     bf_arena *arena, bf_error *err);

/* One contestant. */
typedef struct bf_contestant {
    const char *name;
    bool log;     /* the behaviour of the log itself */
    double value; /* its reward per step */
    double best;  /* probability of being the best of all; NaN if it is not known */
    const bf_problem *problem;
    const bf_estimator *estimator;
    const bf_estimate *estimate;
    const bf_trust *trust;
    double seconds; /* that it took */
} bf_contestant;

/* Contestant `index`, in the order given, the log last; false past the end. */
BF_API bool bf_contest_entry(const bf_contest *contest, int index, bf_contestant *out);

/* One pair of contestants. NaN marks what is not known. */
typedef struct bf_pair {
    int a, b;                  /* the difference is the value of a less that of b */
    double difference, se, df; /* its standard error and degrees of freedom */
    double level, low, high;   /* its interval; level 0: there is none */
    double p, holm;            /* two-sided p-value; the same adjusted for all pairs (Holm) */
    bool decided;              /* the sign is, at the level, all pairs considered */
    double smallest;           /* the smallest difference that this log could show */
    double more;               /* times as much log would show the observed one; 1: decided */
} bf_pair;

/* Pair `index`; false past the end. */
BF_API bool bf_contest_pair(const bf_contest *contest, int index, bf_pair *out);

/* One sentence about pair `index`, in `text`: "new is better than old by 0.12 to 0.31 per step".
 * Returns its length, or 0 past the end. */
BF_API int bf_contest_sentence(const bf_contest *contest, int index, char *text, size_t size);

/* Why differences have no interval, as a sentence; NULL if they have. */
BF_API const char *bf_contest_why_none(const bf_contest *contest);

#ifdef __cplusplus
}
#endif
#endif
