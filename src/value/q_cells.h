/* q_cells.h - The differential value on the count model of a finite log. */
#ifndef BF_VALUE_Q_CELLS_H
#define BF_VALUE_Q_CELLS_H

#include "problem/count_model.h"

typedef struct bf__cell_values {
    const bf__cells *cells;
    const bf__count_model *count;
    const double *g; /* (nodes of the count): the gain from each state on; START is node S */
    const double *v; /* (nodes): differential value of a state; that of START is the mean of the
                        start states' */
    const double *q; /* (C): of a visited pair */
    double left;     /* largest error that the sweeps left; 0 for the direct method */
} bf__cell_values;

/* On a model that is there already, and has to stay. */
bf_status bf__cell_values_of(bf__cell_values *out, const bf__cells *cells,
                             const bf_context *context, bf_arena *arena, bf_error *err);

bf_status bf__cell_values_solve(bf__cell_values *out, const bf_problem *problem,
                                const bf_context *context, bf_arena *arena, bf_error *err);

#endif
