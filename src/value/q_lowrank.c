/* q_lowrank.c - The differential value, linear in kernel features, in closed form.
 *
 * Fits        q(x) = phi(x)' theta to   mean_i (phi_i - f) (r_i - psi_i' theta) = 0,
 *             f the mean of phi: least-squares temporal differences for the average reward [1],
 *             with the constant 1 among the instruments, so that rho = mean_i (r_i - psi_i' theta)
 * Ridge       theta = M (M'M + lambda I)^-1 b,  M = mean psi_i (phi_i - f)',
 *             b = mean (phi_i - f) r_i: the theta of least |M'theta - b|^2 + lambda |theta|^2
 * Cost        that of weights/linear_fit.c, which solves this in three passes; memory O(m^2)
 *
 * lambda. The answer is a weighted mean of rewards: rho = mean_i W_i r_i with
 *
 *     W_i = 1 - (phi_i - f)' (M'M + lambda I)^-1 M' p,     p = mean psi_i,
 *
 * the weights of linear.c, and ridge.h chooses by them.
 *
 * [1] Bradtke and Barto, Linear least-squares algorithms for temporal difference learning, Machine
 *     Learning 22 (1996); for average rewards Yu and Bertsekas, IEEE TAC 54 (2009). */
#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "flow/lowrank.h"
#include "kernel/bandwidth.h"
#include "value/q.h"
#include "weights/linear_fit.h"

enum { FEATURES = 500 };

/* gap = r and rho = 0 solve the equation where all is over in the long run. */
static bf_status nothing_lasts(bf__q *out, const bf_problem *problem, bf_arena *arena,
                               bf_error *err) {
    *out = (bf__q){.gap = problem->data->reward, .model = "lowrank"};
    return bf__warn(&out->remarks, arena, err, BF__W_ENDS_ABSORB, false,
                    "episodes end and stay ended, so all of the long run is spent at reward 0");
}

bf_status bf__q_lowrank(bf__q *out, const bf_problem *problem, const bf__q_options *options,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    if (bf__steps_of(problem).over)
        return nothing_lasts(out, problem, arena, err);
    uint64_t seed = context ? context->seed : 1;
    bf__points points;
    bf__flow *flow;
    bf__lowrank *lowrank;
    bf__linear_fit s;
    double *gap, value = 0;
    int64_t n = problem->data->n;
    BF_TRY(
        bf__points_make(&points, problem, options->periodic, options->scale, context, arena, err));
    bf__pair_kernel kernel = {.share = 0};
    bf__points *f = &points;
    BF_TRY(bf__kernel_make(&kernel.state, "gaussian", options->bandwidth, f->z, f->n, f->d, seed,
                           arena, err));
    if (f->action_dim > 0)
        BF_TRY(bf__kernel_make(&kernel.action, "gaussian", "median", f->u, f->n, f->action_dim,
                               seed, arena, err));
    BF_TRY(bf__flow_atoms(&flow, f, &kernel, arena, err));
    bf__lowrank_options rank = {.rank = options->features > 0 ? options->features : FEATURES,
                                .seed = seed};
    BF_TRY(bf__lowrank_create(&lowrank, flow, &rank, context, arena, err));
    BF_TRY(bf__linear_fit_make(&s, lowrank, problem->data->reward, points.weight, options->ridge,
                               false, "fitting q", 3, context, arena, err));
    BF_TRY(bf__linear_fit_weigh(NULL, &s, context, arena, err));
    int chosen = bf__ridges_choose(&s.ridges);
    BF_ALLOC(gap, arena, n, err);
    BF_TRY(bf__linear_fit_gap(gap, &s, s.ridges.lambda[chosen], context, arena, err));
    for (int64_t i = 0; i < n; i++)
        value += bf__point_weight(&points, i) * (problem->data->reward[i] - gap[i]) / (double)n;
    *out = (bf__q){.model = "lowrank", .gap = gap, .value = value};
    bf__diagnose(&out->remarks, BF__D_Q_FEATURES, (double)s.m);
    bf__diagnose(&out->remarks, BF__D_Q_RIDGE, s.ridges.lambda[chosen]);
    bf__diagnose(&out->remarks, BF__D_Q_BANDWIDTH, kernel.state.width[0]);
    bf__diagnose(&out->remarks, BF__D_Q_NEGATIVE, s.ridges.negative[chosen]);
    return bf__remark_points(&out->remarks, &points, arena, err);
}
