/* visits_leap.h - Leaps of an iteration that creeps on and on in one direction. */
#ifndef BF_SOLVER_VISITS_LEAP_H
#define BF_SOLVER_VISITS_LEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

typedef struct bf__leap {
    int64_t n;
    double *before, *drift; /* (n): x at the last call; how far it had come since the one before */
    int calls, taken;       /* calls since the last leap; leaps */
} bf__leap;

bf_status bf__leap_make(bf__leap *leap, int64_t n, bf_arena *arena, bf_error *err);

/* To be called with x (n), a distribution, each time as many steps later. If x has drifted in one
 * direction over the last two times, it is moved to where that leads, and true is returned. */
bool bf__leap_try(bf__leap *leap, double *x, int threads);

#endif
