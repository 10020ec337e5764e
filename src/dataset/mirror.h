/* mirror.h - A log together with its mirror image. */
#ifndef BF_DATASET_MIRROR_H
#define BF_DATASET_MIRROR_H

#include "dataset/dataset.h"

/* As bf_dataset_mirror, into a struct that the caller has. Rows 2 i and 2 i + 1 of the result are
 * row i and its mirror, episodes 2 e and 2 e + 1 are episode e and its mirror. */
bf_status bf__dataset_mirror(bf_dataset *out, const bf_dataset *data, const char *text,
                             bf_arena *arena, bf_error *err);

#endif
