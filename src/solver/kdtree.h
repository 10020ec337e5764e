/* kdtree.h - The k nearest of a set of points, exactly. */
#ifndef BF_SOLVER_KDTREE_H
#define BF_SOLVER_KDTREE_H

#include <stdint.h>

#include "backflow/memory.h"

/* Coordinates, states and vector actions together, up to which neighbours say a lot about a pair.
 */
enum { BF__FEW_DIMENSIONS = 8 };

enum { BF__KDTREE_LEAF = 16, BF__KDTREE_MOST = 128 }; /* points in a leaf; the largest k */

typedef struct bf__kdnode {
    int32_t first, count; /* points, in the order of `index` */
    int32_t left;         /* the other child is left + 1; -1: a leaf */
} bf__kdnode;

typedef struct bf__kdtree {
    int64_t n;
    int d;
    const bf__kdnode *node;
    const double *box;    /* (nodes, 2, d): least and greatest coordinates in each */
    const double *leaf;   /* (n rounded up per leaf): leaf after leaf, (d, BF__KDTREE_LEAF) each */
    const int32_t *place; /* (nodes): which block of `leaf` */
    const int32_t *index; /* (n) */
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

/* Where q (d) belongs in the order of `index`: the first point of the node, of at most `most`
 * points, that going to the nearer child leads to. Points that are near each other mostly belong to
 * the same place. */
int32_t bf__kdtree_where(const bf__kdtree *tree, const double *q, int32_t most);

#endif
