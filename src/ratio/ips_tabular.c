/* ips_tabular.c - State ratios with one free number per state: a quadratic program.
 *
 *     G[s][s'] += beta,  G[s'][s'] -= 1       over all rows (s, a, s')
 *     Q = H H' + 0.001 I,  row s of H = row s of G / (50 freq[s])
 *     x = argmin over the simplex of x'Qx,    w = x / freq
 *
 * gamma < 1: row number t of an episode from s0 counts g = gamma^(t+1),
 *     G[s][s'] += beta g,  G[s'][s'] -= g,  G[s][s0] += (1 - gamma) gamma^t,
 * and after T rows G[s0][s0] -= 1 - gamma^T.
 *
 * Source      the code of Liu et al. 2018, scale and ridge included
 * Shapes      V states that rows start from; G (V, V)
 * Cost        O(n + V^3)
 *
 * --balance states: in the place of all that is subtracted, G[s][s] -= gamma^t for every row, and
 * start states are the mean over all episodes, not the row's own: w(s) depends on where its episode
 * began, the rate of new starts does not.
 *
 * A state that no row starts from has no ratio of its own that the answer depends on: whatever
 * flows into it is right, so its column is left out. */
#include <math.h>

#include "core/fail.h"
#include "estimator/result.h"
#include "linalg/dense.h"
#include "problem/cells.h"
#include "ratio/ips.h"
#include "solver/simplex_qp.h"

enum { MOST_STATES = 6000 };

typedef struct tabular_options {
    int balance;
} tabular_options;

static const bf_option option_rows[] = {BF__IPS_BALANCE_ROW(tabular_options)};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of ips, tabular", tabular_options, option_rows);

const bf_model bf__ips_model_tabular = {"tabular", "one ratio per state, for finite states", &table,
                                        0};

typedef struct balance {
    const bf__cells *m;
    bool by_next;       /* w(s') is held against what flows in; otherwise w(s) */
    int64_t states;     /* V */
    int64_t *index;     /* (S): 0 .. V-1, or -1 */
    double *g;          /* (V, V) */
    double *freq;       /* (V): share of the rows */
    double *out, *into; /* (S): where rows start and where they lead, sums */
} balance;

static void add(balance *b, int32_t from, int32_t to, double value) {
    if (b->index[from] >= 0 && b->index[to] >= 0)
        b->g[b->index[from] * b->states + b->index[to]] += value;
}

/* A row that leads from s to `to`, which counts `g`. */
static void add_row(balance *b, int32_t s, int32_t to, double g, double beta) {
    add(b, s, to, beta * g);
    if (b->by_next)
        add(b, to, to, -g);
    b->into[to] += g;
}

static void accumulate(balance *b, const bf__ips *ips) {
    const bf_dataset *data = ips->problem->data;
    const bf__cells *m = b->m;
    double gamma = ips->problem->gamma;
    for (int64_t i = 0; i < data->n; i++) {
        double g = ips->u[i] * gamma;
        if (!b->by_next)
            add(b, m->row_state[i], m->row_state[i], -ips->u[i]);
        if (m->row_next[i] >= 0)
            add_row(b, m->row_state[i], m->row_next[i], g, ips->beta[i]);
        for (int32_t s = 0; s < (int32_t)m->states && m->row_next[i] < 0; s++)
            if (m->start[s] > 0)
                add_row(b, m->row_state[i], s, g * m->start[s], ips->beta[i]);
    }
    for (int32_t s = 0; s < (int32_t)m->states && gamma < 1 && !b->by_next; s++)
        for (int32_t z = 0; z < (int32_t)m->states; z++)
            add(b, s, z, (1 - gamma) * b->out[s] * m->start[z]);
    for (int64_t e = 0; e < data->episodes && gamma < 1; e++) {
        int32_t start = m->row_state[data->order[data->begin[e]]];
        double rest = 0; /* becomes 1 - gamma^T */
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j];
            if (b->by_next)
                add(b, m->row_state[i], start, (1 - gamma) * ips->u[i]);
            rest += (1 - gamma) * ips->u[i];
        }
        if (b->by_next)
            add(b, start, start, -rest);
        b->into[start] += rest;
    }
}

static bf_status prepare(balance *b, const bf__ips *ips, bf_arena *arena, bf_error *err) {
    const bf__cells *m = b->m;
    int64_t n = ips->problem->data->n;
    double total = 0;
    BF_ALLOC(b->index, arena, m->states, err);
    BF_ZALLOC(b->out, arena, m->states, err);
    BF_ZALLOC(b->into, arena, m->states, err);
    for (int64_t i = 0; i < n; i++) {
        b->out[m->row_state[i]] += ips->u[i];
        total += ips->u[i];
    }
    for (int64_t s = 0; s < m->states; s++)
        b->index[s] = b->out[s] > 0 ? b->states++ : -1;
    if (b->states > MOST_STATES)
        return bf_fail(err, BF_EDATA,
                       "ips: %lld different states are too many for `variant` tabular (%d); choose "
                       "linear or neural",
                       (long long)b->states, MOST_STATES);
    BF_ALLOC(b->freq, arena, b->states, err);
    BF_ZALLOC(b->g, arena, b->states * b->states, err);
    for (int64_t s = 0; s < m->states; s++)
        if (b->index[s] >= 0)
            b->freq[b->index[s]] = b->out[s] / total;
    accumulate(b, ips);
    for (int64_t s = 0; s < b->states; s++)
        for (int64_t k = 0; k < b->states; k++)
            b->g[s * b->states + k] /= 50 * b->freq[s];
    return BF_OK;
}

/* |mean over rows of (w beta - w') e_{s'}|^2. */
static double residual(const balance *b, const double *x, double rows) {
    double sum = 0;
    for (int64_t k = 0; k < b->states; k++) {
        double part = 0;
        for (int64_t s = 0; s < b->states; s++)
            part += x[s] * b->g[s * b->states + k];
        sum += 50 * part / rows * (50 * part / rows);
    }
    return sum;
}

static double imbalance(const balance *b) {
    double out = 0, into = 0, apart = 0;
    for (int64_t s = 0; s < b->m->states; s++) {
        out += b->out[s];
        into += b->into[s];
    }
    for (int64_t s = 0; s < b->m->states && into > 0; s++)
        apart += 0.5 * fabs(b->out[s] / out - b->into[s] / into);
    return apart;
}

static bf_status report(bf_estimate *out, const bf__ips *ips, const balance *b, const double *x,
                        const bf__qp_result *qp, bf_arena *arena, bf_error *err) {
    double rows = 0, apart = imbalance(b), uniform;
    for (int64_t i = 0; i < ips->problem->data->n; i++)
        rows += ips->u[i];
    uniform = residual(b, b->freq, rows);
    bf__diagnose(out, BF__D_STATE_RESIDUAL, residual(b, x, rows));
    bf__diagnose(out, BF__D_STATE_RESIDUAL_UNIFORM, uniform);
    bf__diagnose(out, BF__D_IMBALANCE, apart);
    bf__diagnose(out, BF__D_DUALITY_GAP, qp->gap);
    bf__diagnose(out, BF__D_STATES, (double)b->states);
    if (apart > 0.02 && b->by_next)
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_STATIONARY, apart > 0.1,
                        "ips takes the log's states for a long run of the behaviour policy, but "
                        "they differ from its next states by %.3g (total variation)",
                        apart));
    /* The objective is the residual times (rows / 50)^2, and a ridge that only breaks ties. */
    if (qp->gap > 1e-6 * fmax(uniform * (rows / 50) * (rows / 50), qp->objective))
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_BEST, true,
                        "the ratios are not the best ones: the duality gap is %.3g of %.3g",
                        qp->gap, qp->objective));
    return BF_OK;
}

bf_status bf__ips_tabular(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const tabular_options *o = bf_settings_of(ips->settings, &table);
    bf__cells m;
    balance b = {.m = &m, .by_next = o->balance == BF__IPS_NEXT};
    int64_t n = ips->problem->data->n;
    BF_TRY(bf__cells_build(&m, ips->problem, arena, err));
    BF_TRY(prepare(&b, ips, arena, err));
    double *q, *x, *w;
    bf__quadratic quadratic;
    bf__qp_result qp;
    BF_ALLOC(q, arena, b.states * b.states, err);
    BF_ALLOC(x, arena, b.states, err);
    BF_ALLOC(w, arena, n, err);
    BF_TRY(bf__matmul(q, b.g, false, b.g, true, b.states, b.states, b.states, context, err));
    for (int64_t s = 0; s < b.states; s++)
        q[s * b.states + s] += 0.001;
    BF_TRY(bf__quadratic_dense(&quadratic, q, b.states, arena, err));
    BF_TRY(bf__simplex_qp(x, &qp, &quadratic, context, arena, err));
    for (int64_t i = 0; i < n; i++) {
        int64_t s = b.index[m.row_state[i]];
        w[i] = x[s] / b.freq[s];
    }
    BF_TRY(bf__ips_result(out, ips, w, arena, err));
    return report(out, ips, &b, x, &qp, arena, err);
}
