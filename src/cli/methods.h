/* methods.h - The methods of one `estimate`: which, with what options, and what came of each. */
#ifndef BF_CLI_METHODS_H
#define BF_CLI_METHODS_H

#include "cli/cli.h"
#include "report/report.h"

enum { BF__MAX_METHODS = 32 };

typedef struct bf__methods {
    const char *text; /* as the user wrote it */
    bool several;     /* `all`, or a list: the answer is a table */
    int count;
    const bf_estimator *list[BF__MAX_METHODS];
    void *options[BF__MAX_METHODS]; /* NULL where the method has none */
} bf__methods;

/* NAME, NAME,NAME,... or all. Makes room for the options of each. */
bf_status bf__methods_parse(bf__methods *out, const char *text, bf_arena *arena, bf_error *err);

/* Adds a slot per method that has options; returns the new number of slots. */
int bf__methods_slots(const bf__methods *methods, bf__slot *slots, int slot_count);

/* An option that none of the chosen methods has may be one of another's: says so. Otherwise passes
 * on `cause`. */
bf_status bf__methods_explain(const bf__methods *methods, int argc, char **argv,
                              const bf_error *cause, bf_error *err);

#endif
