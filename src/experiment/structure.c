/* structure.c - What it is worth to know something about the process: that a column is an angle,
 * that the process is symmetric, that columns mean nothing.
 *
 * The paper leaves "structural domain knowledge" to future work. Every method here is the default;
 * what differs is what it was told, or shown of the same log (view.h). */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "experiment/control.h"

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, trajectories, "5,10,20",
              "LIST: Numbers of trajectories, with commas."),
    BF_OPTION(bf__control_options, policy, "trained",
              "P: The policy that behaviour and target are mixtures of, as for simulate."),
    BF_CONTROL_ALPHA,
    BF_OPTION_RANGE(bf__control_options, target_alpha, "0.9", 0, 1,
                    "Share of that policy in the target; the rest is uniform."),
    BF_OPTION_RANGE(bf__control_options, horizon, "200", 1, 1e6,
                    "T: Transitions of each trajectory."),
    BF_OPTION_RANGE(bf__control_options, runs, "8", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of structure", bf__control_options, rows);
static const char *const quick[] = {"trajectories", "3,6", "runs", "2", NULL};

#define ANGLES "blackbox-flat"
#define MIRROR "blackbox-mirror"
#define NOISE  "blackbox-noise"
#define FOUND  "blackbox-noise-found"
#define TOLD   "blackbox-noise-told"

static const struct {
    const char *env, *title, *methods;
} panels[] = {
    {"pendulum", "Pendulum", ANGLES "," BF_OURS "," MIRROR},
    {"cartpole", "CartPole", BF_OURS "," MIRROR},
    {"acrobot", "Acrobot", BF_OURS "," MIRROR},
    {"pendulum", "Pendulum, with columns of noise", NOISE "," BF_OURS "," FOUND "," TOLD},
};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    const bf__control_options *o = options;
    bf__control_lists l;
    BF_TRY(bf__control_read(&l, o, 1, study->arena, err));
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        const bf__contender *const *methods;
        int count, panel = bf__study_panel(study, panels[p].title, BF_SHOW_RMSE);
        bf__setting s = {.env = bf_env_find(panels[p].env), .steps = o->horizon, .gamma = 1};
        BF_TRY(bf__list_contenders(&methods, &count, panels[p].methods, study->arena, err));
        BF_TRY(bf__control_mix(&s, o, o->alpha, study->arena, err));
        for (int i = 0; i < l.count; i++) {
            s.trajectories = (int64_t)l.x[i];
            BF_TRY(bf__study_add(study, &s, methods, count, o->runs, panel, l.x[i], err));
        }
    }
    return BF_OK;
}

/* How the errors of one method compare with those of another. */
typedef struct gain {
    double ratio; /* of the RMSE, in the geometric mean over settings */
    double error; /* standard error of its logarithm, by what the settings differ */
    int better;   /* settings in which it is lower */
    int worse;    /* settings in which it is higher by more than two standard errors */
    int settings;
} gain;

static bf_status compare(gain *out, const bf__study *study, const char *with, const char *without,
                         bf_error *err) {
    double *logs;
    *out = (gain){.settings = 0};
    BF_ALLOC(logs, study->arena, study->group_count, err);
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *a = &study->groups[g];
        const bf__run_group *b = bf__study_find(study, without, a->panel, a->x);
        if (strcmp(a->method->name, with) != 0 || !b)
            continue;
        bf_mean more;
        BF_TRY(bf__study_compare(&more, study, a, b, err));
        logs[out->settings++] = log(a->spread.rmse.value / b->spread.rmse.value);
        out->better += more.value < 0;
        out->worse += more.value > 2 * more.error;
    }
    bf_mean mean = bf__mean_of(logs, out->settings);
    out->ratio = exp(mean.value);
    out->error = mean.error;
    return BF_OK;
}

static bf_status judge_gain(bf__study *study, const char *with, const char *without,
                            const char *claim, bf_error *err) {
    gain g;
    BF_TRY(compare(&g, study, with, without, err));
    bf__claim c = {
        .claim = claim,
        .rule = "Ratio of the RMSE with to that without, in the geometric mean over the settings: "
                "below 1 by more than two standard errors, by what the settings differ, is "
                "reproduced; below 1 partly.",
        .ours = true,
        .verdict = log(g.ratio) < -2 * g.error ? BF__REPRODUCED
                   : g.ratio < 1               ? BF__PARTLY
                                               : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "Ratio %.2g, one standard error up %.2g; lower in %d of %d settings, "
                           "higher by more than two standard errors in %d.",
                           g.ratio, g.ratio * exp(g.error), g.better, g.settings, g.worse);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    gain found, clean;
    BF_TRY(judge_gain(study, MIRROR, BF_OURS,
                      "A known symmetry is worth more data: every row counts as its mirror, too.",
                      err));
    BF_TRY(judge_gain(study, BF_OURS, ANGLES,
                      "An angle that is taken for one (here it is found) makes the error smaller.",
                      err));
    BF_TRY(judge_gain(study, TOLD, NOISE,
                      "Leaving out columns that mean nothing makes the error smaller.", err));
    BF_TRY(compare(&found, study, FOUND, TOLD, err));
    BF_TRY(compare(&clean, study, TOLD, BF_OURS, err));
    bf__claim c = {
        .claim =
            "Columns that mean nothing need not be told: they are found, and the error is that "
            "of a log without them.",
        .rule =
            "Ratio of the RMSE of columns found to columns told, in the geometric mean over the "
            "settings: at most 1.1 is reproduced, at most 1.5 partly.",
        .ours = true,
        .verdict = found.ratio <= 1.1   ? BF__REPRODUCED
                   : found.ratio <= 1.5 ? BF__PARTLY
                                        : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "Ratio %.2f; told, against the log without the columns: %.2f.",
                           found.ratio, clean.ratio);
}

extern const bf__experiment bf__experiment_structure;
const bf__experiment bf__experiment_structure = {
    .name = "structure",
    .place = "Future work",
    .title = "What is known about the process",
    .summary = "RMSE of the default with angles, symmetries and idle columns told or not",
    .text =
        "The default on three of the control problems, which look the same from the other side: "
        "with and without the mirror image of every transition (--mirror), with the angle of "
        "the pendulum as a number (--periodic none) and as what it is, and with three columns of "
        "noise beside the state: used (--scale none), found and left out (the default), left "
        "out by the user (--scale s2:0,...). The paper has \"structural domain knowledge\" among "
        "its future work.",
    .options = &table,
    .quick = quick,
    .x_label = "number of trajectories",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
