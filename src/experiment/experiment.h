/* experiment.h - Experiments: what is run, what the answers are, and what they say about the
 * claims.
 *
 * An experiment plans *groups*. A group is one method at one setting, run several times on logs of
 * its own. The runner fills in the answers and the true values. Then the experiment judges its
 * claims. Experiments are static. A study and everything in it lives in one arena. */
#ifndef BF_EXPERIMENT_EXPERIMENT_H
#define BF_EXPERIMENT_EXPERIMENT_H

#include "backflow/context.h"
#include "backflow/env.h"
#include "backflow/options.h"
#include "experiment/contender.h"
#include "stats/spread.h"

typedef struct bf__measure bf__measure;

/* What is asked. The returns are of logs whose trajectories are episodes, with Gymnasium's rewards
 * and time limits. */
typedef enum bf__asks {
    BF_ASKS_STEP,  /* reward per step */
    BF_ASKS_END,   /* return of an episode that goes on until it ends */
    BF_ASKS_LIMIT, /* return of an episode that is cut at its time limit */
} bf__asks;

/* A kind of log, and the question that is asked of it. */
typedef struct bf__setting {
    const bf_env *env;
    const char *behavior, *target; /* as for bf_env_policy_parse */
    int64_t trajectories, steps;   /* transitions of each, or the time limit of an episode */
    double gamma;
    bool
        stationary; /* every trajectory begins in the long run of the behaviour; finite ones only */
    const bf__measure *measure; /* NULL: the value, with an interval if the method has one */
    bf__asks asks;
    /* The two policies, as bf__study_add found them. They are read once: whatever happens to their
     * files afterwards, every run of the study uses what its key says. */
    const bf_policy *behavior_policy, *target_policy;
} bf__setting;

/* What is measured of a log, if it is more than a method's answer. */
struct bf__measure {
    bool loss; /* it should be 0, whatever the value is */
    /* Fills *value, and *beside with what stands beside it: a bound, half a width; NaN is none. */
    bf_status (*run)(double *value, double *beside, const bf__setting *setting,
                     const bf__contender *method, const bf_problem *problem,
                     const bf_context *context, bf_arena *arena, bf_error *err);
};

typedef struct bf__truths {
    bf_mean precise; /* exact, or a long simulation */
    bf_mean single;  /* the paper's truth: one run of the target policy; NaN if gamma < 1 */
} bf__truths;

/* What intervals were worth. A run whose verdict is "cannot tell" does not count. */
typedef struct bf__covering {
    int64_t answered;
    bf_mean covered;   /* the share of them that held the truth */
    double half, rmse; /* mean half-width and root mean square error of the same runs */
} bf__covering;

/* One method at one setting. */
typedef struct bf__run_group {
    bf__setting setting;
    const bf__contender *method;
    int panel; /* the panel of the figure, and the place in it */
    double x;
    int64_t runs;
    /* The runner fills in the fields below. */
    bf__truths truth;
    double *value, *seconds;      /* (runs); NaN if the method could not answer */
    double *error, *error_single; /* (runs): value minus the truth of either kind */
    bf__spread spread, spread_single;
    double *half;          /* (runs): half the width of the interval; NaN: none that counts */
    bf__covering covering; /* how often intervals held the precise truth */
} bf__run_group;

typedef enum bf__quantity {
    BF_SHOW_RMSE,      /* with a standard error */
    BF_SHOW_QUARTILES, /* of the absolute error */
    BF_SHOW_BIAS,      /* its absolute value, with a standard error */
    BF_SHOW_SD,
    BF_SHOW_BOUND,   /* mean of what stands beside the answers */
    BF_SHOW_COVERED, /* share of intervals that hold the truth, on a linear axis */
    BF_SHOW_ANSWERS, /* their mean with the mean interval, and the truth, on a linear axis */
} bf__quantity;

typedef enum bf__scale {
    BF_SCALE_LOG,
    BF_SCALE_LINEAR,
    BF_SCALE_RANK, /* one step per value */
} bf__scale;

typedef struct bf__panel {
    const char *title;
    bf__quantity quantity;
    int of; /* draws the groups of this panel */
} bf__panel;

typedef enum bf__verdict { BF__REPRODUCED, BF__PARTLY, BF__NOT_REPRODUCED } bf__verdict;

/* A sentence of the paper, compared with what was measured. */
typedef struct bf__claim {
    const char *claim, *rule, *measured;
    bool ours; /* the claim is Backflow's, not the paper's */
    bf__verdict verdict;
} bf__claim;

#define BF_MAX_PANELS  8
#define BF_MAX_CLAIMS  8
#define BF_MAX_PLACES  64 /* on the x axis */
#define BF_MAX_METHODS 32

typedef struct bf__experiment bf__experiment;

typedef struct bf__study {
    const bf__experiment *experiment;
    const void *options;
    bf__run_group *groups;
    int64_t group_count, group_room;
    bf__panel panels[BF_MAX_PANELS];
    int panel_count;
    bf__claim claims[BF_MAX_CLAIMS];
    int claim_count;
    uint64_t seed;
    bf_arena *arena;
} bf__study;

struct bf__experiment {
    const char *name;    /* "control-rmse" */
    const char *place;   /* in the paper: "Figure 2" */
    const char *title;   /* "Error against the size of the log" */
    const char *summary; /* one line, for lists */
    const char *text;    /* a paragraph for the report: what was done */
    const bf_option_table *options;
    const char *const *quick; /* option, value, ..., NULL: what the quick version changes */
    const char *x_label, *y_label;
    bf__scale scale; /* of the x axis; the other one is logarithmic */
    bf_status (*plan)(bf__study *study, const void *options, bf_error *err);
    bf_status (*judge)(bf__study *study, const void *options, bf_error *err);
};

/* What stands behind the name of the problem in tables: "", "/end", "/limit"; and in the names of
 * logs, whatever is asked of them: "", "/episodes", " stationary". */
const char *bf__setting_asks(const bf__setting *setting);
const char *bf__setting_log(const bf__setting *setting);
/* The rewards of its log. */
bf_rewards bf__setting_rewards(const bf__setting *setting);

/* Every experiment, in the order of experiments.def; NULL past the end. */
const bf__experiment *bf__experiment_at(int index);
const bf__experiment *bf__experiment_find(const char *name);

/* ---- For plan */

/* Adds a panel and returns its number. */
int bf__study_panel(bf__study *study, const char *title, bf__quantity quantity);

/* Checks that the text of option --name can name a policy in a table. A policy is part of the key
 * of a run, and keys are lines of CSV, so the text must not contain what would break such a
 * line. */
bf_status bf__check_policy(const char *name, const char *text, bf_error *err);

/* Adds `runs` runs of each of the `count` methods at a setting. The policies of the setting have to
 * exist. */
bf_status bf__study_add(bf__study *study, const bf__setting *setting,
                        const bf__contender *const *methods, int count, int64_t runs, int panel,
                        double x, bf_error *err);

/* Reads the list "10,20,50" of option --name into *out and its length into *count. Each number lies
 * between min and max. If `whole` is set, each has to be a whole number. */
bf_status bf__list_numbers(double **out, int *count, const char *name, const char *text, double min,
                           double max, bool whole, bf_arena *arena, bf_error *err);
bf_status bf__list_contenders(const bf__contender *const **out, int *count, const char *text,
                              bf_arena *arena, bf_error *err);
bf_status bf__list_envs(const bf_env *const **out, int *count, const char *text, bf_arena *arena,
                        bf_error *err);

/* ---- For judge */

/* The group of `method` at (panel, x), or NULL. */
const bf__run_group *bf__study_find(const bf__study *study, const char *method, int panel,
                                    double x);

/* What the intervals of `count` groups were worth together; `counts` says which groups count, and
 * NULL all. */
bf__covering bf__covering_of(const bf__run_group *groups, int64_t count,
                             bool (*counts)(const bf__run_group *group));

/* The distinct x of a study, in the order of its groups. There are at most `room` of them. */
int bf__study_places(const bf__study *study, double *x, int room);

/* Adds a verdict. `measured` is a format as for printf. Other texts are borrowed. */
bf_status bf__study_claim(bf__study *study, const bf__claim *claim, bf_error *err,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* rmse(a) - rmse(b) over the same logs, with its standard error. */
bf_status bf__study_compare(bf_mean *out, const bf__study *study, const bf__run_group *a,
                            const bf__run_group *b, bf_error *err);

/* A piece of text, formatted as by printf, in `arena`. */
bf_status bf__print(const char **out, bf_arena *arena, bf_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
