/* anchors.c - Black-box weights that can not be negative: bumps around logged pairs.
 *
 * Estimates   sum_i w_i r_i,   w = B alpha,  alpha in the simplex,
 *             alpha = argmin alpha' Q alpha,  Q = B' K B
 *             B_ij = k_W(x_i, z_j) / sum_i' k_W(x_i', z_j)
 * Source      paper, eq. (9)-(11), with W(x) = sum_j alpha_j k_W(x, z_j)
 * Shapes      n transitions, m anchors z_j, c features of K: B (n, m), Psi (n, c), Q (m, m)
 * Cost        O(n c m) per width, and a quadratic program of m variables: O(m^3) a step
 *
 * Every column of B is a distribution over the log, so every alpha of the simplex gives weights
 * that are not negative and sum to 1: there is no penalty to choose.
 *
 * Anchors are logged pairs, chosen by randomly pivoted Cholesky on the kernel of the flow, which
 * spreads them over all that was seen; drawn at random they crowd where the log does. k_W is
 * Gaussian and much narrower than the kernel: what the weights can tell apart is set by k_W, what
 * they are asked to balance by the kernel. How narrow is not known beforehand, so that the weights
 * are the mean over a few widths. In many dimensions a few hundred bumps do not cover the states:
 * `anchor_gap`, the share of the log more than two widths from every anchor, says so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "estimator/result.h"
#include "flow/plan.h"
#include "flow/tile.h"
#include "kernel/bandwidth.h"
#include "linalg/dense.h"
#include "solver/simplex_qp.h"
#include "weights/balance.h"

enum { ANCHORS = 300, FEATURES = 500, ROWS = 2048, MOST_WIDTHS = 8 };

static const double two_widths = 0.1353352832366127; /* exp(-2): k_W two widths away */

typedef struct bumps {
    const bf__flow *flow;     /* with kernel k_W; only its pairs matter */
    const bf__points *points; /* the rows, which may count differently: B_ij by their weights */
    bf__data_d at;            /* the anchors */
} bumps;

/* Psi of the flow, whole or made again in blocks. */
typedef struct residuals {
    const bf__lowrank *lowrank;
    double *psi; /* (n, c), or (rows, c) where streamed */
    bool streamed;
    int64_t rows;
} residuals;

static bf_status parse_shares(double *shares, int *count, const char *text, bf_error *err) {
    *count = 0;
    for (const char *rest = text; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        char item[64];
        double share;
        snprintf(item, sizeof item, "%.*s", (int)strcspn(rest, ","), rest);
        if (*count == MOST_WIDTHS)
            return bf_fail(err, BF_EUSAGE, "anchor_width: more than %d widths in '%s'", MOST_WIDTHS,
                           text);
        if (!bf__parse_real(item, &share) || !(share >= 1e-6 && share <= 1e6))
            return bf_fail(err, BF_EUSAGE, "anchor_width: '%s' is not a number from 1e-6 to 1e6",
                           item);
        shares[(*count)++] = share;
    }
    return BF_OK;
}

static bf_status check_shares(const bf_option *row, const char *text, bf_error *err) {
    double shares[MOST_WIDTHS];
    int count;
    (void)row;
    return parse_shares(shares, &count, text, err);
}

typedef struct anchors_options {
    bf__pointwise at;
    double memory;            /* GB */
    const char *anchor_width; /* shares of the kernel's width, with commas */
} anchors_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(anchors_options, at.),
    BF__MEMORY_ROW(anchors_options),
    BF_OPTION_CHECKED(anchors_options, anchor_width, "0.15,0.2,0.3", check_shares,
                      "SHARES: Widths around the anchors, as shares of the kernel's; the weights "
                      "are the mean over them."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights anchors", anchors_options, rows);

static bf_status narrow(bf__kernel *out, const anchors_options *options, double share,
                        const double *z, const bf__points *in, int d, bf_arena *arena,
                        bf_error *err) {
    bf__kernel wide;
    double width[BF__MAX_WIDTHS];
    BF_TRY(bf__kernel_make(&wide, "gaussian", options->at.bandwidth, z, in->n, d, in->seed, arena,
                           err));
    for (int k = 0; k < wide.widths; k++)
        width[k] = share * wide.width[k];
    return bf__kernel_set(out, wide.kind, width, wide.widths, err);
}

/* The logged pairs index[.] as points of `flow`. */
static bf_status pick_pairs(bf__data_d *out, const bf__flow *flow, const bf__points *in,
                            const int64_t *index, int64_t count, bf_arena *arena, bf_error *err) {
    double *z, *u;
    int32_t *action;
    BF_ALLOC(z, arena, in->d * count, err);
    BF_ALLOC(u, arena, in->action_dim * count, err);
    BF_ALLOC(action, arena, count, err);
    for (int64_t j = 0; j < count; j++) {
        for (int c = 0; c < in->d; c++)
            z[c * count + j] = in->z[c * in->n + index[j]];
        for (int c = 0; c < in->action_dim; c++)
            u[c * count + j] = in->u[c * in->n + index[j]];
        action[j] = in->actions ? in->action[index[j]] : 0;
    }
    return bf__data_make(out, flow, z, action, u, count, arena, err);
}

/* The first of the pivots of `span`, with k_W of `share` of the kernel's width around them. */
static bf_status place_anchors(bumps *out, const bf__balance *balance, const bf__lowrank *span,
                               const anchors_options *options, double share, bf_arena *arena,
                               bf_error *err) {
    bf__points in = balance->points;
    bf__pair_kernel kernel = {.share = 0};
    bf__flow *flow;
    int64_t count = options->at.features > 0 ? options->at.features : ANCHORS;
    /* Of this flow only the pairs are used, so that it is made as simple as it can be. */
    in.steps = bf__steps_make(NULL, in.n, 1, BF_TERMINAL_IGNORE);
    BF_TRY(narrow(&kernel.state, options, share, in.z, &in, in.d, arena, err));
    if (!in.actions)
        BF_TRY(narrow(&kernel.action, options, share, in.u, &in, in.action_dim, arena, err));
    BF_TRY(bf__flow_atoms(&flow, &in, &kernel, arena, err));
    out->flow = flow;
    out->points = &balance->points;
    return pick_pairs(&out->at, flow, &in, span->index, count < span->m ? count : span->m, arena,
                      err);
}

/* out (count, m) = k_W(x_i, z_j) of rows from `first` on. */
static void bump_rows(double *out, const bumps *b, int64_t first, int64_t count,
                      const bf_context *context) {
    int64_t m = b->at.n;
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < count; i++)
        bf__data_data_d(out + i * m, b->flow, &b->flow->data_d, first + i, &b->at, 0, m);
}

/* C (c, m) = Psi' B, and sums (m), what the columns of B were divided by. */
static bf_status push(double *c, double *sums, const bumps *b, const residuals *r, double *block,
                      const bf_context *context, bf_error *err) {
    int64_t n = b->flow->n, m = b->at.n, features = r->lowrank->m;
    memset(sums, 0, (size_t)m * sizeof *sums);
    memset(c, 0, (size_t)(features * m) * sizeof *c);
    for (int64_t first = 0; first < n; first += r->rows) {
        int64_t count = n - first < r->rows ? n - first : r->rows;
        const double *psi = r->streamed ? r->psi : r->psi + first * features;
        if (r->streamed)
            BF_TRY(bf__lowrank_rows(NULL, r->psi, r->lowrank, first, count, context, err));
        bump_rows(block, b, first, count, context);
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < m; j++)
                sums[j] += block[i * m + j] *= bf__point_weight(b->points, first + i);
        BF_TRY(bf__gram(c, psi, features, block, m, count, 1, context, err));
    }
    for (int64_t k = 0; k < features; k++)
        for (int64_t j = 0; j < m; j++)
            c[k * m + j] /= sums[j];
    return BF_OK;
}

/* alpha, divided by the sums of the columns: w = (bump rows) alpha. */
static bf_status solve(double *alpha, double *gap, const bumps *b, const residuals *r,
                       double *block, const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__quadratic quadratic;
    bf__qp_result result;
    int64_t m = b->at.n, features = r->lowrank->m;
    double *c, *sums, *q;
    BF_ALLOC(c, arena, features * m, err);
    BF_ALLOC(sums, arena, m, err);
    BF_ALLOC(q, arena, m * m, err);
    BF_TRY(push(c, sums, b, r, block, context, err));
    BF_TRY(bf__gram(q, c, m, c, m, features, 0, context, err));
    BF_TRY(bf__quadratic_dense(&quadratic, q, m, arena, err));
    BF_TRY(bf__simplex_qp(alpha, &result, &quadratic, context, arena, err));
    for (int64_t j = 0; j < m; j++)
        alpha[j] /= sums[j];
    *gap = fmax(*gap, result.gap);
    return BF_OK;
}

/* Adds `part` times the weights for one width to w; *far: the share of the log that is far from
 * every anchor. */
static bf_status add_width(double *w, double part, double *far, double *gap, const bumps *b,
                           const residuals *r, const bf_context *context, bf_arena *arena,
                           bf_error *err) {
    int64_t n = b->flow->n, m = b->at.n;
    double *alpha, *block;
    *far = 0;
    BF_ALLOC(alpha, arena, m, err);
    BF_ALLOC(block, arena, r->rows * m, err);
    BF_TRY(solve(alpha, gap, b, r, block, context, arena, err));
    for (int64_t first = 0; first < n; first += r->rows) {
        int64_t count = n - first < r->rows ? n - first : r->rows;
        bump_rows(block, b, first, count, context);
        for (int64_t i = 0; i < count; i++) {
            double sum = 0, nearest = 0;
            for (int64_t j = 0; j < m; j++) {
                sum += block[i * m + j] * alpha[j];
                nearest = fmax(nearest, block[i * m + j]);
            }
            w[first + i] += part * sum * bf__point_weight(b->points, first + i);
            *far += nearest < two_widths ? 1 / (double)n : 0;
        }
    }
    return BF_OK;
}

static bf_status make_residuals(residuals *out, const bf__balance *balance,
                                const anchors_options *options, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    int64_t n = balance->flow->n;
    bf__lowrank *lowrank;
    bf__flow_plan plan =
        bf__flow_choose(n, 1e9 * options->memory,
                        options->at.features > FEATURES ? options->at.features : FEATURES, true);
    bf__lowrank_options cut = {
        .rank = plan.rank, .candidates = plan.candidates, .seed = balance->points.seed};
    BF_TRY(bf__lowrank_create(&lowrank, balance->flow, &cut, context, arena, err));
    *out = (residuals){
        .lowrank = lowrank, .streamed = plan.way == BF__WAY_STREAMED, .rows = n < ROWS ? n : ROWS};
    BF_ALLOC(out->psi, arena, (out->streamed ? out->rows : n) * lowrank->m, err);
    if (!out->streamed)
        BF_TRY(bf__lowrank_rows(NULL, out->psi, lowrank, 0, n, context, err));
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const anchors_options *options = bf_settings_of(settings, &table);
    bf__balance balance;
    residuals r;
    bool ended;
    int widths;
    double share[MOST_WIDTHS], least_far = 1, gap = 0, *w;
    BF_TRY(parse_shares(share, &widths, options->anchor_width, err));
    BF_TRY(bf__balance_ended(&ended, out, problem, arena, err));
    if (ended)
        return BF_OK;
    BF_TRY(bf__balance_make(&balance, problem, &options->at, "gaussian", 0, context, arena, err));
    BF_TRY(make_residuals(&r, &balance, options, context, arena, err));
    BF_ZALLOC(w, arena, problem->data->n, err);
    for (int k = 0; k < widths; k++) {
        if (!bf__progress(context, "anchors", k, widths, NULL))
            return bf_fail(err, BF_ECANCELLED, "stopped at width %d of %d of the anchors", k + 1,
                           widths);
        bf_mark mark = bf_arena_mark(arena);
        bumps b;
        double far;
        BF_TRY(place_anchors(&b, &balance, r.lowrank, options, share[k], arena, err));
        BF_TRY(add_width(w, 1.0 / widths, &far, &gap, &b, &r, context, arena, err));
        least_far = fmin(least_far, far);
        bf_arena_rewind(arena, mark);
    }
    BF_TRY(bf__balance_report(out, problem, &balance, w, r.lowrank, r.streamed ? NULL : r.psi,
                              context, arena, err));
    bf__diagnose(out, BF__D_NEGATIVE_MASS, 0);
    bf__diagnose(out, BF__D_ANCHOR_GAP, least_far);
    bf__diagnose(out, BF__D_DUALITY_GAP, gap);
    if (least_far > 0.5)
        BF_TRY(bf__warn(out, arena, err, BF__W_ANCHORS_SPARSE, least_far > 0.9,
                        "the anchors do not cover the log: %.3g of it is more than two widths "
                        "from all of them, and has next to no weight",
                        least_far));
    return BF_OK;
}

/* Only by name. */
static int suits(const bf_dataset *data) {
    (void)data;
    return 0;
}

const bf__weights bf__weights_anchors = {
    .model = {"anchors", "bumps around logged pairs, never negative, by a quadratic program",
              &table, BF_TAKES_WEIGHT},
    .suits = suits,
    .run = run,
};
