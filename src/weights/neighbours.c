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

#include "core/context.h"
#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "weights/features.h"
#include "weights/neighbours.h"

enum { FEATURES = 200 };

void bf__neighbours_note(const bf__points *points, const bf_context *context) {
    if (points->angles)
        bf__message(context, BF_MESSAGE_NOTE,
                    "taken for angles, as cosine and sine: %s (`periodic` none if they are not)",
                    points->angles);
    if (points->left_out)
        bf__message(context, BF_MESSAGE_NOTE,
                    "columns left out, because nothing that counts depends on them: %s (`scale` "
                    "none keeps them)",
                    points->left_out);
}

bf_status bf__neighbours_report(bf_estimate *out, const bf__points *points,
                                const bf__neighbours *base, double after, double before,
                                int64_t features, bf_arena *arena, bf_error *err) {
    if (!isnan(after)) { /* otherwise there was no time to measure it */
        bf__diagnose(out, BF__D_FLOW_RESIDUAL, after);
        bf__diagnose(out, BF__D_FLOW_RESIDUAL_UNIFORM, before);
    }
    BF_TRY(bf__remark_points(out, points, arena, err));
    bf__diagnose(out, BF__D_OFF_HULL, base->off_hull);
    bf__diagnose(out, BF__D_LEFT_FOR_LOG, base->left);
    bf__diagnose(out, BF__D_FEATURES, (double)features);
    bf__diagnose(out, BF__D_NODES, (double)base->nodes);
    bf__diagnose(out, BF__D_CHAIN_STEPS, (double)base->steps);
    bf__diagnose(out, BF__D_CHAIN_SETTLED, base->settled);
    bf__diagnose(out, BF__D_CHAIN_CHANGE, base->change);
    if (base->ends)
        bf__diagnose(out, BF__D_ABSORBED, 1 - base->sum);
    return BF_OK;
}

typedef struct neighbours_options {
    bf__pointwise at;
    int64_t neighbours;
} neighbours_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(neighbours_options, at.),
    BF__NEIGHBOURS_ROW(neighbours_options),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights neighbours", neighbours_options, rows);

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const neighbours_options *options = bf_settings_of(settings, &table);
    int64_t n = problem->data->n;
    bf__points points;
    bf__neighbours base;
    bf__lowrank *lowrank;
    bf__pair_kernel kernel;
    BF_TRY(bf__points_make(&points, problem, options->at.periodic, options->at.scale, context,
                           arena, err));
    bf__neighbours_note(&points, context);
    BF_TRY(bf__neighbours_solve(&base, problem, &points, (int)options->neighbours, 0, context,
                                arena, err));
    double *w, residual[2];
    BF_ALLOC(w, arena, 2 * n, err);
    for (int64_t i = 0; i < n; i++) {
        w[i] = base.u[i];
        w[n + i] = bf__point_weight(&points, i) / (double)n;
    }
    BF_TRY(bf__features_read(&kernel, &points, &options->at, arena, err));
    BF_TRY(bf__features_make(&lowrank, &points, &kernel, 1,
                             options->at.features > 0 ? options->at.features : FEATURES, NULL,
                             context, arena, err));
    BF_TRY(bf__features_residual(residual, lowrank, w, 2, base.ends, problem->gamma, context, arena,
                                 err));
    bf__result_from_weights(out, problem, base.u);
    return bf__neighbours_report(out, &points, &base, residual[0], residual[1], lowrank->m, arena,
                                 err);
}

static int suits(const bf_dataset *data) {
    (void)data;
    return 0;
}

const bf__weights bf__weights_neighbours = {
    .model = {"neighbours",
              "visits of a chain on the logged pairs, each next pair spread over its neighbours",
              &table, BF_TAKES_WEIGHT},
    .suits = suits,
    .run = run,
};
