/* extreme.h - Numbers in a log that cannot be meant: 1e300 among states between -1 and 1. */
#ifndef BF_DATASET_EXTREME_H
#define BF_DATASET_EXTREME_H

#include "dataset/dataset.h"

typedef struct bf__extreme {
    char column[24]; /* "s2" */
    int64_t row;     /* the transition, for bf_dataset_where */
    double value;    /* what is there */
    double middle;   /* the median of the column */
    double usual;    /* how far from it nine of ten values are at most */
} bf__extreme;

/* The first number of the log that is a million times farther from the middle of its column than
 * nine of ten others. Columns of states, next states, actions and rewards, in this order. A column
 * in which nine of ten are the same has an extreme only if it is a million million times as large
 * as they are, or as 1. */
bool bf__dataset_extreme(bf__extreme *out, const bf_dataset *data);

/* How far from the middle of a column x (n), n above 0, a number may be. */
double bf__extreme_limit(double *middle, double *usual, const double *x, int64_t n);

#endif
