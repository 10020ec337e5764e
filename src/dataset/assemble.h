/* assemble.h - From named columns to a log: the steps between the readers and the caller. */
#ifndef BF_DATASET_ASSEMBLE_H
#define BF_DATASET_ASSEMBLE_H

#include "dataset/faults.h"
#include "dataset/rows.h"

/* Finds the episodes of data, whose sources, state and flags are set. Fills begin, order, episodes,
 * their ids and episodes_inferred; all are empty for a bag of transitions. If `linked` is set, the
 * next state has to come from the next row, so a bag or a gap in t is an error. */
bf_status bf__episodes_find(bf_dataset *data, const bf__rows *rows, bool linked, bf_arena *arena,
                            bf_arena *scratch, bf_error *err);

/* Makes states of the columns: numbers as they are, one input per category. */
bf_status bf__encode_states(bf_dataset *data, bf__rows *rows, bf_arena *arena, bf_arena *scratch,
                            bf_error *err);
/* Makes actions of the column a: 0, 1, ..., with their names if they are words. With a list of
 * faults, values that are no actions go there and become -1. */
bf_status bf__encode_actions(bf_dataset *data, const bf__rows *rows, bf__faults *faults,
                             bf_arena *arena, bf_error *err);

/* Gives the columns their places in `data`, which has n, sources, source_count and the columns that
 * are kept. With a list of faults, actions and flags that are none go there. */
bf_status bf__assign(bf_dataset *data, bf__rows *rows, bf__faults *faults, bf_arena *arena,
                     bf_error *err);

/* Then turns rows into a log. */
bf_status bf__assemble(bf_dataset *data, bf__rows *rows, const bf_read_options *options,
                       const bf_context *context, bf_arena *arena, bf_arena *scratch,
                       bf_error *err);

#endif
