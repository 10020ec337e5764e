/* features.h - The kernel features that weights are corrected on, and the flow residual in them. */
#ifndef BF_WEIGHTS_FEATURES_H
#define BF_WEIGHTS_FEATURES_H

#include "flow/lowrank.h"
#include "weights/sample.h"
#include "weights/weights.h"

/* The kernel of the options, Matern where it is auto. */
bf_status bf__features_read(bf__pair_kernel *out, const bf__points *points,
                            const bf__pointwise *options, bf_arena *arena, bf_error *err);

/* psi of the log in `rank` features at most, of kernels `factor` times as wide. Pivots are chosen
 * among all pairs of the log; or, with weights u (n) and enough rows, among 5 rank of them, half of
 * which are drawn by u. */
bf_status bf__features_make(bf__lowrank **out, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, int64_t rank,
                            const double *u, const bf_context *context, bf_arena *arena,
                            bf_error *err);

/* The same features of some of the transitions. */
bf_status bf__features_part(bf__lowrank *out, const bf__lowrank *lowrank, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, const bf__sample *sample,
                            bf_arena *arena, bf_error *err);

/* residual (sets) = |sum_i w_i psi_i|^2 on the features, for w (sets, n). */
bf_status bf__features_residual(double *residual, const bf__lowrank *lowrank, const double *w,
                                int sets, bool ends, double gamma, const bf_context *context,
                                bf_arena *arena, bf_error *err);

#endif
