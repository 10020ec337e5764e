/* residue.c - What weights leave unbalanced, as networks of fitted Q evaluation see it.
 *
 * Fits        q, the differential value, by a few rounds of fitted Q evaluation and linear solves
 *             in the last layer (neural/critic.c, neural/closing.c); g_i = <psi_i, q>, which is
 *             r_i - rho where q is right
 * Balances    w'_i = w_i - u_i (g_i - gbar)'k,   M k = sum w g,   M = sum u (g - gbar)(g - gbar)'
 *             so that sum w' g = 0. As a value: sum w' r = sum w r - b' sum w g, where b is the
 *             least squares fit of r by g, weighted by u
 * Source      Tang, Feng, Li, Zhou, Liu, Doubly robust bias reduction in infinite horizon
 *             off-policy estimation, ICLR 2020, with b in the place of 1, as control variates have
 *             it
 * Cost        a tenth of that of the method fqe, and O(n) a correction
 *
 * Weights that balance the flow on kernel features need no such thing: what a network finds there
 * is mostly its own error. It is for corrections whose ridge had to be raised. They leave a part of
 * the flow unbalanced, and the error of the value is that part times the error of q. So q need not
 * be good: networks that are off by .05 by themselves take an error of .07 down to .015. A q that
 * explains nothing of the rewards has b = 0, and changes nothing. */
#include "weights/residue.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/dense.h"
#include "neural/critics.h"
#include "problem/nodes.h"
#include "weights/runs.h"

enum { ROUNDS = 100, CLOSINGS = 10, BATCH = 512, FEWEST = 1000 };
static const char hidden[] = "32-32";
static const double rate = 0.003, ridge = 1e-12; /* of M, as a share of its trace */

bool bf__residue_suit(const bf__points *points) {
    return points->d + points->action_dim <= BF__FEW_DIMENSIONS && points->n >= FEWEST &&
           points->size <= BF__SMALL_LOG && !points->steps.absorbs;
}

bf_status bf__residue_find(double *gap, int *count, const bf_problem *problem,
                           const bf__points *points, const bf_context *context, bf_arena *arena,
                           bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    bf__pairs pairs;
    bf__critic *critics[BF__RESIDUE_NETWORKS];
    bf__critic_task task = {.problem = problem,
                            .pairs = &pairs,
                            .hidden = hidden,
                            .rounds = ROUNDS,
                            .batch = BATCH,
                            .rate = rate,
                            .closings = CLOSINGS,
                            .gaps = true,
                            .seed = context ? context->seed : 1};
    BF_TRY(bf__pairs_on(&pairs, points, problem->data, arena, err));
    BF_TRY(bf__critics_make(critics, BF__RESIDUE_NETWORKS, &task, arena, err));
    BF_TRY(bf__critics_train(critics, BF__RESIDUE_NETWORKS, &task, context, arena, err));
    *count = 0;
    for (int e = 0; e < BF__RESIDUE_NETWORKS; e++)
        *count += bf__critic_gap(gap + *count * points->n, critics[e]);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__residue_balance(double *out, const double *w, const double *u, const double *gap,
                              int count, int64_t n, bf_arena *arena, bf_error *err) {
    double mean[BF__RESIDUE_NETWORKS] = {0}, k[BF__RESIDUE_NETWORKS] = {0};
    double m[BF__RESIDUE_NETWORKS * BF__RESIDUE_NETWORKS] = {0}, trace = 0;
    for (int a = 0; a < count; a++)
        for (int64_t i = 0; i < n; i++) {
            mean[a] += u[i] * gap[a * n + i];
            k[a] += w[i] * gap[a * n + i];
        }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            for (int64_t i = 0; i < n; i++)
                m[a * count + b] += u[i] * (gap[a * n + i] - mean[a]) * (gap[b * n + i] - mean[b]);
    for (int a = 0; a < count; a++)
        trace += m[a * count + a];
    memcpy(out, w, (size_t)n * sizeof *out);
    if (!(trace > DBL_MIN / DBL_EPSILON && isfinite(trace)))
        return BF_OK;
    for (int a = 0; a < count; a++)
        m[a * count + a] += ridge * trace;
    BF_TRY(bf__lu_solve(k, 1, m, count, arena, err));
    for (int a = 0; a < count; a++)
        for (int64_t i = 0; i < n; i++)
            out[i] -= u[i] * (gap[a * n + i] - mean[a]) * k[a];
    return BF_OK;
}
