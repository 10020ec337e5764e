/* drop.h - Rows that are left out of a log. */
#ifndef BF_DATASET_DROP_H
#define BF_DATASET_DROP_H

#include "dataset/rows.h"

/* Removes the rows with next[i] < 0 from every column and from the episodes. Afterwards next[i] is
 * the new place of row i. */
void bf__drop(bf_dataset *data, bf__rows *rows, int64_t *next);

/* Keeps at most `most` rows: whole episodes, in a random order of them that depends on the seed, or
 * single rows if there are no episodes. 0, or no more rows than that: all stay. */
bf_status bf__choose_rows(bf_dataset *data, bf__rows *rows, int64_t most, const bf_context *context,
                          bf_arena *scratch, bf_error *err);

#endif
