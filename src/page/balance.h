/* balance.h - How well the flow balances, column by column. */
#ifndef BF_PAGE_BALANCE_H
#define BF_PAGE_BALANCE_H

#include "backflow/memory.h"
#include "backflow/problem.h"

/* The imbalance of one column with equal weights and with those of the answer. A column of numbers
 * is measured in its standard deviations, finite states and actions as the share that is in the
 * wrong place. */
typedef struct bf__balance {
    char name[96];
    bool share;
    double before, after;
} bf__balance;

/* *out (*count) in the arena: the numbers of the state, then the actions, if the log has what they
 * need. */
bf_status bf__balance_take(bf__balance **out, int *count, const bf_problem *problem,
                           const double *weights, bf_arena *arena, bf_error *err);

#endif
