/* remarks.c - What there is to say of a question in an answer to it, whatever the method. */
#include "estimator/remarks.h"

#include "core/fail.h"
#include "estimator/result.h"

bf_status bf__remark_points(bf_estimate *out, const bf__points *points, bf_arena *arena,
                            bf_error *err) {
    bf__diagnose(out, BF__D_COVERAGE_ACTIONS, points->covered);
    if (points->left_out_count > 0)
        bf__diagnose(out, BF__D_COLUMNS_LEFT_OUT, points->left_out_count);
    if (points->borrowed_starts)
        BF_TRY(bf__warn(out, arena, err, BF__W_BORROWED_STARTS, false,
                        "the target's actions at the start states are taken to be those at the "
                        "nearest next states, for want of a column"));
    return BF_OK;
}

bf_status bf__remark_classes(bf_estimate *out, const bf__cells *cells, int closed, double low,
                             double high, bf_arena *arena, bf_error *err) {
    if (closed <= 1)
        return BF_OK;
    return bf__warn(out, arena, err, BF__W_SEVERAL_CLASSES, high - low > 1e-9,
                    "under the target policy the log falls into %d closed classes that never mix: "
                    "the answer depends on where the process starts, from %.6g to %.6g per %s; the "
                    "value given mixes the classes by the chance of ending in each from %s",
                    closed, low, high, cells->duration ? "unit of time" : "step",
                    cells->has_start ? "the log's start states" : "the logged states");
}

bf_status bf__remark_doubts(bf_estimate *out, const bf__cells *cells, double residual,
                            bf_arena *arena, bf_error *err) {
    if (residual > 1e-9)
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_SOLVED, true,
                        "the stationary distribution was found only to a residual of %.3g",
                        residual));
    if (cells->pi_disagreement > 1e-6)
        BF_TRY(bf__warn(out, arena, err, BF__W_POLICY_DISAGREES, cells->pi_disagreement > 0.01,
                        "the policy columns give different probabilities for the same state (by up "
                        "to %.3g); their mean is used",
                        cells->pi_disagreement));
    return BF_OK;
}
