/* naive.c - The mean reward of the log: what the behaviour earned, not the target.
 *
 * Estimates   (1/n) sum_i r_i, or sum_i v_i r_i / sum_i v_i of rows with weights v
 * Cost        O(n)
 */
#include "core/fail.h"
#include "dataset/row_weights.h"
#include "estimator/result.h"

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    (void)model;
    (void)settings;
    (void)context;
    int64_t n = problem->data->n;
    bf__row_weights rows = bf__row_weights_of(problem->data);
    double *weights;
    BF_ALLOC(weights, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        weights[i] = bf__row_weight(&rows, i) / (double)n;
    bf__result_from_weights(out, problem, weights);
    return BF_OK;
}

const bf_estimator bf__estimator_naive = {
    .name = "naive",
    .summary = "mean reward of the log, whatever the target policy",
    .traits = BF_IS_PLAIN,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
