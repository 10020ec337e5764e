/* flow.h - psi, the one object that every kernel estimator reads.
 *
 *     psi_i = phi(s_i, a_i) - g_i E_{a' ~ pi} phi(s'_i, a') - h_i S0,   S0 = mean E_pi phi(s0, a0)
 *     K_ij  = <psi_i, psi_j>,     loss(w) = |sum_i w_i psi_i|^2 = w' K w
 *
 * The points and their g and h are those of the question (problem/points.h, problem/steps.h); the
 * flow adds the kernel, <phi(x), phi(y)> = k(x, y).
 *
 * Arrays are column after column: coordinate c of point j of z (d, n) is z[c * n + j]. */
#ifndef BF_FLOW_FLOW_H
#define BF_FLOW_FLOW_H

#include "flow/atoms.h"
#include "problem/points.h"

/* Copies what it needs into `arena`; *points and *kernel may go. Of more than 1,000 start states,
 * as many are drawn by the seed of the points. */
bf_status bf__flow_create(bf__flow **out, const bf__points *points, const bf__pair_kernel *kernel,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* psi without K: enough for features of it (lowrank.h), not for tiles of K or its diagonal. The
 * difference is a kernel value between every transition and every start state. */
bf_status bf__flow_atoms(bf__flow **out, const bf__points *points, const bf__pair_kernel *kernel,
                         bf_arena *arena, bf_error *err);

/* The oracle: K (n, n) by the definition, every psi written out in atoms. O(n^2 (A n0)^2). */
bf_status bf__flow_plain(double *k, const bf__points *points, const bf__pair_kernel *kernel,
                         bf_arena *arena, bf_error *err);

/* K_ii (n), in double. O(n). */
void bf__flow_diagonal(double *diagonal, const bf__flow *flow, const bf_context *context);

/* w' K w in double, nothing stored. O(n^2) exponentials; if transitions repeat, O(m^2) for the m
 * that differ (repeats.h). */
bf_status bf__flow_loss(double *loss, const bf__flow *flow, const double *w,
                        const bf_context *context, bf_arena *arena, bf_error *err);

/* y = K w in float32, nothing stored. O(n^2) exponentials. */
bf_status bf__flow_product(double *y, const bf__flow *flow, const double *w,
                           const bf_context *context, bf_arena *arena, bf_error *err);

/* out (count, n): rows i[.] of K, in double. */
void bf__flow_rows(double *out, const bf__flow *flow, const int64_t *i, int64_t count,
                   const bf_context *context);

/* Atoms of one's own, to be put against those of the flow (tile.h): phi(z_j, a_j), with `action`
 * or `u` as the flow has it, and g_j E_pi phi(z_j, a), with `pi` (A, n) or `nu` (M * k, n). */
bf_status bf__data_make(bf__data_d *out, const bf__flow *flow, const double *z,
                        const int32_t *action, const double *u, int64_t n, bf_arena *arena,
                        bf_error *err);
bf_status bf__next_make(bf__next_d *out, const bf__flow *flow, const double *z, const double *pi,
                        const double *nu, const double *g, int64_t n, bf_arena *arena,
                        bf_error *err);

#endif
