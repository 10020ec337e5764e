/* columns.h - What the log shows of every column, and what the target makes of it.
 *
 * A column is put into at most BF__BINS bins: even ones between two numbers, or one for each of a
 * few values. The share of every bin among the rows, by their weights, is where the log went; the
 * share of the weight is where the target goes. */
#ifndef BF_PAGE_COLUMNS_H
#define BF_PAGE_COLUMNS_H

#include "backflow/problem.h"
#include "dataset/row_weights.h"

enum { BF__BINS = 24, BF__LABEL = 48 };

typedef enum bf__column_role {
    BF__COLUMN_STATE,
    BF__COLUMN_ACTION,
    BF__COLUMN_REWARD
} bf__column_role;

typedef struct bf__column {
    bf__column_role role;
    char name[96];
    int64_t n;
    bf__row_weights rows; /* how much rows count in the log */
    const double *x;      /* (n): a column of numbers; NULL: */
    const int32_t *code;  /* (n): a column of codes, from 0 */
    int count;            /* bins */
    bool values;          /* every bin is a value; otherwise they are even from low to high */
    double low, high, value[BF__BINS];
    const int *bin; /* the bin of every code */
    char label[BF__BINS][BF__LABEL];
    double logged[BF__BINS], target[BF__BINS]; /* shares */
    double distance;                           /* half the sum of their differences: 0 to 1 */
} bf__column;

typedef struct bf__columns {
    bf__row_weights rows;
    bf__column *column;
    int count;
    int *order; /* (count): those of states by distance, largest first; then the others */
    int states; /* how many are of states */
} bf__columns;

/* Of every column of the log. `weights` (n) are not negative, and not all 0. */
bf_status bf__columns_take(bf__columns *out, const bf_dataset *data, const double *weights,
                           bf_arena *arena, bf_error *err);

/* How many numbers of a state, from j on, are the categories of one column of text; 1 if number j
 * is a column of its own. */
int bf__inputs_together(const bf_dataset *data, int j);

/* The name of number j of a state, or of the column of text that it begins; of number k of an
 * action. Into `text`. */
const char *bf__input_name(const bf_dataset *data, int j, char *text, int size);
const char *bf__action_part_name(const bf_dataset *data, int k, char *text, int size);

/* The category of row i in a column of text of `count` numbers that begins at j; NULL: none. */
const char *bf__category_at(const bf_dataset *data, int j, int count, int64_t i);

/* The bin of row i. */
int bf__column_bin(const bf__column *column, int64_t i);

#endif
