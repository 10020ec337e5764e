/* base.c - The weights that a correction starts from: visits of the chain, and of runs.
 *
 *     u = (1 - s) chain + s runs,   s = c^2 / (c^2 + (RARE deviation of the rewards)^2)
 *
 * c is what a correction of the chain's weights on few features changes the value by. It shows how
 * far the chain is off. Runs (runs.c) do not have that error, but they miss what is rare and dear,
 * up to about RARE deviations of the rewards. The share is the one that makes the sum of both
 * squares least. If the chain needs no correction, as with a pole that is held upright and seldom
 * falls, there is nothing to gain by runs. If the chain piles its weight up on less than LEAST of
 * the rows, the log does not show where the target goes. Runs begin where the chain says, so there
 * are none.
 *
 * Cost  that of the chain and of the runs, and of a correction on FEATURES features */
#include "weights/base.h"

#include <math.h>

#include "core/fail.h"
#include "weights/features.h"
#include "weights/rebalance.h"
#include "weights/runs.h"

enum { FEATURES = 200 };
static const double RARE = 3e-4, LEAST = 0.01, ridge = 1e-9;

/* What a correction on few features changes the value by. */
static bf_status measure(double *change, const bf__neighbours *chain, const bf_problem *problem,
                         const bf__points *points, const bf__pair_kernel *kernel,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = points->n, few = n / 5 < FEATURES ? n / 5 + 1 : FEATURES;
    bf_mark mark = bf_arena_mark(arena);
    bf__lowrank *lowrank;
    bf__correction *correction;
    double *w;
    BF_TRY(bf__features_make(&lowrank, points, kernel, 1, few, chain->u, context, arena, err));
    BF_TRY(bf__correction_make(&correction, chain, lowrank, NULL, NULL, false, problem->gamma,
                               context, arena, err));
    BF_ALLOC(w, arena, n, err);
    BF_TRY(bf__correct(w, correction, &ridge, 1, context, arena, err));
    *change = 0;
    for (int64_t i = 0; i < n; i++)
        *change += (w[i] - chain->u[i]) * problem->data->reward[i];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* The effective sample size of u, as a share of the rows. */
static double effective(const double *u, int64_t n) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += u[i];
        square += u[i] * u[i];
    }
    return sum * sum / (square * (double)n);
}

/* u (n) becomes the mean of both kinds of weights, and *share that of the runs. */
static bf_status join(double *u, double *share, const bf__neighbours *chain,
                      const bf_problem *problem, const bf__points *points,
                      const bf__pair_kernel *kernel, int k, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    double change, visited = 0;
    double rare = RARE * bf__reward_scale(problem->data->reward, points->n);
    BF_TRY(measure(&change, chain, problem, points, kernel, context, arena, err));
    if (!(fabs(change) > 0.1 * rare)) /* a share of a hundredth is not worth its time */
        return BF_OK;
    BF_TRY(bf__runs_visit(u, points, chain->u, k, context, arena, err));
    for (int64_t i = 0; i < points->n; i++)
        visited += u[i];
    if (!(visited > 0))
        return BF_OK;
    *share = change * change / (change * change + rare * rare);
    for (int64_t i = 0; i < points->n; i++)
        u[i] = (1 - *share) * chain->u[i] + *share * chain->sum * u[i];
    return BF_OK;
}

bf_status bf__base_make(bf__neighbours *out, double *share, const bf_problem *problem,
                        const bf__points *points, const bf__pair_kernel *kernel, double noise,
                        int k, const bf_context *context, bf_arena *arena, bf_error *err) {
    double *u;
    *share = 0;
    BF_TRY(bf__neighbours_solve(out, problem, points, k, 0, context, arena, err));
    if (!(out->sum > 0) || !bf__runs_suit(points, noise) || effective(out->u, points->n) < LEAST)
        return BF_OK;
    BF_ALLOC(u, arena, points->n, err);
    BF_TRY(join(u, share, out, problem, points, kernel, k, context, arena, err));
    if (*share > 0)
        out->u = u;
    return BF_OK;
}
