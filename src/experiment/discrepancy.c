/* discrepancy.c - How much does it matter which discrepancy the weights are to make small?
 *
 * Source      paper, section 4: "There are different choices for D"; it takes MMD with a Gaussian
 *             kernel
 * Choices     MMD under kernels delta, Gaussian, Laplace, inverse multiquadric and Matern; and, on
 * finite problems, total variation, which is an f-divergence, and the Wasserstein distance, if the
 * states lie on a line Settings    Finite problems, one weight per pair, logs from the long run of
 * the behaviour. If the log shows all that the target does, every discrepancy is 0 at the same
 * weights, so that small logs are what is looked at. There the weights are those of the least
 *             discrepancy (--gaps program), not those of the default.
 *             Real-valued problems, weights linear in 200 features of the kernel. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "experiment/worlds.h"

#define FINITE "weights=tabular gaps=program"
#define REAL   "weights=linear features=200"

/* The options are those that choose. Wasserstein comes last, delta first. */
#define CHOICE(name_, label_, options_, colour_, point_, dash_)                                    \
    {                                                                                              \
        .name = name_, .label = label_, .estimator = "blackbox", .options = options_,              \
        .colour = colour_, .point = point_, .dash = dash_                                          \
    }
static const bf__contender choices[] = {
    CHOICE("mmd-delta", "MMD, delta", "kernel=delta", "#000000", 6, 3),
    CHOICE("mmd-gaussian", "MMD, Gaussian", "kernel=gaussian", "#D55E00", 7, 1),
    CHOICE("mmd-laplace", "MMD, Laplace", "kernel=laplace", "#0072B2", 10, 5),
    CHOICE("mmd-imq", "MMD, inverse multiquadric", "kernel=imq", "#009E73", 14, 2),
    CHOICE("mmd-matern", "MMD, Matern", "kernel=matern", "#56B4E9", 4, 4),
    CHOICE("variation", "total variation", "discrepancy=variation", "#E69F00", 8, 2),
    CHOICE("wasserstein", "Wasserstein", "discrepancy=wasserstein", "#CC79A7", 12, 4),
};
enum { CHOICES = sizeof choices / sizeof *choices, REAL_FIRST = 1, REAL_CHOICES = 4 };

static const bf__world list[] = {
    {"drift", "Drift", "uniform", "up"},
    {"pendulum", "Pendulum", "trained@0.7", "trained@0.9"},
    {"mountaincar", "Mountain Car", "trained@0.7", "trained@0.9"},
    {"cartpole", "CartPole", "trained@0.7", "trained@0.9"},
    {"acrobot", "Acrobot", "trained@0.7", "trained@0.9"},
};
static const bf__worlds worlds = {"real", "real-sizes", list, sizeof list / sizeof *list};

typedef struct discrepancy_options {
    const char *finite, *sizes, *real, *real_sizes;
    int64_t runs;
} discrepancy_options;

static const bf_option rows[] = {
    BF_OPTION(discrepancy_options, finite, "ladder,gridwalk", BF_FINITE_HELP),
    BF_OPTION(discrepancy_options, sizes, "30,100,300,1000",
              "LIST: Transitions of a log of finite problems, with commas; 10 a trajectory."),
    BF_OPTION(discrepancy_options, real, "drift,pendulum",
              "LIST: Real-valued problems, with commas: drift, pendulum, mountaincar, cartpole, "
              "acrobot."),
    BF_OPTION(discrepancy_options, real_sizes, "300,1000,3000",
              "LIST: Transitions of a log of real-valued problems, with commas; 100 a trajectory."),
    BF_OPTION_RANGE(discrepancy_options, runs, "40", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of discrepancy", discrepancy_options, rows);
static const char *const quick[] = {"sizes", "30,300", "real-sizes", "300", "runs", "3", NULL};

static bf_status measure(double *value, double *beside, const bf__setting *setting,
                         const bf__contender *method, const bf_problem *problem,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_estimator *estimator = bf_estimator_find(method->estimator);
    bf_settings *settings;
    bf_estimate estimate;
    const char *text;
    *beside = NAN;
    BF_TRY(bf__print(&text, arena, err, "%s %s", setting->env->states > 0 ? FINITE : REAL,
                     method->options));
    BF_TRY(bf_estimator_settings(&settings, estimator, text, arena, err));
    BF_TRY(bf__estimator_run(estimator, &estimate, problem, settings, context, arena, err));
    *value = estimate.value;
    return BF_OK;
}

static const bf__measure value_of = {.run = measure};

/* ---- Planning */

static bf_status plan_finite(bf__study *study, const discrepancy_options *o, bf_error *err) {
    const bf__contender *methods[CHOICES];
    bf__setting like = {.stationary = true, .measure = &value_of};
    char **names;
    int count;
    for (int k = 0; k < CHOICES; k++)
        methods[k] = &choices[k];
    BF_TRY(bf__split(&names, &count, o->finite, study->arena, err));
    for (int i = 0; i < count; i++) { /* the numbers of a grid's states are no line */
        bool line = strcmp(names[i], "gridwalk") != 0;
        BF_TRY(bf__finite_plan(study, names[i], o->sizes, 10, &like, methods,
                               line ? CHOICES : CHOICES - 1, o->runs, BF_SHOW_RMSE, err));
    }
    return BF_OK;
}

static bf_status plan_real(bf__study *study, const discrepancy_options *o, bf_error *err) {
    const bf__contender *methods[REAL_CHOICES];
    bf__setting like = {.measure = &value_of};
    for (int k = 0; k < REAL_CHOICES; k++)
        methods[k] = &choices[REAL_FIRST + k];
    return bf__worlds_plan(study, &worlds, o->real, o->real_sizes, 100, &like, methods,
                           REAL_CHOICES, o->runs, BF_SHOW_RMSE, err);
}

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    BF_TRY(plan_finite(study, options, err));
    return plan_real(study, options, err);
}

/* ---- Judging */

/* Of all choices at one setting: the largest and the smallest RMSE, and how far apart two answers
 * to one log are at most. False if none was run there. */
static bool range_at(const bf__study *study, int panel, double x, double *least, double *largest,
                     double *apart) {
    const bf__run_group *first = NULL;
    *least = INFINITY;
    *largest = *apart = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        if (group->panel != panel || group->x != x || group->spread.runs == 0)
            continue;
        first = first ? first : group;
        *least = fmin(*least, group->spread.rmse.value);
        *largest = fmax(*largest, group->spread.rmse.value);
        for (int64_t i = 0; i < group->runs; i++)
            *apart = fmax(*apart, fabs(group->value[i] - first->value[i]));
    }
    return first != NULL;
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    double x[BF_MAX_PLACES], least, largest, apart, sum = 0;
    int count = bf__study_places(study, x, BF_MAX_PLACES), differ = 0, same = 0;
    const char *text = "";
    for (int panel = 0; panel < study->panel_count; panel++) {
        double worst = 1;
        for (int i = 0; i < count; i++) {
            if (!range_at(study, panel, x[i], &least, &largest, &apart))
                continue;
            if (apart < 1e-9) {
                same++;
                continue;
            }
            differ++;
            sum += log(largest / least);
            worst = fmax(worst, largest / least);
        }
        BF_TRY(bf__print(&text, study->arena, err, "%s%s%s %.3g", text, panel ? ", " : "",
                         study->panels[panel].title, worst));
    }
    if (differ == 0)
        return BF_OK;
    double ratio = exp(sum / differ);
    bf__claim c = {
        .claim = "It matters little which discrepancy is made small.",
        .rule = "Largest over smallest RMSE of all choices at a setting (problem and size), in the "
                "geometric mean over the settings in which answers differ at all: at most 1.5 is "
                "reproduced, at most 3 partly.",
        .ours = true,
        .verdict = ratio <= 1.5 ? BF__REPRODUCED
                   : ratio <= 3 ? BF__PARTLY
                                : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "The mean ratio is %.3g over %d settings; in %d more all answers are "
                           "equal. The largest, by problem: %s.",
                           ratio, differ, same, text);
}

extern const bf__experiment bf__experiment_discrepancy;
const bf__experiment bf__experiment_discrepancy = {
    .name = "discrepancy",
    .place = "Section 4.2",
    .title = "Error against the discrepancy",
    .summary = "RMSE of black-box weights that make one or another discrepancy small",
    .text = "The paper leaves open which discrepancy between d and B d the weights make small, and "
            "takes MMD. Finite problems have one weight per pair, of the least discrepancy on logs "
            "that may not show all that the target does; real-valued ones have weights that are "
            "linear in features of the kernel. Points are root mean square errors over the logs; "
            "bars are one standard error.",
    .options = &table,
    .quick = quick,
    .x_label = "transitions",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
