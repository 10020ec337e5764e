/* bias_variance.c - Bias and spread on ModelWin against the number of short trajectories.
 *
 * Source      paper, appendix E
 * Settings    trajectories of length 4, which are 4 states and 3 transitions; 200 runs. The numbers
 * of trajectories are not in the paper's text; here they are 100 to 3,200. Methods     naive, IPS,
 * black-box, and DualDICE with 0.9999 and with 0.9 instead of gamma = 1 */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "experiment/experiment.h"

typedef struct bias_options {
    const char *trajectories, *methods, *behavior, *target;
    int64_t horizon, runs;
} bias_options;

static const bf_option rows[] = {
    BF_OPTION(bias_options, trajectories, "100,200,400,800,1600,3200",
              "LIST: Numbers of trajectories, with commas."),
    BF_OPTION_RANGE(bias_options, horizon, "4", 2, 1e6,
                    "T: States of a trajectory, which has T - 1 transitions."),
    BF_OPTION(bias_options, behavior, "behavior", "P: Who acts in the log."),
    BF_OPTION(bias_options, target, "target", "P: Who is evaluated."),
    BF_OPTION(bias_options, methods, "naive,ips,dualdice-0.9999,dualdice-0.9,blackbox",
              "LIST: Methods, with commas."),
    BF_OPTION_RANGE(bias_options, runs, "200", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of bias-variance", bias_options, rows);
static const char *const quick[] = {"trajectories", "100,400,1600", "runs", "40", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    const bias_options *o = options;
    const bf__contender *const *methods;
    double *x;
    int count, method_count;
    BF_TRY(bf__check_policy("behavior", o->behavior, err));
    BF_TRY(bf__check_policy("target", o->target, err));
    BF_TRY(bf__list_numbers(&x, &count, "trajectories", o->trajectories, 1, 1e9, true, study->arena,
                            err));
    BF_TRY(bf__list_contenders(&methods, &method_count, o->methods, study->arena, err));
    int panel = bf__study_panel(study, "absolute bias", BF_SHOW_BIAS);
    study->panels[bf__study_panel(study, "standard deviation", BF_SHOW_SD)].of = panel;
    for (int i = 0; i < count; i++) {
        bf__setting s = {.env = bf_env_find("modelwin"),
                         .behavior = o->behavior,
                         .target = o->target,
                         .trajectories = (int64_t)x[i],
                         .steps = o->horizon - 1,
                         .gamma = 1};
        BF_TRY(bf__study_add(study, &s, methods, method_count, o->runs, panel, x[i], err));
    }
    return BF_OK;
}

static bf_mean size_of_bias(const bf__run_group *g) {
    return (bf_mean){fabs(g->spread.bias.value), g->spread.bias.error};
}

/* The difference a - b in standard errors. If the two agree exactly it is 0, even if there are no
 * standard errors. */
static double gap(bf_mean a, bf_mean b) {
    return a.value == b.value ? 0 : (a.value - b.value) / hypot(a.error, b.error);
}

static bf_status judge_bias(bf__study *study, double x, bf_error *err) {
    const bf__run_group *mine = bf__study_find(study, "blackbox", 0, x);
    int rivals = 0, below = 0, above = 0;
    const char *text = "";
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *other = &study->groups[g];
        if (other->x != x || other == mine)
            continue;
        double more = gap(size_of_bias(other), size_of_bias(mine));
        rivals++;
        below += more > 2;
        above += more < -2;
        BF_TRY(bf__print(&text, study->arena, err, "%s, %s %+.4f (%+.1f standard errors)", text,
                         other->method->label, other->spread.bias.value, more));
    }
    if (rivals == 0)
        return BF_OK;
    bf__claim c = {
        .claim = "The black-box method has the smallest bias.",
        .rule = "At the largest log its absolute bias is below that of every other method by more "
                "than two standard errors: reproduced. Below some and above none: partly.",
        .verdict = below == rivals       ? BF__REPRODUCED
                   : below > 0 && !above ? BF__PARTLY
                                         : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "%g trajectories: black-box %+.4f%s.", x,
                           mine->spread.bias.value, text);
}

static bf_status judge_sd(bf__study *study, const double *x, int count, bf_error *err) {
    int pairs = 0, above = 0;
    for (int i = 0; i < count; i++) {
        const bf__run_group *mine = bf__study_find(study, "blackbox", 0, x[i]);
        for (int64_t g = 0; g < study->group_count; g++) {
            const bf__run_group *other = &study->groups[g];
            if (other->x != x[i] || other == mine)
                continue;
            pairs++;
            above += gap(mine->spread.sd, other->spread.sd) > 2;
        }
    }
    if (pairs == 0)
        return BF_OK;
    const bf__run_group *mine = bf__study_find(study, "blackbox", 0, x[count - 1]);
    const char *text = "";
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *other = &study->groups[g];
        if (other->x == x[count - 1] && other != mine)
            BF_TRY(bf__print(&text, study->arena, err, "%s, %s %.4f", text, other->method->label,
                             other->spread.sd.value));
    }
    bf__claim c = {
        .claim = "The black-box method has a larger variance than the others.",
        .rule = "Comparisons with every other method at every size in which its standard deviation "
                "is larger by more than two standard errors: nine tenths are reproduced, half "
                "partly.",
        .verdict = above >= 0.9 * pairs   ? BF__REPRODUCED
                   : above >= 0.5 * pairs ? BF__PARTLY
                                          : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "%d of %d. At %g trajectories: black-box %.4f%s.", above,
                           pairs, x[count - 1], mine->spread.sd.value, text);
}

static bf_status judge_dualdice(bf__study *study, double x, bf_error *err) {
    const bf__run_group *high = bf__study_find(study, "dualdice-0.9999", 0, x);
    const bf__run_group *low = bf__study_find(study, "dualdice-0.9", 0, x);
    if (!high || !low)
        return BF_OK;
    double bias = gap(size_of_bias(low), size_of_bias(high));
    double sd = gap(high->spread.sd, low->spread.sd);
    bf__claim c = {
        .claim = "A smaller discount in DualDICE, 0.9 instead of 0.9999, raises its bias and "
                 "lowers its variance.",
        .rule = "At the largest log, both by more than two standard errors: reproduced; one of "
                "them: partly.",
        .verdict = bias > 2 && sd > 2   ? BF__REPRODUCED
                   : bias > 2 || sd > 2 ? BF__PARTLY
                                        : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(
        study, &c, err,
        "Bias %+.4f instead of %+.4f (%+.1f standard errors), standard deviation "
        "%.4f instead of %.4f (%+.1f).",
        low->spread.bias.value, high->spread.bias.value, bias, low->spread.sd.value,
        high->spread.sd.value, -sd);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    double x[BF_MAX_PLACES], largest = 0;
    int count = bf__study_places(study, x, BF_MAX_PLACES);
    for (int i = 0; i < count; i++)
        largest = fmax(largest, x[i]);
    if (bf__study_find(study, "blackbox", 0, x[0])) {
        BF_TRY(judge_bias(study, largest, err));
        BF_TRY(judge_sd(study, x, count, err));
    }
    return judge_dualdice(study, largest, err);
}

extern const bf__experiment bf__experiment_bias_variance;
const bf__experiment bf__experiment_bias_variance = {
    .name = "bias-variance",
    .place = "Appendix E",
    .title = "Bias and variance",
    .summary = "bias and standard deviation on ModelWin, trajectories of length 4",
    .text = "ModelWin, trajectories of four states. Bias and standard deviation over the logs, "
            "against the exact value; bars are one standard error (bootstrap).",
    .options = &table,
    .quick = quick,
    .x_label = "number of trajectories",
    .y_label = "reward per step",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
