/* atoms.h - The atoms of psi (flow.h) as they lie in memory, in float and in double.
 *
 * Arrays are column after column: coordinate c of point j of z (d, n) is z[c * n + j]. */
#ifndef BF_FLOW_ATOMS_H
#define BF_FLOW_ATOMS_H

#include "kernel/kernel.h"

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
    bf__next_d start;  /* S0: the start states, each times its weight */
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

#endif
