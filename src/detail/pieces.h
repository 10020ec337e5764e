/* pieces.h - Intervals of any numbers that a log gives, by halves of it. */
#ifndef BF_DETAIL_PIECES_H
#define BF_DETAIL_PIECES_H

#include "backflow/trust.h"

/* Finds `count` numbers on the log of `problem`, which is a piece of the whole one. A failure means
 * that the piece has no answer. */
typedef bf_status (*bf__piece_run)(double *out, int count, const bf_problem *problem,
                                   const void *self, const bf_context *context, bf_arena *arena,
                                   bf_error *err);

/* Intervals (count) of the numbers `whole` (count), which `run` gives on the whole log. A number
 * that some piece does not have gets none (level 0). *none says why there are no intervals at all,
 * or is NULL.
 *
 *     s^2 = mean over 3 splits into halves of the mean square of what a half differs by
 *
 * which for a regular number is the variance on the whole log, and sees bias that more data would
 * shrink; t has 3 degrees of freedom. */
bf_status bf__pieces_intervals(bf_interval *out, const char **none, const double *whole, int count,
                               bf__piece_run run, const void *self, const bf_problem *problem,
                               const bf_trust_options *how, const bf_context *context,
                               bf_arena *arena, bf_error *err);

#endif
