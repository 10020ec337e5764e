/* fqe.c - Fitted Q evaluation: the target's action values, by regression on their own targets.
 *
 * Estimates   gamma < 1: (1 - gamma) E Q(s0, a0);  gamma = 1: the average reward rho of the
 *             differential equation  q = r - rho + E_pi q'
 * Source      Le, Voloshin, Yue, Batch policy learning under constraints, ICML 2019, algorithm 3;
 *             for gamma = 1 relative value iteration (White 1963) in the place of value iteration
 *
 * Both are one iteration (critic.c), for h = Q - c / (1 - gamma): Q evaluation for gamma < 1
 * without its slowest mode, the constant, and the differential form at gamma = 1. A terminated step
 * leads to the mean over start states, or (absorb) to Q = 0.
 *
 * Members. The log is cut into folds of whole episodes, and network e does not learn from fold e:
 * it is judged on it, and stops when it gets worse there. The value is the median over the
 * networks, so that one that has gone astray does not move it. How far they differ says how far the
 * answer depends on the rows, and on where a network begins.
 *
 * Cost        members x rounds x (n (1 + K) forward passes + 32 steps of 512 pairs); members train
 *             side by side
 *
 * Nothing here weighs the log: Q is only as good as the networks' reach to pairs that the target
 * takes and the log does not show, and with a network the iteration need not converge. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "problem/folds.h"
#include "solver/mlp.h"
#include "value/critic.h"

/* The most members. Rounds between two looks at whether to go on, and rows from which on we look
 * after every round. */
enum { MOST = 16, TOGETHER = 10, LARGE = 100000 };

typedef struct fqe_options {
    const char *periodic, *scale;
    const char *hidden;
    int64_t rounds, batch, members;
    double rate;
} fqe_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(fqe_options, ),
    BF_OPTION_CHECKED(fqe_options, hidden, "32-32", bf__mlp_check,
                      "UNITS: Hidden layers of Q(s, a), tanh."),
    BF_OPTION_RANGE(fqe_options, members, "4", 1, MOST,
                    "Networks, each fitted without a share of the episodes, on which it is judged; "
                    "1: one, fitted to all."),
    BF_OPTION_RANGE(fqe_options, rounds, "400", 1, 1e7,
                    "Times that the targets are made anew, at most; after each, 32 Adam steps."),
    BF_OPTION_RANGE(fqe_options, batch, "512", 1, 65536, "Transitions in a step."),
    BF_OPTION_RANGE(fqe_options, rate, "0.003", 1e-9, 1, "Size of a step."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of fqe", fqe_options, rows);

static bf_status train(bf__critic **critics, int members, const bf__critic_task *t,
                       const bf_context *context, bf_error *err) {
    int threads = bf__threads(context);
    int64_t together = t->pairs->n < LARGE ? TOGETHER : 1;
    for (int64_t first = 0; first < t->rounds; first += together) {
        int64_t last = first + together < t->rounds ? first + together : t->rounds;
        if (!bf__progress(context, "fitting Q", (double)first, (double)t->rounds, NULL))
            return bf_fail(err, BF_ECANCELLED, "stopped at round %lld of %lld", (long long)first,
                           (long long)t->rounds);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int e = 0; e < members; e++)
            bf__critic_train(critics[e], first, last);
    }
    return BF_OK;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over members, and what they say of themselves in the mean. */
static void report(bf_estimate *out, bf__critic *const *critics, int members) {
    double value[MOST], mean = 0, spread = 0, drift = 0, bellman = 0, held = 0, scale = 0;
    int early = 0;
    for (int e = 0; e < members; e++) {
        bf__critic_answer says = bf__critic_says(critics[e]);
        value[e] = says.value;
        mean += says.value / members;
        drift += says.drift / members;
        bellman += says.bellman / members;
        held += says.held_out / members;
        scale += says.scale / members;
        early += says.early;
    }
    for (int e = 0; e < members; e++)
        spread += pow(value[e] - mean, 2) / fmax(members - 1, 1);
    qsort(value, (size_t)members, sizeof *value, by_size);
    out->value = isfinite(mean) ? (value[(members - 1) / 2] + value[members / 2]) / 2 : mean;
    bf__diagnose(out, BF__D_BELLMAN_ERROR, bellman);
    if (members > 1) {
        bf__diagnose(out, BF__D_HELD_OUT_ERROR, held);
        bf__diagnose(out, BF__D_MEMBER_SPREAD, sqrt(spread));
        bf__diagnose(out, BF__D_STOPPED_EARLY, early);
    }
    bf__diagnose(out, BF__D_VALUE_SCALE, scale);
    bf__diagnose(out, BF__D_DRIFT, fabs(drift));
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const fqe_options *o = bf_settings_of(settings, &table);
    bf__pairs pairs;
    bf__critic *critics[MOST];
    bf__critic_task task = {.problem = problem,
                            .pairs = &pairs,
                            .hidden = o->hidden,
                            .rounds = o->rounds,
                            .batch = o->batch,
                            .rate = o->rate,
                            .seed = context ? context->seed : 1};
    (void)model;
    BF_TRY(bf__steps_last(problem, err));
    BF_TRY(bf__pairs_check(problem, settings, err));
    BF_TRY(bf__pairs_make(&pairs, problem, o->periodic, o->scale, context, arena, err));
    int members = (int)(o->members < pairs.n ? o->members : pairs.n);
    if (members > 1)
        BF_TRY(
            bf__folds_make(&task.fold, problem->data, members, "fqe folds", context, arena, err));
    BF_TRY(bf__critic_inputs(&task, arena, err));
    for (int e = 0; e < members; e++)
        BF_TRY(bf__critic_make(&critics[e], &task, e, arena, err));
    BF_TRY(train(critics, members, &task, context, err));
    report(out, critics, members);
    return bf__remark_points(out, &pairs.points, arena, err);
}

const bf_estimator bf__estimator_fqe = {
    .name = "fqe",
    .summary = "fitted Q evaluation with networks; needs no behaviour policy",
    .needs = BF_NEEDS_TARGET,
    .traits = BF_FIXED_COST,
    .options = &table,
    .run = run,
    .takes = BF_TAKES_WEIGHT,
};
