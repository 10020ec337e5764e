/* question.h - What was asked and what it is asked of: the log, the target, the behaviour. */
#ifndef BF_CLI_QUESTION_H
#define BF_CLI_QUESTION_H

#include "cli/cli.h"

typedef struct bf__question {
    bf_problem problem;
    double seconds_read;
} bf__question;

/* As the options have it. */
typedef struct bf__asked {
    const char *policy, *behavior; /* NULL: not given */
    double gamma;
    int terminal;
    const char *cluster, *by; /* columns that the log has to keep; NULL: none */
    const bf_command_options *command;
    bool several; /* methods: those that lack something are skipped */
} bf__asked;

/* The policy that a text means, for a log: a program after "command:", or what bf_policy_parse
 * knows. */
bf_status bf__policy_open(const bf_policy **out, bf__tool *tool, const char *text,
                          const bf_dataset *data, const bf_command_options *how, bf_error *err);

/* Reads the log and applies the policies. */
bf_status bf__question_load(bf__question *out, bf__tool *tool, const bf__asked *asked,
                            const bf_read_options *read, const char *const *paths, int count,
                            bf_error *err);

/* The parts of it: how the log has to be read, and the policies of a log that was. */
bf_status bf__question_reading(bf_read_options *out, const bf__asked *asked,
                               const bf_read_options *read, bf_arena *arena, bf_error *err);
bf_status bf__question_apply(bf__question *q, bf__tool *tool, const bf__asked *asked,
                             bf_error *err);

/* The texts of options that several commands have. */
#define BF__GAMMA_HELP                                                                             \
    "G: Discount. 1 is the long-run average reward per step; below 1, the discounted reward "      \
    "times 1 - G, from the log's start states."
#define BF__TERMINAL_HELP                                                                          \
    "What a terminated step leads to: a start state of the log, reward 0 for ever, or the logged " \
    "next state."
#define BF__BEHAVIOR_HELP                                                                          \
    "P: The behaviour policy, written like --policy, for methods that need it where the log has "  \
    "no mu; or estimate: fitted to the log."
#define BF__COMMAND_MARK "command:" /* before a policy that is a program */
#define BF__COMMAND_HELP                                                                           \
    "COMMAND: A target policy that a program computes, or NAME=COMMAND: it is started once, "      \
    "without a "                                                                                   \
    "shell, reads states and answers with probabilities or actions (docs/policy-command.md)."
#define BF__JSON_HELP                                                                              \
    "[FILE]: One JSON object on standard output and nothing else there, or in FILE (which ends "   \
    "in .json, or is given as --json=FILE)."
#define BF__VERBOSE_HELP                                                                           \
    "Every diagnostic and every reason with what to do about it, not only what matters most."

#endif
