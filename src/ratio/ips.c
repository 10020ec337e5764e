/* ips.c - Ratios of state distributions times ratios of actions: "breaking the curse of horizon".
 *
 * Estimates   sum_i w(s_i) beta_i r_i / sum_i w(s_i) beta_i,   beta = pi(a|s) / mu(a|s),
 *             w = d_pi / d_mu, found by balance: for every f,
 *             sum_i (w(s_i) beta_i - w(s'_i)) f(s'_i) = 0
 *             gamma < 1: rows count gamma^t, and start states flow in at rate 1 - gamma
 * Source      Liu, Li, Tang, Zhou, Breaking the curse of horizon: infinite-horizon off-policy
 *             estimation, NeurIPS 2018, and the authors' code
 *
 * It needs to know mu, and that the log's states are distributed as in the long run of mu: the
 * balance holds for w(s') over the next states, and these have to be distributed as the states are.
 * Trajectories of a few steps from one start state are not; `imbalance` says by how much.
 *
 * --balance states puts sum_i w(s_i) f(s_i) in the place of sum_i w(s'_i) f(s'_i): the same in a
 * long run, and right without one. It is a repair, not the published method, and not the default.
 *
 * Three models of w: tabular (one number per state), linear (in kernel features, closed form) and
 * neural (the authors' network). A terminated step leads to a start state, the mean over the log's
 * (in neural batches: one drawn at random each time). */
#include "ratio/ips.h"

#include "core/fail.h"
#include "kernel/bandwidth.h"
#include "problem/points.h"
#include "ratio/ratio.h"
#include "solver/mlp.h"
#include "weights/ridge.h"

enum { AUTO, TABULAR, LINEAR, NEURAL };

static const bf_option rows[] = {
    BF_OPTION_CHOICE(bf__ips_options, variant, "auto", "auto|tabular|linear|neural",
                     "The model w(s) of the ratio; auto is tabular for finite states, otherwise "
                     "linear."),
    BF_OPTION_CHOICE(bf__ips_options, balance, "next", "next|states",
                     "What flows in is held against w(s') at the next states, as the authors do, "
                     "or against w(s) at the states, which does not take the log for a long run "
                     "(tabular and linear)."),
    BF_OPTION_CHECKED(bf__ips_options, bandwidth, "median", bf__bandwidth_check,
                      "W: Width of the Gaussian kernel on states, as for blackbox."),
    BF__POINTS_ROWS(bf__ips_options),
    BF_OPTION_RANGE(bf__ips_options, features, "500", 1, 5000, "Kernel features of linear."),
    BF__RIDGE_ROW(
        bf__ips_options,
        "R: Weight of |alpha|^2 of linear: a number, or auto, the smallest for which w is "
        "below 0 by no more than 5% of its mean."),
    BF_OPTION_CHECKED(bf__ips_options, hidden, "30", bf__mlp_check,
                      "UNITS: Hidden layers of neural, as 30-20."),
    BF_OPTION_RANGE(bf__ips_options, steps, "3001", 1, 1e8, "Adam steps of neural."),
    BF_OPTION_RANGE(bf__ips_options, batch, "512", 2, 65536, "Transitions in a step of neural."),
    BF_OPTION_RANGE(bf__ips_options, rate, "0.001", 1e-9, 1, "Size of a step of neural."),
    BF_OPTION_RANGE(bf__ips_options, smoothing, "0.1", 0, 100,
                    "Training of neural takes (pi + C) / (mu + C) for the ratio of actions, the "
                    "answer C = 0."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of ips", bf__ips_options, rows);

bf_status bf__ips_result(bf_estimate *out, const bf__ips *ips, const double *w, bf_arena *arena,
                         bf_error *err) {
    int64_t n = ips->problem->data->n;
    double *weights;
    BF_ALLOC(weights, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        weights[i] = w[i] * ips->beta[i] * ips->u[i];
    return bf__ratio_result(out, ips->problem, weights, 1, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const void *options,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset data = *problem->data;
    bf_problem mine = *problem;
    mine.data = &data;
    bf__ips ips = {.problem = &mine, .options = options};
    double *beta, *smooth, *u;
    BF_TRY(bf__ratio_starts(&ips.restarts, "ips", problem, err));
    BF_ALLOC(beta, arena, data.n, err);
    BF_ALLOC(smooth, arena, data.n, err);
    BF_ALLOC(u, arena, data.n, err);
    BF_TRY(bf__ratio_actions(beta, &data, 0, err));
    BF_TRY(bf__ratio_actions(smooth, &data, ips.options->smoothing, err));
    bf__ratio_discounts(u, &data, problem->gamma);
    ips.beta = beta;
    ips.smooth = smooth;
    ips.u = u;
    /* Cells and points want pi at the next states; w(s) beta does not depend on it. */
    if (!data.npi)
        data.npi = data.pi;
    int variant = ips.options->variant;
    if (variant == AUTO)
        variant = data.states > 0 ? TABULAR : LINEAR;
    if (variant == NEURAL && ips.options->balance == BF__IPS_STATES)
        return bf_fail(err, BF_EUSAGE, "--balance: states is for --variant tabular and linear");
    out->model = variant == TABULAR ? "tabular" : variant == LINEAR ? "linear" : "neural";
    return variant == TABULAR  ? bf__ips_tabular(out, &ips, context, arena, err)
           : variant == LINEAR ? bf__ips_linear(out, &ips, context, arena, err)
                               : bf__ips_neural(out, &ips, context, arena, err);
}

const bf_estimator bf__estimator_ips = {
    .name = "ips",
    .summary = "ratios of stationary state distributions times ratios of actions; needs mu",
    .needs = BF_NEEDS_PI | BF_NEEDS_BEHAVIOR,
    .options = &table,
    .run = run,
};
