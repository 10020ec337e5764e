/* mirror_map.h - What a mirror does to the columns of a log. */
#ifndef BF_DATASET_MIRROR_MAP_H
#define BF_DATASET_MIRROR_MAP_H

#include "dataset/dataset.h"

/* Column j becomes shift[j] + sign[j] * column from[j]. */
typedef struct bf__turn {
    int *from; /* (width) */
    double *shift, *sign;
    bool *said; /* (width) */
} bf__turn;

typedef struct bf__mirror_map {
    bf__turn state, action; /* of columns; of actions that are vectors */
    int32_t *actions;       /* (A): which action an action is in the mirror */
    double *states;         /* (S), of a finite space */
    int action_count;       /* A: the mirror may know more of them than the log shows */
} bf__mirror_map;

/* The map that `text` describes, for a log with the columns, states and actions of `data`. */
bf_status bf__mirror_map_make(bf__mirror_map *m, const char *text, const bf_dataset *data,
                              bf_arena *arena, bf_error *err);

/* Whether a text can be right for some log; the check of option `mirror`. */
bf_status bf__mirror_check(const bf_option *row, const char *text, bf_error *err);

#endif
