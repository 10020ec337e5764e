/* discounted.c - The control problems with discounting, against simulated truth.
 *
 * The paper's appendix A reduces discounted rewards to average ones: with probability 1 - gamma the
 * process restarts. This experiment uses the reduction on the same logs, with gamma from 0.9 to 1.
 * DualDICE, made for discounted rewards, is beside it; at gamma = 1 it takes 0.9999. */
#include "core/fail.h"
#include "experiment/control.h"

#define DICE      "dualdice"
#define DICE_MOST 0.99 /* the largest discount that it is judged at */

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, gammas, "0.9,0.99,0.999,1", "LIST: Discounts, with commas."),
    BF_CONTROL_ALPHA,
    BF_CONTROL_SIZE("20"),
    BF_CONTROL_ROWS("naive,model,lstdq,dualdice,blackbox", "10"),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of discounted", bf__control_options, rows);
static const char *const quick[] = {"gammas", "0.9,1", "runs", "2", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    return bf__control_plan(study, options, BF_SHOW_RMSE, err);
}

/* Whether the RMSE of a method is below that of the naive mean by more than two standard errors. */
static bf_status beats_naive(bool *out, const bf__study *study, const char *method, int panel,
                             double x, bf_error *err) {
    bf_mean more;
    BF_TRY(bf__study_compare(&more, study, bf__study_find(study, method, panel, x),
                             bf__study_find(study, "naive", panel, x), err));
    *out = more.value < -2 * more.error;
    return BF_OK;
}

/* DualDICE at discounts that it was made for, and nearer to 1. */
static bf_status judge_dice(bf__study *study, const double *x, int count, bf_error *err) {
    int better[2] = {0}, all[2] = {0}, near = 0, both = 0;
    for (int panel = 0; panel < study->panel_count; panel++)
        for (int i = 0; i < count; i++) {
            bool won;
            int where = x[i] > DICE_MOST;
            const bf__run_group *ours = bf__study_find(study, BF_OURS, panel, x[i]);
            const bf__run_group *dice = bf__study_find(study, DICE, panel, x[i]);
            BF_TRY(beats_naive(&won, study, DICE, panel, x[i], err));
            better[where] += won;
            all[where]++;
            both += ours != NULL;
            near += ours && dice->spread.rmse.value <= 2 * ours->spread.rmse.value;
        }
    if (all[0] == 0)
        return BF_OK;
    bf__claim c = {
        .claim = "DualDICE, with the constraint and the regularisers of its authors' later work, "
                 "finds discounted rewards that the naive mean does not.",
        .rule = "Settings with gamma up to 0.99 in which its RMSE is below the naive mean's by "
                "more than two standard errors: all is reproduced, half partly.",
        .ours = true,
        .verdict = better[0] == all[0]       ? BF__REPRODUCED
                   : 2 * better[0] >= all[0] ? BF__PARTLY
                                             : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "Better than naive in %d of %d settings, and in %d of %d with gamma "
                           "nearer to 1; within twice the default's RMSE in %d of %d.",
                           better[0], all[0], better[1], all[1], near, both);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    double x[BF_MAX_PLACES];
    int count = bf__study_places(study, x, BF_MAX_PLACES), best = 0, better = 0, all = 0;
    if (!bf__study_find(study, "naive", 0, x[0]))
        return BF_OK;
    if (bf__study_find(study, DICE, 0, x[0]))
        BF_TRY(judge_dice(study, x, count, err));
    if (!bf__study_find(study, BF_OURS, 0, x[0]))
        return BF_OK;
    for (int panel = 0; panel < study->panel_count; panel++)
        for (int i = 0; i < count; i++) {
            bool won, beats;
            BF_TRY(bf__control_best(&won, study, BF_OURS, "", panel, x[i], err));
            BF_TRY(beats_naive(&beats, study, BF_OURS, panel, x[i], err));
            best += won;
            better += beats;
            all++;
        }
    bf__claim c = {
        .claim = "The reduction of discounted to average reward works in practice: one method, any "
                 "discount.",
        .rule = "Settings (problem and discount) in which the default's RMSE is below the naive "
                "mean's by more than two standard errors: all is reproduced, half partly.",
        .ours = true,
        .verdict = better == all       ? BF__REPRODUCED
                   : 2 * better >= all ? BF__PARTLY
                                       : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "Better than naive in %d of %d settings; best or tied with the best of "
                           "all methods in %d.",
                           better, all, best);
}

extern const bf__experiment bf__experiment_discounted;
const bf__experiment bf__experiment_discounted = {
    .name = "discounted",
    .place = "Appendix A, in practice",
    .title = "Error against the discount",
    .summary = "RMSE on four control problems with discounting, against simulated truth",
    .text = "The control problems with discounted reward, times 1 - gamma, from the start states; "
            "gamma = 1 is the average reward per step. The naive mean knows nothing of discounts. "
            "DualDICE has two networks, and takes 0.9999 for 1. The paper has the reduction "
            "(appendix A) but no such experiment.",
    .options = &table,
    .quick = quick,
    .x_label = "discount gamma",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_RANK,
    .plan = plan,
    .judge = judge,
};
