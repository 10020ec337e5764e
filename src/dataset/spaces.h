/* spaces.h - What an observation or an action is made of, and how it becomes columns.
 *
 * Gymnasium describes them by spaces: Box, Discrete, MultiDiscrete, MultiBinary, and Dict and Tuple
 * of these. A space is a list of leaves, each one array in the file; a leaf is a list of numbers,
 * each of them real or one of n choices. As columns they lie as gymnasium.spaces.flatten has them:
 * leaves one after the other, a choice as one column per value. */
#ifndef BF_DATASET_SPACES_H
#define BF_DATASET_SPACES_H

#include <jansson.h>
#include <stdbool.h>

#include "dataset/reader.h"
#include "format/npy.h"

/* One array of a space. */
typedef struct bf__leaf {
    const char *place; /* below the space's own place: "", "/arm/tool", "/_index_0" */
    int dims;          /* of one observation, */
    int64_t shape[BF__NPY_DIMS];
    int64_t elements; /* and how many numbers that is */
    int64_t *n;       /* (elements): how many choices; 0: any number of them. NULL: real numbers */
    int64_t *start;   /* (elements): the first choice; NULL where n is */
    bool binary;      /* choices 0 and 1, which are one column as they are */
    int64_t column;   /* the first of its columns */
} bf__leaf;

typedef struct bf__space {
    bf__leaf *leaves;
    int count;
    int64_t width;    /* columns, flattened */
    int64_t widest;   /* the most columns that one number takes */
    bool choice;      /* every number is a choice */
    bool index;       /* the space is one choice and nothing else: a finite space */
    int64_t products; /* how many combinations of choices; 0: not known */
} bf__space;

/* From Gymnasium's description, as Minari writes it. `name` begins messages ("metadata.json:
 * observation_space"). */
bf_status bf__space_parse(bf__space *out, const json_t *text, const char *name, bf_arena *arena,
                          bf_error *err);

/* From an array that nobody described, one row per step: whole numbers (n,) or (n, 1) are a choice,
 * anything else is real. */
bf_status bf__space_guess(bf__space *out, const bf__npy *array, const char *name, bf_arena *arena,
                          bf_error *err);

/* Refuses images, with the reason. */
bf_status bf__space_check_shape(const bf__leaf *leaf, bool bytes, const char *name, bf_error *err);

/* Looks at values (rows, elements) of a leaf from number *at on for one that is no choice: *at is
 * its number then, and the message says what is wrong with it. */
bf_status bf__space_check(const bf__leaf *leaf, const double *values, int64_t rows, int64_t *at,
                          bf_error *err);

/* Puts `rows` rows of a leaf into columns [offset, offset + rows). If the space is an index (or
 * `combine`), column 0 takes the number of the choice, otherwise choices are one column each. Sinks
 * are the space's, (width) or (1). `values` NULL: bf__faulty(), for a leaf that cannot be read. */
void bf__space_put(const bf__space *space, const bf__leaf *leaf, const double *values, int64_t rows,
                   bool combine, const bf__sink *sinks, int64_t offset);

/* The name of column `column` of the flattened space: "arm.tool=2", "joint[1]", "" for the only
 * number of a space without names. */
void bf__space_label(const bf__space *space, int64_t column, char *text, size_t size);

#endif
