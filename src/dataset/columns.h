/* columns.h - What the names of columns mean.
 *
 * A name is a group (s, ns, pi, ...) and, for most groups, a number: s0, s1, .... na has two
 * numbers: na{j}_{k}. Groups with one column per action may name the action instead: npi:aspirin.
 * No other file knows these names. */
#ifndef BF_DATASET_COLUMNS_H
#define BF_DATASET_COLUMNS_H

#include <stdbool.h>

#include "dataset/dataset.h"

typedef enum bf__column_group {
    BF__S,
    BF__NS,
    BF__A,
    BF__R,
    BF__EPISODE,
    BF__T,
    BF__TERMINATED,
    BF__TRUNCATED,
    BF__WEIGHT,
    BF__DURATION,
    BF__MU,     /* of the action taken */
    BF__MU_ALL, /* mu0, mu1, ... */
    BF__PI,
    BF__NPI,
    BF__MASK, /* mask0, mask1, ... */
    BF__NA,
    BF__SA,
    BF__GROUPS, /* how many groups; also stands for an unknown name */
} bf__column_group;

/* Names of actions, in their order. */
typedef struct bf__labels {
    const char **text; /* (count) */
    int count;
} bf__labels;

/* Which columns a file has. */
typedef struct bf__schema {
    int width[BF__GROUPS];     /* columns in the group; 0: absent */
    bool plain[BF__GROUPS];    /* one column without a number: s, not s0 */
    bool labelled[BF__GROUPS]; /* columns name actions: npi:aspirin, not npi0 */
    int samples;               /* na{j}_{k}: j = 0 .. samples-1, width / samples values of k */
    bf__labels labels;         /* the actions, as columns name them; count 0: no column does */
} bf__schema;

typedef struct bf__name {
    bf__column_group group;
    int first, second; /* the numbers; -1 if there is none */
    const char *label; /* what follows the colon, inside the name; NULL: there is no colon */
} bf__name;

bf__name bf__name_parse(const char *name);
/* The name of the column at place `index` of the group: "s0", "r", "na1_0". */
const char *bf__name_of(const bf__schema *schema, bf__column_group group, int index, char text[48]);

/* The first name of the group without its number: "s", "npi". */
const char *bf__group_name(bf__column_group group);

/* Fills *out from the names; NULL is a column without a meaning. place[c] takes the place of column
 * c in its group, and group[c] takes the group (BF__GROUPS if it is unknown). A gap, a double, or s
 * beside s0 is an error. Actions named by columns have the order of `known`, if that has any;
 * otherwise the order of the columns. */
bf_status bf__schema_make(bf__schema *out, bf__column_group *group, int *place,
                          const char *const *names, int count, const bf__labels *known,
                          const char *path, bf_arena *scratch, bf_error *err);

/* Writes "x, y, ..." for messages; equal neighbours are one. */
const char *bf__list_names(char text[256], const char *const *names, int count);

/* Checks that a log can be made of the columns: s, a, r are there, and widths agree. `names` are
 * shown, as the file has them. */
bf_status bf__schema_check(const bf__schema *schema, const char *const *names, int count,
                           const char *path, bf_error *err);

/* Checks that `other` has the same columns as `schema`, which is the first file's. */
bf_status bf__schema_compare(const bf__schema *schema, const char *path, const bf__schema *other,
                             const char *other_path, bf_error *err);

#endif
