/* wis.c - Weighted importance sampling of whole episodes: ratios divided by their own sum.
 *
 * Estimates   sum_e rho_e R_e / sum_e rho_e D_e  (trajectories.c),
 *             rho_e = prod_t pi(a_t|s_t) / mu(a_t|s_t)
 * Source      Precup, Sutton, Singh, Eligibility traces for off-policy policy evaluation, 2000
 * Cost        O(n)
 *
 * A little bias, of order 1 / episodes, for much less variance: the answer is a mean of rewards. */
#include <math.h>

#include "core/fail.h"
#include "trajectory/trajectories.h"

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    (void)model;
    (void)settings;
    (void)context;
    const bf_dataset *data = problem->data;
    bf__trajectories t;
    double *weights, largest = -INFINITY, total = 0;
    BF_TRY(bf__trajectories_make(&t, "wis", problem, arena, err));
    BF_ALLOC(weights, arena, data->n, err);
    for (int64_t e = 0; e < t.episodes; e++)
        largest = fmax(largest, t.whole[e]);
    if (largest == -INFINITY)
        return bf_fail(err, BF_EDATA,
                       "wis: every episode of the log has an action that the target policy never "
                       "takes; `method` ips or blackbox needs no whole episodes");
    for (int64_t e = 0; e < t.episodes; e++)
        total += bf__trajectory_weight(&t, e) * exp(t.whole[e] - largest) * t.spans[e];
    for (int64_t e = 0; e < t.episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            weights[data->order[j]] = bf__trajectory_weight(&t, e) * exp(t.whole[e] - largest) *
                                      t.u[data->order[j]] / total;
    bf__trajectories_result(out, problem, &t, weights);
    return BF_OK;
}

const bf_estimator bf__estimator_wis = {
    .name = "wis",
    .summary = "is with ratios that sum to 1: some bias, much less variance",
    .needs = BF_NEEDS_PI | BF_NEEDS_BEHAVIOR | BF_NEEDS_EPISODES,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
