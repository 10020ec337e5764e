/* base.h - The weights that a correction starts from. */
#ifndef BF_WEIGHTS_BASE_H
#define BF_WEIGHTS_BASE_H

#include "flow/atoms.h"
#include "weights/neighbours_chain.h"

/* Those of the chain, and of runs where they suit; k neighbours for a pair. `noise` is the share of
 * noise in the steps (noise.h). *share takes how much is of the runs. If it is interrupted after
 * the chain, `out` has the chain's weights. */
bf_status bf__base_make(bf__neighbours *out, double *share, const bf_problem *problem,
                        const bf__points *points, const bf__pair_kernel *kernel, double noise,
                        int k, const bf_context *context, bf_arena *arena, bf_error *err);

#endif
