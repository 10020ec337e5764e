/* runs.h - Weights from runs of the target in the process as the log shows it. */
#ifndef BF_WEIGHTS_RUNS_H
#define BF_WEIGHTS_RUNS_H

#include "problem/points.h"

enum { BF__SMALL_LOG = 80000 }; /* rows up to which there is time for more than the chain */

/* Whether runs are of use: they take steps to be a function of the pair, and time. `noise` is the
 * share of noise in the steps (noise.h). */
bool bf__runs_suit(const bf__points *points, double noise);

/* visits (n): how often runs from rows that are drawn by u (n) are at each row, with k neighbours
 * for a pair. They sum to 1; or are all 0 if no row goes on. */
bf_status bf__runs_visit(double *visits, const bf__points *points, const double *u, int k,
                         const bf_context *context, bf_arena *arena, bf_error *err);

#endif
