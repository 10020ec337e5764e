/* rebalance_value.c - The differential value that a correction has fitted, for rows of any log.
 *
 * Fits    theta = (A + lambda)^-1 b,  b = sum u (z - zbar) r,  so that sum w r = sum u r -
 *         psibar'theta with the weights w of rebalance.c, because A is symmetric. With z written
 *         out,
 *         b = X' L^-1 sum u (phi - phibar) r  -  sum u h psi (r - rbar)
 * Cost    O(N m) for the N transitions of the moments, and O(m^3)
 *
 * If the moments are summed over some transitions, so is b. */
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"
#include "weights/rebalance.h"

enum { ROWS = BF__CORRECTION_ROWS };

/* The reward of row k of the sums. */
static double reward_of(const bf__correction *q, const double *reward, int64_t k) {
    return reward[q->some ? q->some->row[k] : k];
}

/* u r of the rows first .. first + count - 1 of the sums, centred unless ends stay ended. */
static void take_rewards(double *out, const bf__correction *q, const double *reward, double mean,
                         int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        out[i] = q->u[first + i] * (reward_of(q, reward, first + i) - mean);
}

/* by_phi = sum u r phi, by_psi = sum u h r psi, the latter in inner products with the pivots. */
static bf_status add_rows(double *by_phi, double *by_psi, const bf__correction *q,
                          const double *reward, double mean, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    int64_t n = q->part->flow->n, m = q->m, most = n < ROWS ? n : ROWS;
    bf_mark mark = bf_arena_mark(arena);
    double *phi, *psi, *right, *sum;
    BF_ALLOC(phi, arena, most * m, err);
    BF_ALLOC(psi, arena, q->h ? most * m : 1, err);
    BF_ALLOC(right, arena, most, err);
    BF_ALLOC(sum, arena, m, err);
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t count = n - first < ROWS ? n - first : ROWS;
        BF_TRY(bf__lowrank_inner(phi, q->h ? psi : NULL, q->part, first, count, context, err));
        take_rewards(right, q, reward, mean, first, count);
        BF_TRY(bf__matvec(sum, phi, true, right, count, m, context, err));
        for (int64_t p = 0; p < m; p++)
            by_phi[p] += sum[p];
        if (!q->h)
            continue;
        for (int64_t i = 0; i < count; i++)
            right[i] *= q->h[first + i];
        BF_TRY(bf__matvec(sum, psi, true, right, count, m, context, err));
        for (int64_t p = 0; p < m; p++)
            by_psi[p] += sum[p];
        for (int64_t i = 0; i < count; i++)
            for (int64_t p = 0; p < m; p++)
                by_psi[p] -= right[i] * q->centre[p];
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static double mean_of(const bf__correction *q, const double *reward) {
    double sum = 0, mass = 0;
    for (int64_t k = 0; k < q->part->flow->n && !q->base->ends; k++) {
        sum += q->u[k] * reward_of(q, reward, k);
        mass += q->u[k];
    }
    return mass > 0 ? sum / mass : 0;
}

bf_status bf__correction_value(double *beta, const bf__correction *q, const double *rewards,
                               int count, double ridge, const bf_context *context, bf_arena *arena,
                               bf_error *err) {
    int64_t m = q->m, n = q->lowrank->flow->n;
    bf_mark mark = bf_arena_mark(arena);
    double *by_phi, *by_psi;
    BF_ALLOC(by_phi, arena, m, err);
    BF_ALLOC(by_psi, arena, m, err);
    for (int k = 0; k < count; k++) {
        const double *reward = rewards + k * n;
        memset(by_phi, 0, (size_t)m * sizeof *by_phi);
        memset(by_psi, 0, (size_t)m * sizeof *by_psi);
        BF_TRY(add_rows(by_phi, by_psi, q, reward, mean_of(q, reward), context, arena, err));
        BF_TRY(bf__lower_solve(by_phi, 1, q->l, m, false, context, err));
        BF_TRY(bf__lower_solve(by_psi, 1, q->lowrank->l, m, false, context, err));
        BF_TRY(bf__matvec(beta + k * m, q->x, false, by_phi, m, m, context, err));
        for (int64_t p = 0; p < m; p++)
            beta[k * m + p] -= by_psi[p];
        BF_TRY(bf__correction_solve(beta + k * m, q, ridge, context, arena, err));
    }
    BF_TRY(bf__lower_solve(beta, count, q->lowrank->l, m, true, context, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
