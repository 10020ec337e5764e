/* map.h - What the columns of a log are, in the words of its owner.
 *
 *     state=lactate,map_mmhg,ward:category action=treatment reward=r episode=patient_id
 *
 * On the left is what the column is for: a name that columns have in logs (s, s3, r, npi:aspirin,
 * ...) or a longer word for it (state, next_state, action, reward, time). On the right are names of
 * columns in the file; "two words" are quoted, obs_* is every column that begins so, and a kind
 * may follow a colon. `actions=low,high` names the actions in their order. A text that starts with
 * @ names a file with the same, over several lines, with comments after '#'.
 *
 * The mapping renames columns, in this one place, before anything is made of them, so that it is
 * the same for every reader. What it does not mention keeps its own name. */
#ifndef BF_DATASET_MAP_H
#define BF_DATASET_MAP_H

#include "backflow/options.h"
#include "dataset/columns.h"
#include "dataset/kinds.h"

typedef struct bf__map_column {
    const char *name; /* in the file, or how it begins */
    bool prefix;
    bf__kind kind; /* BF__ANY: not said */
} bf__map_column;

typedef struct bf__map_item {
    const char *word;  /* as it was written: "state" */
    const char *group; /* "s", "npi:aspirin" */
    bf__map_column *columns;
    int count;
} bf__map_item;

typedef struct bf__map {
    bf__map_item *items;
    int count;
    bf__labels actions; /* in the order that `actions` gives them; count 0: not given */
} bf__map;

/* Reads the texts. `texts` may be NULL or empty. */
bf_status bf__map_read(bf__map *out, const bf_list *texts, bf_arena *arena, bf_error *err);

/* What a reader has found: names, and for each the array that it is part of (or NULL; arrays may be
 * NULL altogether). */
typedef struct bf__found {
    const char *path;
    const char *const *names, *const *arrays; /* (count) */
    int count;
} bf__found;

/* meaning[c] takes the name that column c has in logs, or NULL if the mapping gives its name to
 * another column. kinds[c] takes the kind that was said, or BF__ANY. */
bf_status bf__map_apply(const bf__map *map, const bf__found *found, const char **meaning,
                        bf__kind *kinds, bf_arena *arena, bf_error *err);

#endif
