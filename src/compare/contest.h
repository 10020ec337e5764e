/* contest.h - Which of several policies is better, as far as one log can tell.
 *
 * The errors of all contestants are vectors of one form (trust/error.h), so that what policies have
 * in common cancels in their differences. */
#ifndef BF_COMPARE_CONTEST_H
#define BF_COMPARE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"
#include "trust/error.h"

enum { BF__MOST_CONTESTANTS = 33 };

typedef struct bf__contest_input {
    const bf__measured *contestants;
    int count;
    int64_t clusters; /* J */
    int part_count;
    const int *part_split; /* (part_count): which split each part belongs to, from 0 on */
    double level;          /* of the intervals */
    uint64_t seed;
} bf__contest_input;

typedef struct bf__contest_pair {
    int a, b;          /* a < b; the difference is that of a less that of b */
    double difference; /* NaN if a value is not finite */
    double se, df, low, high;
    double p, holm;  /* two-sided, of no difference; and adjusted for the number of pairs */
    bool decided;    /* holm is at most 1 - level */
    double smallest; /* the smallest difference whose interval would exclude 0 on this log */
    double more;     /* times as much log at which that is the observed difference; 1: decided */
} bf__contest_pair;

typedef struct bf__contest {
    bool possible; /* false: nothing tells the errors, and only differences are filled */
    int pair_count;
    bf__contest_pair *pairs; /* (pair_count), in the order (0, 1), (0, 2), ... */
    double *best;            /* (count): probability of having the greatest value */
} bf__contest;

bf_status bf__contest_judge(bf__contest *out, const bf__contest_input *input, bf_arena *arena,
                            bf_error *err);

/* holm (n): the p-values p (n) adjusted for being n, by Holm's steps. */
void bf__holm(double *holm, const double *p, int n);

#endif
