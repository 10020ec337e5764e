/* nodes.h - The logged pairs (s, a) as nodes to look for neighbours among. */
#ifndef BF_PROBLEM_NODES_H
#define BF_PROBLEM_NODES_H

#include "problem/points.h"
#include "solver/kdtree.h"

/* Nodes are the distinct pairs of the chosen rows, those of one action together. Discrete actions
 * make a group each, in the space of states; vectors are one group, in the joint space. */
typedef struct bf__nodes {
    int64_t rows;           /* chosen transitions: all of them, or a sample */
    const int64_t *row;     /* (rows), ascending */
    const int32_t *node_of; /* (rows) */
    int64_t n;
    int dim;                /* coordinates of a node: states, and actions where they are vectors */
    const double *x;        /* (n, dim), row-major */
    const int32_t *count;   /* (n): chosen rows at the node */
    const double *mass;     /* (n): how much they count, by their weights */
    double total;           /* sum of it */
    int groups;             /* A, or 1 */
    const int64_t *first;   /* (groups + 1): group b is nodes first[b] .. first[b + 1] - 1 */
    const double *stands;   /* (groups): transitions of the log per chosen row, by weights */
    const bf__kdtree *tree; /* (groups); of a group without nodes: not filled */
} bf__nodes;

/* At most `most` rows, drawn by the seed of the points; rare actions keep a share. */
bf_status bf__nodes_make(bf__nodes *out, const bf__points *points, int64_t most, bf_arena *arena,
                         bf_error *err);

/* Plants the trees of nodes that have x, first, groups and dim. */
bf_status bf__nodes_plant(bf__nodes *nodes, bf_arena *arena, bf_error *err);

/* The coordinates of transition i as a node: q (dim). */
void bf__nodes_place(double *q, const bf__nodes *nodes, const bf__points *points, int64_t i);

/* The leaves that a search for many pairs looks into: all (0), or some if there are many
 * dimensions, in which a search of all nodes would take longer than all the rest and finds little
 * more. */
static inline int64_t bf__nodes_leaves(const bf__nodes *nodes) {
    return nodes->dim > BF__FEW_DIMENSIONS ? 64 : 0;
}

/* Up to k nodes of `group` nearest to q, with the smooth weights exp(-2 (distance / largest)^2),
 * scaled to sum 1. A node of several rows that is met exactly is returned alone: a log of repeated
 * states is a table. Returns how many; square (k) takes squared distances. */
int bf__nodes_near(int32_t *index, double *square, double *weight, const bf__nodes *nodes,
                   int group, const double *q, int k, int64_t leaves);

#endif
