/* shares.h - How much of an answer is whose, if several methods were asked. */
#ifndef BF_CHOICE_SHARES_H
#define BF_CHOICE_SHARES_H

#include <math.h>
#include <stdbool.h>

/* 1 up to `from`, 0 from `to` on, and a straight line between them. */
static inline double bf__falls(double x, double from, double to) {
    return fmin(fmax((to - x) / (to - from), 0), 1);
}

/* How much of a mean of two answers is the second one's, if they are off by about as much as they
 * say and not in the same way: the sum of the squares is least. If the first has no error, the
 * second has no share. */
static inline double bf__share_of_second(double first, double second) {
    return first > 0 ? first * first / (first * first + second * second) : 0;
}

/* Shares of three answers. The first two have a mean, in which the second has the share `second`.
 * If the second and the third are on one side of that mean, the answer moves to the nearer of them,
 * but by `reach` at most. So it is the median of mean, second and third if that is in reach:
 * methods of different kinds seldom miss in the same way. value[2] is NaN if there is no third. */
void bf__shares_of_three(double share[3], const double value[3], double second, double reach);

/* What one method says, and what there is against it. */
typedef struct bf__voice {
    double value;
    double doubt;        /* bf__doubt of it */
    double little, much; /* up to where it does not count, and from where on there is no share */
    bool stops_short;    /* it mostly finds too little of a difference to the log's mean */
    bool speaks;         /* it was asked, and has a value */
    bool counts;         /* it speaks, and does not say not to be trusted */
    double proven;       /* of the first: how much there is for it, from 0 to 1 */
    double outdone;      /* filled: how certain one is that stops short and finds more, 0 to 1 */
} bf__voice;

/* Fills share (count), which sum to 1, of voices in order, the safest first. */
void bf__shares(double *share, bf__voice *voice, int count, double mean);

#endif
