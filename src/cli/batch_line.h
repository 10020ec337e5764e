/* batch_line.h - One question of a batch becomes one line of JSON. */
#ifndef BF_CLI_BATCH_LINE_H
#define BF_CLI_BATCH_LINE_H

#include "cli/ask.h"
#include "cli/shelf.h"

/* How all questions are asked. */
typedef struct bf__batch_way {
    const bf__opening *with;
    bf__asked asked; /* but for the policy */
    const bf__further *further;
    const bf__large_options *large;
    const bf__batch_log *logs;
    const bf__common *common;
    bf__shelf *shelf;
    int threads; /* of one question */
} bf__batch_way;

/* What stands before a line, for who takes it. */
typedef struct bf__line_head {
    bf_error failure; /* BF_OK: there is an answer */
    bool cannot_tell; /* its verdict */
} bf__line_head;

/* Asks the question: a head, and then what follows the names in its line. A question that
 * fails is a line, too; this function fails only if there is no memory for a line, or if `go_on`
 * has said that it should stop. */
bf_status bf__batch_line(const void **bytes, size_t *size, const bf__batch_way *way,
                         const bf__batch_question *question, bool (*go_on)(const void *context),
                         const void *context, bf_arena *arena, bf_error *err);

/* The names of the log and the policy of a question, as they stand in its line. */
void bf__batch_names(FILE *out, const bf__questions *all, const bf__batch_question *question);

#endif
