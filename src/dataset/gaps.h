/* gaps.h - Missing values: NaN in a column as it was read. */
#ifndef BF_DATASET_GAPS_H
#define BF_DATASET_GAPS_H

#include "dataset/faults.h"
#include "dataset/rows.h"

/* Whether gaps may be there at all: `missing` is neither NULL nor "error". */
bool bf__gaps_allowed(const char *missing);

/* Counts the gaps of every column and fails if `missing` cannot treat one of them. Fills data->gaps
 * and, for "drop", rows->gap. */
bf_status bf__gaps_find(bf_dataset *data, bf__rows *rows, const char *missing, bf_arena *arena,
                        bf_arena *scratch, bf_error *err);

/* Adds a fault for every column with gaps that `missing` cannot treat: how many, and the first
 * rows. data has n and its sources. */
bf_status bf__gaps_list(bf_dataset *data, const bf__rows *rows, const char *missing,
                        bf__faults *faults, bf_arena *scratch, bf_error *err);

/* For "forward" and "mean": fills the gaps of state columns and of columns that are kept, which
 * are still as they were read. Episodes are known. */
bf_status bf__gaps_fill(bf_dataset *data, bf__rows *rows, const char *missing, bf_arena *scratch,
                        bf_error *err);

#endif
