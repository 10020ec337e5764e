/* tally.h - The counts of a finite log: what bf__cells is made of, and all that is needed of it.
 *
 * A tally can be filled in any order and from any parts of a log, and two tallies can be made one:
 * counts are whole numbers and sums are exact (core/total.h), so that the result is the same to the
 * last bit. Everything remembers where in the log it was first seen, by the number that a row has
 * in the whole log, so that the order of states, pairs and edges is the same as well. */
#ifndef BF_PROBLEM_TALLY_H
#define BF_PROBLEM_TALLY_H

#include "backflow/memory.h"
#include "core/total.h"
#include "dataset/dataset.h"

/* A place is 2 * row for the state of a row, and one more for its next state. */
typedef struct bf__tally_states {
    int64_t count, room;
    double *key;        /* (room, d) */
    int64_t *first;     /* (room): place */
    int64_t *starts;    /* (room): episodes that begin here */
    bf__total *pi;      /* (room, A): sums of the target's probabilities */
    double *low, *high; /* (room, A): the least and the greatest that a row gave */
    int64_t *pair;      /* (room, A): the pair, or -1 */
    int64_t *slots;     /* (mask + 1): -1 is free */
    uint64_t mask;
} bf__tally_states;

typedef struct bf__tally_pairs {
    int64_t count, room;
    int64_t *state;        /* (room) */
    int32_t *action;       /* (room) */
    int64_t *first;        /* (room): row */
    int64_t *rows, *ended; /* (room): rows, and those of them after which the process does not go on
                              to the logged next state */
    bf__total *reward;     /* (room) */
} bf__tally_pairs;

/* From a pair to a next state. */
typedef struct bf__tally_edges {
    int64_t count, room;
    int64_t *pair, *to;    /* (room) */
    int64_t *first, *rows; /* (room) */
    int64_t *slots;        /* (mask + 1) */
    uint64_t mask;
} bf__tally_edges;

typedef struct bf__tally {
    int d, actions;
    bool follow;  /* ends are ignored: every row goes on to its next state */
    int exponent; /* no reward is larger in size than 2^exponent */
    int64_t rows, ended, episodes;
    bool bag; /* some rows were given without episodes: start states are not known */
    bf__tally_states states;
    bf__tally_pairs pairs;
    bf__tally_edges edges;
    double *x; /* (d): scratch */
    bf_arena *arena;
} bf__tally;

/* The numbers that a batch of rows got, for a caller who wants to know; each (n). */
typedef struct bf__tally_rows {
    int32_t *state, *next; /* next is -1 for a row that ended */
    int64_t *pair;
} bf__tally_rows;

/* An empty one, which grows in `arena`. */
bf_status bf__tally_make(bf__tally *out, int d, int actions, bool follow, int exponent,
                         bf_arena *arena, bf_error *err);

/* Adds the rows of a log with discrete actions and a target policy, or of a part of one that holds
 * whole episodes; `first` is the number of its first row in the whole log. */
bf_status bf__tally_add(bf__tally *tally, const bf_dataset *data, int64_t first,
                        const bf__tally_rows *rows, bf_error *err);

/* Adds what another tally holds, of other rows of the same log. */
bf_status bf__tally_merge(bf__tally *into, const bf__tally *from, bf_error *err);

/* Puts states, pairs and edges into the order in which the whole log shows them. */
bf_status bf__tally_sort(bf__tally *tally, bf_error *err);

/* The number of a state with the coordinates x (d), or -1. */
int64_t bf__tally_find(const bf__tally *tally, const double *x);

/* The number of the edge from a pair to a state, which have to be there. */
int64_t bf__tally_edge(const bf__tally *tally, int64_t pair, int64_t to);

/* Room for `count` states, pairs and edges, all of them cleared, for a reader of bytes. */
bf_status bf__tally_reserve(bf__tally *tally, int64_t states, int64_t pairs, int64_t edges,
                            bf_error *err);
/* Makes the tables for finding of what a reader of bytes has filled in. *twice: a state or an edge
 * is there twice. */
bf_status bf__tally_index(bool *twice, bf__tally *tally, bf_error *err);

#endif
