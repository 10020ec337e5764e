/* visits_mix.h - The best combination of the last steps of an iteration. */
#ifndef BF_SOLVER_VISITS_MIX_H
#define BF_SOLVER_VISITS_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"

enum { BF__MIX_WINDOW = 8 };

/* Around every step of x (n), whose gap is where the next one leads, minus x: bf__mix_before with
 * both as they are, then bf__mix_after with both as they have become. */
typedef struct bf__mix {
    int64_t n;
    int threads;
    double *move[BF__MIX_WINDOW], *change[BF__MIX_WINDOW]; /* (n): differences of x and of gap */
    int held, next; /* during a step, `next` has x and gap as they were */
} bf__mix;

bf_status bf__mix_make(bf__mix *mix, int64_t n, int threads, bf_arena *arena, bf_error *err);

/* The oldest difference gives way to x and gap, and these to the differences to them. */
void bf__mix_before(bf__mix *mix, const double *x, const double *gap);
void bf__mix_after(bf__mix *mix, const double *x, const double *gap);

/* During a step: x as it was before it, and all differences are forgotten. */
void bf__mix_undo(bf__mix *mix, double *x);

/* out (n): the step from the combination of past x whose gap is least, cut off at 0. False if there
 * is none. */
bool bf__mix_propose(double *out, const bf__mix *mix, const double *x, const double *gap);

void bf__mix_forget(bf__mix *mix);

#endif
