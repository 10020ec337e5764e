/* methods.h - The methods of one `estimate`: which, with what options, and what came of each. */
#ifndef BF_CLI_METHODS_H
#define BF_CLI_METHODS_H

#include "cli/cli.h"

enum { BF__MAX_METHODS = 32 };

typedef struct bf__methods {
    const char *text; /* as the user wrote it */
    bool several;     /* `all`, or a list: the answer is a table */
    int count;
    const bf_estimator *list[BF__MAX_METHODS];
    bf_settings *settings[BF__MAX_METHODS];
} bf__methods;

/* NAME, NAME,NAME,... or all, each with its settings. */
bf_status bf__methods_parse(bf__methods *out, const char *text, bf_arena *arena, bf_error *err);

enum { BF__MAX_SLOTS = 256 };

/* Adds a slot per table of the method, its own and its models'; returns the new number of slots, at
 * most BF__MAX_SLOTS. */
int bf__method_slots(const bf_estimator *method, bf_settings *settings, bf__slot *slots,
                     int slot_count);

/* The same for every method. */
int bf__methods_slots(const bf__methods *methods, bf__slot *slots, int slot_count);

/* Refuses an option that was given and that none of the methods reads. Before there is a log,
 * `problem` is NULL, and a method that leaves its model to the log may read whatever any of its
 * models does. */
bf_status bf__methods_check(const bf__methods *methods, const bf_problem *problem, bf_arena *arena,
                            bf_error *err);

/* An option that none of the chosen methods has may be one of another's: says so. Otherwise passes
 * on `cause`. */
bf_status bf__methods_explain(const bf__methods *methods, int argc, char **argv,
                              const bf_error *cause, bf_error *err);

#endif
