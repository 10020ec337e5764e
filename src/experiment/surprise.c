/* surprise.c - Weights that are estimated against weights that are known.
 *
 * Source      paper, section 2: weights estimated without the behaviour policy can be better than
 *             the known ones (Liu and Lee, Black-box importance sampling, 2017; Henmi, Yoshida and
 *             Eguchi, Importance sampling via the estimated sampler, 2007)
 * Settings    Finite problems. The log is distributed as the long run of the behaviour mu, which is
 *             what methods that know mu are made for: nobody is punished for a log of another kind.
 * Methods     what they are told, from everything to nothing:
 *             ratio          d_pi(x) / d_mu(x) of pairs x = (s, a), exactly; scaled to sum 1
 *             ratio-counted  d_pi(x); how often the log has x, it counts
 *             ips            mu; it finds d_pi(s) / d_mu(s) itself
 *             ips-states     the same, balanced at the states (ratio/ips.c), which removes what a
 *                            log of finite length adds to the error of ips
 *             ips-fitted     nothing; it counts mu in the log, and then does as ips-states
 *             blackbox       nothing; it finds the weights of pairs
 *
 * Why it can be. A known ratio weighs a pair by how often it should come; the log has it more or
 * less often by chance, and that error stays. Weights that go by what the log has make up for it.
 * The price of not knowing d_pi is the noise of the steps that tell it. */
#include "core/fail.h"
#include "env/exact.h"
#include "experiment/worlds.h"
#include "policy/behavior.h"

#include <math.h>
#include <string.h>

static const bf__contender known = {.name = "ratio",
                                    .label = "known ratio",
                                    .estimator = "naive",
                                    .options = "",
                                    .colour = "#000000",
                                    .point = 6,
                                    .dash = 3};
static const bf__contender counted = {.name = "ratio-counted",
                                      .label = "known target, log counted",
                                      .estimator = "naive",
                                      .options = "",
                                      .colour = "#E69F00",
                                      .point = 8,
                                      .dash = 2};
static const bf__contender at_states = {.name = "ips-states",
                                        .label = "IPS at states, behaviour known",
                                        .estimator = "ips",
                                        .options = "variant=tabular balance=states",
                                        .colour = "#0072B2",
                                        .point = 12,
                                        .dash = 5};
static const bf__contender fitted = {.name = "ips-fitted",
                                     .label = "IPS at states, behaviour estimated",
                                     .estimator = "ips",
                                     .options = "variant=tabular balance=states",
                                     .colour = "#009E73",
                                     .point = 14,
                                     .dash = 2};

typedef struct surprise_options {
    const char *finite, *sizes;
    int64_t horizon, runs;
} surprise_options;

static const bf_option rows[] = {
    BF_OPTION(surprise_options, finite, "modelwin,ladder,gridwalk", BF_FINITE_HELP),
    BF_OPTION(surprise_options, sizes, "100,300,1000,3000,10000,30000",
              "LIST: Transitions of a log, with commas."),
    BF_OPTION_RANGE(surprise_options, horizon, "10", 1, 1e6, "T: Transitions of each trajectory."),
    BF_OPTION_RANGE(surprise_options, runs, "200", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of surprise", surprise_options, rows);
static const char *const quick[] = {"sizes", "100,1000", "runs", "20", NULL};

/* Weights d_pi(x) / freq(x), scaled to sum 1. freq is d_mu, or what the log has. */
static bf_status weigh_exactly(double *value, const bf__setting *s, bool count,
                               const bf_dataset *data, bf_arena *arena, bf_error *err) {
    int64_t states = s->env->states, n = data->n;
    double *target, *behavior, *rows_at, sum = 0, earned = 0;
    BF_ALLOC(target, arena, states, err);
    BF_ALLOC(behavior, arena, states, err);
    BF_ZALLOC(rows_at, arena, states * s->env->actions, err);
    BF_TRY(bf__exact_value(value, s->env, s->target_policy, 1, target, arena, err));
    BF_TRY(bf__exact_value(value, s->env, s->behavior_policy, 1, behavior, arena, err));
    for (int64_t i = 0; i < n; i++)
        rows_at[(int64_t)data->state[i] * s->env->actions + data->action[i]]++;
    for (int64_t i = 0; i < n; i++) {
        int64_t state = (int64_t)data->state[i], action = data->action[i];
        double freq = count ? rows_at[state * s->env->actions + action] / (double)n
                            : behavior[state] * data->mu[i];
        double w = target[state] * data->pi[action * n + i] / freq;
        sum += w;
        earned += w * data->reward[i];
    }
    *value = earned / sum;
    return sum > 0 ? BF_OK : bf_fail(err, BF_ENUMERIC, "the log shows nothing of the target");
}

static bf_status measure(double *value, double *beside, const bf__setting *setting,
                         const bf__contender *method, const bf_problem *problem,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset data = *problem->data;
    bf_problem mine = *problem;
    const bf_estimator *estimator;
    const bf_settings *options;
    bf_estimate estimate;
    bf_behavior behavior;
    *beside = NAN;
    if (method == &known || method == &counted)
        return weigh_exactly(value, setting, method == &counted, &data, arena, err);
    mine.data = &data;
    if (method == &fitted)
        BF_TRY(bf__behavior_fit(&behavior, &data, context, arena, err));
    BF_TRY(bf__contender_prepare(&estimator, &options, method, setting->env->name, arena, err));
    BF_TRY(bf__estimator_run(estimator, &estimate, &mine, options, context, arena, err));
    *value = estimate.value;
    return BF_OK;
}

static const bf__measure value_of = {.run = measure};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    const surprise_options *o = options;
    const bf__contender *methods[] = {&known, &counted, NULL, &at_states, &fitted, NULL};
    BF_TRY(bf__contender_find(&methods[2], "ips", study->arena, err));
    BF_TRY(bf__contender_find(&methods[5], "blackbox", study->arena, err));
    bf__setting like = {.stationary = true, .measure = &value_of};
    return bf__finite_plan(study, o->finite, o->sizes, o->horizon, &like, methods, 6, o->runs,
                           BF_SHOW_RMSE, err);
}

/* The claim that `a`, which knows less, has the smaller error. */
static bf_status judge_pair(bf__study *study, const char *a, const char *b, const bf__claim *claim,
                            bf_error *err) {
    int below, above, all;
    double sum = 0;
    bf__claim c = *claim;
    BF_TRY(bf__finite_contest(&below, &above, &all, study, a, b, err));
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *mine = &study->groups[g];
        if (strcmp(mine->method->name, a) == 0)
            sum += log(mine->spread.rmse.value /
                       bf__study_find(study, b, mine->panel, mine->x)->spread.rmse.value);
    }
    c.rule = "Settings (problem and size) in which its RMSE is below the other's by more than two "
             "standard errors of the difference (bootstrap over the same logs): half, and above in "
             "none, is reproduced; some is partly.";
    c.verdict = 2 * below >= all && above == 0 ? BF__REPRODUCED
                : below > 0                    ? BF__PARTLY
                                               : BF__NOT_REPRODUCED;
    return bf__study_claim(study, &c, err,
                           "Below in %d of %d settings, above in %d; the geometric mean of the "
                           "ratio of the errors is %.3g.",
                           below, all, above, exp(sum / all));
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    static const bf__claim unknown = {
        .claim = "Black-box weights, which know nothing of the behaviour, can beat IPS, which "
                 "knows it, on logs of the behaviour's long run.",
    };
    static const bf__claim guessed = {
        .claim = "IPS with a behaviour that is estimated from the log can beat IPS with the true "
                 "one.",
    };
    static const bf__claim classic = {
        .claim = "Importance sampling with estimated frequencies of the log can beat that with the "
                 "true ones.",
    };
    static const bf__claim exact = {
        .claim = "Black-box weights can beat even the true ratio of the stationary "
                 "distributions.",
        .ours = true,
    };
    BF_TRY(judge_pair(study, "blackbox", "ips", &unknown, err));
    BF_TRY(judge_pair(study, "ips-fitted", "ips-states", &guessed, err));
    BF_TRY(judge_pair(study, "ratio-counted", "ratio", &classic, err));
    return judge_pair(study, "blackbox", "ratio", &exact, err);
}

extern const bf__experiment bf__experiment_surprise;
const bf__experiment bf__experiment_surprise = {
    .name = "surprise",
    .place = "Section 2",
    .title = "Estimated weights against known ones",
    .summary = "RMSE on finite problems, of methods that know the behaviour and of those that do "
               "not",
    .text =
        "Finite problems with logs that are distributed as the long run of the behaviour is. "
        "The known ratio is told everything; the next one how often the target visits pairs, and "
        "counts how often the log does; IPS is told the behaviour; the last two nothing. Points "
        "are root mean square errors over the logs, against the exact value; bars are one "
        "standard error. The paper cites that estimated weights can beat known ones; this "
        "measures it.",
    .options = &table,
    .quick = quick,
    .x_label = "transitions",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
