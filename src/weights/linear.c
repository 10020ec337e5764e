/* linear.c - Black-box weights, linear in kernel features, in closed form.
 *
 * Estimates   sum_i w_i r_i,  n w_i = W(x_i) = 1 + (phi(x_i) - f)' alpha,   f the mean of phi
 *             alpha = argmin |sum_i w_i psi_i|^2 + lambda |alpha|^2
 *                   = -(M'M + lambda I)^-1 M'p,   M = mean psi_i (phi_i - f)',  p = mean psi_i
 * Source      paper, eq. (9)-(11), with W linear; docs/notes/linear-weights.md: trials
 * Shapes      n transitions, m features; phi, psi (n, m)
 * Cost        that of linear_fit.c, which solves this; the features are kept if they fit the memory
 *
 * If rows have weights, means are over rows by these, and w_i is W(x_i) times that of the row.
 *
 * The constant 1 is a feature that costs nothing: weights sum to 1 by themselves, lambda = infinity
 * gives equal weights, and the residual is never above theirs.
 *
 * The other side. b = mean (phi_i - f) r_i: the value is mean r + b'alpha = mean r - p'theta with
 * theta = M (M'M + lambda I)^-1 b, the ridge solution of M' theta = b. That is least-squares
 * temporal differences for the differential value q = phi' theta (value/q_lowrank.c): weights and
 * q, primal and dual, give one and the same number, so that their agreement can not be used to find
 * lambda.
 *
 * lambda. W can not be negative, but nothing here forces that: ridge.h chooses by it.
 *
 * Where W is negative all the same, the value is that of the W found (cut to the range of the
 * rewards), whose balance it is. The weights handed out are max(W, 0), made to sum to 1. */
#include <math.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "flow/plan.h"
#include "solver/rademacher.h"
#include "weights/balance.h"
#include "weights/linear_fit.h"

enum { FEATURES = 500 };
static const char task[] = "linear weights";

/* ---- What to say about it */

static bf_status report(bf_estimate *out, const bf_problem *problem, const bf__balance *balance,
                        const bf__linear_fit *s, const double *all, int chosen,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    double *w, *kept, sum = 0, total = 0;
    BF_ALLOC(w, arena, n, err);
    BF_ALLOC(kept, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        w[i] =
            bf__point_weight(&balance->points, i) * all[i * s->ridges.count + chosen] / (double)n;
    BF_TRY(bf__balance_report(out, problem, balance, w, s->lowrank, s->kept ? s->psi : NULL,
                              context, arena, err));
    for (int64_t i = 0; i < n; i++) {
        total += w[i];
        sum += kept[i] = fmax(w[i], 0);
    }
    for (int64_t i = 0; i < n; i++)
        kept[i] *= total / sum;
    bf__diagnose(out, BF__D_NEGATIVE_MASS, s->ridges.negative[chosen]);
    bf__diagnose(out, BF__D_RIDGE, s->ridges.lambda[chosen]);
    if (!s->weight) /* theorem.h is about rows that all count the same */
        bf__diagnose(out, BF__D_RADEMACHER,
                     bf__rademacher_ball(s->norm[chosen], fmax(s->spread, 0), n));
    return bf__hand_out(out, problem, kept, w, total, arena, err);
}

typedef struct linear_options {
    bf__pointwise at;
    bf_auto ridge;
    double memory; /* GB */
} linear_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(linear_options, at.),
    BF__LAMBDA_ROW(linear_options),
    BF__MEMORY_ROW(linear_options),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights linear", linear_options, rows);

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const linear_options *options = bf_settings_of(settings, &table);
    bf__balance balance;
    bf__lowrank *lowrank;
    bf__linear_fit fit;
    bool ended;
    double *w;
    BF_TRY(bf__balance_ended(&ended, out, problem, arena, err));
    if (ended)
        return BF_OK;
    BF_TRY(bf__balance_make(&balance, problem, &options->at, "matern", 0.5, context, arena, err));
    bf__flow_plan plan =
        bf__flow_choose(problem->data->n, 1e9 * options->memory,
                        options->at.features > 0 ? options->at.features : FEATURES, true);
    bf__lowrank_options cut = {
        .rank = plan.rank, .candidates = plan.candidates, .seed = balance.points.seed};
    if (!bf__progress(context, task, 0, 1, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped before the features were chosen");
    BF_TRY(bf__lowrank_create(&lowrank, balance.flow, &cut, context, arena, err));
    BF_TRY(bf__linear_fit_make(&fit, lowrank, problem->data->reward, balance.points.weight,
                               options->ridge, plan.way != BF__WAY_STREAMED, task, 2, context,
                               arena, err));
    BF_ALLOC(w, arena, fit.n * fit.ridges.count, err);
    BF_TRY(bf__linear_fit_weigh(w, &fit, context, arena, err));
    return report(out, problem, &balance, &fit, w, bf__ridges_choose(&fit.ridges), context, arena,
                  err);
}

/* The one that can do with any log; others suit some logs better. */
static int suits(const bf_dataset *data) {
    (void)data;
    return 1;
}

const bf__weights bf__weights_linear = {
    .model = {"linear", "linear in kernel features, in closed form", &table, BF_TAKES_WEIGHT},
    .suits = suits,
    .run = run,
};
