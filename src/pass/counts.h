/* counts.h - A pass of counts, for those that make something of it. */
#ifndef BF_PASS_COUNTS_H
#define BF_PASS_COUNTS_H

#include "pass/kind.h"
#include "problem/tally.h"

typedef struct bf__counts {
    bf__tally tally;
    double low, high; /* of the rewards, as the sample has seen them */
} bf__counts;

/* The counts of the pass, sorted; an error if it is of another kind. */
bf_status bf__counts_of(bf__counts **out, bf_pass *pass, bf_error *err);

#endif
