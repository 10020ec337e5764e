/* policy.h - A target or behaviour policy: what it does at given states. */
#ifndef BACKFLOW_POLICY_H
#define BACKFLOW_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/context.h"
#include "backflow/dataset.h"
#include "backflow/matrix.h"
#include "backflow/memory.h"
#include "backflow/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_policy bf_policy;

/* Reads a policy file; which kind is told by its content, then by its suffix. In `arena`. */
BF_API bf_status bf_policy_read(const bf_policy **out, const char *path, bf_arena *arena,
                                bf_error *err);

/* Name and one line about kind `index`, in the order of policies.def; false past the end. */
BF_API bool bf_policy_describe(int index, const char **name, const char **summary);

/* `table` (states, actions) has a row per state; copied. `name` stands in messages. */
BF_API bf_status bf_policy_from_table(const bf_policy **out, const char *name, bf_view table,
                                      bf_arena *arena, bf_error *err);

/* Every action alike, at any state. */
BF_API bf_status bf_policy_uniform(const bf_policy **out, int actions, bf_arena *arena,
                                   bf_error *err);

/* alpha * base + (1 - alpha) * uniform; alpha 1 gives `base` itself, which has to outlive *out. */
BF_API bf_status bf_policy_mix(const bf_policy **out, const bf_policy *base, double alpha,
                               bf_arena *arena, bf_error *err);

/* A policy that the program computes: `probabilities` for discrete actions, or `sample` for actions
 * that are vectors. Both see n states as rows, (n, d), and fill rows. They are called one call at a
 * time, perhaps on another thread than the caller's. They return 0, or anything else if they could
 * not; bf_fail(err, BF_EPOLICY, ...) then says why. Wrong answers are errors that name the row. */
typedef struct bf_policy_function {
    const char *name; /* for messages; copied */
    int state_dim;    /* d */
    int actions;      /* A; 0 with `sample` */
    /* probabilities (n, A) */
    int (*probabilities)(void *context, const double *states, int64_t n, double *probabilities,
                         bf_error *err);
    int action_dim, samples; /* k, M; 0 with `probabilities` */
    /* actions (n, M, k): M of them drawn from the policy at each state */
    int (*sample)(void *context, const double *states, int64_t n, double *actions, bf_error *err);
    void *context; /* handed to the functions; has to outlive the policy */
    size_t size;   /* sizeof(bf_policy_function), or 0: the fields above are all there is */
} bf_policy_function;

BF_API bf_status bf_policy_from_function(const bf_policy **out, const bf_policy_function *function,
                                         bf_arena *arena, bf_error *err);

/* A policy that another program computes. `command` is split into words and started without a
 * shell; docs/policy-command.md says what it is asked and how it answers. It is asked about the
 * states of `data`, once here. `options` may be NULL. bf_policy_close ends the program, which the
 * arena does not know of; other policies it leaves as they are. NULL is fine. */
typedef struct bf_command_options {
    int64_t policy_samples; /* M: actions that are drawn at a state, if actions are vectors */
    double policy_timeout;  /* seconds that the program may be silent */
    size_t size; /* sizeof(bf_command_options), or 0: the fields above are all there is */
} bf_command_options;

BF_API extern const bf_option_table bf_command_table;

BF_API bf_status bf_policy_from_command(const bf_policy **out, const char *command,
                                        const bf_dataset *data, const bf_command_options *options,
                                        bf_arena *arena, bf_error *err);
BF_API void bf_policy_close(const bf_policy *policy);

BF_API int bf_policy_actions(const bf_policy *policy);
BF_API const char *bf_policy_kind(const bf_policy *policy); /* "table", "network", ... */

/* probabilities (A, n) at states (d, n), both column after column as in a bf_dataset. */
BF_API bf_status bf_policy_probabilities(const bf_policy *policy, const double *states, int dim,
                                         int64_t n, double *probabilities, bf_error *err);

/* The policy in the words of the log: if it names its actions (columns pi:NAME) or its states, *out
 * has them in the order of the log, and actions that the log has never seen come last. Otherwise
 * *out is the policy itself. bf_policy_apply does this by itself; bf_problem.target is to be the
 * policy that this gives. */
BF_API bf_status bf_policy_bind(const bf_policy **out, const bf_policy *policy,
                                const bf_dataset *data, bf_arena *arena, bf_error *err);

/* The log with the policy as its target: `pi` and `npi` (for vectors `sa` and `na`) come from it;
 * columns of the log give way to it. The policy may know actions that the log has not seen: *out
 * has as many actions as the policy, unless columns of the log fix another number, which is an
 * error. *out shares the other columns with `data`, which stays as it is and has to outlive it. */
BF_API bf_status bf_policy_apply(const bf_dataset **out, const bf_policy *policy,
                                 const bf_dataset *data, bf_arena *arena, bf_error *err);

/* ---- The behaviour policy, for methods that need it where the log has no mu */

/* How the fit came out. */
typedef struct bf_behavior {
    const char *model;  /* "counts", "logistic" */
    double likelihood;  /* mean log probability of the actions taken, of rows not fitted to */
    double frequencies; /* the same of a policy that does not look at the state */
    double calibration; /* mean |predicted - observed| over bins, of rows not fitted to */
    double least;       /* the least probability of an action taken */
    double ridge;
    int64_t features;
} bf_behavior;

/* The log with `mu` and `mu_all` from the policy, or from a fit to the log itself: shares of
 * actions per state if states are finite, a logistic regression otherwise; discrete actions only. A
 * row whose action the policy never takes is an error. As for bf_policy_apply, `data` has to
 * outlive *out. */
BF_API bf_status bf_behavior_apply(const bf_dataset **out, const bf_policy *policy,
                                   const bf_dataset *data, bf_arena *arena, bf_error *err);
BF_API bf_status bf_behavior_fit(const bf_dataset **out, const bf_dataset *data,
                                 const bf_context *context, bf_arena *arena, bf_error *err);

/* How the fit of bf_behavior_fit came out; NULL if the behaviour was not fitted. */
BF_API const bf_behavior *bf_dataset_behavior(const bf_dataset *data);

#ifdef __cplusplus
}
#endif
#endif
