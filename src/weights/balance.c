/* balance.c - What models of the weights share where states are real numbers: psi, and a report.
 *
 * Ends that absorb. After an end the process stays there at reward 0: one more state, with a
 * weight w_e of its own. Its balance says (1 - gamma) w_e = gamma sum_{ended} w_i, and the start
 * states get mass (1 - gamma) (sum_i w_i + w_e) = sum_i h_i w_i with h_i = 1 - gamma, or 1 for an
 * ended step: those are the equations of restarts. So restarts are solved, with sum_i w_i = 1, and
 * all is divided by 1 + w_e afterwards. At gamma = 1 nothing but the end is left.
 *
 * The flow residual is w'Kw in double, exact up to EXACT transitions and |Psi'w|^2 beyond, which
 * is less by no more than the guard (flow/lowrank.h). */
#include "weights/balance.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "kernel/bandwidth.h"
#include "linalg/dense.h"

enum { EXACT = 20000, ROWS = 4096 };

bf_status bf__balance_make(bf__balance *out, const bf_problem *problem,
                           const bf__pointwise *options, const char *kernel, double share,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    *out = (bf__balance){.flow = NULL};
    bf__points *in = &out->points;
    bf__pair_kernel *k = &out->kernel;
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    k->share = options->action_share.given ? options->action_share.value : share;
    BF_TRY(bf__points_make(in, problem, options->periodic, options->scale, context, arena, err));
    BF_TRY(bf__kernel_make(&k->state, kind ? kind->name : kernel, options->bandwidth, in->z, in->n,
                           in->d, in->seed, arena, err));
    if (!in->actions)
        BF_TRY(bf__kernel_make(&k->action, kind ? kind->name : kernel, options->bandwidth, in->u,
                               in->n, in->action_dim, in->seed, arena, err));
    out->absorbed = in->steps.absorbs;
    if (out->absorbed)
        in->steps =
            bf__steps_make(problem->data->terminated, in->n, problem->gamma, BF_TERMINAL_RESTART);
    return bf__flow_create(&out->flow, in, k, context, arena, err);
}

bf_status bf__balance_ended(bool *ended, bf_estimate *out, const bf_problem *problem,
                            bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    *ended = bf__steps_of(problem).over;
    if (!*ended)
        return BF_OK;
    double *w;
    BF_ZALLOC(w, arena, data->n, err);
    bf__result_from_weights(out, problem, w);
    bf__diagnose(out, BF__D_ABSORBED, 1);
    return bf__warn(out, arena, err, BF__W_ENDS_ABSORB, true,
                    "episodes end and stay ended: if the target policy can reach an end from "
                    "everywhere, all of the long run is spent there, at reward 0");
}

/* ---- The residual */

/* |Psi'w|^2 and |Psi'1|^2 / n^2, and the guard of w, by one pass over the rows. */
typedef struct sums {
    double loss, uniform, guard;
} sums;

static bf_status low_rank_sums(sums *out, const bf__lowrank *lowrank, const double *psi,
                               const double *w, const bf__points *points, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    int64_t n = lowrank->flow->n, m = lowrank->m, rows = n < ROWS ? n : ROWS;
    bf_mark mark = bf_arena_mark(arena);
    double *made = NULL, *both, *total, *diagonal;
    if (!psi)
        BF_ALLOC(made, arena, rows * m, err);
    BF_ALLOC(both, arena, 2 * rows, err);
    BF_ZALLOC(total, arena, 2 * m, err);
    BF_ALLOC(diagonal, arena, n, err);
    bf__flow_diagonal(diagonal, lowrank->flow, context);
    for (int64_t first = 0; first < n; first += rows) {
        int64_t count = n - first < rows ? n - first : rows;
        const double *block = psi ? psi + first * m : made;
        if (!psi)
            BF_TRY(bf__lowrank_rows(NULL, made, lowrank, first, count, context, err));
        for (int64_t i = 0; i < count; i++) {
            both[2 * i] = w[first + i];
            both[2 * i + 1] = bf__point_weight(points, first + i) / (double)n;
            for (int64_t p = 0; p < m; p++)
                diagonal[first + i] -= block[i * m + p] * block[i * m + p];
            diagonal[first + i] = fmax(diagonal[first + i], 0);
        }
        BF_TRY(bf__gram(total, block, m, both, 2, count, 1, context, err));
    }
    *out = (sums){.guard = bf__lowrank_guard(w, diagonal, n)};
    for (int64_t p = 0; p < m; p++) {
        out->loss += total[2 * p] * total[2 * p];
        out->uniform += total[2 * p + 1] * total[2 * p + 1];
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status exact_sums(sums *out, const bf__flow *flow, const double *w,
                            const bf__points *points, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *uniform;
    BF_ALLOC(uniform, arena, flow->n, err);
    for (int64_t i = 0; i < flow->n; i++)
        uniform[i] = bf__point_weight(points, i) / (double)flow->n;
    BF_TRY(bf__flow_loss(&out->loss, flow, w, context, arena, err));
    BF_TRY(bf__flow_loss(&out->uniform, flow, uniform, context, arena, err));
    out->loss = fmax(out->loss, 0); /* rounding */
    out->uniform = fmax(out->uniform, 0);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Ends that absorb */

static double absorb(double *w, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    bf__steps steps = bf__steps_of(problem);
    double ended = 0, gamma = steps.gamma;
    for (int64_t i = 0; i < data->n; i++)
        ended += bf__step_ended(&steps, i) ? w[i] : 0;
    double end = fmax(ended, 0) * gamma / (1 - gamma); /* weights may be negative in parts */
    for (int64_t i = 0; i < data->n; i++)
        w[i] /= 1 + end;
    return end / (1 + end);
}

/* ---- What to say about it */

bf_status bf__balance_report(bf_estimate *out, const bf_problem *problem,
                             const bf__balance *balance, double *w, const bf__lowrank *lowrank,
                             const double *psi, const bf_context *context, bf_arena *arena,
                             bf_error *err) {
    const bf__flow *flow = balance->flow;
    sums s = {.guard = 0};
    bool measured = !balance->unmeasured;
    if (!bf__progress(context, "flow residual", 0, 1, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped at the flow residual");
    if (measured && lowrank)
        BF_TRY(low_rank_sums(&s, lowrank, psi, w, &balance->points, context, arena, err));
    if (measured && (flow->n <= EXACT || !lowrank))
        BF_TRY(exact_sums(&s, flow, w, &balance->points, context, arena, err));
    double absorbed = balance->absorbed ? absorb(w, problem) : 0;
    bf__result_from_weights(out, problem, w);
    if (measured) {
        bf__diagnose(out, BF__D_FLOW_RESIDUAL, s.loss);
        bf__diagnose(out, BF__D_FLOW_RESIDUAL_UNIFORM, s.uniform);
    }
    if (measured && lowrank)
        bf__diagnose(out, BF__D_FLOW_GUARD, s.guard);
    if (balance->absorbed)
        bf__diagnose(out, BF__D_ABSORBED, absorbed);
    bf__diagnose(out, BF__D_BANDWIDTH, flow->kernel.state.width[0]);
    if (lowrank)
        bf__diagnose(out, BF__D_FEATURES, (double)lowrank->m);
    return bf__remark_points(out, &balance->points, arena, err);
}
