/* ratio.c - What estimators by ratios share: pi over mu, discounts by time, answers from weights
 * that may be negative. Cost O(n). */
#include "ratio/ratio.h"

#include <math.h>

#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"

bf_status bf__ratio_actions(double *beta, const bf_dataset *data, double smoothing, bf_error *err) {
    for (int64_t i = 0; i < data->n; i++) {
        int64_t at = data->action[i] * data->n + i;
        double mu = data->mu ? data->mu[i] : data->mu_all[at];
        char where[256];
        if (!(mu > 0))
            return bf_fail(err, BF_EDATA,
                           "%s: the behaviour policy has probability %g for the action taken; it "
                           "has to be above 0",
                           bf_dataset_where(data, i, where, sizeof where), mu);
        beta[i] = (data->pi[at] + smoothing) / (mu + smoothing);
    }
    return BF_OK;
}

void bf__ratio_discounts(double *u, const bf_dataset *data, double gamma) {
    for (int64_t i = 0; i < data->n; i++)
        u[i] = 1;
    if (gamma == 1)
        return;
    for (int64_t e = 0; e < data->episodes; e++) {
        double power = 1;
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++, power *= gamma)
            u[data->order[j]] = power;
    }
}

bf_status bf__ratio_steps(bf__steps *out, const char *method, const bf_problem *problem,
                          bf_error *err) {
    const bf_dataset *data = problem->data;
    *out = bf__steps_of(problem);
    if (out->absorbs)
        return bf_fail(err, BF_EUSAGE,
                       "`terminal` absorb: %s weighs logged states, and the time after an end is "
                       "not logged; choose restart or ignore",
                       method);
    if (!data->begin && out->starts)
        return bf_fail(err, BF_ENEEDS,
                       "%s needs the start states of episodes (%s): add a column episode to the "
                       "log%s",
                       method,
                       out->restarts ? "the log has terminated steps, which restart" : "gamma < 1",
                       out->restarts ? ", or choose `terminal` ignore" : "");
    return BF_OK;
}

bf_status bf__ratio_result(bf_estimate *out, const bf_problem *problem, const double *w,
                           double mass, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    double sum = 0, above = 0, below = 0, value = 0, *weights, *with_signs;
    BF_ALLOC(weights, arena, data->n, err);
    BF_ALLOC(with_signs, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        sum += w[i];
        above += fmax(w[i], 0);
        below += fmax(-w[i], 0);
    }
    if (!(sum > 0) || !isfinite(sum))
        return bf_fail(err, BF_ENUMERIC,
                       "the weights sum to %g, not to a number above 0: the target policy does "
                       "nothing that the log shows, or training was too short to find them",
                       sum);
    for (int64_t i = 0; i < data->n; i++) {
        with_signs[i] = w[i] / sum * mass;
        value += with_signs[i] * data->reward[i];
        weights[i] = fmax(w[i], 0) / above * mass;
    }
    bf__result_from_weights(out, problem, weights);
    if (!(below > 1e-9 * above))
        return BF_OK;
    out->value = value;
    bf__diagnose(out, BF__D_NEGATIVE_MASS, below / sum * mass);
    return bf__hand_out(out, problem, weights, with_signs, mass, arena, err);
}
