/* cells_warn.c - What is to be said of a finite model, whoever solves it. */
#include "core/fail.h"
#include "estimator/result.h"
#include "problem/cells.h"

bf_status bf__cells_warn_classes(bf_estimate *out, const bf__cells *m, int closed, double low,
                                 double high, bf_arena *arena, bf_error *err) {
    if (closed <= 1)
        return BF_OK;
    return bf__warn(out, arena, err, BF__W_SEVERAL_CLASSES, high - low > 1e-9,
                    "under the target policy the log falls into %d closed classes that never mix: "
                    "the answer depends on where the process starts, from %.6g to %.6g; the value "
                    "given mixes the classes by the chance of ending in each from %s",
                    closed, low, high,
                    m->has_start ? "the log's start states" : "the logged states");
}

bf_status bf__cells_warn_doubts(bf_estimate *out, const bf__cells *m, double residual,
                                bf_arena *arena, bf_error *err) {
    if (residual > 1e-9)
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_SOLVED, true,
                        "the stationary distribution was found only to a residual of %.3g",
                        residual));
    if (m->pi_disagreement > 1e-6)
        BF_TRY(bf__warn(out, arena, err, BF__W_POLICY_DISAGREES, m->pi_disagreement > 0.01,
                        "the policy columns give different probabilities for the same state (by up "
                        "to %.3g); their mean is used",
                        m->pi_disagreement));
    return BF_OK;
}
