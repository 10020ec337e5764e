/* folds.c - A log cut into folds of whole episodes.
 *
 * Cost  one pass over the rows */
#include "problem/folds.h"

#include "backflow/rng.h"
#include "core/fail.h"

bf_status bf__folds_make(const int32_t **fold, const bf_dataset *data, int folds,
                         const char *stream, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    int64_t seen = 0, *order;
    int32_t *of;
    bf_rng rng = bf_rng_make(context ? context->seed : 1, stream, 0);
    BF_ALLOC(of, arena, data->n, err);
    *fold = of;
    if (data->episodes < folds) {
        for (int64_t i = 0; i < data->n; i++)
            of[data->order ? data->order[i] : i] = (int32_t)(i * folds / data->n);
        return BF_OK;
    }
    BF_ALLOC(order, arena, data->episodes, err);
    for (int64_t e = 0; e < data->episodes; e++)
        order[e] = e;
    for (int64_t p = 0; p < data->episodes; p++) {
        int64_t k = p + bf_rng_below(&rng, data->episodes - p), e = order[k];
        order[k] = order[p];
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            of[data->order[j]] = (int32_t)(seen * folds / data->n);
        seen += data->begin[e + 1] - data->begin[e];
    }
    return BF_OK;
}
