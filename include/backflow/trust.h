/* trust.h - How far an answer can be trusted: intervals, and a verdict with its reasons.
 *
 * An estimate is a number. bf_trust_measure adds what the log says about its error; the number
 * itself never depends on it. */
#ifndef BACKFLOW_TRUST_H
#define BACKFLOW_TRUST_H

#include "backflow/estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bf_interval_mode {
    BF_INTERVAL_FULL, /* parts of the log are estimated again: up to three times the time */
    BF_INTERVAL_FAST, /* what the answer's own weights say, where it has some */
    BF_INTERVAL_NONE,
} bf_interval_mode;

typedef struct bf_trust_options {
    int interval;        /* bf_interval_mode */
    double level;        /* of the intervals, above 0 and below 1 */
    const char *cluster; /* the column whose values are independent of each other, which the log has
                            to have kept (bf_read_options.keep); NULL: episodes are */
    int64_t block; /* if above 0: blocks of so many consecutive rows are what is independent */
} bf_trust_options;

BF_API extern const bf_option_table bf_trust_table;

/* If level is 0 there is none. */
typedef struct bf_interval {
    double level, low, high;
    double se;   /* one standard error, of noise and of what else was measured */
    double df;   /* degrees of freedom of the t quantile */
    double half; /* the half-width before it was cut to what is possible at all */
} bf_interval;

typedef enum bf_verdict {
    BF_VERDICT_SOUND,
    BF_VERDICT_LOOK,        /* something a reader of the answer has to know */
    BF_VERDICT_CANNOT_TELL, /* the log does not show what the answer would take */
} bf_verdict;

/* What was measured: a handle, in the arena that bf_trust_measure was given. */
typedef struct bf_trust bf_trust;

/* Measures an answer that bf_estimator_run gave. `settings` are those it ran with;
 * `how` NULL: the defaults. */
BF_API bf_status bf_trust_measure(const bf_trust **out, const bf_estimate *estimate,
                                  const bf_estimator *estimator, const bf_problem *problem,
                                  const bf_settings *settings, const bf_trust_options *how,
                                  const bf_context *context, bf_arena *arena, bf_error *err);

/* The intervals; false if there is none. */
BF_API bool bf_trust_interval(const bf_trust *trust, bf_interval *out);
BF_API bool bf_trust_episode_return(const bf_trust *trust, bf_interval *out);
BF_API bool bf_trust_episode_length(const bf_trust *trust, bf_interval *out);

BF_API bf_verdict bf_trust_verdict(const bf_trust *trust);
BF_API const char *bf_verdict_name(bf_verdict verdict); /* "sound", "look", "cannot tell" */

/* The reasons of the verdict: a code for programs, what is the matter, what to do about it, and
 * whether it says that the log cannot tell. False past the last one; each may be NULL. */
BF_API bool bf_trust_reason(const bf_trust *trust, int index, const char **code, const char **text,
                            const char **advice, bool *distrust);

/* Several methods answered one question: the trust in answer `index` once it is known what the
 * others say. It has one more reason if some answer and this one lie outside each other's
 * intervals. An answer that cannot be told itself does not count, and neither does the log's own
 * mean (naive), which answers another question. `methods` are their names. */
BF_API bf_status bf_trust_among(const bf_trust **out, const bf_trust *const *trusts,
                                const char *const *methods, int count, int index, bf_arena *arena,
                                bf_error *err);

/* Why there is no interval, as a sentence; NULL if there is one. */
BF_API const char *bf_trust_why_none(const bf_trust *trust);

/* ---- What it will take */

/* What an estimate with its interval will take; NaN: it is not known. */
typedef struct bf_forecast {
    double rows;
    double bytes;   /* of memory, besides the log itself */
    double seconds; /* with the threads of the context */
    double power;   /* by which the memory grows with the rows */
} bf_forecast;

/* Runs the method on a thirty-second part of the log and on two of them, and goes on from there.
 * Worth asking before long work. It is not known for a log of few episodes, or if the method cannot
 * run on a part. `how` NULL: the defaults. */
BF_API bf_status bf_forecast_make(bf_forecast *out, const bf_estimator *estimator,
                                  const bf_problem *problem, const bf_settings *settings,
                                  const bf_trust_options *how, const bf_context *context,
                                  bf_arena *arena, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
