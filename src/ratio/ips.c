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
#include "ratio/ratio.h"

enum { AUTO, TABULAR, LINEAR, NEURAL };

typedef struct ips_options {
    int variant;
} ips_options;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(ips_options, variant, "auto", "auto|tabular|linear|neural",
                     "The model w(s) of the ratio; auto is tabular for finite states, otherwise "
                     "linear."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of ips", ips_options, rows);

static const bf_model *const models[] = {NULL, &bf__ips_model_tabular, &bf__ips_model_linear,
                                         &bf__ips_model_neural};

static const bf_model *model_at(int index) {
    return index >= 0 && index < NEURAL ? models[index + 1] : NULL;
}

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const ips_options *o = bf_settings_of(settings, &table);
    (void)arena;
    (void)err;
    *out = models[o->variant];
    if (!*out && problem)
        *out = models[problem->data->states > 0 ? TABULAR : LINEAR];
    return BF_OK;
}

bf_status bf__ips_result(bf_estimate *out, const bf__ips *ips, const double *w, bf_arena *arena,
                         bf_error *err) {
    int64_t n = ips->problem->data->n;
    double *weights;
    BF_ALLOC(weights, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        weights[i] = w[i] * ips->beta[i] * ips->u[i];
    return bf__ratio_result(out, ips->problem, weights, 1, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    bf_dataset data = *problem->data;
    bf_problem mine = *problem;
    mine.data = &data;
    bf__ips ips = {.problem = &mine, .settings = settings};
    double *beta, *u;
    BF_TRY(bf__ratio_steps(&ips.steps, "ips", problem, err));
    BF_ALLOC(beta, arena, data.n, err);
    BF_ALLOC(u, arena, data.n, err);
    BF_TRY(bf__ratio_actions(beta, &data, 0, err));
    bf__ratio_discounts(u, &data, problem->gamma);
    ips.beta = beta;
    ips.u = u;
    /* Cells and points want pi at the next states; w(s) beta does not depend on it. */
    if (!data.npi)
        data.npi = data.pi;
    out->model = model->name;
    return model == models[TABULAR]  ? bf__ips_tabular(out, &ips, context, arena, err)
           : model == models[LINEAR] ? bf__ips_linear(out, &ips, context, arena, err)
                                     : bf__ips_neural(out, &ips, context, arena, err);
}

const bf_estimator bf__estimator_ips = {
    .name = "ips",
    .summary = "ratios of stationary state distributions times ratios of actions; needs mu",
    .needs = BF_NEEDS_PI | BF_NEEDS_BEHAVIOR,
    .options = &table,
    .model = model_at,
    .choose = choose,
    .run = run,
    .leans = 1,
};
