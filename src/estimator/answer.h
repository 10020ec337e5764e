/* answer.h - What a bf_estimate is made of. Programs outside the library see a handle. */
#ifndef BF_ESTIMATOR_ANSWER_H
#define BF_ESTIMATOR_ANSWER_H

#include "backflow/estimator.h"
#include "dataset/dataset.h"
#include "problem/steps.h"

/* A number found on the way; bf_diagnostic_describe says what each means. */
typedef struct bf_diagnostic {
    const char *name;  /* JSON key: "ess" */
    const char *label; /* for people: "effective sample size" */
    double value;
} bf_diagnostic;

/* Something a reader of the answer has to know. */
typedef struct bf_warning {
    const char *code;   /* for programs: "few-rows" */
    const char *text;   /* what is the matter */
    const char *advice; /* what to do about it */
    bool distrust;      /* the answer should not be trusted as it stands */
} bf_warning;

/* One of the answers that a choice was made among. */
typedef struct bf__part {
    const char *method, *model;
    double value, share;
    const char *why;
} bf__part;

#define BF_MAX_PARTS       8
#define BF_MAX_DIAGNOSTICS 48
#define BF_MAX_WARNINGS    32

struct bf_estimate {
    double value;
    const double *weights;        /* (n), not negative; NULL if the method has none */
    const double *signed_weights; /* (n): they give the value; most often the same as `weights` */
    const char *model; /* which of its models the method used: "tabular"; NULL: it has one */
    bf_diagnostic diagnostics[BF_MAX_DIAGNOSTICS];
    int diagnostic_count;
    bf_warning warnings[BF_MAX_WARNINGS];
    int warning_count;
    bf__part parts[BF_MAX_PARTS]; /* what a choice was made among; none: there was no choice */
    int part_count;
    const bf_estimator *maker; /* the method that was chosen, and what it ran with; NULL: the one
                                  that was asked */
    const bf_settings *maker_settings;
    const double *spare,
        *spare_signed; /* (n): weights of another part, if the chosen one has none */
    double aside;      /* what other parts have moved the value by, from that of its maker; 0: none
                          have */
    double lean;       /* what the value may lean towards the log's mean by, or away from it, which
                          parts of the log do not show; 0: nothing is known of that */
};

/* Whose answer it is: the method that was chosen, or the one that was asked, with its settings. */
static inline const bf_estimator *bf__maker(const bf_estimate *estimate, const bf_estimator *asked,
                                            const bf_settings **settings) {
    if (estimate->maker && settings)
        *settings = estimate->maker_settings;
    return estimate->maker ? estimate->maker : asked;
}

/* Says what a question needs that has start states in it, if it is not there: episodes, and the
 * target policy at the states. */
bf_status bf__need_starts(const char *name, const bf__steps *steps, bool episodes, bool policy,
                          bf_error *err);

/* Whether the method has all that it needs of the log; says what is missing. */
bf_status bf__estimator_ready(const bf_estimator *estimator, const bf_problem *problem,
                              bf_error *err);

/* As bf_estimator_run, into a struct that the caller has. */
bf_status bf__estimator_run(const bf_estimator *estimator, bf_estimate *out,
                            const bf_problem *problem, const bf_settings *settings,
                            const bf_context *context, bf_arena *arena, bf_error *err);

#endif
