/* modelwin_horizon.c - Error on ModelWin against the length of trajectories.
 *
 * Source      paper, section 5.1, figure 1b: T = 4 .. 128, with T times the number of trajectories
 *             constant (200,000), 10 runs, and a truth from one run of 50,000 steps
 * Readings    A trajectory of length T may be T states, which is T - 1 transitions, or T
 * transitions. If T is even, T transitions leave s1 exactly half of the time, as a long run does,
 * and IPS has nothing to be wrong about. Both readings are run. Limits      With T - 1 transitions
 * and infinite data IPS says -0.08 T / (T - 1), and the naive mean says half of that. The truth is
 * -0.08. The black-box method has only the sampling error of the reward at s1: 0.5345 / sqrt(visits
 * to s1). */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "experiment/experiment.h"

#define SAMPLING 0.5345

typedef struct horizon_options {
    const char *horizons, *methods, *behavior, *target;
    int64_t transitions, runs;
} horizon_options;

static const bf_option rows[] = {
    BF_OPTION(horizon_options, horizons, "4,8,16,32,64,128",
              "LIST: Lengths of trajectories, with commas."),
    BF_OPTION_RANGE(horizon_options, transitions, "200000", 4, 1e9,
                    "N: Length times number of trajectories."),
    BF_OPTION(horizon_options, behavior, "behavior", "P: Who acts in the log."),
    BF_OPTION(horizon_options, target, "target", "P: Who is evaluated."),
    BF_OPTION(horizon_options, methods, "naive,ips,blackbox", "LIST: Methods, with commas."),
    BF_OPTION_RANGE(horizon_options, runs, "10", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of modelwin-horizon", horizon_options, rows);
static const char *const quick[] = {"transitions", "20000", "runs", "5", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    const horizon_options *o = options;
    const bf__contender *const *methods;
    double *horizon;
    int count, method_count;
    BF_TRY(bf__check_policy("behavior", o->behavior, err));
    BF_TRY(bf__check_policy("target", o->target, err));
    BF_TRY(bf__list_numbers(&horizon, &count, "horizons", o->horizons, 2, (double)o->transitions,
                            true, study->arena, err));
    BF_TRY(bf__list_contenders(&methods, &method_count, o->methods, study->arena, err));
    int panels[] = {bf__study_panel(study, "T states, T - 1 transitions", BF_SHOW_RMSE),
                    bf__study_panel(study, "T transitions", BF_SHOW_RMSE)};
    for (int reading = 0; reading < 2; reading++)
        for (int i = 0; i < count; i++) {
            int64_t length = (int64_t)horizon[i];
            bf__setting s = {.env = bf_env_find("modelwin"),
                             .behavior = o->behavior,
                             .target = o->target,
                             .trajectories = o->transitions / length,
                             .steps = reading == 0 ? length - 1 : length,
                             .gamma = 1};
            BF_TRY(bf__study_add(study, &s, methods, method_count, o->runs, panels[reading],
                                 horizon[i], err));
        }
    return BF_OK;
}

static double rmse_at(const bf__study *study, const char *method, int panel, double x) {
    return bf__study_find(study, method, panel, x)->spread.rmse.value;
}

/* The ratio of the largest to the smallest RMSE of the naive mean, and the smallest ratio of its
 * RMSE to that of the black-box method. */
static void naive_ratios(const bf__study *study, int panel, const double *x, int count,
                         double *range, double *lead) {
    double least = INFINITY, largest = 0;
    *lead = INFINITY;
    for (int i = 0; i < count; i++) {
        double naive = rmse_at(study, "naive", panel, x[i]);
        least = fmin(least, naive);
        largest = fmax(largest, naive);
        *lead = fmin(*lead, naive / rmse_at(study, "blackbox", panel, x[i]));
    }
    *range = largest / least;
}

static bf_status judge_naive(bf__study *study, const double *x, int count, bf_error *err) {
    double range[2], lead[2];
    if (count < 2)
        return BF_OK;
    for (int panel = 0; panel < 2; panel++)
        naive_ratios(study, panel, x, count, &range[panel], &lead[panel]);
    bool poor = lead[0] > 5 && lead[1] > 5, flat = range[0] <= 1.25 && range[1] <= 1.25;
    bf__claim c = {
        .claim = "The naive mean is far off, by the same amount for every length of trajectories.",
        .rule = "Far off: RMSE above five times that of the black-box method at every T. The same "
                "amount: largest at most 1.25 times smallest. Both, for both readings of T: "
                "reproduced; far off alone, or one reading: partly.",
        .verdict = poor && flat                 ? BF__REPRODUCED
                   : lead[0] > 5 || lead[1] > 5 ? BF__PARTLY
                                                : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "T - 1 transitions: at least %.3g times the black-box RMSE, largest / "
                           "smallest %.2f. T transitions: %.3g times, %.2f.",
                           lead[0], range[0], lead[1], range[1]);
}

static bf_status judge_ips(bf__study *study, double shortest, double longest, bf_error *err) {
    bf_mean gain[2];
    if (!(shortest < longest))
        return BF_OK;
    for (int panel = 0; panel < 2; panel++) {
        const bf__run_group *a = bf__study_find(study, "ips", panel, shortest);
        const bf__run_group *b = bf__study_find(study, "ips", panel, longest);
        gain[panel] = (bf_mean){a->spread.rmse.value - b->spread.rmse.value,
                                hypot(a->spread.rmse.error, b->spread.rmse.error)};
    }
    const bf__run_group *first = bf__study_find(study, "ips", 0, shortest);
    bf__claim c = {
        .claim = "IPS is poor for short trajectories and gets better as they get longer, because "
                 "it takes the log for a long run of the behaviour.",
        .rule = "Reading T - 1 transitions: its RMSE falls from the shortest to the longest by "
                "more than two standard errors (reproduced). T transitions are balanced for even "
                "T, and nothing should be seen there.",
        .verdict = gain[0].value > 2 * gain[0].error ? BF__REPRODUCED : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(
        study, &c, err,
        "T - 1 transitions: RMSE falls by %.3g (standard error %.1g); bias at T = %g is %.4f, its "
        "limit %.4f. T transitions: %.3g (%.1g).",
        gain[0].value, gain[0].error, shortest, first->spread.bias.value,
        -0.08 * shortest / (shortest - 1) + 0.08, gain[1].value, gain[1].error);
}

/* The ratio of the RMSE to that of sampling alone, at one T and over all T. */
static bf_status judge_blackbox(bf__study *study, const double *x, int count, bf_error *err) {
    double sum = 0, runs = 0, worst = 0, least = INFINITY, most = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        const bf__setting *s = &group->setting;
        if (strcmp(group->method->name, "blackbox") != 0)
            continue;
        double visits = (double)(s->trajectories * ((s->steps + 1) / 2)), n = (double)group->runs;
        double ratio = group->spread.rmse.value * sqrt(visits) / SAMPLING;
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        worst = fmax(worst, fabs(ratio - 1) * sqrt(2 * n)); /* sd of an rms is 1 / sqrt(2 n) */
        sum += ratio * ratio * n;
        runs += n;
    }
    double pooled = sqrt(sum / runs), range, leads[2];
    for (int panel = 0; panel < 2; panel++)
        naive_ratios(study, panel, x, count, &range, &leads[panel]);
    double lead = fmin(leads[0], leads[1]);
    bool flat = worst < 3, tight = fabs(pooled - 1) < 0.2;
    bf__claim c = {
        .claim = "The black-box method does not depend on the length of trajectories and is "
                 "substantially better.",
        .rule = "RMSE times sqrt(visits to s1) / 0.5345 is 1 where nothing but sampling is in the "
                "way. Reproduced: within three standard errors of 1 at every T, within 20% over "
                "all, and the naive mean's RMSE at least five times as large; partly: two of the "
                "three.",
        .verdict = flat + tight + (lead > 5) == 3   ? BF__REPRODUCED
                   : flat + tight + (lead > 5) == 2 ? BF__PARTLY
                                                    : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "From %.2f to %.2f over both readings and all T (farthest from 1: %.1f "
                           "standard errors), %.3f over all; naive at least %.3g times as large.",
                           least, most, worst, pooled, lead);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    double x[BF_MAX_PLACES], shortest = INFINITY, longest = 0;
    int count = bf__study_places(study, x, BF_MAX_PLACES);
    for (int i = 0; i < count; i++) {
        shortest = fmin(shortest, x[i]);
        longest = fmax(longest, x[i]);
    }
    bool naive = bf__study_find(study, "naive", 0, x[0]);
    bool blackbox = bf__study_find(study, "blackbox", 0, x[0]);
    if (naive && blackbox)
        BF_TRY(judge_naive(study, x, count, err));
    if (bf__study_find(study, "ips", 0, x[0]))
        BF_TRY(judge_ips(study, shortest, longest, err));
    return naive && blackbox ? judge_blackbox(study, x, count, err) : BF_OK;
}

extern const bf__experiment bf__experiment_modelwin_horizon;
const bf__experiment bf__experiment_modelwin_horizon = {
    .name = "modelwin-horizon",
    .place = "Figure 1b",
    .title = "Error against the length of trajectories",
    .summary = "RMSE on ModelWin against the length of trajectories",
    .text = "ModelWin, three states and two actions; the length T of trajectories changes, T times "
            "their number does not. Methods are the tabular ones. Errors are against the exact "
            "value, -0.08.",
    .options = &table,
    .quick = quick,
    .x_label = "length T of a trajectory",
    .y_label = "RMSE (reward per step)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
