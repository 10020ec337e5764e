/* q.c - Which way to fit q, and what both share. */
#include "value/q.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/result.h"

bool bf__all_ends(const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    return problem->gamma == 1 && problem->terminal == BF_TERMINAL_ABSORB && data->terminated &&
           memchr(data->terminated, 1, (size_t)data->n);
}

bf_status bf__q_fit(bf__q *out, const bf_problem *problem, const bf__q_options *options,
                    const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    if (data->action && data->states > 0)
        BF_TRY(bf__q_cells(out, problem, context, arena, err));
    else
        BF_TRY(bf__q_lowrank(out, problem, options, context, arena, err));
    double sum = 0;
    for (int64_t i = 0; i < data->n; i++) {
        double error = data->reward[i] - out->gap[i] - out->value;
        sum += error * error / (double)data->n;
    }
    out->error = sqrt(sum);
    return BF_OK;
}

bf_status bf__within_rewards(double *value, bf_estimate *out, const bf_problem *problem,
                             bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    bool rest = problem->terminal == BF_TERMINAL_ABSORB && data->terminated;
    double low = rest ? 0 : INFINITY, high = rest ? 0 : -INFINITY, found = *value;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, data->reward[i]);
        high = fmax(high, data->reward[i]);
    }
    *value = fmin(fmax(found, low), high);
    if (fabs(*value - found) <= 1e-9 * fmax(high - low, fabs(high)))
        return BF_OK;
    return bf__warn(out, arena, err, fabs(*value - found) > 0.01 * (high - low),
                    "Compare with other methods (--method all).",
                    "the fit gave %.6g, which no rewards from %.6g to %.6g can have as their mean: "
                    "it was cut to that range",
                    found, low, high);
}

double bf__dr_value(const double *w, const bf__q *q, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    double value = 0, mass = 0;
    for (int64_t i = 0; i < data->n; i++) {
        value += w[i] * (data->reward[i] - q->gap[i]);
        mass += w[i];
    }
    return problem->gamma < 1 ? value + (1 - mass) * q->value : value;
}
