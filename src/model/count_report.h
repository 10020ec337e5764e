/* count_report.h - What the count model of a finite log says about the answer. */
#ifndef BF_MODEL_COUNT_REPORT_H
#define BF_MODEL_COUNT_REPORT_H

#include "estimator/answer.h"
#include "problem/count_model.h"

/* Coverage, closed classes and what they are a warning of. */
bf_status bf__count_model_report(bf_estimate *out, const bf__count_model *count, bf_arena *arena,
                                 bf_error *err);

#endif
