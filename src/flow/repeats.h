/* repeats.h - The transitions of a flow that differ from each other, each of them once. */
#ifndef BF_FLOW_REPEATS_H
#define BF_FLOW_REPEATS_H

#include "flow/atoms.h"

/* *out is a flow of the transitions that differ, in the order in which they come first, and of (n)
 * says which of them each transition of `flow` is. It has what rows of K in double need
 * (bf__tile_row_d), and nothing in float. If more than half of the transitions differ, it would not
 * pay: *out is `flow` itself then, and *of is NULL. */
bf_status bf__flow_distinct(const bf__flow **out, const int64_t **of, const bf__flow *flow,
                            bf_arena *arena, bf_error *err);

#endif
