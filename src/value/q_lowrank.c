/* q_lowrank.c - The differential value, linear in kernel features, in closed form.
 *
 * Fits        q(x) = phi(x)' theta to   mean_i (phi_i - f) (r_i - psi_i' theta) = 0,
 *             f the mean of phi: least-squares temporal differences for the average reward [1],
 *             with the constant 1 among the instruments, so that rho = mean_i (r_i - psi_i' theta)
 * Ridge       theta = M (M'M + lambda I)^-1 b,  M = mean psi_i (phi_i - f)',
 *             b = mean (phi_i - f) r_i: the theta of least |M'theta - b|^2 + lambda |theta|^2
 * Shapes      n transitions, m features; rows of phi and psi are made in blocks, and made again
 * Cost        O(n m^2) three times, O(m^3) once for the eigenvalues of M'M; memory O(m^2)
 *
 * lambda. The answer is a weighted mean of rewards: rho = mean_i W_i r_i with
 *
 *     W_i = 1 - (phi_i - f)' (M'M + lambda I)^-1 M' p,     p = mean psi_i,
 *
 * the weights of linear.c, and ridge.h chooses by them.
 *
 * [1] Bradtke and Barto, Linear least-squares algorithms for temporal difference learning, Machine
 *     Learning 22 (1996); for average rewards Yu and Bertsekas, IEEE TAC 54 (2009). */
#include <math.h>

#include "core/fail.h"
#include "core/log.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "flow/lowrank.h"
#include "kernel/bandwidth.h"
#include "linalg/dense.h"
#include "value/q.h"
#include "weights/ridge.h"

enum { ROWS = 4096, FEATURES = 500 };

typedef struct fit {
    const bf_dataset *data;
    const bf__lowrank *lowrank;
    int64_t m;
    double *phi, *psi; /* (ROWS, m) */
    double *f, *p, *b; /* (m) */
    double *cross;     /* (m, m): M */
    double *vectors;   /* (m, m): row k is an eigenvector of M'M */
    double *values;    /* (m) */
    bf__ridges ridges;
    const bf_context *context;
    bf_arena *arena;
} fit;

/* Rows first .. first + *count - 1 into s->phi and s->psi. */
static bf_status make_rows(fit *s, int64_t first, int64_t *count, double share, bf_error *err) {
    int64_t left = s->data->n - first;
    *count = left < ROWS ? left : ROWS;
    if (!bf__progress(s->context, "fitting q", share + (double)first / (double)s->data->n / 3, 1,
                      NULL))
        return bf_fail(err, BF_ECANCELLED, "cancelled");
    return bf__lowrank_rows(s->phi, s->psi, s->lowrank, first, *count, s->context, err);
}

/* f, p, b and M. */
static bf_status gather(fit *s, bf_error *err) {
    int64_t m = s->m, count;
    double n = (double)s->data->n, mean_r = 0;
    for (int64_t first = 0; first < s->data->n; first += count) {
        BF_TRY(make_rows(s, first, &count, 0, err));
        BF_TRY(bf__gram(s->cross, s->psi, m, s->phi, m, count, first > 0, s->context, err));
        for (int64_t i = 0; i < count; i++) {
            double r = s->data->reward[first + i];
            mean_r += r / n;
            for (int64_t k = 0; k < m; k++) {
                s->f[k] += s->phi[i * m + k] / n;
                s->p[k] += s->psi[i * m + k] / n;
                s->b[k] += s->phi[i * m + k] * r / n;
            }
        }
    }
    for (int64_t k = 0; k < m; k++)
        s->b[k] -= s->f[k] * mean_r;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < m; k++)
            s->cross[j * m + k] = s->cross[j * m + k] / n - s->p[j] * s->f[k];
    return BF_OK;
}

/* out (m) = (M'M + ridge I)^-1 x. `scratch` (m). */
static bf_status damped(double *out, const fit *s, const double *x, double ridge, double *scratch,
                        bf_error *err) {
    BF_TRY(bf__matvec(scratch, s->vectors, false, x, s->m, s->m, s->context, err));
    for (int64_t k = 0; k < s->m; k++)
        scratch[k] /= fmax(s->values[k], 0) + ridge;
    return bf__matvec(out, s->vectors, true, scratch, s->m, s->m, s->context, err);
}

/* How negative W goes for each ridge. */
static bf_status measure(fit *s, bf_error *err) {
    int64_t m = s->m, count;
    int ridges = s->ridges.count;
    double *alpha, *right, *scratch, *w, *shift;
    BF_ALLOC(alpha, s->arena, ridges * m, err);
    BF_ALLOC(right, s->arena, m, err);
    BF_ALLOC(scratch, s->arena, m, err);
    BF_ALLOC(w, s->arena, ROWS * ridges, err);
    BF_ZALLOC(shift, s->arena, ridges, err);
    BF_TRY(bf__matvec(right, s->cross, true, s->p, m, m, s->context, err));
    for (int t = 0; t < ridges; t++) {
        BF_TRY(damped(alpha + t * m, s, right, s->ridges.lambda[t], scratch, err));
        for (int64_t k = 0; k < m; k++)
            shift[t] += s->f[k] * alpha[t * m + k];
    }
    for (int64_t first = 0; first < s->data->n; first += count) {
        BF_TRY(make_rows(s, first, &count, 1.0 / 3, err));
        BF_TRY(bf__matmul(w, s->phi, false, alpha, true, count, ridges, m, s->context, err));
        for (int64_t i = 0; i < count; i++)
            for (int t = 0; t < ridges; t++) {
                double weight = 1 - w[i * ridges + t] + shift[t];
                s->ridges.negative[t] += weight < 0 ? -weight / (double)s->data->n : 0;
            }
    }
    return BF_OK;
}

/* theta for one ridge, and gap (n) and the value that go with it. */
static bf_status finish(bf__q *out, fit *s, double ridge, bf_error *err) {
    int64_t m = s->m, count;
    double *theta, *inner, *scratch, *gap;
    BF_ALLOC(gap, s->arena, s->data->n, err);
    BF_ALLOC(theta, s->arena, m, err);
    BF_ALLOC(inner, s->arena, m, err);
    BF_ALLOC(scratch, s->arena, m, err);
    BF_TRY(damped(inner, s, s->b, ridge, scratch, err));
    BF_TRY(bf__matvec(theta, s->cross, false, inner, m, m, s->context, err));
    for (int64_t first = 0; first < s->data->n; first += count) {
        BF_TRY(make_rows(s, first, &count, 2.0 / 3, err));
        BF_TRY(bf__matvec(gap + first, s->psi, false, theta, count, m, s->context, err));
    }
    double value = 0;
    for (int64_t i = 0; i < s->data->n; i++)
        value += (s->data->reward[i] - gap[i]) / (double)s->data->n;
    out->gap = gap;
    out->value = value;
    return BF_OK;
}

static bf_status allocate(fit *s, bf_error *err) {
    int64_t m = s->m, rows = s->data->n < ROWS ? s->data->n : ROWS;
    BF_ALLOC(s->phi, s->arena, rows * m, err);
    BF_ALLOC(s->psi, s->arena, rows * m, err);
    BF_ALLOC(s->cross, s->arena, m * m, err);
    BF_ALLOC(s->vectors, s->arena, m * m, err);
    BF_ALLOC(s->values, s->arena, m, err);
    BF_ZALLOC(s->f, s->arena, m, err);
    BF_ZALLOC(s->p, s->arena, m, err);
    BF_ZALLOC(s->b, s->arena, m, err);
    return BF_OK;
}

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
    fit s = {.data = problem->data, .context = context, .arena = arena};
    s.ridges = bf__ridges_make(options->ridge);
    BF_TRY(
        bf__points_make(&points, problem, options->periodic, options->scale, context, arena, err));
    bf__pair_kernel kernel = {.share = 0};
    bf__points *f = &points;
    BF_TRY(bf__kernel_make(&kernel.state, "gaussian", options->bandwidth, f->z, f->n, f->d, seed,
                           arena, err));
    if (f->action_dim > 0)
        BF_TRY(bf__kernel_make(&kernel.action, "gaussian", "median", f->u, f->n, f->action_dim,
                               seed, arena, err));
    BF_TRY(bf__flow_create(&flow, f, &kernel, context, arena, err));
    bf__lowrank_options rank = {.rank = options->features > 0 ? options->features : FEATURES,
                                .seed = seed};
    BF_TRY(bf__lowrank_create(&lowrank, flow, &rank, context, arena, err));
    s.lowrank = lowrank;
    s.m = lowrank->m;
    BF_TRY(allocate(&s, err));
    BF_TRY(gather(&s, err));
    BF_TRY(bf__gram(s.vectors, s.cross, s.m, s.cross, s.m, s.m, 0, context, err));
    BF_TRY(bf__eigen(s.values, s.vectors, s.m, arena, err));
    BF_TRY(measure(&s, err));
    int chosen = bf__ridges_choose(&s.ridges);
    *out = (bf__q){.model = "lowrank"};
    BF_TRY(finish(out, &s, s.ridges.lambda[chosen], err));
    bf__diagnose(&out->remarks, BF__D_Q_FEATURES, (double)s.m);
    bf__diagnose(&out->remarks, BF__D_Q_RIDGE, s.ridges.lambda[chosen]);
    bf__diagnose(&out->remarks, BF__D_Q_BANDWIDTH, kernel.state.width[0]);
    bf__diagnose(&out->remarks, BF__D_Q_NEGATIVE, s.ridges.negative[chosen]);
    return bf__remark_points(&out->remarks, &points, arena, err);
}
