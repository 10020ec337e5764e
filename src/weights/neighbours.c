/* neighbours.c - Black-box weights that are the long-run visits of a chain on the logged pairs.
 *
 * Estimates   sum_i u_i r_i,  u the stationary distribution of neighbours_chain.c
 * Cost        that of the chain; the flow residual, for the report, O(n m), m 200 features
 *
 * Where the minimum of the flow residual is 0, tabular weights are the stationary distribution of
 * the empirical chain. This is the same for real-valued states, with each next pair spread over
 * logged pairs around it. Weights are not negative and need no tuning; interpolation makes them
 * a little biased, which `corrected` mends. */
#include <math.h>

#include "core/fail.h"
#include "core/log.h"
#include "estimator/result.h"
#include "weights/correction.h"

enum { FEATURES = 200 };

void bf__neighbours_note(const bf__points *points, const bf_context *context) {
    if (points->angles)
        bf__log(context, BF_LOG_NOTE,
                "taken for angles, as cosine and sine: %s (--periodic none if they are not)",
                points->angles);
}

static bf_status warn_of_weights(bf_estimate *out, const bf_problem *problem, double after,
                                 double before, bf_arena *arena, bf_error *err) {
    double n = (double)problem->data->n, ess = bf__diagnosed(out, BF__D_ESS);
    double largest = bf__diagnosed(out, BF__D_MAX_WEIGHT);
    if (ess < fmin(fmax(20, 0.005 * n), 0.5 * n))
        BF_TRY(bf__warn(out, arena, err, ess < 20,
                        "Collect data nearer to what the target policy does.",
                        "the answer rests on few transitions: all %.0f count for as much as %.3g "
                        "equally weighted ones",
                        n, ess));
    if (largest > 0.1 && n > 20)
        BF_TRY(bf__warn(out, arena, err, true,
                        "Look at the rows of largest weight (--weights-out); the target may come "
                        "to rest there.",
                        "a single transition has %.3g of all the weight", largest));
    if (before > 20 / n && after > 0.5 * before)
        BF_TRY(bf__warn(out, arena, err, true,
                        "Check that the policy belongs to this log, and that states tell all that "
                        "matters for what follows.",
                        "the weights hardly balance the flow: its residual is %.3g, and %.3g for "
                        "equal weights",
                        after, before));
    return BF_OK;
}

static bf_status warn_of_chain(bf_estimate *out, const bf_problem *problem,
                               const bf__neighbours *base, bf_arena *arena, bf_error *err) {
    if (base->off_hull > 0.25)
        BF_TRY(bf__warn(out, arena, err, base->off_hull > 1,
                        "Collect more data there, or give fewer, more telling state columns.",
                        "next states lie outside what the log surrounds with the target's actions: "
                        "by %.3g standard deviations in the mean",
                        base->off_hull));
    if (!base->settled)
        BF_TRY(bf__warn(out, arena, err, base->change > 1e-2,
                        "The target mixes very slowly on this log; a discount below 1 is easier.",
                        "the weights of neighbours had not settled after %lld steps",
                        (long long)base->steps));
    double ended = 1 - base->sum;
    if (base->ends && problem->gamma == 1 && ended > 0)
        BF_TRY(bf__warn(
            out, arena, err, ended < 1, "Choose --terminal restart, or --gamma below 1.",
            "episodes end and stay ended, so %.3g of the long run is spent at reward 0", ended));
    return BF_OK;
}

bf_status bf__neighbours_report(bf_estimate *out, const bf_problem *problem,
                                const bf__points *points, const bf__neighbours *base, double after,
                                double before, int64_t features, bf_arena *arena, bf_error *err) {
    bf__diagnose(out, BF__D_FLOW_RESIDUAL, after);
    bf__diagnose(out, BF__D_FLOW_RESIDUAL_UNIFORM, before);
    BF_TRY(bf__points_report(out, points, arena, err));
    bf__diagnose(out, BF__D_OFF_HULL, base->off_hull);
    bf__diagnose(out, BF__D_FEATURES, (double)features);
    bf__diagnose(out, BF__D_NODES, (double)base->nodes);
    bf__diagnose(out, BF__D_CHAIN_STEPS, (double)base->steps);
    if (base->ends)
        bf__diagnose(out, BF__D_ABSORBED, 1 - base->sum);
    if (base->sum > 0)
        BF_TRY(warn_of_weights(out, problem, after, before, arena, err));
    return warn_of_chain(out, problem, base, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem,
                     const bf__blackbox_options *options, const bf_context *context,
                     bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    bf__points points;
    bf__neighbours base;
    bf__lowrank *lowrank;
    bf__features features;
    BF_TRY(
        bf__points_make(&points, problem, options->periodic, options->scale, context, arena, err));
    bf__neighbours_note(&points, context);
    BF_TRY(bf__neighbours_solve(&base, problem, &points, (int)options->neighbours, 0, context,
                                arena, err));
    double *w, residual[2];
    BF_ALLOC(w, arena, 2 * n, err);
    for (int64_t i = 0; i < n; i++) {
        w[i] = base.u[i];
        w[n + i] = 1.0 / (double)n;
    }
    BF_TRY(bf__features_read(&features, &points, options, arena, err));
    BF_TRY(bf__features_make(&lowrank, &points, &features, 1,
                             options->features > 0 ? options->features : FEATURES, context, arena,
                             err));
    BF_TRY(bf__features_residual(residual, lowrank, w, 2, base.ends, problem->gamma, context, arena,
                                 err));
    bf__result_from_weights(out, problem, base.u);
    return bf__neighbours_report(out, problem, &points, &base, residual[0], residual[1], lowrank->m,
                                 arena, err);
}

static int suits(const bf_dataset *data) {
    (void)data;
    return 0;
}

const bf__weights bf__weights_neighbours = {
    .name = "neighbours",
    .summary = "visits of a chain on the logged pairs, each next pair spread over its neighbours",
    .suits = suits,
    .run = run,
};
