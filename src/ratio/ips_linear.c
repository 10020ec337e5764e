/* ips_linear.c - State ratios linear in kernel features, in closed form.
 *
 *     w(s) = 1 + (phi(s) - f)' alpha,   f = sum_i p_i phi(s_i),  p_i ~ gamma^t_i, sum p = 1
 *     alpha = argmin |b + A alpha|^2 + lambda |alpha|^2
 *
 * b + A alpha is the balance of ips.c seen by the features themselves, with v_i = gamma phi(s'_i),
 * or gamma S0 where the step restarts, S0 and M0 the means of phi and phi phi' over start states:
 *
 *     b = sum_i p_i (beta_i - 1) v_i
 *     A = sum_i p_i beta_i v_i (phi_i - f)' - sum_on p_i v_i (phi(s'_i) - f)' - c0 (M0 - S0 f')
 *
 * `on` the rows that do not restart and c0 = 1 - gamma + gamma (share of rows that do). The start
 * term of the paper, w(s_i) phi(s0), is its mean here: sum p w = 1.
 *
 * --balance states: sum_i p_i phi_i w(s_i) is what is subtracted,
 *
 *     b = sum_i p_i beta_i v_i + (1 - gamma) S0 - f,   A = sum_i p_i (beta_i v_i - phi_i)(phi_i -
 * f)'
 *
 * Source      Liu et al. 2018, eq. (9) to (11), with w linear; no counterpart in their code. It is
 *             to ips what --weights linear is to blackbox, and lambda is chosen by the same rule:
 *             the smallest for which w is below 0 by no more than 5% of its mean
 * Shapes      n transitions, m features; A (m, m)
 * Cost        O(n m^2 + m^3); memory O(m^2), rows of features come in blocks */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "flow/lowrank.h"
#include "kernel/bandwidth.h"
#include "linalg/dense.h"
#include "problem/points.h"
#include "ratio/ips.h"
#include "weights/ridge.h"

enum { RIDGES = 19, ROWS = 2048 };

static const double most_negative = 0.05;

typedef struct linear_options {
    int balance;
    const char *bandwidth;
    const char *periodic, *scale; /* points.h */
    int64_t features;
    bf_auto ridge;
} linear_options;

static const bf_option option_rows[] = {
    BF__IPS_BALANCE_ROW(linear_options),
    BF__IPS_BANDWIDTH_ROW(linear_options),
    BF__POINTS_ROWS(linear_options, ),
    BF_OPTION_RANGE(linear_options, features, "500", 1, 5000, "M: Kernel features."),
    BF__RIDGE_ROW(linear_options,
                  "R: Weight of |alpha|^2: a number, or auto, the smallest for which w is below 0 "
                  "by no more than 5% of its mean."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of ips, linear", linear_options, option_rows);

const bf_model bf__ips_model_linear = {"linear", "ratios linear in kernel features, closed form",
                                       &table, 0};

typedef struct features {
    const bf__ips *ips;
    const bf__lowrank *lowrank;
    int64_t m, n;
    double gamma, total;    /* total: sum of gamma^t */
    double *phi, *v, *left; /* (ROWS, m): a block */
    double *f, *s0, *m0;    /* (m), (m), (m, m) */
    double *a, *b;          /* (m, m), (m) */
    double *apart;          /* (m): mean phi(s') - f */
    double c0;
    bool by_next;
} features;

static bf_status tick(const bf_context *context, int64_t done, int64_t total, bf_error *err) {
    if (!bf__progress(context, "ratios of states", (double)done, (double)total, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped at transition %lld of %lld of the features",
                       (long long)done, (long long)total);
    return BF_OK;
}

/* phi and v of rows first .. first + count - 1. */
static bf_status rows_at(features *s, int64_t first, int64_t count, const bf_context *context,
                         bf_error *err) {
    BF_TRY(bf__lowrank_rows(s->phi, s->v, s->lowrank, first, count, context, err));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < s->m; j++)
            s->v[i * s->m + j] =
                s->phi[i * s->m + j] - s->v[i * s->m + j] - (1 - s->gamma) * s->s0[j];
    return BF_OK;
}

static bf_status start_moments(features *s, const bf_context *context, bf_arena *arena,
                               bf_error *err) {
    const bf__next_d *start = &s->lowrank->flow->start;
    BF_ZALLOC(s->s0, arena, s->m, err);
    BF_ZALLOC(s->m0, arena, s->m * s->m, err);
    if (start->n == 0)
        return BF_OK;
    double *rows;
    BF_ALLOC(rows, arena, start->n * s->m, err);
    BF_TRY(bf__lowrank_next(rows, s->lowrank, start, context, err)); /* each times 1 / start->n */
    BF_TRY(bf__gram(s->m0, rows, s->m, rows, s->m, start->n, 0, context, err));
    for (int64_t j = 0; j < s->m * s->m; j++)
        s->m0[j] *= (double)start->n;
    for (int64_t i = 0; i < start->n; i++)
        for (int64_t j = 0; j < s->m; j++)
            s->s0[j] += rows[i * s->m + j];
    return BF_OK;
}

/* A, b, f over all rows; f is taken out of A at the end. */
static bf_status moments(features *s, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__ips *ips = s->ips;
    int64_t m = s->m;
    double *with_beta, *with_one, leave = 0;
    BF_ZALLOC(s->a, arena, m * m, err);
    BF_ZALLOC(s->b, arena, m, err);
    BF_ZALLOC(s->f, arena, m, err);
    BF_ZALLOC(s->apart, arena, m, err);
    BF_ZALLOC(with_beta, arena, m, err); /* the sum of the first factors of A */
    BF_ZALLOC(with_one, arena, m, err);  /* the same without beta, rows that go on */
    for (int64_t first = 0; first < s->n; first += ROWS) {
        int64_t count = s->n - first < ROWS ? s->n - first : ROWS;
        BF_TRY(tick(context, first, 2 * s->n, err));
        BF_TRY(rows_at(s, first, count, context, err));
        for (int64_t i = 0; i < count; i++) {
            double p = ips->u[first + i] / s->total, beta = ips->beta[first + i];
            for (int64_t j = 0; j < m; j++) {
                double v = s->v[i * m + j];
                s->f[j] += p * s->phi[i * m + j];
                s->b[j] += s->by_next ? p * (beta - 1) * v : p * (beta * v - s->phi[i * m + j]);
                s->apart[j] += p * v;
                s->left[i * m + j] = p * beta * v - (s->by_next ? 0 : p * s->phi[i * m + j]);
                with_beta[j] += s->left[i * m + j];
            }
        }
        BF_TRY(bf__gram(s->a, s->left, m, s->phi, m, count, 1, context, err));
        if (!s->by_next)
            continue;
        for (int64_t i = 0; i < count; i++) {
            double p = ips->u[first + i] / s->total;
            bool ended = bf__step_ended(&ips->steps, first + i);
            leave += ended ? p : 0;
            for (int64_t j = 0; j < m; j++) {
                double v = ended || s->gamma == 0 ? 0 : s->v[i * m + j];
                with_one[j] += p * v;
                s->left[i * m + j] = -p * v / (s->gamma > 0 ? s->gamma : 1);
            }
        }
        BF_TRY(bf__gram(s->a, s->left, m, s->v, m, count, 1, context, err));
    }
    s->c0 = s->by_next ? 1 - s->gamma + s->gamma * leave : 0;
    for (int64_t i = 0; i < m; i++) {
        s->b[i] += s->by_next ? 0 : (1 - s->gamma) * s->s0[i];
        for (int64_t j = 0; j < m; j++)
            s->a[i * m + j] -= (with_beta[i] - with_one[i] - s->c0 * s->s0[i]) * s->f[j] +
                               s->c0 * s->m0[i * m + j];
        s->apart[i] += (1 - s->gamma) * s->s0[i] - s->f[i];
    }
    return BF_OK;
}

/* alpha (m, ridges) by the eigenvectors of A'A. */
static bf_status solve(double *alpha, const features *s, const double *ridge, int ridges,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = s->m;
    double *v, *value, *g, *c;
    BF_ALLOC(v, arena, m * m, err);
    BF_ALLOC(value, arena, m, err);
    BF_ALLOC(g, arena, m, err);
    BF_ALLOC(c, arena, m * ridges, err);
    BF_TRY(bf__gram(v, s->a, m, s->a, m, m, 0, context, err));
    BF_TRY(bf__eigen(value, v, m, arena, err));
    BF_TRY(bf__matvec(g, s->a, true, s->b, m, m, context, err));
    BF_TRY(bf__matvec(c, v, false, g, m, m, context, err));
    memcpy(g, c, (size_t)m * sizeof *g);
    for (int64_t k = 0; k < m; k++)
        for (int l = 0; l < ridges; l++)
            c[k * ridges + l] = -g[k] / (fmax(value[k], 0) + ridge[l]);
    return bf__matmul(alpha, v, true, c, false, m, ridges, m, context, err);
}

/* w (n) for the ridge chosen; *chosen its place. */
static bf_status evaluate(double *w, int *chosen, features *s, const double *alpha, int ridges,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    double *all, negative[RIDGES] = {0}, *shift;
    BF_ALLOC(all, arena, s->n * ridges, err);
    BF_ALLOC(shift, arena, ridges, err);
    BF_TRY(bf__matmul(shift, s->f, false, alpha, false, 1, ridges, s->m, context, err));
    for (int64_t first = 0; first < s->n; first += ROWS) {
        int64_t count = s->n - first < ROWS ? s->n - first : ROWS;
        BF_TRY(tick(context, s->n + first, 2 * s->n, err));
        BF_TRY(bf__lowrank_rows(s->phi, NULL, s->lowrank, first, count, context, err));
        BF_TRY(bf__matmul(all + first * ridges, s->phi, false, alpha, false, count, ridges, s->m,
                          context, err));
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int l = 0; l < ridges; l++) {
            all[i * ridges + l] += 1 - shift[l];
            negative[l] += s->ips->u[i] / s->total * fmax(-all[i * ridges + l], 0);
        }
    for (*chosen = 0; *chosen + 1 < ridges; ++*chosen)
        if (negative[*chosen + 1] > most_negative)
            break;
    for (int64_t i = 0; i < s->n; i++)
        w[i] = all[i * ridges + *chosen];
    return BF_OK;
}

static void choose_ridges(double *ridge, int *count, bf_auto given) {
    *count = given.given ? 1 : RIDGES;
    for (int l = 0; l < *count; l++)
        ridge[l] = given.given ? given.value : pow(10, -4 - 0.5 * l);
}

static bf_status report(bf_estimate *out, const features *s, const double *alpha, int ridges,
                        int chosen, double ridge, const bf_context *context, bf_arena *arena,
                        bf_error *err) {
    double before = 0, after = 0, apart = 0, *column, *rest;
    BF_ALLOC(column, arena, s->m, err);
    BF_ALLOC(rest, arena, s->m, err);
    for (int64_t j = 0; j < s->m; j++)
        column[j] = alpha[j * ridges + chosen];
    BF_TRY(bf__matvec(rest, s->a, false, column, s->m, s->m, context, err));
    for (int64_t j = 0; j < s->m; j++) {
        before += s->b[j] * s->b[j];
        after += (s->b[j] + rest[j]) * (s->b[j] + rest[j]);
        apart += s->apart[j] * s->apart[j];
    }
    bf__diagnose(out, BF__D_STATE_RESIDUAL, after);
    bf__diagnose(out, BF__D_STATE_RESIDUAL_UNIFORM, before);
    bf__diagnose(out, BF__D_IMBALANCE_FEATURES, sqrt(apart));
    bf__diagnose(out, BF__D_BANDWIDTH, s->lowrank->flow->kernel.state.width[0]);
    bf__diagnose(out, BF__D_FEATURES, (double)s->m);
    bf__diagnose(out, BF__D_RIDGE, ridge);
    if (sqrt(apart) > 0.1 && s->by_next)
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_STATIONARY, false,
                        "ips takes the log's states for a long run of the behaviour policy, but "
                        "they differ from its next states by %.3g (kernel mean distance)",
                        sqrt(apart)));
    return BF_OK;
}

bf_status bf__ips_linear(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                         bf_arena *arena, bf_error *err) {
    const linear_options *o = bf_settings_of(ips->settings, &table);
    bf__points points;
    bf__flow *flow;
    bf__lowrank *lowrank;
    double ridge[RIDGES], *alpha, *w;
    int ridges, chosen;
    choose_ridges(ridge, &ridges, o->ridge);
    BF_TRY(bf__points_make(&points, ips->problem, o->periodic, o->scale, context, arena, err));
    bf__points *in = &points;
    bf__pair_kernel kernel = {.share = 1}; /* on states alone */
    BF_TRY(bf__kernel_make(&kernel.state, "gaussian", o->bandwidth, in->z, in->n, in->d, in->seed,
                           arena, err));
    BF_TRY(bf__flow_atoms(&flow, in, &kernel, arena, err));
    bf__lowrank_options cut = {.rank = o->features, .seed = in->seed};
    BF_TRY(bf__lowrank_create(&lowrank, flow, &cut, context, arena, err));
    features s = {.ips = ips,
                  .lowrank = lowrank,
                  .m = lowrank->m,
                  .n = in->n,
                  .gamma = ips->problem->gamma,
                  .by_next = o->balance == BF__IPS_NEXT};
    for (int64_t i = 0; i < s.n; i++)
        s.total += ips->u[i];
    BF_ALLOC(s.phi, arena, ROWS * s.m, err);
    BF_ALLOC(s.v, arena, ROWS * s.m, err);
    BF_ALLOC(s.left, arena, ROWS * s.m, err);
    BF_ALLOC(w, arena, s.n, err);
    BF_ALLOC(alpha, arena, s.m * ridges, err);
    BF_TRY(start_moments(&s, context, arena, err));
    BF_TRY(moments(&s, context, arena, err));
    BF_TRY(solve(alpha, &s, ridge, ridges, context, arena, err));
    BF_TRY(evaluate(w, &chosen, &s, alpha, ridges, context, arena, err));
    BF_TRY(bf__ips_result(out, ips, w, arena, err));
    return report(out, &s, alpha, ridges, chosen, ridge[chosen], context, arena, err);
}
