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

#include "kernel/kernel.h"
#include "problem/points.h"

/* The kernel on pairs, k_s(s, t) k_a(a, b) with k_a = c + (1 - c) 1{a = b} for discrete actions and
 * c + (1 - c) k(a, b), k a kernel on action vectors, for continuous ones. There the mean over a' is
 * over M sampled actions. */
typedef struct bf__pair_kernel {
    bf__kernel state;  /* k_s */
    bf__kernel action; /* k; of vectors only */
    double share;      /* c, 0 to 1 */
} bf__pair_kernel;

/* Atoms phi(z_j, a_j). o (A, n): c + (1 - c) 1{a_j = a}. */
typedef struct bf__data_f {
    int64_t n;
    const float *z, *o, *u;
    const int32_t *action;
} bf__data_f;
typedef struct bf__data_d {
    int64_t n;
    const double *z, *o, *u;
    const int32_t *action;
} bf__data_d;

/* Atoms g_j E_pi phi(z_j, a). pg (A, n): g_j (c + (1 - c) pi_j(a)); q (n, A): g_j pi_j(a), so that
 * a sum over a of q_i(a) o(a, j) or q_i(a) pg(a, j) is the action factor, whatever the pair. */
typedef struct bf__next_f {
    int64_t n;
    const float *z, *pg, *q, *nu, *g;
} bf__next_f;
typedef struct bf__next_d {
    int64_t n;
    const double *z, *pg, *q, *nu, *g;
} bf__next_d;

typedef struct bf__flow {
    int64_t n;
    int d, actions, action_dim, samples;
    bf__pair_kernel kernel;

    bf__data_d data_d; /* x_i */
    bf__next_d next_d; /* successors, times g_i */
    bf__next_d start;  /* S0: the start states, each times 1 / starts */
    bf__data_f data_f;
    bf__next_f next_f;

    /* K_ij = (x, next part) - h_j b_i + h_i e_j,  b_i = <phi_i - g_i phi'_i, S0>,
     * e_j = <S0, S0> h_j - b_j. */
    bool corrected; /* any h is not 0 */
    const double *h_d, *b_d, *e_d;
    const float *h_f, *b_f, *e_f;

    /* Where s'_i is s_{i+1}, along trajectories, both are one point of a chain: transition i goes
     * from point place[i] to place[i] + 1, and one exponential per pair of points serves four
     * terms. NULL where chains are too short to pay. */
    int64_t points;       /* stride of the chain: rounded up, the rest are 0 */
    const int64_t *place; /* (n) */
    const int64_t *stop;  /* (n): the first transition after i that is not on i's chain */
    const float *chain_f; /* (d, points) */
    const double *chain_d;
} bf__flow;

/* Copies what it needs into `arena`; *points and *kernel may go. Of more than 1,000 start states,
 * as many are drawn by the seed of the points. */
bf_status bf__flow_create(bf__flow **out, const bf__points *points, const bf__pair_kernel *kernel,
                          const bf_context *context, bf_arena *arena, bf_error *err);

/* The oracle: K (n, n) by the definition, every psi written out in atoms. O(n^2 (A n0)^2). */
bf_status bf__flow_plain(double *k, const bf__points *points, const bf__pair_kernel *kernel,
                         bf_arena *arena, bf_error *err);

/* K_ii (n), in double. O(n). */
void bf__flow_diagonal(double *diagonal, const bf__flow *flow, const bf_context *context);

/* w' K w in double, nothing stored. O(n^2) exponentials. */
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
