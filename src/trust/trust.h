/* trust.h - What was measured of an answer. */
#ifndef BF_TRUST_TRUST_H
#define BF_TRUST_TRUST_H

#include "backflow/trust.h"
#include "estimator/answer.h"
#include "trust/error.h"

struct bf_trust {
    bf_interval value, episode_return, episode_length;
    const char *kind;      /* "full" or "fast"; NULL if there is no interval */
    const char *none;      /* why there is no interval, as a sentence */
    const char *unit;      /* what is independent: "episode", "column", "block" */
    int64_t clusters;      /* J */
    double effective;      /* clusters that carry the weight: 1 / sum of squared shares */
    double influence;      /* standard error by influence; NaN if the method has no weights */
    bf__scatter scatter;   /* of the parts */
    bf__measured measured; /* all that its error is made of; c and parts NULL if not known */
    const int *part_split; /* (part_count): which split each of measured.parts belongs to */
    int part_count, parts_failed;
    bf_verdict verdict;
    const bf_warning *reasons; /* those of the estimate, and of verdict.c */
    int reason_count;
    double alone, age_rise, still, largest; /* facts that verdict.c went by; NaN: not measured */
    uint64_t seed;                          /* that folds and parts were dealt by */
    double seconds;
};

/* "Cannot tell" if a reason says so, "look" if there is any. */
bf_verdict bf__verdict_of(const bf_warning *reasons, int count);

/* Of an answer that nobody measured: its warnings make the verdict. */
bf_trust bf__trust_unmeasured(const bf_estimate *estimate);

/* What the value may be off by because a finite log has gaps: the share of the target's next pairs
 * that it does not show, times two standard deviations of the reward, which count in full. `data`
 * is the log, or a sample of it. */
double bf__unseen(const bf_estimate *estimate, const bf_dataset *data);

/* As bf_trust_measure, into a struct that the caller has. */
bf_status bf__trust_measure(bf_trust *out, const bf_estimate *estimate,
                            const bf_estimator *estimator, const bf_problem *problem,
                            const bf_settings *settings, const bf_trust_options *how,
                            const bf_context *context, bf_arena *arena, bf_error *err);

#endif
