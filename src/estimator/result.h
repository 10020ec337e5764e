/* result.h - Filling an answer: diagnostics, warnings, and what follows from the weights. */
#ifndef BF_ESTIMATOR_RESULT_H
#define BF_ESTIMATOR_RESULT_H

#include "estimator/answer.h"
#include "estimator/diagnostics.h"
#include "estimator/reasons.h"
#include "problem/cells.h"

/* Adds a warning of reasons.def; the text is formatted into `arena`. */
bf_status bf__warn(bf_estimate *out, bf_arena *arena, bf_error *err, bf__reason_id id,
                   bool distrust, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* sum_i w_i r_i. If the rewards are far from 0 for how little they differ, and the weights sum to 1
 * but for rounding, the rewards are centred first: rounding of the weights would otherwise be
 * multiplied by the distance from 0. */
double bf__weighted_reward(const double *weights, const bf_dataset *data);

/* From the weights w (n): value, effective sample size, largest weight, and, where episodes
 * terminate under `restart`, the return and length of an episode. Weights may sum to less than 1
 * (mass absorbed at reward 0). */
void bf__result_from_weights(bf_estimate *out, const bf_problem *problem, const double *weights);

/* The same from the mass x (C) on the cells of a finite model, of which the rows of a cell have
 * parts by their weights; but for the weights of the answer themselves. */
void bf__result_from_cells(bf_estimate *out, const bf__cells *cells, const double *x);

#endif
