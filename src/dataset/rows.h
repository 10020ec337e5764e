/* rows.h - The rows of a log as they were read, before they become transitions. */
#ifndef BF_DATASET_ROWS_H
#define BF_DATASET_ROWS_H

#include "dataset/columns.h"
#include "dataset/dataset.h"
#include "dataset/words.h"

/* The rows as they were read, all files one after another. Columns that become part of the log are
 * in its arena, the others in scratch memory. */
typedef struct bf__rows {
    bf__schema schema;
    double *column[BF__GROUPS];     /* (width, n) or NULL */
    bf__words **words[BF__GROUPS];  /* (width): dictionaries of columns of words, NULL of others */
    const char **names[BF__GROUPS]; /* (width): as the file has them */
    int64_t *row;                   /* (n) */
    bool timed;                     /* t is a point in time: only its order counts */
    uint8_t *gap;                   /* (n): rows that are left out for a gap; NULL: none is */
} bf__rows;

#endif
