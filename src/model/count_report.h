/* count_report.h - What the count model of a finite log says about the answer. */
#ifndef BF_MODEL_COUNT_REPORT_H
#define BF_MODEL_COUNT_REPORT_H

#include "estimator/answer.h"
#include "problem/count_model.h"

/* Coverage, closed classes and what they are a warning of. */
bf_status bf__count_model_report(bf_estimate *out, const bf__count_model *count, bf_arena *arena,
                                 bf_error *err);

/* The answer of the model, but for the weights of rows, and *mass (C) on the cells. */
bf_status bf__count_estimate(bf_estimate *out, double **mass, const bf__cells *cells,
                             const bf_context *context, bf_arena *arena, bf_error *err);

#endif
