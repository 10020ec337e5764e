/* is.c - Importance sampling of whole episodes.
 *
 * Estimates   E_pi R / E_pi D  (trajectories.c),  E_pi R by  (1/E) sum_e rho_e R_e,
 *             rho_e = prod_t pi(a_t|s_t) / mu(a_t|s_t)
 * Source      Precup, Sutton, Singh, Eligibility traces for off-policy policy evaluation, 2000
 * Cost        O(n)
 *
 * E R is unbiased, with a variance that grows exponentially with the length of episodes. D is known
 * where all episodes are equally long, and otherwise estimated without bias by prefix products. */
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
    double *weights, span, ratio;
    BF_TRY(bf__trajectories_make(&t, "is", problem, arena, err));
    BF_TRY(bf__trajectories_span(&span, &t, problem, err));
    BF_ALLOC(weights, arena, data->n, err);
    for (int64_t e = 0; e < t.episodes; e++) {
        BF_TRY(bf__trajectories_exp(&ratio, t.whole[e], &t, err));
        ratio *= bf__trajectory_weight(&t, e);
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            weights[data->order[j]] = ratio * t.u[data->order[j]] / ((double)t.episodes * span);
    }
    bf__trajectories_result(out, problem, &t, weights);
    return BF_OK;
}

const bf_estimator bf__estimator_is = {
    .name = "is",
    .summary = "episodes weighed by how likely the target makes them; needs mu and episodes",
    .needs = BF_NEEDS_PI | BF_NEEDS_BEHAVIOR | BF_NEEDS_EPISODES,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
