/* control_quantiles.c - The same runs as control-rmse, by quartiles instead of means.
 *
 * Source      paper, section 5.2, figure 3
 *
 * One bad log can dominate a root mean square. The quartiles of the absolute error show if that is
 * so. */
#include <math.h>

#include "core/fail.h"
#include "experiment/control.h"

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    return bf__control_plan(study, options, BF_SHOW_QUARTILES, err);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    int pairs = 0, same = 0;
    for (int64_t i = 0; i < study->group_count; i++)
        for (int64_t j = 0; j < i; j++) {
            const bf__run_group *a = &study->groups[i], *b = &study->groups[j];
            bf_mean more;
            if (a->panel != b->panel || a->x != b->x)
                continue;
            BF_TRY(bf__study_compare(&more, study, a, b, err));
            if (!(fabs(more.value) > 2 * more.error))
                continue;
            pairs++;
            same += (more.value > 0) == (a->spread.median > b->spread.median);
        }
    if (pairs == 0)
        return BF_OK;
    double share = (double)same / pairs;
    bf__claim c = {
        .claim = "Medians and quartiles of the error tell the same story as its root mean square.",
        .rule = "Of all pairs of methods on the same problem and size whose RMSEs differ by more "
                "than two standard errors, the share that medians of the absolute error put in the "
                "same order: 0.9 is reproduced, 0.75 partly.",
        .verdict = share >= 0.9    ? BF__REPRODUCED
                   : share >= 0.75 ? BF__PARTLY
                                   : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "%d of %d pairs, %.2f.", same, pairs, share);
}

extern const bf__experiment bf__experiment_control_quantiles;
const bf__experiment bf__experiment_control_quantiles = {
    .name = "control-quantiles",
    .place = "Figure 3",
    .title = "The same errors by quartiles",
    .summary = "median and quartiles of the error on four control problems",
    .text = "The runs of the figure above. Points are medians of the absolute error, bars reach "
            "from the lower to the upper quartile.",
    .options = &bf__control_sizes,
    .quick = bf__control_sizes_quick,
    .x_label = "number of trajectories",
    .y_label = "absolute error (reward per step)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
