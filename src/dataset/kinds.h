/* kinds.h - Kinds of columns: numbers, truth values, points in time, or words. */
#ifndef BF_DATASET_KINDS_H
#define BF_DATASET_KINDS_H

#include <stdint.h>

#include "dataset/columns.h"

typedef enum bf__kind {
    BF__ANY, /* not known, or not said */
    BF__NUMBER,
    BF__FLAG, /* 0 and 1, false and true */
    BF__TIME, /* numbers, or ISO 8601: seconds since 1970 */
    BF__TEXT, /* words; the column holds their codes */
} bf__kind;

/* What a look at a column has found: how many values of each kind. */
typedef struct bf__look {
    int64_t numbers, flags, times, texts, gaps;
} bf__look;

/* "number", "category", ...; BF__ANY: no such kind. "text" is the same as "category". */
bf__kind bf__kind_named(const char *name);

/* The kind of a column of the group that looks so. */
bf__kind bf__kind_of(bf__column_group group, bool plain, const bf__look *look);

#endif
