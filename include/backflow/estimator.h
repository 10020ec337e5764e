/* estimator.h - The methods that answer a question (problem.h), and the answer. */
#ifndef BACKFLOW_ESTIMATOR_H
#define BACKFLOW_ESTIMATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/context.h"
#include "backflow/memory.h"
#include "backflow/options.h"
#include "backflow/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The answer: a handle, in the arena that bf_estimator_run was given. */
typedef struct bf_estimate bf_estimate;

/* What a method cannot do without. */
typedef enum bf_needs {
    BF_NEEDS_TARGET = 1 << 0,   /* pi at the next states */
    BF_NEEDS_BEHAVIOR = 1 << 1, /* mu of the actions taken */
    BF_NEEDS_EPISODES = 1 << 2, /* which transitions belong together, in order */
    BF_NEEDS_PI = 1 << 3,       /* pi at the states themselves */
} bf_needs;

/* What intervals may go by. A method that has none of these is run on parts of the log. */
typedef enum bf_traits {
    BF_IS_PLAIN = 1 << 0,   /* the mean of the log: it does not ask what the target policy does */
    BF_BALANCES = 1 << 1,   /* a mean under weights that balance the flow of the target policy */
    BF_FIXED_COST = 1 << 2, /* takes as long on a part of the log as on the whole */
} bf_traits;

/* What a log may have that a method has to take into account; one that does not is refused. */
typedef enum bf_takes {
    BF_TAKES_WEIGHT = 1 << 0, /* rows that count differently */
} bf_takes;

/* One of the models that a method chooses from, by an option or by the log. */
typedef struct bf_model {
    const char *name;
    const char *summary;            /* one line */
    const bf_option_table *options; /* what it reads besides the method's own; NULL: nothing */
    unsigned takes;                 /* besides the method's own */
} bf_model;

typedef struct bf_estimator {
    const char *name;
    const char *summary;                 /* one line, for `backflow list` */
    unsigned needs;                      /* of bf_needs */
    unsigned traits;                     /* of bf_traits */
    const bf_option_table *options;      /* read whatever the model is; NULL: none */
    const bf_model *(*model)(int index); /* the models, NULL past the end; NULL: there are none */
    /* The model for these settings and this log. If `problem` is NULL there is no log yet, and *out
     * is NULL if the log has to decide. */
    bf_status (*choose)(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err);
    /* `model` is what choose() gave; NULL if there are no models. */
    bf_status (*run)(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err);
    bool chooses;   /* it answers with what others of the list say: bf_estimate_part */
    unsigned takes; /* whatever the model is */
    /* Where neighbours say little, as in more than eight dimensions: what it may be off by in ways
     * that parts of the log share, as a standard error, in units of the difference that it finds to
     * the log's mean. */
    double leans;
} bf_estimator;

/* Every estimator, in the order of estimators.def; NULL past the end. */
BF_API const bf_estimator *bf_estimator_at(int index);
BF_API const bf_estimator *bf_estimator_find(const char *name);

/* The settings of the method, all at their defaults but for those in `text`, which may be NULL:
 * "weights=linear ridge=1e-9". */
BF_API bf_status bf_estimator_settings(bf_settings **out, const bf_estimator *estimator,
                                       const char *text, bf_arena *arena, bf_error *err);

/* The model that the method takes for these settings and this log; NULL if it has no models. If
 * `problem` is NULL, also NULL if the log has to decide. */
BF_API bf_status bf_estimator_choose(const bf_model **out, const bf_estimator *estimator,
                                     const bf_problem *problem, const bf_settings *settings,
                                     bf_arena *arena, bf_error *err);

/* Whether the method reads the option if it takes the model; `model` NULL: if it takes any. */
BF_API bool bf_estimator_reads(const bf_estimator *estimator, const bf_model *model,
                               const char *name);

/* BF_EUSAGE if an option was set that the method does not read with this model, or, if it is NULL,
 * with any. The message says whose it is. */
BF_API bf_status bf_estimator_check(const bf_estimator *estimator, const bf_model *model,
                                    const bf_settings *settings, bf_error *err);

/* Name and one line about kernel `index`; false past the end. */
BF_API bool bf_kernel_describe(int index, const char **name, const char **summary);

/* Checks that the problem has what the method needs and that every option that was set is read,
 * then runs it. `settings` NULL: defaults. */
BF_API bf_status bf_estimator_run(const bf_estimate **out, const bf_estimator *estimator,
                                  const bf_problem *problem, const bf_settings *settings,
                                  const bf_context *context, bf_arena *arena, bf_error *err);

/* ---- The answer */

BF_API double bf_estimate_value(const bf_estimate *estimate);

/* The weight of every row of the log, never negative; NULL if the method has none. If the method is
 * a choice (`auto`) and what it chose has none, those of another of its parts. */
BF_API const double *bf_estimate_weights(const bf_estimate *estimate);

/* The same with signs: the sum of these times the rewards is the value of the method, or of the
 * part, that they come from, to rounding. If the log has durations, the value is that sum over the
 * sum of these times the durations. */
BF_API const double *bf_estimate_signed_weights(const bf_estimate *estimate);

/* Which of its models the method used: "tabular"; NULL: it has one. */
BF_API const char *bf_estimate_model(const bf_estimate *estimate);

/* If the method is a choice among several (`auto`), what it chose from, in the order it asked: the
 * method and its model (NULL: it has one), its value (NaN: it gave none), its share of the answer
 * and, in a sentence, why. False past the last one; each may be NULL. */
BF_API bool bf_estimate_part(const bf_estimate *estimate, int index, const char **method,
                             const char **model, double *value, double *share, const char **why);

/* Numbers found on the way: the JSON key ("ess"), words for people ("effective sample size") and
 * the value of number `index`; false past the last one. `name`, `label` and `value` may be NULL. */
BF_API bool bf_estimate_diagnostic(const bf_estimate *estimate, int index, const char **name,
                                   const char **label, double *value);

/* The value of a diagnostic, or NaN if there is none of that name. */
BF_API double bf_estimate_get(const bf_estimate *estimate, const char *name);

/* What a reader of the answer has to know: what is the matter, what to do about it, and whether the
 * answer should not be trusted as it stands. False past the last one; each may be NULL. */
BF_API bool bf_estimate_warning(const bf_estimate *estimate, int index, const char **text,
                                const char **advice, bool *distrust);

/* The code of a warning, for programs: "few-rows". A code keeps its meaning. NULL past the last. */
BF_API const char *bf_estimate_warning_code(const bf_estimate *estimate, int index);

/* Whether no warning says that the answer should not be trusted. */
BF_API bool bf_estimate_trusted(const bf_estimate *estimate);

/* Every diagnostic that a method may give, with its name for programs, its name for people and one
 * sentence that defines it; false past the end of the list. */
BF_API bool bf_diagnostic_describe(int index, const char **key, const char **label,
                                   const char **definition);
/* Every reason to doubt an answer, as a code, and what to do about it; false past the end. */
BF_API bool bf_reason_describe(int index, const char **code, const char **advice);
/* The unit of a diagnostic, and which end is the good one. */
BF_API bool bf_diagnostic_measure(int index, const char **unit, const char **good);

#ifdef __cplusplus
}
#endif
#endif
