/* shelf.h - Logs in memory that several threads work on: each is read once, by who needs it first.
 */
#ifndef BF_CLI_SHELF_H
#define BF_CLI_SHELF_H

#include "cli/questions.h"

typedef struct bf__shelf bf__shelf;

typedef struct bf__shelved {
    const bf_dataset *data; /* shares what questions have in common (bf_dataset_share) */
    double seconds;         /* that reading took */
} bf__shelved;

/* `read` says how the logs are read; at most `users` threads have logs at a time. If each log is
 * asked for only once, nothing is shared. */
bf_status bf__shelf_make(bf__shelf **out, const bf__batch_log *logs, int count, int users,
                         bool once, const bf_read_options *read, bf_arena *arena, bf_error *err);

/* Log number `log`, until it is given back. It fails as reading does, each time it is asked for.
 * Logs are asked for in the order of their numbers: one is let go when nobody has it and a later
 * one was asked for. */
bf_status bf__shelf_take(bf__shelved *out, bf__shelf *shelf, int log, const bf_context *context,
                         bf_error *err);
void bf__shelf_give_back(bf__shelf *shelf, int log, const bf__shelved *taken);

/* Lets everything go. */
void bf__shelf_clear(bf__shelf *shelf); /* NULL is fine */

#endif
