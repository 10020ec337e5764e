/* folds.h - A log cut into folds of whole episodes, for fits that are judged on what they have not
 * seen. */
#ifndef BF_PROBLEM_FOLDS_H
#define BF_PROBLEM_FOLDS_H

#include "backflow/context.h"
#include "backflow/memory.h"
#include "dataset/dataset.h"

/* fold (n): 0 .. folds - 1 for every row. Episodes are taken in random order and cut where a fold
 * has its share of rows; an episode and its mirror are dealt as one. If there are fewer episodes
 * than folds, they are cut themselves. No fold has all rows, if there are two folds and two rows or
 * more. `stream` names the random numbers. */
bf_status bf__folds_make(const int32_t **fold, const bf_dataset *data, int folds,
                         const char *stream, const bf_context *context, bf_arena *arena,
                         bf_error *err);

#endif
