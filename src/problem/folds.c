/* folds.c - A log cut into folds of whole episodes.
 *
 * Episodes come in a random order, and the rows before an episode say in which fold it is. If the
 * last one has nearly all of the rows, all would be in the first fold, and nothing would be left
 * without it; so the last one is in the last fold then.
 *
 * Cost  one pass over the rows */
#include "problem/folds.h"

#include "backflow/rng.h"
#include "core/fail.h"

bf_status bf__folds_make(const int32_t **fold, const bf_dataset *data, int folds,
                         const char *stream, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    int64_t seen = 0, each = data->mirrored ? 2 : 1, episodes = bf__episodes_own(data), *order;
    int32_t *of;
    bf_rng rng = bf_rng_make(context ? context->seed : 1, stream, 0);
    BF_ALLOC(of, arena, data->n, err);
    *fold = of;
    if (episodes < folds) {
        for (int64_t i = 0; i < data->n; i++)
            of[data->order ? data->order[i] : i] = (int32_t)(i * folds / data->n);
        for (int64_t i = 1; i < data->n && data->mirrored; i += 2)
            of[i] = of[i - 1];
        return BF_OK;
    }
    BF_ALLOC(order, arena, episodes, err);
    for (int64_t e = 0; e < episodes; e++)
        order[e] = e;
    for (int64_t p = 0; p < episodes; p++) {
        int64_t k = p + bf_rng_below(&rng, episodes - p), e = order[k] * each;
        order[k] = order[p];
        int32_t at = (int32_t)(seen * folds / data->n);
        if (at == 0 && p == episodes - 1)
            at = folds - 1;
        for (int64_t j = data->begin[e]; j < data->begin[e + each]; j++)
            of[data->order[j]] = at;
        seen += data->begin[e + each] - data->begin[e];
    }
    return BF_OK;
}
