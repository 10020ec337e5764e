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

double bf__dr_value(const double *w, const bf__q *q, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    double value = 0, mass = 0;
    for (int64_t i = 0; i < data->n; i++) {
        value += w[i] * (data->reward[i] - q->gap[i]);
        mass += w[i];
    }
    return problem->gamma < 1 ? value + (1 - mass) * q->value : value;
}
