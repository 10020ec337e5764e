/* table_policy.h - A policy as a table: one row of probabilities per state. */
#ifndef BF_POLICY_TABLE_POLICY_H
#define BF_POLICY_TABLE_POLICY_H

#include "policy/kind.h"

typedef struct bf__table {
    const double *rows;   /* (count, A) */
    int64_t count;        /* rows */
    const int64_t *state; /* (count), ascending: the state of each row; NULL: row i is state i */
    const char *const *labels; /* (count): the state of each row by its name; NULL: by number */
} bf__table;

/* The rows have been checked, and stay where they are. `action_names` may be NULL. */
bf_status bf__table_make(bf_policy **out, const char *name, const bf__table *rows, int actions,
                         const char *const *action_names, bf_arena *arena, bf_error *err);

#endif
