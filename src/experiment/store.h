/* store.h - Finished runs on disk. An interrupted experiment continues from them.
 *
 * FOLDER/runs.csv has one line per run, which is written when the run is done. The columns that say
 * what was run are the key. A line of another version of Backflow is kept but never found. */
#ifndef BF_EXPERIMENT_STORE_H
#define BF_EXPERIMENT_STORE_H

#include <stdbool.h>

#include "backflow/context.h"
#include "backflow/memory.h"

#define BF_KEY_SIZE 1024

typedef struct bf__record {
    const char *key;     /* "pendulum,trained@0.7,trained@0.9,50,200,1,blackbox,1,0" */
    double value, error; /* error: standard error of a truth; NaN for an answer */
    double seconds;      /* of processor time */
} bf__record;

typedef struct bf__store bf__store;

/* Reads the existing file unless `fresh` is set, and locks it against a second process. A last line
 * that was cut off in the middle is dropped. The store takes memory from the arena as it grows, so
 * nobody else may rewind the arena. */
bf_status bf__store_open(bf__store **out, const char *folder, bool fresh, const bf_context *context,
                         bf_arena *arena, bf_error *err);
void bf__store_close(bf__store *store); /* NULL is fine */

/* NULL if there is none. */
const bf__record *bf__store_find(const bf__store *store, const char *key);

/* Appends a line. One thread at a time. */
bf_status bf__store_add(bf__store *store, const bf__record *record, bf_error *err);

#endif
