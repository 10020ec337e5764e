/* lstdq.c - The direct method: fit q, and let it say what the target policy earns.
 *
 * Estimates   rho of q(x) = E[r - rho + q(x')] (q.h), which for gamma < 1 is (1 - gamma) E Q(x0)
 * Finite      q exact on the count model (q_cells.c); otherwise linear in kernel features, in
 *             closed form (q_lowrank.c) */
#include <math.h>

#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "value/q.h"

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    bf__q q;
    (void)model;
    BF_TRY(bf__q_fit(&q, problem, bf_settings_of(settings, &bf__q_table), context, arena, err));
    *out = q.remarks;
    out->value = q.value;
    out->model = q.model;
    bf__diagnose(out, BF__D_BELLMAN_ERROR, q.error);
    return bf__hand_out(out, problem, NULL, NULL, NAN, arena, err);
}

const bf_estimator bf__estimator_lstdq = {
    .name = "lstdq",
    .summary = "direct method: a value function by least-squares temporal differences",
    .needs = BF_NEEDS_TARGET,
    .model = bf__q_model,
    .choose = bf__q_choose,
    .run = run,
    .leans = 1,
};
