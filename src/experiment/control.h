/* control.h - What the experiments on the four control problems share. */
#ifndef BF_EXPERIMENT_CONTROL_H
#define BF_EXPERIMENT_CONTROL_H

#include "experiment/experiment.h"

/* Behaviour and target are mixtures of one policy with the uniform one. */
typedef struct bf__control_options {
    const char *problems, *policy, *methods;
    const char *trajectories, *alphas, *gammas; /* lists; an experiment varies one of them */
    int64_t size;                               /* trajectories, if they are not varied */
    double alpha, target_alpha;                 /* alpha, if it is not varied */
    int64_t horizon, runs;
} bf__control_options;

/* The options that all of them have. */
#define BF_CONTROL_ROWS(methods_, runs_)                                                           \
    BF_OPTION(bf__control_options, problems, "pendulum,mountaincar,cartpole,acrobot",              \
              "LIST: Environments, with commas."),                                                 \
        BF_OPTION(bf__control_options, policy, "trained",                                          \
                  "P: The policy that behaviour and target are mixtures of, as for simulate."),    \
        BF_OPTION_RANGE(bf__control_options, target_alpha, "0.9", 0, 1,                            \
                        "Share of that policy in the target; the rest is uniform."),               \
        BF_OPTION_RANGE(bf__control_options, horizon, "200", 1, 1e6,                               \
                        "T: Transitions of each trajectory."),                                     \
        BF_OPTION(bf__control_options, methods, methods_, "LIST: Methods, with commas."),          \
        BF_OPTION_RANGE(bf__control_options, runs, runs_, 2, 1e6, "N: Logs per setting.")
#define BF_CONTROL_ALPHA                                                                           \
    BF_OPTION_RANGE(bf__control_options, alpha, "0.7", 0, 1,                                       \
                    "Share of that policy in the behaviour.")
#define BF_CONTROL_SIZE(size_)                                                                     \
    BF_OPTION_RANGE(bf__control_options, size, size_, 1, 1e9, "N: Trajectories of a log.")

#define BF_CONTROL_METHODS "naive,model,ips-linear,blackbox-network,blackbox"
#define BF_IPS             "ips-linear"       /* the better of its two models, tuned */
#define BF_OURS            "blackbox"         /* the default of `backflow estimate` */
#define BF_PAPERS          "blackbox-network" /* the paper's network */

/* The options of both experiments that vary the number of trajectories. */
extern const bf_option_table bf__control_sizes;
extern const char *const bf__control_sizes_quick[];

/* What the options name. */
typedef struct bf__control_lists {
    const bf_env *const *envs;
    const bf__contender *const *methods;
    double *x; /* the list that is not NULL */
    int env_count, method_count, count;
} bf__control_lists;

/* Reads the lists, and checks that `policy` can be in a table. There are `least` trajectories or
 * more. A list that is NULL is empty. */
bf_status bf__control_read(bf__control_lists *out, const bf__control_options *o, int64_t least,
                           bf_arena *arena, bf_error *err);

/* Makes both policies mixtures with shares alpha and o->target_alpha of o->policy. */
bf_status bf__control_mix(bf__setting *setting, const bf__control_options *o, double alpha,
                          bf_arena *arena, bf_error *err);

/* Adds one panel per problem, with every method at every value of the list. Only one of the lists
 * is not NULL. */
bf_status bf__control_plan(bf__study *study, const bf__control_options *o, bf__quantity quantity,
                           bf_error *err);

/* The name of a problem as a title. */
const char *bf__control_title(const bf_env *env);

/* Says if there is a method to compare `method` with, other than `except`. */
bool bf__control_rivals(const bf__study *study, const char *method, const char *except);

/* Says if `method` is the best at (panel, x) or tied with the best. It is, if its error exceeds
 * that of no other method (not counting `except`) by more than a standard error of the difference.
 * A difference of a millionth does not count either: if the log shows only one reward, all methods
 * say the same. */
bf_status bf__control_best(bool *out, const bf__study *study, const char *method,
                           const char *except, int panel, double x, bf_error *err);

#endif
