/* weights.h - What a model W(s, a) of the weights of the black-box method is made of. */
#ifndef BF_WEIGHTS_WEIGHTS_H
#define BF_WEIGHTS_WEIGHTS_H

#include "estimator/answer.h"
#include "kernel/bandwidth.h"
#include "problem/points.h"
#include "weights/ridge.h"

/* Options of every model for real-valued states. */
typedef struct bf__pointwise {
    int kernel; /* 0 auto; otherwise 1 + the kernel's place in kernels.def */
    const char *bandwidth;
    const char *periodic, *scale; /* points.h */
    bf_auto action_share;
    int64_t features; /* 0: by the model */
} bf__pointwise;

extern const char bf__kernel_choices[]; /* "auto|delta|..." */

/* Rows that several models have in tables of their own. The fields are those of `type`, or of a
 * struct in it if `at` is given: BF__POINTWISE_ROWS(type, at.). */
#define BF__KERNEL_ROWS(type, at)                                                                  \
    BF_OPTION_ROW("kernel", type, at kernel, "auto", 0, 0, bf__kernel_choices,                     \
                  "The kernel of the flow residual, on the states; actions count as equal or "     \
                  "not. auto is delta for tabular weights, and the model's own for others.",       \
                  NULL),                                                                           \
        BF_OPTION_ROW("bandwidth", type, at bandwidth, "median", 0, 0, NULL,                       \
                      "W: Width of the kernel on standardised states: median, a percentile of "    \
                      "the distances (p25), a number, any of them times a factor (median*0.5), "   \
                      "or several with commas, which are mixed.",                                  \
                      bf__bandwidth_check)
#define BF__POINTWISE_ROWS(type, at)                                                               \
    BF__KERNEL_ROWS(type, at), BF__POINTS_ROWS(type, at),                                          \
        BF_OPTION_ROW("action_share", type, at action_share, "auto", 0, 1, NULL,                   \
                      "C: What different actions at one state have in common, 0 (nothing) to 1 "   \
                      "(all).",                                                                    \
                      NULL),                                                                       \
        BF_OPTION_ROW("features", type, at features, "0", 0, 20000, NULL,                          \
                      "M: Features, or anchors, that the weights are made of; 0: as many as the "  \
                      "model takes by itself.",                                                    \
                      NULL)
#define BF__MEMORY_ROW(type)                                                                       \
    BF_OPTION_RANGE(type, memory, "2", 0.01, 1e6,                                                  \
                    "GB: Memory for features; with less, they are made again block by block.")
#define BF__NEIGHBOURS_ROW(type)                                                                   \
    BF_OPTION_RANGE(type, neighbours, "16", 1, 128,                                                \
                    "K: Logged pairs that a next pair is spread over.")
#define BF__LAMBDA_ROW(type)                                                                       \
    BF__RIDGE_ROW(type, "LAMBDA: Penalty on the size of linear weights; auto goes by the log.")

typedef struct bf__weights {
    bf_model model; /* its name, one line about it, and its options */
    /* How well the model suits the log, for --weights auto: the largest wins, 0 is "not at all". */
    int (*suits)(const bf_dataset *data);
    /* Fills out->value, weights, diagnostics and warnings. */
    bf_status (*run)(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err);
} bf__weights;

const bf__weights *bf__weights_at(int index);

/* The options of the black-box method, and its models, for methods that hand on to it. */
extern const bf_option_table bf__blackbox_table;
const bf_model *bf__weights_model(int index);

#endif
