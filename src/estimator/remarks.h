/* remarks.h - What there is to say of a question in an answer to it, whatever the method. */
#ifndef BF_ESTIMATOR_REMARKS_H
#define BF_ESTIMATOR_REMARKS_H

#include "estimator/answer.h"
#include "problem/cells.h"
#include "problem/points.h"

/* The diagnostic `coverage_actions`, and a warning if the actions at the start states had to be
 * borrowed. */
bf_status bf__remark_points(bf_estimate *out, const bf__points *points, bf_arena *arena,
                            bf_error *err);

/* A warning if there are several closed classes, with values from `low` to `high`. */
bf_status bf__remark_classes(bf_estimate *out, const bf__cells *cells, int closed, double low,
                             double high, bf_arena *arena, bf_error *err);

/* A warning if the stationary distribution has too large a residual, or if pi is not one function.
 */
bf_status bf__remark_doubts(bf_estimate *out, const bf__cells *cells, double residual,
                            bf_arena *arena, bf_error *err);

#endif
