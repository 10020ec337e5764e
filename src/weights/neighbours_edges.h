/* neighbours_edges.h - The Markov chain on the logged pairs: where each of them leads. */
#ifndef BF_WEIGHTS_NEIGHBOURS_EDGES_H
#define BF_WEIGHTS_NEIGHBOURS_EDGES_H

#include "solver/visits.h"
#include "weights/mixtures.h"

typedef struct bf__edges {
    const bf__points *points;
    const bf__nodes *nodes;
    int k; /* neighbours */
    bf__mixer mixer;
    double *restart, *start; /* (nodes) */
    double *leave;           /* (nodes): goes on anywhere in the log */
    double *off;             /* (rows) */
    bf__visits visits;       /* its leave is NULL if nothing leaves */
    /* Arenas for the nodes with their trees, and for what `visits` refers to but `leave` and the
     * order. A caller may give them up before the rest; NULL: in that of the rest. */
    bf_arena *for_nodes, *for_edges;
} bf__edges;

/* for_edges, or the arena of the rest. */
bf_arena *bf__edges_arena(const bf__edges *c, bf_arena *arena);

/* The edges, as columns in out->visits, and the starts if the question has some. `out` has points,
 * k and arenas; `nodes` takes the nodes, at most `most` of them; 0: by the dimension. */
bf_status bf__edges_build(bf__edges *out, bf__nodes *nodes, int64_t most, const bf_context *context,
                          bf_arena *arena, bf_error *err);

/* The mean of reward (n) at each node, in out->visits. */
bf_status bf__edges_reward(bf__edges *out, const double *reward, bf_arena *arena, bf_error *err);

#endif
