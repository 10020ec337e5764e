/* coverage.c - Do 95 % intervals hold the truth, and how wide are they?
 *
 * The control problems again, with an interval for every answer. A log whose verdict is "cannot
 * tell" is not an answer. bench/coverage.sh is the large version: more problems, policies and
 * discounts, and logs that cannot tell. */
#include "core/fail.h"
#include "experiment/control.h"

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, trajectories, "6,20,50",
              "LIST: Numbers of trajectories, with commas."),
    BF_CONTROL_ALPHA,
    BF_CONTROL_ROWS("blackbox-full", "20"),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of coverage", bf__control_options, rows);
static const char *const quick[] = {"trajectories", "6,20", "runs", "3", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    return bf__control_plan(study, options, BF_SHOW_COVERED, err);
}

/* Intervals of smaller logs are shown, and not judged: too little is known there. */
static bool is_judged(const bf__run_group *group) {
    return group->x >= 20 && group->method->interval &&
           group->method->interval[1] == 'u'; /* full */
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    bf__covering all = bf__covering_of(study->groups, study->group_count, is_judged);
    int64_t runs = 0, cells = 0;
    double ratio = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        if (!is_judged(group))
            continue;
        runs += group->runs;
        if (group->covering.answered == 0 || !(group->covering.rmse > 0))
            continue;
        ratio += group->covering.half / group->covering.rmse;
        cells++;
    }
    if (all.answered == 0 || cells == 0)
        return BF_OK;
    ratio /= (double)cells;
    double share = all.covered.value, slack = 2 * all.covered.error;
    bool covers = share >= 0.93 - slack && share <= 0.97 + slack;
    bf__claim c = {
        .claim = "Intervals of 95% hold the truth as often as they say, and are not much wider "
                 "than they have to be.",
        .rule = "Logs of 20 trajectories and more, all problems together, full intervals, verdict "
                "not \"cannot tell\". Covers: 93 to 97% hold the truth, give or take two standard "
                "errors. Narrow: the mean half-width is at most 3 RMSE, in the mean over settings. "
                "Both: reproduced; one: partly.",
        .ours = true,
        .verdict = covers && ratio <= 3   ? BF__REPRODUCED
                   : covers || ratio <= 3 ? BF__PARTLY
                                          : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "%.1f%% of %lld intervals hold the truth (standard error %.1f%%); the "
                           "mean half-width is %.2f RMSE; %lld of %lld logs cannot tell.",
                           100 * share, (long long)all.answered, 100 * all.covered.error, ratio,
                           (long long)(runs - all.answered), (long long)runs);
}

extern const bf__experiment bf__experiment_coverage;
const bf__experiment bf__experiment_coverage = {
    .name = "coverage",
    .place = "ours",
    .title = "Coverage of the intervals",
    .summary = "how often intervals hold the truth on four control problems, and their width",
    .text = "The control problems, each answer with an interval of 95% (dotted). Points are shares "
            "of the logs whose interval holds the precise value, with one standard error. Logs "
            "whose verdict is \"cannot tell\" are left out and counted. The paper has no "
            "intervals.",
    .options = &table,
    .quick = quick,
    .x_label = "number of trajectories",
    .y_label = "intervals that hold the truth",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
