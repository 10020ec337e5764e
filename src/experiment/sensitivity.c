/* sensitivity.c - Error on the control problems against how far the behaviour is from the target.
 *
 * Source      paper, appendix F: 50 trajectories of 200 steps, target 0.9, behaviour 0.7, 0.5, 0.3,
 *             0.1 of the trained policy, 20 logs each. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "experiment/control.h"

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, alphas, "0.7,0.5,0.3,0.1",
              "LIST: Shares of the policy in the behaviour, with commas."),
    BF_CONTROL_SIZE("50"),
    BF_CONTROL_ROWS(BF_CONTROL_METHODS, "20"),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of sensitivity", bf__control_options, rows);
static const char *const quick[] = {"alphas", "0.7,0.3", "size", "20", "runs", "2", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    return bf__control_plan(study, options, BF_SHOW_RMSE, err);
}

/* Errors grow from the nearest behaviour to the farthest. */
static bf_status judge_growth(bf__study *study, double nearest, double farthest, bf_error *err) {
    int pairs = 0, worse = 0;
    if (!(nearest > farthest))
        return BF_OK;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *near = &study->groups[g];
        if (near->x != nearest)
            continue;
        const bf__run_group *far = bf__study_find(study, near->method->name, near->panel, farthest);
        double a = near->spread.rmse.value, b = far->spread.rmse.value;
        pairs++;
        worse += b - a > hypot(near->spread.rmse.error, far->spread.rmse.error);
    }
    bf__claim c = {
        .claim = "The farther the behaviour is from the target, the larger the error of every "
                 "method.",
        .rule = "Of all methods on all problems, the share whose RMSE at the farthest behaviour is "
                "above that at the nearest by more than a standard error: 0.9 is reproduced, 0.5 "
                "partly.",
        .verdict = worse >= 0.9 * pairs   ? BF__REPRODUCED
                   : worse >= 0.5 * pairs ? BF__PARTLY
                                          : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "%d of %d.", worse, pairs);
}

static bf_status judge_best(bf__study *study, const char *method, const char *except,
                            const bf__claim *claim, const double *x, int count, bf_error *err) {
    int best = 0, all = 0;
    bf__claim c = *claim;
    if (!bf__control_rivals(study, method, except))
        return BF_OK;
    for (int panel = 0; panel < study->panel_count; panel++)
        for (int i = 0; i < count; i++) {
            bool won;
            BF_TRY(bf__control_best(&won, study, method, except, panel, x[i], err));
            best += won;
            all++;
        }
    c.verdict = best >= 0.75 * all  ? BF__REPRODUCED
                : best >= 0.5 * all ? BF__PARTLY
                                    : BF__NOT_REPRODUCED;
    return bf__study_claim(study, &c, err, "Best or tied in %d of %d settings.", best, all);
}

/* A behaviour that never gets to the goal. */
static bf_status judge_goal(bf__study *study, double farthest, bf_error *err) {
    int64_t runs = 0, stuck = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        if (strcmp(group->setting.env->name, "mountaincar") != 0 || group->x != farthest)
            continue;
        for (int64_t i = 0; i < group->runs; i++)
            stuck += fabs(group->value[i] + 1) < 1e-9;
        runs += group->runs;
    }
    if (runs == 0)
        return BF_OK;
    bf__claim c = {
        .claim = "On Mountain Car the farthest behaviour never reaches the goal: every reward is "
                 "-1, and so is every answer.",
        .rule = "All answers are -1: reproduced; some: partly.",
        .verdict = stuck == runs ? BF__REPRODUCED
                   : stuck > 0   ? BF__PARTLY
                                 : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "%lld of %lld answers at alpha %g.", (long long)stuck,
                           (long long)runs, farthest);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    static const bf__claim paper = {
        .claim = "With the paper's network, the black-box method beats naive, model and IPS "
                 "whatever the behaviour.",
        .rule = "Share of settings (problem and behaviour) in which its RMSE is below that of each "
                "of the three or above it by at most one standard error of the difference (equal "
                "answers are tied): 0.75 is "
                "reproduced, 0.5 partly.",
    };
    static const bf__claim ours = {
        .claim = "Backflow's default is the best of all methods whatever the behaviour.",
        .rule = "As above, against all methods of the figure.",
        .ours = true,
    };
    double x[BF_MAX_PLACES], nearest = -INFINITY, farthest = INFINITY;
    int count = bf__study_places(study, x, BF_MAX_PLACES);
    for (int i = 0; i < count; i++) {
        nearest = fmax(nearest, x[i]);
        farthest = fmin(farthest, x[i]);
    }
    BF_TRY(judge_growth(study, nearest, farthest, err));
    if (bf__study_find(study, BF_PAPERS, 0, x[0]))
        BF_TRY(judge_best(study, BF_PAPERS, BF_OURS, &paper, x, count, err));
    if (bf__study_find(study, BF_OURS, 0, x[0]))
        BF_TRY(judge_best(study, BF_OURS, "", &ours, x, count, err));
    return judge_goal(study, farthest, err);
}

extern const bf__experiment bf__experiment_sensitivity;
const bf__experiment bf__experiment_sensitivity = {
    .name = "sensitivity",
    .place = "Appendix F",
    .title = "Error against the behaviour",
    .summary = "RMSE on four control problems against the share of the policy in the behaviour",
    .text = "The control problems again, logs of one size; what changes is the behaviour, from "
            "close to the target (0.7 of the trained policy) to nearly random choice (0.1). Model, "
            "IPS and the network keep the options that were tuned at 0.7.",
    .options = &table,
    .quick = quick,
    .x_label = "share of the trained policy in the behaviour",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_LINEAR,
    .plan = plan,
    .judge = judge,
};
