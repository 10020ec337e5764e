/* model.h - The two models of --method model. */
#ifndef BF_MODEL_MODEL_H
#define BF_MODEL_MODEL_H

#include "estimator/answer.h"

typedef struct bf__model_options {
    const char *bandwidth, *periodic, *scale;
    int predict; /* BF__PREDICT_STATE, ... */
    int64_t rollout;
} bf__model_options;

enum { BF__PREDICT_STATE, BF__PREDICT_CHANGE };

/* Finite states: the value of the log's frequencies, exactly. */
bf_status bf__model_count(bf_estimate *out, const bf_problem *problem, const bf_context *context,
                          bf_arena *arena, bf_error *err);

bf_status bf__model_rollout(bf_estimate *out, const bf_problem *problem,
                            const bf__model_options *options, const bf_context *context,
                            bf_arena *arena, bf_error *err);

#endif
