/* compare.h - Several policies on one log, as `compare` and `estimate` answer it. */
#ifndef BF_CLI_COMPARE_H
#define BF_CLI_COMPARE_H

#include "cli/opening.h"
#include "cli/question.h"

/* The texts of --policy: NAME=P, or P. */
bf_status bf__compare_check(const bf_option *row, const char *text, bf_error *err);

/* The texts of --policy-command. They join those of --policy, as NAME=command:COMMAND. */
bf_status bf__command_check(const bf_option *row, const char *text, bf_error *err);
bf_status bf__command_join(bf_list *policies, const bf_list *commands, bf_arena *arena,
                           bf_error *err);

/* P of NAME=P, and the length of NAME; 0: there is none. */
const char *bf__compare_policy(const char *text);
size_t bf__compare_name(const char *text);

/* Each of several policies has a name, no output is a file that a policy is read from, and all of
 * them can be written. */
bf_status bf__compare_check_command(const bf__written *outputs, const bf_list *policies,
                                    const char *behavior, bf_error *err);

typedef struct bf__compare {
    const bf_list *policies;
    const bf__question *question; /* without a target */
    const bf__opening *with;      /* one method */
    const char *json, *report;
    bool strict, verbose, forecast;
} bf__compare;

/* Runs the contest and says what came out. */
bf_status bf__compare_run(bf__tool *tool, const bf__compare *what, int *exit_status, bf_error *err);

#endif
