/* cells.h - A log as a finite model: visited (s, a) pairs, where they lead, what they pay. */
#ifndef BF_PROBLEM_CELLS_H
#define BF_PROBLEM_CELLS_H

#include "backflow/memory.h"
#include "problem/steps.h"
#include "problem/tally.h"

/* States are numbered 0 .. S-1 as they first appear; a cell is a visited pair (s, a).
 *
 * From cell c the process goes to state to[j] with probability prob[j], begin[c] <= j < begin[c+1],
 * or, with probability restart[c], to a state drawn from `start`. These are the means of g and h
 * (steps.h) over the rows of the cell. Steps that stay ended lead to the absorbing state, so that
 * all sum to 1.
 *
 * Under BF_TERMINAL_ABSORB with terminal steps, state S-1 is the absorbing state and cell C-1 its
 * only pair: reward 0, no rows. */
typedef struct bf__cells {
    int64_t states;  /* S */
    int actions;     /* A */
    int64_t cells;   /* C */
    bf__steps steps; /* what the rows mean */
    bool absorbing;  /* steps.absorbs */

    /* Of a log in memory; NULL if the model is all there is. */
    const int64_t *row_cell;  /* (n): the cell of a row */
    const int32_t *row_state; /* (n): the number of its state */
    const int32_t *row_next;  /* (n): of its next state; -1 where the row ends and that is not it */

    const double *row_weight; /* (n): mean 1; NULL: all the same */

    int64_t rows;             /* that it is made of */
    const int32_t *state_of;  /* (C) */
    const int32_t *action_of; /* (C) */
    const double *count;      /* (C): rows, each by its weight; their sum is `rows` */
    const double *ended;      /* (C): those of them that the process does not go on from */
    const double *reward;     /* (C): mean */
    const double *duration;   /* (C): mean, 0 without rows; NULL: steps are the time */
    const int64_t *cell_at;   /* (S, A): cell, or -1 */
    int dim;                  /* d */
    const double *point;      /* (S, d): the states; the absorbing one has none */

    const int64_t *begin; /* (C + 1) */
    const int32_t *to;
    const double *prob;
    const double *restart; /* (C) */
    const double *start;   /* (S); all 0 where the log has no episodes */
    bool has_start;

    const double *pi;       /* (S, A): the target policy; rows of 0 where the log never needs it */
    double pi_disagreement; /* largest difference between two rows that give pi for one state */
} bf__cells;

/* The model of what was counted, which has to be sorted; rows count the same. */
bf_status bf__cells_of(bf__cells *out, const bf__tally *tally, double gamma, bf_terminal terminal,
                       bf_arena *arena, bf_error *err);

/* The model of a log in memory. Refuses continuous actions. */
bf_status bf__cells_build(bf__cells *out, const bf_problem *problem, bf_arena *arena,
                          bf_error *err);

/* The weight of every row of a log in memory, from the mass (C) on its cells. */
bf_status bf__cells_weights(double **out, const bf__cells *cells, const double *mass,
                            bf_arena *arena, bf_error *err);

/* pi(a|s) of a cell. */
static inline double bf__cell_pi(const bf__cells *m, int64_t cell) {
    return m->pi[m->state_of[cell] * m->actions + m->action_of[cell]];
}

#endif
