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
 * The rounds look as many steps ahead as there are, damped. So the equation is closed now and then,
 * with the last layer free, by a linear solve (closing.c), and the answer is the mean over solves.
 *
 * Members. The log is cut into four folds of whole episodes, or more if there are more members, and
 * network e does not learn from fold e:
 * it is judged on it, and stops when it gets worse there. The value is the median over the
 * networks, so that one that has gone astray does not move it. How far they differ says how far the
 * answer depends on the rows, and on where a network begins.
 *
 * Cost        members x rounds x (m (1 + K) forward passes + 32 steps of `batch` pairs), where m,
 *             the rows that a round looks at, is 32 `batch` or n if that is less; and n (1 + K)
 *             forward passes for each of 15 solves; members train side by side
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
#include "neural/critics.h"
#include "problem/folds.h"
#include "solver/kdtree.h"
#include "solver/mlp.h"

/* The most members; how often the equation is closed, after about every fifteenth of the rounds. */
enum { MOST = BF__MOST_CRITICS, CLOSINGS = 15 };
/* Fewer members than these leave out no more than a quarter of the episodes all the same. */
enum { LEAST_FOLDS = 4 };
/* Rounds, if the user leaves them to us. In many dimensions more of them make solves no better, on
 * any of the logs that we chose on; in few, features need them. */
enum { ROUNDS = 400, ROUNDS_IN_MANY = 150 };
/* Pairs in a step. In few dimensions, where features need all of the rounds, fewer do as well. On a
 * small log they are a 32nd of the rows, which are then gone through once a round. */
enum { BATCH_IN_MANY = 512, BATCH = 128, LEAST_BATCH = 64 };
_Static_assert((int)CLOSINGS <= (int)BF__CRITIC_CLOSINGS, "a member has no room for them");

typedef struct fqe_options {
    const char *periodic, *scale;
    const char *hidden;
    int64_t rounds, batch, members;
    double rate;
    bool close;
} fqe_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(fqe_options, ),
    BF_OPTION_CHECKED(fqe_options, hidden, "32-32", bf__mlp_check,
                      "UNITS: Hidden layers of Q(s, a), tanh."),
    BF_OPTION_RANGE(fqe_options, members, "4", 1, MOST,
                    "Networks, each fitted without a share of the episodes, a quarter or less, on "
                    "which it is judged; 1: one, fitted to all."),
    BF_OPTION_RANGE(fqe_options, rounds, "0", 0, 1e7,
                    "Times that the targets are made anew, at most; after each, 32 Adam steps. 0: "
                    "400, or 150 in more than eight dimensions."),
    BF_OPTION_RANGE(
        fqe_options, batch, "0", 0, 65536,
        "Transitions in a step. A round makes targets for 32 times as many rows. 0: 512 "
        "in more than eight dimensions, elsewhere a 32nd of the rows, from 64 to 128."),
    BF_OPTION_RANGE(fqe_options, rate, "0.003", 1e-9, 1, "Size of a step."),
    BF_OPTION(
        fqe_options, close, "yes",
        "Whether the equation is solved in the last hidden layer, now and then; no: the rounds "
        "alone answer, which look as many steps ahead as there are."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of fqe", fqe_options, rows);

static bool in_many_dimensions(const bf__pairs *pairs, const bf_dataset *data) {
    return data->state_dim + data->action_dim - pairs->points.left_out_count > BF__FEW_DIMENSIONS;
}

static int64_t batch_for(bool many, int64_t n) {
    int64_t once = n / BF__CRITIC_STEPS;
    return many ? BATCH_IN_MANY : once < LEAST_BATCH ? LEAST_BATCH : once > BATCH ? BATCH : once;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over members, and what they say of themselves in the mean. */
static void report(bf_estimate *out, bf__critic *const *critics, int members) {
    double value[MOST], mean = 0, spread = 0, drift = 0, bellman = 0, held = 0, scale = 0;
    double lambda = 0;
    int early = 0, closed = 0;
    for (int e = 0; e < members; e++) {
        bf__critic_answer says = bf__critic_says(critics[e]);
        value[e] = says.value;
        mean += says.value / members;
        drift += says.drift / members;
        bellman += says.bellman / members;
        held += says.held_out / members;
        scale += says.scale / members;
        early += says.early;
        closed += !isnan(says.lambda);
        lambda += isnan(says.lambda) ? 0 : says.lambda;
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
    if (closed > 0)
        bf__diagnose(out, BF__D_SOLVE_DISCOUNT, lambda / closed);
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
                            .closings = o->close ? CLOSINGS : 0,
                            .seed = context ? context->seed : 1};
    (void)model;
    BF_TRY(bf__steps_last(problem, err));
    BF_TRY(bf__pairs_check(problem, settings, err));
    BF_TRY(bf__pairs_make(&pairs, problem, o->periodic, o->scale, context, arena, err));
    bool many = in_many_dimensions(&pairs, problem->data);
    if (o->rounds == 0)
        task.rounds = many ? ROUNDS_IN_MANY : ROUNDS;
    if (o->batch == 0)
        task.batch = batch_for(many, pairs.n);
    int members = (int)(o->members < pairs.n ? o->members : pairs.n);
    int folds = members > LEAST_FOLDS ? members : LEAST_FOLDS;
    if (members > 1)
        BF_TRY(bf__folds_make(&task.fold, problem->data, folds, "fqe folds", context, arena, err));
    BF_TRY(bf__critics_make(critics, members, &task, arena, err));
    BF_TRY(bf__critics_train(critics, members, &task, context, arena, err));
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
    .leans = 1,
};
