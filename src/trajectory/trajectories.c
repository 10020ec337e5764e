/* trajectories.c - Episodes weighed by products of ratios: what is, wis and pdis share.
 *
 * beta_t = pi(a_t|s_t) / mu(a_t|s_t); the product over an episode is how much more likely the
 * target policy is to have made it than the behaviour. With R = sum_t gamma^t r_t over an episode
 * and D = sum_t gamma^t its span, all three methods estimate
 *
 *     E_pi R / E_pi D.
 *
 * gamma = 1: reward per step over an episode as long as those of the log. Where episodes end by
 * themselves and start anew, that is the long-run average (renewal theory); where the log cuts them
 * after T steps, it is the average over the first T steps from a start state, which tends to the
 * long-run average with T but is not it.
 * gamma < 1: for episodes of T steps D = (1 - gamma^T) / (1 - gamma), so that the normaliser is
 * (1 - gamma) / (1 - gamma^T): a reward of 1 at every step is worth 1 whatever T, as it is for
 * T = infinity. Where ends restart, the ratio is (1 - gamma) times the discounted sum of the
 * process that goes on: E R + E gamma^L V = V, 1 - E gamma^L = (1 - gamma) E D.
 * An absorbing end (gamma < 1) adds its future, gamma^L / (1 - gamma) steps at reward 0, to D.
 *
 * Episodes with weights (all rows of one have the same) count by these wherever a mean is taken.
 *
 * The products are kept as logarithms: over hundreds of steps they leave the range of a double.
 * The longer the episodes, the fewer carry the weight; ess_episodes counts them. */
#include "trajectory/trajectories.h"

#include <math.h>

#include "core/fail.h"
#include "dataset/row_weights.h"
#include "estimator/result.h"
#include "ratio/ratio.h"

static bf_status spans(bf__trajectories *t, const bf_problem *problem, bf_arena *arena,
                       bf_error *err) {
    const bf_dataset *data = problem->data;
    double *d;
    bool same = true;
    BF_ZALLOC(d, arena, t->episodes, err);
    for (int64_t e = 0; e < t->episodes; e++) {
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            d[e] += t->u[data->order[j]];
        int64_t length = data->begin[e + 1] - data->begin[e];
        int64_t last = data->order[data->begin[e + 1] - 1];
        if (bf__trajectories_stays(t, last))
            d[e] += t->u[last] * problem->gamma / (1 - problem->gamma);
        t->longest = length > t->longest ? length : t->longest;
        same = same && fabs(d[e] - d[0]) <= 1e-12 * d[0];
    }
    t->spans = d;
    t->span = same ? d[0] : 0;
    return BF_OK;
}

bf_status bf__trajectories_make(bf__trajectories *out, const char *method,
                                const bf_problem *problem, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    double *product, *before, *whole, *u;
    bf__steps steps = bf__steps_of(problem);
    if (steps.over)
        return bf_fail(err, BF_EUSAGE,
                       "`terminal` absorb: after the end there is reward 0 for ever, and so the "
                       "long-run average of %s is 0; choose restart, or `gamma` below 1",
                       method);
    if (data->episodes < 2)
        return bf_fail(err, BF_EDATA,
                       "%s weighs episodes against each other, and the log has only one; "
                       "`method` blackbox or ips can use it",
                       method);
    BF_ALLOC(product, arena, data->n, err);
    BF_ALLOC(before, arena, data->n, err);
    BF_ALLOC(whole, arena, data->episodes, err);
    BF_ALLOC(u, arena, data->n, err);
    const double *weight;
    BF_TRY(bf__episode_weights(&weight, method, data, arena, err));
    BF_TRY(bf__ratio_actions(product, data, 0, err));
    bf__ratio_discounts(u, data, problem->gamma);
    for (int64_t e = 0; e < data->episodes; e++) {
        double sum = 0;
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j];
            before[i] = sum;
            sum += log(product[i]);
            product[i] = sum;
        }
        whole[e] = sum;
    }
    *out = (bf__trajectories){.episodes = data->episodes,
                              .log_ratio = product,
                              .before = before,
                              .whole = whole,
                              .u = u,
                              .weight = weight,
                              .steps = steps};
    return spans(out, problem, arena, err);
}

bf_status bf__trajectories_exp(double *out, double log_ratio, const bf__trajectories *t,
                               bf_error *err) {
    *out = exp(log_ratio);
    if (!isfinite(*out))
        return bf_fail(err, BF_ENUMERIC,
                       "the ratio of an episode (of up to %lld steps) is e^%.0f, too large for a "
                       "number; `method` wis can hold it, blackbox or ips needs no products",
                       (long long)t->longest, log_ratio);
    return BF_OK;
}

bf_status bf__trajectories_span(double *out, const bf__trajectories *t, const bf_problem *problem,
                                bf_error *err) {
    const bf_dataset *data = problem->data;
    *out = t->span;
    for (int64_t e = 0; e < t->episodes && t->span == 0; e++) {
        double whole, share = bf__trajectory_weight(t, e) / (double)t->episodes;
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            double before;
            BF_TRY(bf__trajectories_exp(&before, t->before[data->order[j]], t, err));
            *out += before * t->u[data->order[j]] * share;
        }
        int64_t last = data->order[data->begin[e + 1] - 1];
        if (bf__trajectories_stays(t, last)) {
            BF_TRY(bf__trajectories_exp(&whole, t->whole[e], t, err));
            *out += whole * t->u[last] * problem->gamma / (1 - problem->gamma) * share;
        }
    }
    return BF_OK;
}

void bf__trajectories_result(bf_estimate *out, const bf_problem *problem, const bf__trajectories *t,
                             const double *weights) {
    double largest = -INFINITY, sum = 0, squares = 0, most = 0;
    for (int64_t e = 0; e < t->episodes; e++)
        largest = fmax(largest, t->whole[e]);
    for (int64_t e = 0; e < t->episodes; e++) {
        double ratio = largest > -INFINITY ? exp(t->whole[e] - largest) : 0;
        ratio *= bf__trajectory_weight(t, e);
        most = fmax(most, ratio);
        sum += ratio;
        squares += ratio * ratio;
    }
    double ess = squares > 0 ? sum * sum / squares : 0, episodes = (double)t->episodes;
    bf__result_from_weights(out, problem, weights);
    bf__diagnose(out, BF__D_ESS_EPISODES, ess);
    bf__diagnose(out, BF__D_MAX_WEIGHT_EPISODE, sum > 0 ? most / sum : 0);
    bf__diagnose(out, BF__D_MEAN_RATIO, sum / episodes * exp(largest));
    bf__diagnose(out, BF__D_LONGEST_EPISODE, (double)t->longest);
}
