/* row_weights.h - How much the rows of a log count: all the same, or by its column `weight`.
 *
 * Only ratios of weights matter, so they are scaled to the mean 1: a weight stands for more of the
 * process, and not for more evidence of it. */
#ifndef BF_DATASET_ROW_WEIGHTS_H
#define BF_DATASET_ROW_WEIGHTS_H

#include "dataset/dataset.h"

typedef struct bf__row_weights {
    const double *weight; /* (n); NULL: all the same */
    double scale;
} bf__row_weights;

bf__row_weights bf__row_weights_of(const bf_dataset *data);

/* The weight of row i; their mean is 1. */
static inline double bf__row_weight(const bf__row_weights *w, int64_t i) {
    return w->weight ? w->weight[i] * w->scale : 1;
}

/* out (n): the same as an array; NULL if the log has none, or if all are equal. */
bf_status bf__row_weights_array(const double **out, const bf_dataset *data, bf_arena *arena,
                                bf_error *err);

/* out (episodes): those of the episodes' first rows, scaled to the mean 1: how much start states
 * count. NULL if the log has none. */
bf_status bf__start_weights(const double **out, const bf_dataset *data, bf_arena *arena,
                            bf_error *err);

/* The same, for methods that weigh whole episodes: BF_EDATA if the rows of one differ. */
bf_status bf__episode_weights(const double **out, const char *method, const bf_dataset *data,
                              bf_arena *arena, bf_error *err);

/* The mean of the log's rewards, and the standard deviation of what a row adds to it, by these
 * weights. If the log has durations, both are per unit of time. */
double bf__reward_mean(const bf_dataset *data);
double bf__reward_deviation(const bf_dataset *data, double mean);

/* The time that row i took. */
static inline double bf__row_duration(const bf_dataset *data, int64_t i) {
    return data->duration ? data->duration[i] : 1;
}

#endif
