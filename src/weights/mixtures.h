/* mixtures.h - Pairs that are not in the log as mixtures of logged ones. */
#ifndef BF_WEIGHTS_MIXTURES_H
#define BF_WEIGHTS_MIXTURES_H

#include "problem/nodes.h"
#include "solver/hull.h"

/* Places to go from: next states or start states, with what the target does there. */
typedef struct bf__places {
    const char *name; /* "next states", "start states" */
    int64_t n;
    const double *z, *pi, *u; /* (d, n); (A, n) or (M * k, n) */
} bf__places;

/* A pair, as a convex combination of nodes. */
typedef struct bf__mixture {
    int32_t count;       /* 0: it was not asked for */
    const int32_t *node; /* (count) */
    const double *weight;
    double off; /* distance of the pair from the hull of its neighbours */
} bf__mixture;

/* Of one thread. */
typedef struct bf__mixer_scratch {
    double *q, *z, *gram;
    int32_t index[BF__HULL_MOST];
    double square[BF__HULL_MOST], weight[BF__HULL_MOST];
} bf__mixer_scratch;

typedef struct bf__mixer {
    const bf__points *points;
    const bf__nodes *nodes;
    int k;       /* neighbours */
    int choices; /* of the target at a place: A, or sampled actions that are used */
    int threads;
    bf__mixer_scratch *scratch; /* (threads) */
} bf__mixer;

bf_status bf__mixer_make(bf__mixer *out, const bf__points *points, const bf__nodes *nodes, int k,
                         const bf_context *context, bf_arena *arena, bf_error *err);

/* How often the target takes choice b at place i. */
double bf__mixer_chosen(const bf__mixer *mixer, const bf__places *places, int64_t i, int b);

/* The share of a mixture that its neighbours say nothing about. */
double bf__mixture_gone(const bf__mixture *mixture, const bf__mixer *mixer);

/* The mixtures of places, some at a time. */
typedef struct bf__mixtures {
    const bf__mixer *mixer;
    bf__places places;
    int64_t room;        /* places at a time */
    bf__mixture *of;     /* (room, choices) */
    int32_t *node;       /* (room, choices, k): of mixtures that are found here */
    double *weight;      /* as node */
    struct known *known; /* those that were found for other policies; NULL: nothing is shared */
} bf__mixtures;

bf_status bf__mixtures_make(bf__mixtures *out, const bf__mixer *mixer, const bf__places *places,
                            bf_arena *arena, bf_error *err);

/* out->of takes the mixtures of places which[0 .. count - 1], count at most `room`, of every choice
 * that the target has there. A place below 0 has none. */
bf_status bf__mixtures_find(bf__mixtures *out, const int64_t *which, int64_t count, bf_error *err);

#endif
