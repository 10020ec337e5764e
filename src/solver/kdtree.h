/* kdtree.h - The k nearest of a set of points, exactly. */
#ifndef BF_SOLVER_KDTREE_H
#define BF_SOLVER_KDTREE_H

#include <stdint.h>

#include "backflow/memory.h"

/* Coordinates, states and vector actions together, up to which neighbours say a lot about a pair.
 */
enum { BF__FEW_DIMENSIONS = 8 };

enum { BF__KDTREE_LEAF = 16, BF__KDTREE_MOST = 128 }; /* points in a leaf; the largest k */
enum { BF__KDTREE_WIDE = 8 };                         /* children of a node */

typedef struct bf__kdnode {
    int32_t children;
    int32_t child[BF__KDTREE_WIDE]; /* the number of a node, or -1 - that of a leaf */
} bf__kdnode;

typedef struct bf__kdtree {
    int64_t n;
    int d;
    const bf__kdnode *node; /* the first is the root */
    const double *box;      /* (nodes, d, 2, BF__KDTREE_WIDE): least and greatest of each child */
    const double *leaf;     /* (leaves, d, BF__KDTREE_LEAF) */
    const int32_t *first;   /* (leaves + 1): where the points of each leaf begin in `index` */
    const int32_t *index;   /* (n) */
} bf__kdtree;

/* x (d, n), column after column, is copied. n is from 1 to INT32_MAX / 2. */
bf_status bf__kdtree_build(bf__kdtree *out, const double *x, int64_t n, int d, bf_arena *arena,
                           bf_error *err);

/* Finds the k points nearest to q (d), nearest first; of equal distances the lower index comes
 * first. index and square (k) take the points and their squared distances. Returns how many were
 * found, which is less than k only if there are fewer points. If `leaves` is above 0, the search
 * looks into at most that many leaves, the nearest first; it is then approximate, for high
 * dimension. k is at most BF__KDTREE_MOST. */
int bf__kdtree_nearest(int32_t *index, double *square, const bf__kdtree *tree, const double *q,
                       int k, int64_t leaves);

/* Where q (d) belongs in the order of `index`: the first point of the leaf that going to the
 * nearest child leads to. Points that are near each other mostly belong to the same place. */
int32_t bf__kdtree_where(const bf__kdtree *tree, const double *q);

#endif
