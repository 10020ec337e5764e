/* logistic.c - Multinomial logistic regression with a ridge, by Newton's method.
 *
 * The loss is convex. Its Hessian has a block per pair of classes,
 *
 *     H_kl = mean_i p_ik (1{k = l} - p_il) x_i x_i' + ridge 1{k = l} I
 *
 * and is solved by Cholesky. A step is halved until the loss falls by a share of what the slope
 * promises, so the method converges from any start. One set of coefficients is redundant; the ridge
 * makes the minimiser unique.
 *
 * Cost  O(n m^2 K^2 / 2 + (mK)^3 / 3) per step, five to ten steps; memory O(n m + (mK)^2) */
#include "solver/logistic.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"

enum { STEPS = 60, HALVINGS = 40 };

typedef struct problem {
    const double *x;
    const int32_t *y;
    int64_t n, m;
    int classes;
    double *penalty;             /* (m) */
    double *p;                   /* (n, classes) */
    double *trial;               /* (n, classes) */
    double *scaled;              /* (n, m) */
    double *block;               /* (m, m) */
    double *hessian;             /* (mK, mK) */
    double *slope, *step, *beta; /* (mK) */
    const bf_context *context;
    bf_arena *arena;
} problem;

bf_status bf__logistic_predict(double *p, const double *beta, const double *x, int64_t n, int64_t m,
                               int classes, const bf_context *context, bf_error *err) {
    BF_TRY(bf__matmul(p, x, false, beta, true, n, classes, m, context, err));
    for (int64_t i = 0; i < n; i++) {
        double *row = p + i * classes, most = row[0], sum = 0;
        for (int k = 1; k < classes; k++)
            most = fmax(most, row[k]);
        for (int k = 0; k < classes; k++) {
            row[k] = exp(row[k] - most);
            sum += row[k];
        }
        for (int k = 0; k < classes; k++)
            row[k] /= sum;
    }
    return BF_OK;
}

/* The loss at beta; p (n, classes) takes the probabilities. */
static bf_status loss_at(double *loss, double *p, const problem *s, const double *beta,
                         bf_error *err) {
    *loss = 0;
    BF_TRY(bf__logistic_predict(p, beta, s->x, s->n, s->m, s->classes, s->context, err));
    for (int64_t i = 0; i < s->n; i++)
        *loss -= log(fmax(p[i * s->classes + s->y[i]], 1e-300)) / (double)s->n;
    for (int k = 0; k < s->classes; k++)
        for (int64_t j = 0; j < s->m; j++)
            *loss += 0.5 * s->penalty[j] * beta[k * s->m + j] * beta[k * s->m + j];
    return BF_OK;
}

/* slope (K, m) at beta, p its probabilities. */
static bf_status gradient_at(const problem *s, const double *beta, bf_error *err) {
    double *error = s->trial;
    for (int64_t i = 0; i < s->n; i++)
        for (int k = 0; k < s->classes; k++)
            error[i * s->classes + k] = (s->p[i * s->classes + k] - (s->y[i] == k)) / (double)s->n;
    BF_TRY(bf__gram(s->slope, error, s->classes, s->x, s->m, s->n, 0, s->context, err));
    for (int k = 0; k < s->classes; k++)
        for (int64_t j = 0; j < s->m; j++)
            s->slope[k * s->m + j] += s->penalty[j] * beta[k * s->m + j];
    return BF_OK;
}

static bf_status hessian_at(const problem *s, bf_error *err) {
    int64_t m = s->m, size = m * s->classes;
    for (int k = 0; k < s->classes; k++)
        for (int l = 0; l <= k; l++) {
            for (int64_t i = 0; i < s->n; i++) {
                const double *p = s->p + i * s->classes;
                double c = p[k] * ((k == l) - p[l]) / (double)s->n;
                for (int64_t j = 0; j < m; j++)
                    s->scaled[i * m + j] = c * s->x[i * m + j];
            }
            BF_TRY(bf__gram(s->block, s->scaled, m, s->x, m, s->n, 0, s->context, err));
            for (int64_t j = 0; j < m; j++)
                memcpy(s->hessian + (k * m + j) * size + l * m, s->block + j * m,
                       (size_t)m * sizeof *s->block);
        }
    for (int64_t j = 0; j < size; j++)
        s->hessian[j * size + j] += s->penalty[j % m];
    return BF_OK;
}

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static bf_status allocate(problem *s, bf_error *err) {
    int64_t size = s->m * s->classes;
    BF_ALLOC(s->penalty, s->arena, s->m, err);
    BF_ALLOC(s->p, s->arena, s->n * s->classes, err);
    BF_ALLOC(s->trial, s->arena, s->n * s->classes, err);
    BF_ALLOC(s->scaled, s->arena, s->n * s->m, err);
    BF_ALLOC(s->block, s->arena, s->m * s->m, err);
    BF_ALLOC(s->hessian, s->arena, size * size, err);
    BF_ALLOC(s->slope, s->arena, size, err);
    BF_ALLOC(s->step, s->arena, size, err);
    BF_ALLOC(s->beta, s->arena, size, err);
    return BF_OK;
}

/* One step from `beta`, whose loss is *loss. Sets *done if there is nothing left to gain. */
static bf_status newton(double *beta, double *loss, bool *done, problem *s, bf_error *err) {
    int64_t size = s->m * s->classes;
    BF_TRY(hessian_at(s, err));
    BF_TRY(bf__cholesky(s->hessian, size, NULL, s->arena, err));
    memcpy(s->step, s->slope, (size_t)size * sizeof *s->step);
    BF_TRY(bf__cholesky_solve(s->step, 1, s->hessian, size, s->context, err));
    double promise = dot(s->slope, s->step, size), length = 1, found = *loss;
    *done = !(promise > 1e-11 * (1 + fabs(*loss)));
    for (int k = 0; k < HALVINGS && !*done; k++, length /= 2) {
        for (int64_t j = 0; j < size; j++)
            s->beta[j] = beta[j] - length * s->step[j];
        BF_TRY(loss_at(&found, s->p, s, s->beta, err));
        if (found <= *loss - 1e-4 * length * promise) {
            memcpy(beta, s->beta, (size_t)size * sizeof *beta);
            *loss = found;
            return BF_OK;
        }
    }
    *done = true;
    return BF_OK;
}

bf_status bf__logistic_fit(double *beta, double *gradient, const double *x, const int32_t *y,
                           int64_t n, int64_t m, int classes, int64_t free_columns, double ridge,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    problem s = {
        .x = x, .y = y, .n = n, .m = m, .classes = classes, .context = context, .arena = arena};
    double loss;
    bool done = false;
    BF_TRY(allocate(&s, err));
    for (int64_t j = 0; j < m; j++)
        s.penalty[j] = j < free_columns ? 1e-3 * ridge : ridge;
    BF_TRY(loss_at(&loss, s.p, &s, beta, err));
    BF_TRY(gradient_at(&s, beta, err));
    for (int step = 0; step < STEPS && !done; step++) {
        if (!bf__progress(context, "fitting the behaviour", step, STEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
        BF_TRY(newton(beta, &loss, &done, &s, err));
        BF_TRY(loss_at(&loss, s.p, &s, beta, err));
        BF_TRY(gradient_at(&s, beta, err));
    }
    if (gradient) {
        *gradient = 0;
        for (int64_t j = 0; j < m * classes; j++)
            *gradient = fmax(*gradient, fabs(s.slope[j]));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
