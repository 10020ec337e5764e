/* row_weights.c - How much the rows of a log count: all the same, or by its column `weight`. */
#include "dataset/row_weights.h"

#include <math.h>

#include "core/fail.h"

bf__row_weights bf__row_weights_of(const bf_dataset *data) {
    double sum = 0;
    for (int64_t i = 0; i < data->n && data->weight; i++)
        sum += data->weight[i] / (double)data->n;
    return (bf__row_weights){data->weight, data->weight ? 1 / sum : 1};
}

bf_status bf__row_weights_array(const double **out, const bf_dataset *data, bf_arena *arena,
                                bf_error *err) {
    bf__row_weights weights = bf__row_weights_of(data);
    double *w;
    bool differ = false;
    *out = NULL;
    for (int64_t i = 1; i < data->n && data->weight; i++)
        differ = differ || data->weight[i] != data->weight[0];
    if (!differ)
        return BF_OK;
    BF_ALLOC(w, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        w[i] = bf__row_weight(&weights, i);
    *out = w;
    return BF_OK;
}

bf_status bf__start_weights(const double **out, const bf_dataset *data, bf_arena *arena,
                            bf_error *err) {
    double *w, sum = 0, count = (double)data->episodes;
    *out = NULL;
    if (!data->weight || !data->begin)
        return BF_OK;
    BF_ALLOC(w, arena, data->episodes, err);
    for (int64_t e = 0; e < data->episodes; e++)
        sum += (w[e] = data->weight[data->order[data->begin[e]]]) / count;
    for (int64_t e = 0; e < data->episodes; e++)
        w[e] /= sum;
    *out = w;
    return BF_OK;
}

bf_status bf__episode_weights(const double **out, const char *method, const bf_dataset *data,
                              bf_arena *arena, bf_error *err) {
    char here[256], there[256];
    for (int64_t e = 0; e < data->episodes && data->weight; e++)
        for (int64_t j = data->begin[e] + 1; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j], first = data->order[data->begin[e]];
            if (data->weight[i] != data->weight[first])
                return bf_fail(err, BF_EDATA,
                               "%s: weight: %.10g, but the episode began with %.10g (%s); %s "
                               "weighs whole episodes, so that all rows of one need the same",
                               bf_dataset_where(data, i, here, sizeof here), data->weight[i],
                               data->weight[first],
                               bf_dataset_where(data, first, there, sizeof there), method);
        }
    return bf__start_weights(out, data, arena, err);
}

static double duration_mean(const bf_dataset *data) {
    bf__row_weights w = bf__row_weights_of(data);
    double mean = 0, n = (double)data->n;
    for (int64_t i = 0; i < data->n && data->duration; i++)
        mean += bf__row_weight(&w, i) * data->duration[i] / n;
    return data->duration ? mean : 1;
}

double bf__reward_mean(const bf_dataset *data) {
    bf__row_weights w = bf__row_weights_of(data);
    double mean = 0, n = (double)data->n;
    for (int64_t i = 0; i < data->n; i++)
        mean += bf__row_weight(&w, i) * data->reward[i] / n;
    return mean / duration_mean(data);
}

double bf__reward_deviation(const bf_dataset *data, double mean) {
    bf__row_weights w = bf__row_weights_of(data);
    double square = 0, n = (double)data->n;
    for (int64_t i = 0; i < data->n; i++) {
        double over = data->reward[i] - mean * bf__row_duration(data, i);
        square += bf__row_weight(&w, i) * over * over / n;
    }
    return sqrt(square) / duration_mean(data);
}
