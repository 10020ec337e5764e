/* cells_qp.c - The flow residual of a finite model as a quadratic form in the mass on its cells.
 *
 * x (C) mass on cells; y = T x (S) inflow of states, T with restarts in it; Pi spreads a state's
 * inflow over its actions by the target policy. The residual over all pairs, seen or not, is
 *
 *     r = E x - Pi y,    l = |r|^2 = sum_cells (x_c - pi_c y_s)^2 + sum_s y_s^2 sum_unseen pi^2.
 *
 * Q = (E - Pi T)'(E - Pi T) is C by C, but it is the identity plus something of rank 2S. So
 * (Q + D) u = b is solved through y and lambda = Pi' r only: with W = (I + D)^-1, P = T W Pi_seen,
 * G = T W T', H = diag(sum_a pi^2) - Pi_seen' W Pi_seen,
 *
 *     [ I - P    -G    ] [ y      ]   [ T W b        ]
 *     [   H    I - P'  ] [ lambda ] = [ Pi_seen' W b ],      u = W (b + Pi_seen y + T' lambda).
 *
 * It is not the normal equations: its condition is that of the chain, not its square.
 * Cost O(S^3) per factorisation (0.4 s per core at 1,500 states), memory 32 S^2 bytes. */
#include "finite/cells_qp.h"

#include <math.h>
#include <string.h>

#include "core/blas.h"
#include "core/fail.h"

enum { DIRECT_STATES = 4500 };

typedef struct form {
    const bf__cells *m;
    const bf__blas *blas;
    int64_t size;    /* 2S */
    double *squares; /* (S): sum of pi^2 over all actions */
    double *y, *ty;  /* (S) */
    double *matrix;  /* (2S, 2S), column-major for LAPACK; NULL: apply only */
    double *rhs;     /* (2S) */
    int *pivots;     /* (2S) */
    double *w;       /* (C) */
} form;

void bf__cells_inflow(const bf__cells *m, const double *x, double *y) {
    memset(y, 0, (size_t)m->states * sizeof *y);
    double restarts = 0;
    for (int64_t c = 0; c < m->cells; c++) {
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            y[m->to[j]] += x[c] * m->prob[j];
        restarts += x[c] * m->restart[c];
    }
    for (int64_t s = 0; s < m->states && restarts != 0; s++)
        y[s] += restarts * m->start[s];
}

/* (T' v)_c */
static double pull_back(const bf__cells *m, const double *v, double start_v, int64_t c) {
    double sum = m->restart[c] * start_v;
    for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
        sum += m->prob[j] * v[m->to[j]];
    return sum;
}

static double start_mean(const bf__cells *m, const double *v) {
    double sum = 0;
    for (int64_t s = 0; s < m->states; s++)
        sum += m->start[s] * v[s];
    return sum;
}

void bf__cells_missing(const bf__cells *m, double *miss) {
    for (int64_t s = 0; s < m->states; s++) {
        miss[s] = 0;
        for (int a = 0; a < m->actions; a++)
            if (m->cell_at[s * m->actions + a] < 0)
                miss[s] += m->pi[s * m->actions + a];
    }
}

double bf__cells_loss(const bf__cells *m, const double *x, double *y) {
    double sum = 0;
    bf__cells_inflow(m, x, y);
    for (int64_t i = 0; i < m->states * m->actions; i++) {
        double flow = m->pi[i] * y[i / m->actions];
        double r = m->cell_at[i] >= 0 ? x[m->cell_at[i]] - flow : flow;
        sum += r * r;
    }
    return sum;
}

/* Q x = r_seen - T' Pi' r */
static void form_apply(void *self, const double *x, double *out) {
    form *f = self;
    const bf__cells *m = f->m;
    bf__cells_inflow(m, x, f->y);
    for (int64_t s = 0; s < m->states; s++) /* Pi'r = Pi_seen' x - diag(sum pi^2) y */
        f->ty[s] = -f->squares[s] * f->y[s];
    for (int64_t c = 0; c < m->cells; c++)
        f->ty[m->state_of[c]] += bf__cell_pi(m, c) * x[c];
    double start_ty = start_mean(m, f->ty);
    for (int64_t c = 0; c < m->cells; c++)
        out[c] = x[c] - bf__cell_pi(m, c) * f->y[m->state_of[c]] - pull_back(m, f->ty, start_ty, c);
}

/* Adds to G the rank-one parts that restarts put into T = T0 + start restart'. */
static void add_restarts(form *f, double *spread, double both) {
    const bf__cells *m = f->m;
    int64_t n = f->size, states = m->states;
    for (int64_t i = 0; i < states; i++)
        for (int64_t j = 0; j < states; j++)
            f->matrix[(states + j) * n + i] -= m->start[i] * spread[j] + spread[i] * m->start[j] +
                                               both * m->start[i] * m->start[j];
}

static bf_status form_factor(void *self, const double *d, bf_error *err) {
    form *f = self;
    const bf__cells *m = f->m;
    int64_t n = f->size, states = m->states;
    double *a = f->matrix; /* entry (row i, column j) at a[j * n + i] */
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    memset(f->y, 0, (size_t)states * sizeof *f->y); /* T0 W restart */
    double both = 0;
    for (int64_t s = 0; s < states; s++) {
        a[s * n + s] += 1;
        a[(states + s) * n + states + s] += 1;
        a[s * n + states + s] += f->squares[s];
    }
    for (int64_t c = 0; c < m->cells; c++) {
        double w = isinf(d[c]) ? 0 : 1 / (1 + d[c]), pi = bf__cell_pi(m, c), f_c = m->restart[c];
        int64_t s = m->state_of[c];
        f->w[c] = w;
        if (w == 0)
            continue;
        a[s * n + states + s] -= w * pi * pi;
        both += w * f_c * f_c;
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++) {
            int64_t to = m->to[j];
            double flow = w * m->prob[j];
            a[s * n + to] -= flow * pi;                     /* -P  */
            a[(states + to) * n + states + s] -= flow * pi; /* -P' */
            f->y[to] += flow * f_c;
            for (int64_t k = m->begin[c]; k < m->begin[c + 1]; k++) /* -G */
                a[(states + m->to[k]) * n + to] -= flow * m->prob[k];
        }
        if (f_c > 0)
            for (int64_t to = 0; to < states; to++) {
                double flow = w * f_c * m->start[to] * pi;
                a[s * n + to] -= flow;
                a[(states + to) * n + states + s] -= flow;
            }
    }
    if (m->has_start)
        add_restarts(f, f->y, both);
    int size = (int)n, info = 0;
    f->blas->dgetrf(&size, &size, a, &size, f->pivots, &info);
    if (info != 0)
        return bf_fail(err, BF_ENUMERIC, "the equations of the flow are singular");
    return BF_OK;
}

static void form_solve(void *self, const double *b, double *u) {
    form *f = self;
    const bf__cells *m = f->m;
    for (int64_t c = 0; c < m->cells; c++)
        u[c] = f->w[c] * b[c];
    bf__cells_inflow(m, u, f->rhs);
    double *lambda = f->rhs + m->states;
    memset(lambda, 0, (size_t)m->states * sizeof *lambda);
    for (int64_t c = 0; c < m->cells; c++)
        lambda[m->state_of[c]] += bf__cell_pi(m, c) * u[c];
    int size = (int)f->size, one = 1, info = 0;
    f->blas->dgetrs("N", &size, &one, f->matrix, &size, f->pivots, f->rhs, &size, &info);
    double start_lambda = start_mean(m, lambda);
    for (int64_t c = 0; c < m->cells; c++)
        u[c] = f->w[c] * (b[c] + bf__cell_pi(m, c) * f->rhs[m->state_of[c]] +
                          pull_back(m, lambda, start_lambda, c));
}

bf_status bf__cells_quadratic(bf__quadratic *q, const bf__cells *model, bf_arena *arena,
                              bf_error *err) {
    form *f;
    int64_t states = model->states;
    BF_ZALLOC(f, arena, 1, err);
    f->m = model;
    f->size = 2 * states;
    BF_ZALLOC(f->squares, arena, states, err);
    BF_ALLOC(f->y, arena, states, err);
    BF_ALLOC(f->ty, arena, states, err);
    for (int64_t i = 0; i < states * model->actions; i++)
        f->squares[i / model->actions] += model->pi[i] * model->pi[i];
    *q = (bf__quadratic){.n = model->cells, .self = f, .apply = form_apply};
    if (states > DIRECT_STATES)
        return BF_OK;
    BF_TRY(bf__blas_load(&f->blas, 1, err));
    BF_ALLOC(f->matrix, arena, f->size * f->size, err);
    BF_ALLOC(f->rhs, arena, f->size, err);
    BF_ALLOC(f->pivots, arena, f->size, err);
    BF_ALLOC(f->w, arena, model->cells, err);
    q->factor = form_factor;
    q->solve = form_solve;
    return BF_OK;
}
