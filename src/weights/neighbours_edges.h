/* neighbours_edges.h - The Markov chain on the logged pairs: where each of them leads. */
#ifndef BF_WEIGHTS_NEIGHBOURS_EDGES_H
#define BF_WEIGHTS_NEIGHBOURS_EDGES_H

#include "problem/nodes.h"
#include "solver/hull.h"
#include "solver/visits.h"

/* Of one thread. */
typedef struct bf__edges_scratch {
    double *q, *z, *gram;
    int32_t index[BF__HULL_MOST];
    double square[BF__HULL_MOST], weight[BF__HULL_MOST];
} bf__edges_scratch;

typedef struct bf__edges {
    const bf__points *points;
    const bf__nodes *nodes;
    int k, draws; /* neighbours; sampled actions that are used */
    bf__edges_scratch *scratch;
    int threads;
    double *restart, *start; /* (nodes) */
    double *leave;           /* (nodes): goes on anywhere in the log */
    double *off;             /* (rows) */
    bf__visits visits;
} bf__edges;

/* The edges, as columns in out->visits, and the starts if the question has some. `out` has points
 * and k; `nodes` takes the nodes, at most `most` of them; 0: by the dimension. */
bf_status bf__edges_build(bf__edges *out, bf__nodes *nodes, int64_t most, const bf_context *context,
                          bf_arena *arena, bf_error *err);

/* The mean of reward (n) at each node, in out->visits. */
bf_status bf__edges_reward(bf__edges *out, const double *reward, bf_arena *arena, bf_error *err);

#endif
