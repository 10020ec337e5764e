/* dualdice.c - Ratios of discounted distributions from a dual problem: DualDICE.
 *
 * Estimates   sum_i zeta_i gamma^t r_i / sum_i zeta_i gamma^t,   zeta = d_pi / d_log on (s, a),
 *             nu = argmin E_log f((nu - B nu)(s, a)) - (1 - gamma) E nu(s0, a0),
 *             B nu(s, a) = gamma E nu(s', a'),   zeta = f'(nu - B nu)
 * Source      Nachum, Chow, Dai, Li, DualDICE: behavior-agnostic estimation of discounted
 *             stationary distribution corrections, NeurIPS 2019, and the authors' code
 *
 * Knows nothing of the behaviour policy (--ratio state: has it, and finds ratios of states alone).
 * Made for gamma < 1: at gamma = 1 the start term vanishes and with it everything that says which
 * nu is meant. For the long-run average gamma is --average-gamma, 0.9999, as in the black-box
 * paper; the report says so. The bias this brings is of order (1 - gamma) times the mixing time.
 *
 * Two models: tabular (one number per pair, f quadratic, a linear system) and neural (networks for
 * nu and zeta, f = |x|^1.5 / 1.5, a saddle point).
 *
 * Ends: a step that restarts leads to a start state, the mean over the log's; after an absorbing
 * end nu is 0, and the weights sum to the share of time before it. */
#include "ratio/dualdice.h"

#include <math.h>

#include "core/fail.h"
#include "estimator/result.h"
#include "ratio/ratio.h"

enum { AUTO, TABULAR, NEURAL };

typedef struct dice_options {
    int variant;
    double average_gamma;
} dice_options;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(dice_options, variant, "auto", "auto|tabular|neural",
                     "The model of nu and zeta; auto is tabular for finite states."),
    BF_OPTION_RANGE(dice_options, average_gamma, "0.9999", 0, 0.99999999,
                    "G: The discount that stands for `gamma` 1."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of dualdice", dice_options, rows);

static const bf_model *const models[] = {NULL, &bf__dice_model_tabular, &bf__dice_model_neural};

static const bf_model *model_at(int index) {
    return index >= 0 && index < NEURAL ? models[index + 1] : NULL;
}

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const dice_options *o = bf_settings_of(settings, &table);
    (void)arena;
    (void)err;
    *out = models[o->variant];
    if (!*out && problem)
        *out = models[problem->data->states > 0 ? TABULAR : NEURAL];
    return BF_OK;
}

bf_status bf__dice_result(bf_estimate *out, const bf__dice *dice, const double *zeta,
                          bf_arena *arena, bf_error *err) {
    const bf_problem *problem = dice->problem;
    int64_t n = problem->data->n;
    double *weights, sum = 0, total = 0, mass = 1;
    BF_ALLOC(weights, arena, n, err);
    for (int64_t i = 0; i < n; i++) {
        weights[i] = zeta[i] * dice->u[i];
        sum += weights[i];
        total += dice->u[i];
    }
    if (bf__steps_of(problem).absorbs)
        mass = sum / total;
    BF_TRY(bf__ratio_result(out, problem, weights, mass, arena, err));
    bf__diagnose(out, BF__D_MEAN_ZETA, sum / total);
    bf__diagnose(out, BF__D_GAMMA_USED, problem->gamma);
    if (mass == 1 && fabs(sum / total - 1) > 0.25)
        BF_TRY(bf__warn(out, arena, err, BF__W_RATIOS_OFF, fabs(sum / total - 1) > 0.5,
                        "the mean of the ratios is %.3g and should be 1: they are not well "
                        "determined",
                        sum / total));
    return BF_OK;
}

static bf_status check(const bf_dataset *data, bool by_state, bf_error *err) {
    if (data->action && !data->pi)
        return bf_fail(err, BF_ENEEDS,
                       "dualdice needs the target policy at the start states: columns pi0, pi1, "
                       "... in the log, or `policy` FILE");
    if (by_state && !data->mu && !data->mu_all)
        return bf_fail(err, BF_ENEEDS,
                       "dualdice `ratio` state needs the behaviour policy: a column mu, or mu0, "
                       "mu1, ..., in the log");
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const dice_options *o = bf_settings_of(settings, &table);
    const bf_dataset *data = problem->data;
    bool tabular = model == models[TABULAR];
    bf_problem mine = *problem;
    if (problem->gamma == 1)
        mine.gamma = o->average_gamma;
    else if (bf_settings_given(settings, "average_gamma"))
        return bf_fail(err, BF_EUSAGE, "average_gamma: stands for gamma 1, and gamma is %g",
                       problem->gamma);
    bf__dice dice = {.problem = &mine, .settings = settings};
    dice.by_state = tabular && bf__dice_by_state(settings);
    BF_TRY(check(data, dice.by_state, err));
    double *u, *beta;
    BF_ALLOC(u, arena, data->n, err);
    bf__ratio_discounts(u, data, mine.gamma);
    if (dice.by_state) {
        BF_ALLOC(beta, arena, data->n, err);
        BF_TRY(bf__ratio_actions(beta, data, 0, err));
        for (int64_t i = 0; i < data->n; i++)
            u[i] *= beta[i];
        dice.beta = beta;
    }
    dice.u = u;
    out->model = model->name;
    BF_TRY(tabular ? bf__dice_tabular(out, &dice, context, arena, err)
                   : bf__dice_neural(out, &dice, context, arena, err));
    if (problem->gamma == 1)
        BF_TRY(bf__warn(out, arena, err, BF__W_GAMMA_STANDS_IN, false,
                        "dualdice is for discounted rewards: gamma %g stands for 1, which is off "
                        "where the process mixes in more than a small part of %.3g steps",
                        mine.gamma, 1 / (1 - mine.gamma)));
    return BF_OK;
}

const bf_estimator bf__estimator_dualdice = {
    .name = "dualdice",
    .summary = "ratios of discounted (state, action) distributions from a dual; needs episodes",
    .needs = BF_NEEDS_TARGET | BF_NEEDS_EPISODES,
    .options = &table,
    .model = model_at,
    .choose = choose,
    .run = run,
    .leans = 1,
};
