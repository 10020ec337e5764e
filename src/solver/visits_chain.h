/* visits_chain.h - A large sparse chain with restarts, whose long-run visits are wanted. */
#ifndef BF_SOLVER_VISITS_CHAIN_H
#define BF_SOLVER_VISITS_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

/* x_j = sum_i P_ij x_i + start_j sum_i restart_i x_i + away_j sum_i leave_i x_i + source_j. P is
 * given by its columns: node j takes prob[e] of node from[e], begin[j] <= e < begin[j + 1]. */
typedef struct bf__visits {
    int64_t n;
    const int64_t *begin; /* (n + 1) */
    const int32_t *from;
    const double *prob;
    const double *start, *restart; /* (n); NULL: nothing restarts */
    const double *away, *leave;    /* (n); NULL: the same for another place to go */
    const double *source;          /* (n); NULL: 0 */
    double more_source;            /* by how much the source of a closed chain is raised if its
                                    * visits pile up; 0: never */
    bool closed;                   /* x is kept at a sum of 1: rows and restarts sum to 1 */
    const double *reward;          /* (n): what the visits are wanted for, to know when to stop */
    double scale;                  /* the size of a difference in reward that matters */
    int64_t steps;                 /* at most; 0: 20,000 */
    const int32_t *order;          /* (n): all nodes, those that lead to similar places near each
                                    * other: they are solved in this order, and closed
                                    * chains on coarser copies, too. NULL: plain steps. */
    bf_arena **held;               /* an arena that holds some of the arrays above and is given up:
                                    * it is destroyed, and *held becomes NULL, once they are in
                                    * their order. NULL: they stay. */
} bf__visits;

#endif
