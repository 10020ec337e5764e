/* questions.h - The questions of a batch: every log with every policy. */
#ifndef BF_CLI_QUESTIONS_H
#define BF_CLI_QUESTIONS_H

#include "cli/cli.h"

/* A log of the batch: one file, or several that belong together. */
typedef struct bf__batch_log {
    const char *const *paths;
    int count;
} bf__batch_log;

typedef struct bf__batch_question {
    int log;
    const char *text;   /* of the policy: NAME=P, or P; NULL: it is in the log */
    const char *policy; /* P */
} bf__batch_question;

typedef struct bf__questions {
    bf__batch_log *logs;
    int log_count;
    bf__batch_question *list; /* the questions of a log stand together */
    int64_t count;
} bf__questions;

/* The questions about the files, of which each is a log unless they are one `together`. Policies
 * are those of `policies`, and then those that the file `list` has, one a line; NULL: none. "-" is
 * standard input. Policies that are there twice, or two of one name, are an error. */
bf_status bf__questions_make(bf__questions *out, const char *const *files, int file_count,
                             bool together, const bf_list *policies, const char *list,
                             bf_arena *arena, bf_error *err);

#endif
