/* ask.h - One method is asked about one log and one policy, as `estimate` and `batch` do it. */
#ifndef BF_CLI_ASK_H
#define BF_CLI_ASK_H

#include "cli/large.h"
#include "cli/opening.h"
#include "cli/question.h"

/* The question on a log in memory; or on a sample, if `large` is not NULL. */
typedef struct bf__job {
    bf__question q;
    const bf__opening *with;
    bf__large *large;
    bool whole; /* nothing was asked for that a sample alone can answer */
    bool forecast;
} bf__job;

/* Runs method k of the job; the answer is in the arena. */
bf_status bf__ask_method(bf_answer *out, bf__tool *tool, const bf__job *job, int k, bf_error *err);

/* What else is asked about an answer; NULL: not asked. */
typedef struct bf__further {
    const char *horizon, *risk, *by;
} bf__further;

#define BF__FURTHER_ROWS(type, at)                                                                 \
    BF_OPTION_ROW("horizon", type, at horizon, NULL, 0, 0, NULL,                                   \
                  "T[,T...]: Also the mean reward over the first T steps from the log's start "    \
                  "states, how that comes to the long run, and how much of the answer lies "       \
                  "beyond what any trajectory of the log saw. Needs pi at the starts.",            \
                  bf__further_horizon),                                                            \
        BF_OPTION_ROW("risk", type, at risk, NULL, 0, 0, NULL,                                     \
                      "Q[,Q...]: Also the reward that the worst share Q of the target's steps "    \
                      "does not exceed, and the mean reward of that share (CVaR).",                \
                      bf__further_risk),                                                           \
        BF_OPTION_ROW("by", type, at by, NULL, 0, 0, NULL,                                         \
                      "COLUMN: Also the target's reward and share of steps for every value of "    \
                      "the column: a, s if states are finite, or another column.",                 \
                      NULL)
bf_status bf__further_horizon(const bf_option *row, const char *text, bf_error *err);
bf_status bf__further_risk(const bf_option *row, const char *text, bf_error *err);

/* Adds it to the answer of a job with one method. */
bf_status bf__ask_further(bf_answer *answer, bf__tool *tool, const bf__further *what,
                          const bf__job *job, bf_error *err);

#endif
