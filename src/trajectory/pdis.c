/* pdis.c - Importance sampling per decision: a reward is weighed by what led to it alone.
 *
 * Estimates   E_pi R / E_pi D  (trajectories.c),
 *             E_pi R by  (1/E) sum_e sum_t gamma^t rho_{e,t} r_{e,t},
 *             rho_{e,t} = prod_{k <= t} pi(a_k|s_k) / mu(a_k|s_k)
 *             normalised: (1/E) sum_e rho_{e,t} becomes a mean weighted by rho, step by step;
 *             an episode that has ended keeps its ratio, with reward and length 0
 * Source      Precup, Sutton, Singh, Eligibility traces for off-policy policy evaluation, 2000
 * Cost        O(n)
 *
 * Unbiased for E R as `is` is, with less variance: ratios of later decisions are left out. */
#include <math.h>

#include "core/fail.h"
#include "trajectory/trajectories.h"

typedef struct pdis_options {
    bool normalise;
} pdis_options;

static const bf_option rows[] = {
    BF_OPTION(pdis_options, normalise, "no",
              "Divide the ratios of every step by their sum over episodes: some bias, less "
              "variance."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of pdis", pdis_options, rows);

/* The log ratio of episode e at step t, or its last one, and of how much it counts. */
static double ratio_at(const bf__trajectories *t, const bf_dataset *data, int64_t e, int64_t step) {
    int64_t length = data->begin[e + 1] - data->begin[e];
    double counts = log(bf__trajectory_weight(t, e));
    return counts +
           (step < length ? t->log_ratio[data->order[data->begin[e] + step]] : t->whole[e]);
}

/* Weights that sum to 1 over the span; O(episodes longest). */
static bf_status normalised(double *weights, const bf__trajectories *t, const bf_problem *problem,
                            bf_error *err) {
    const bf_dataset *data = problem->data;
    double span = 0, power = 1, future = 0;
    for (int64_t i = 0; i < data->n; i++)
        weights[i] = 0;
    for (int64_t step = 0; step < t->longest; step++, power *= problem->gamma) {
        double largest = -INFINITY, sum = 0, alive = 0, ended = 0;
        for (int64_t e = 0; e < t->episodes; e++)
            largest = fmax(largest, ratio_at(t, data, e, step));
        if (largest == -INFINITY)
            return bf_fail(err, BF_EDATA,
                           "pdis: by step %lld every episode of the log has an action that the "
                           "target policy never takes; `method` ips or blackbox needs no episodes",
                           (long long)step);
        for (int64_t e = 0; e < t->episodes; e++)
            sum += exp(ratio_at(t, data, e, step) - largest);
        for (int64_t e = 0; e < t->episodes; e++) {
            int64_t length = data->begin[e + 1] - data->begin[e];
            int64_t last = data->order[data->begin[e + 1] - 1];
            double share = exp(ratio_at(t, data, e, step) - largest) / sum;
            if (step < length) {
                weights[data->order[data->begin[e] + step]] = power * share;
                alive += share;
            } else if (bf__trajectories_stays(t, last)) {
                ended += share;
            }
            if (step == t->longest - 1 && bf__trajectories_stays(t, last))
                future += share;
        }
        span += power * (alive + ended);
    }
    if (t->steps.absorbs)
        span += future * power / (1 - problem->gamma);
    for (int64_t i = 0; i < data->n; i++)
        weights[i] /= span;
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    (void)context;
    const pdis_options *o = bf_settings_of(settings, &table);
    (void)model;
    const bf_dataset *data = problem->data;
    bf__trajectories t;
    double *weights, span;
    BF_TRY(bf__trajectories_make(&t, "pdis", problem, arena, err));
    BF_ALLOC(weights, arena, data->n, err);
    if (o->normalise) {
        BF_TRY(normalised(weights, &t, problem, err));
    } else {
        BF_TRY(bf__trajectories_span(&span, &t, problem, err));
        for (int64_t e = 0; e < t.episodes; e++)
            for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
                int64_t i = data->order[j];
                BF_TRY(bf__trajectories_exp(&weights[i], t.log_ratio[i], &t, err));
                weights[i] *= bf__trajectory_weight(&t, e) * t.u[i] / ((double)t.episodes * span);
            }
    }
    bf__trajectories_result(out, problem, &t, weights);
    return BF_OK;
}

const bf_estimator bf__estimator_pdis = {
    .name = "pdis",
    .summary = "rewards weighed by the decisions that led to them; needs mu and episodes",
    .needs = BF_NEEDS_PI | BF_NEEDS_BEHAVIOR | BF_NEEDS_EPISODES,
    .options = &table,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
