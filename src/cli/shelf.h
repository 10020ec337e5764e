/* shelf.h - Logs in memory that several threads work on: each is read once, by who needs it first.
 */
#ifndef BF_CLI_SHELF_H
#define BF_CLI_SHELF_H

#include "cli/questions.h"

typedef struct bf__shelf bf__shelf;

typedef struct bf__shelved {
    const bf_dataset *data;
    double seconds; /* that reading took */
} bf__shelved;

/* `read` says how the logs are read. */
bf_status bf__shelf_make(bf__shelf **out, const bf__batch_log *logs, int count,
                         const bf_read_options *read, bf_arena *arena, bf_error *err);

/* Log number `log`, until it is given back. It fails as reading does, each time it is asked for.
 * Logs are asked for in the order of their numbers: one is let go when nobody has it and a later
 * one was asked for. */
bf_status bf__shelf_take(bf__shelved *out, bf__shelf *shelf, int log, const bf_context *context,
                         bf_error *err);
void bf__shelf_give_back(bf__shelf *shelf, int log);

/* Lets everything go. */
void bf__shelf_clear(bf__shelf *shelf); /* NULL is fine */

#endif
