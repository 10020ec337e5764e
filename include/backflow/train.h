/* train.h - Policies for the built-in environments, by neural fitted Q iteration. */
#ifndef BACKFLOW_TRAIN_H
#define BACKFLOW_TRAIN_H

#include <stdint.h>

#include "backflow/context.h"
#include "backflow/env.h"
#include "backflow/memory.h"
#include "backflow/options.h"
#include "backflow/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_train_options {
    const char *hidden;         /* hidden layers, "20-20" */
    int activation;             /* sigmoid, tanh, relu */
    const char *angles;         /* states that enter as cos, sin: "theta,phi"; "" none */
    const char *box;            /* where random states lie: "low:high,low:high" */
    double gamma;               /* discount in training */
    double reward, terminal;    /* trained on: reward * (Gymnasium's) + terminal * (it ended) */
    int64_t random, visited;    /* states to learn from: random, and met on the way */
    int64_t fresh;              /* of the visited ones, renewed every iteration */
    double explore;             /* share of random actions on the way */
    int64_t iterations, epochs; /* of Q iteration; of Rprop in each */
    double step;                /* first step of Rprop */
    int64_t trials, episodes;   /* episodes that rank a network; that judge the best in the end */
} bf_train_options;

/* The options with the defaults of the environment's recipe (general ones where env is NULL or has
 * no recipe). The rows live in `arena`. */
BF_API bf_status bf_train_table(bf_option_table *out, const bf_env *env, bf_arena *arena,
                                bf_error *err);

/* One iteration, for a learning curve. */
typedef struct bf_train_point {
    double loss;  /* root mean squared error of the fit to its targets */
    double value; /* mean over the random states of max Q */
    double score; /* mean return of the trial episodes, with Gymnasium's rewards */
} bf_train_point;

typedef struct bf_train_result {
    const bf_policy *policy;     /* greedy in the best network */
    double score, score_error;   /* mean return over `episodes` new episodes, and standard error */
    double worst;                /* the least return among them */
    int64_t best, iterations;    /* iteration that made it, of so many done; counted from 1 */
    const bf_train_point *curve; /* (iterations) */
} bf_train_result;

/* Trains. Everything lives in `arena`. The same options and seed give the same network for any
 * number of threads. Where progress asks to stop, the best network so far is the result. */
BF_API bf_status bf_train(bf_train_result *out, const bf_env *env, const bf_train_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* Writes the policy; `command` (one line) stands in the file as what made it. */
BF_API bf_status bf_train_write(const bf_train_result *result, const char *command,
                                const char *path, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
