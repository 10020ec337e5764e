/* visits.h - The long-run visits of a large sparse chain with restarts. */
#ifndef BF_SOLVER_VISITS_H
#define BF_SOLVER_VISITS_H

#include "backflow/context.h"
#include "backflow/memory.h"
#include "solver/visits_chain.h"

typedef struct bf__visits_result {
    int64_t steps;
    bool settled;    /* false: it was stopped at the cap on its steps */
    bool more;       /* visits had piled up, and these are with more of a source */
    double residual; /* |x - what follows from it|_1 */
    double change;   /* of the sum of x times reward between checks, in units of scale */
} bf__visits_result;

/* x (n) holds the start of the iteration and takes the solution. Running out of steps is no error:
 * `result` says it. BF_ECANCELLED where progress asks for a stop. */
bf_status bf__visits_solve(double *x, bf__visits_result *result, const bf__visits *visits,
                           const bf_context *context, bf_arena *arena, bf_error *err);

#endif
