/* contest.h - Which of several policies is better, as far as one log can tell.
 *
 * The error of every contestant is a sum of parts that it has in common with the others: what each
 * cluster of the log contributes (c_j), how its answers on parts of the log scatter, how they are
 * shifted against the answer on the whole log, and what its correction was. Written as one vector
 * z_a per contestant, as in trust/measure.c, the standard error of a value is |z_a|, and that of a
 * difference is |z_a - z_b|: what policies have in common cancels. */
#ifndef BF_COMPARE_CONTEST_H
#define BF_COMPARE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

enum { BF__MOST_CONTESTANTS = 33 };

typedef struct bf__contestant {
    double value;
    double shift;        /* of the value by its correction; 0: none */
    double effective;    /* clusters that carry the weight */
    const double *c;     /* (J), or NULL: the method has no contributions */
    const double *parts; /* (part_count): the values on parts of the log, NaN if there is none */
} bf__contestant;

typedef struct bf__contest_input {
    const bf__contestant *contestants;
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
