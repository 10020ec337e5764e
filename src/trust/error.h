/* error.h - The error of an answer as a vector, and its length, which is the standard error.
 *
 * Everything that was measured of an error is a number about something that other answers to the
 * same log have, too: what each cluster contributes, how the answers on parts of the log scatter,
 * how they are shifted against the answer on the whole log, what a correction moved, what was moved
 * by another method, and how far the answer may lean towards the log's mean. So an error is a
 * vector z. Its variance is that of a value, and the variance of z_a - z_b is that of a difference:
 * what two answers have in common cancels. */
#ifndef BF_TRUST_ERROR_H
#define BF_TRUST_ERROR_H

#include <stdbool.h>
#include <stdint.h>

enum { BF__MOST_SPLITS = 4, BF__MOST_PARTS = 8, BF__PARTS_ROOM = BF__MOST_SPLITS * BF__MOST_PARTS };

/* What was measured of one answer. */
typedef struct bf__measured {
    double value;
    double shift;        /* of the value by its correction; 0: none */
    double aside;        /* what another method moved it by, which c and parts know nothing of */
    double lean;         /* towards the log's mean, or away from it, which parts do as well */
    double effective;    /* clusters that carry the weight */
    const double *c;     /* (clusters): what each contributes, or NULL: not known */
    bool exact;          /* c is noise and nothing else, as for finite states and plain means */
    bool steady;         /* steps have no noise: c is mostly what q misses of them */
    const double *parts; /* (part_count): the values on parts of the log, NaN if there is none */
} bf__measured;

/* What all of some answers have, so that their vectors can be held against each other. */
typedef struct bf__error_form {
    int64_t clusters;          /* entries by cluster; 0: not all have them */
    int part_count;            /* entries by part */
    const int *part_split;     /* (part_count): which split each belongs to, from 0 on */
    int size[BF__MOST_SPLITS]; /* parts of each split; 0: some answer lacks one of them */
    int splits;                /* whose size is not 0 */
    int df;                    /* of the scatter of parts; 0: nothing is known of it */
    bool exact, steady;
} bf__error_form;

/* The form of `count` answers to a log of `clusters` clusters that was split as part_split says. */
bf__error_form bf__error_form_of(const bf__measured *answers, int count, int64_t clusters,
                                 int part_count, const int *part_split);

/* Entries of a vector of this form. */
int64_t bf__error_length(const bf__error_form *form);

/* z (length): the vector of one of the answers. */
void bf__error_fill(double *z, const bf__error_form *form, const bf__measured *answer);

/* The square of the standard error: of an answer from its z, of a difference from that of two.
 *
 *     s^2 = (S^2 + se^2) / 2 + (0.25 shift)^2 + aside^2 + lean^2,
 *     se^2 = J / (J - 1) sum_j c_j^2,
 *     S^2 = sum_k (v_k - vbar)^2 / (K (K - 1)) + (vbar - value + aside)^2
 *
 * where S^2 is the mean over splits.
 *
 * If one of S and se is missing the other stands alone; without S the shift counts with 0.3. If c
 * is exact, few parts do not talk it down: s is not below se. If steps have no noise, the error
 * falls faster than the root of n, and both are too large: S se takes the place of their mean, but
 * two halves that happen to agree do not make it smaller than a third of se. NaN if there is
 * neither. */
double bf__error_variance(const bf__error_form *form, const double *z);

/* How much the shift of a correction counts if no parts of the log were estimated. */
extern const double bf__shift_alone;

/* Degrees of freedom of the error z, if `effective` clusters carry the weight: that many less 1,
 * but no more than the parts have if they are all there is, and at least 2; where lean is a part p
 * of s^2, 1 / ((1 - p)^2 / df + p^2 / 5), as Welch and Satterthwaite join two variances. */
double bf__error_df(const bf__error_form *form, const double *z, double effective);

/* What the splits alone say. */
typedef struct bf__scatter {
    double noise; /* standard error by the scatter of parts; NaN: no split is whole */
    double bias;  /* mean over splits of vbar - value: the error that a part has and the whole less
                     of; what is linear in the clusters cancels in it */
    int df;
} bf__scatter;
bf__scatter bf__error_scatter(const bf__error_form *form, const double *z);

#endif
