/* dualdice_tabular.c - Ratios with one free number per pair, or per state: a linear system.
 *
 * Rows weigh u = gamma^t (times pi / mu where ratios are of states). k numbers pairs, or states:
 *
 *     T[k][k] += u,  W[k] += u,  T[k'][k] -= gamma u pi(a'|s')  for all a',
 *     initial[k0] += u pi(a0|s0)  for all a0, s0 the start of the row's episode
 *     H = T diag(1e-8 + W)^-1/2
 *     (H H' + ridge I) nu = (1 - gamma) initial,   zeta[k] = (H'nu)[k] / sqrt(1e-8 + W[k])
 *
 * Where every pair that the target needs was seen, this is T zeta = (1 - gamma) initial: zeta W is
 * the discounted distribution of the empirical process.
 *
 * Source      the code of Nachum et al. 2019, its constants included
 * Shapes      K = S A or S; T (K, K)
 * Cost        O(n A + K^3) */
#include <math.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/result.h"
#include "linalg/dense.h"
#include "problem/cells.h"
#include "ratio/dualdice.h"

enum { MOST = 6000 };

enum { PAIRS, STATES };

typedef struct tabular_options {
    int ratio;
    double ridge;
} tabular_options;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(tabular_options, ratio, "state-action", "state-action|state",
                     "Ratios of pairs, for which the behaviour may be unknown, or of states, times "
                     "pi / mu."),
    BF_OPTION_RANGE(tabular_options, ridge, "1e-8", 0, 1e6,
                    "R: Added to the diagonal of the linear system."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of dualdice, tabular", tabular_options, rows);

const bf_model bf__dice_model_tabular = {"tabular", "one number per state or pair, in closed form",
                                         &table, 0};

bool bf__dice_by_state(const bf_settings *settings) {
    const tabular_options *o = bf_settings_of(settings, &table);
    return o->ratio == STATES;
}

typedef struct dual {
    const bf__dice *dice;
    const bf__cells *m;
    int64_t size;    /* K */
    double *t;       /* (K, K): T' here, row k is column k of T */
    double *w;       /* (K) */
    double *initial; /* (K) */
} dual;

/* to[k'] += value pi(a'|s) over all k' = (s, a'). */
static void spread(double *to, const dual *d, int64_t s, double value) {
    int actions = d->m->actions;
    if (d->dice->by_state)
        to[s] += value;
    for (int a = 0; a < actions && !d->dice->by_state; a++)
        to[s * actions + a] += value * d->m->pi[s * actions + a];
}

static void accumulate(dual *d) {
    const bf_problem *problem = d->dice->problem;
    const bf_dataset *data = problem->data;
    const bf__cells *m = d->m;
    for (int64_t e = 0; e < data->episodes; e++) {
        int64_t start = m->row_state[data->order[data->begin[e]]];
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j], s = m->row_state[i];
            int64_t k = d->dice->by_state ? s : s * m->actions + data->action[i];
            double u = d->dice->u[i], *row = d->t + k * d->size;
            row[k] += u;
            d->w[k] += u;
            spread(d->initial, d, start, u);
            if (m->row_next[i] >= 0)
                spread(row, d, m->row_next[i], -problem->gamma * u);
            else if (m->steps.restarts)
                for (int64_t z = 0; z < m->states; z++)
                    if (m->start[z] > 0)
                        spread(row, d, z, -problem->gamma * u * m->start[z]);
        }
    }
}

static bf_status solve(double *zeta, dual *d, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    const tabular_options *o = bf_settings_of(d->dice->settings, &table);
    int64_t size = d->size;
    double *gram, *nu, gamma = d->dice->problem->gamma;
    BF_ALLOC(gram, arena, size * size, err);
    BF_ALLOC(nu, arena, size, err);
    for (int64_t k = 0; k < size; k++) {
        double scale = 1 / sqrt(1e-8 + d->w[k]);
        for (int64_t j = 0; j < size; j++)
            d->t[k * size + j] *= scale;
        nu[k] = (1 - gamma) * d->initial[k];
    }
    if (!bf__progress(context, "ratios of pairs", 0, 1, NULL))
        return bf_fail(err, BF_ECANCELLED, "stopped before the linear system");
    BF_TRY(bf__gram(gram, d->t, size, d->t, size, size, 0, context, err)); /* H H' */
    for (int64_t k = 0; k < size; k++)
        gram[k * size + k] += o->ridge;
    BF_TRY(bf__cholesky(gram, size, NULL, arena, err));
    BF_TRY(bf__cholesky_solve(nu, 1, gram, size, context, err));
    BF_TRY(bf__matvec(zeta, d->t, false, nu, size, size, context, err));
    for (int64_t k = 0; k < size; k++)
        zeta[k] /= sqrt(1e-8 + d->w[k]);
    return BF_OK;
}

bf_status bf__dice_tabular(bf_estimate *out, const bf__dice *dice, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    const bf_dataset *data = dice->problem->data;
    bf__cells m;
    BF_TRY(bf__cells_build(&m, dice->problem, arena, err));
    dual d = {.dice = dice, .m = &m, .size = m.states * (dice->by_state ? 1 : m.actions)};
    if (d.size > MOST)
        return bf_fail(err, BF_EDATA,
                       "dualdice: %lld pairs are too many for `variant` tabular (%d); choose "
                       "neural",
                       (long long)d.size, MOST);
    double *zeta, *each;
    BF_ZALLOC(d.t, arena, d.size * d.size, err);
    BF_ZALLOC(d.w, arena, d.size, err);
    BF_ZALLOC(d.initial, arena, d.size, err);
    BF_ALLOC(zeta, arena, d.size, err);
    BF_ALLOC(each, arena, data->n, err);
    accumulate(&d);
    BF_TRY(solve(zeta, &d, context, arena, err));
    for (int64_t i = 0; i < data->n; i++) {
        int64_t s = m.row_state[i];
        each[i] = zeta[dice->by_state ? s : s * m.actions + data->action[i]];
    }
    BF_TRY(bf__dice_result(out, dice, each, arena, err));
    bf__diagnose(out, BF__D_CELLS, (double)(m.cells - m.absorbing));
    return BF_OK;
}
