/* behavior.c - The behaviour policy of a log that does not give it: from a file, or fitted.
 *
 * Finite states    The share of each action among the rows of the state. An action that was never
 * taken in a state gets 1e-6, so that no action has probability 0. Real-valued      Multinomial
 * logistic regression (solver/logistic.c) on the standardised state and up to 100 kernel features
 * of it. The kernel is Gaussian with half the median width; its pivots come from randomly pivoted
 * Cholesky. Probabilities below 1e-3 are raised to 1e-3.
 *
 * Actions that the log says were not allowed at a row get nothing there, and the others are scaled
 * to sum 1.
 *
 * The ridge is chosen from 1e-1 ... 1e-6. We fit one half of the episodes and take the ridge that
 * gives the other half the greatest likelihood. The same halves show how far the probabilities can
 * be trusted. Rows are put into ten bins by the probability that the fit to the other half gives an
 * action. In each bin we compare the share of rows that took the action with the mean of those
 * probabilities.
 *
 * Cost  O(n m^2 A^2) per step of Newton's method, about 40 steps; at most 20,000 rows take part in
 * the choice of the ridge */
#include "policy/behavior.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/mask.h"
#include "kernel/bandwidth.h"
#include "kernel/coordinates.h"
#include "kernel/kernel.h"
#include "linalg/rpcholesky.h"
#include "policy/kind.h"
#include "solver/logistic.h"

enum { FEATURES = 100, RIDGES = 6, TRIAL_ROWS = 20000, BINS = 10 };

static const double floor_fit = 1e-3, floor_counts = 1e-6;

/* Fills data->mu from data->mu_all (A, n). */
static bf_status fill(bf_dataset *data, const double *all, double *least, bf_arena *arena,
                      bf_error *err) {
    double *mu;
    BF_ALLOC(mu, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        mu[i] = all[data->action[i] * data->n + i];
        if (least && mu[i] < *least)
            *least = mu[i];
    }
    data->mu = mu;
    data->mu_all = all;
    return BF_OK;
}

bf_status bf__behavior_apply(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    char where[256], name[64];
    bf_dataset copy = *data; /* pi and npi stay as they are; we only need mu */
    if (!data->pi && !data->npi)
        copy.mu_all = NULL;
    copy.next_state = copy.state;
    BF_TRY(bf__policy_apply(policy, &copy, arena, err));
    for (int64_t i = 0; i < data->n; i++)
        if (!(copy.pi[data->action[i] * data->n + i] > 0))
            return bf_fail(err, BF_EPOLICY,
                           "%s: the behaviour %s never takes action %s in this state, but the log "
                           "did",
                           bf_dataset_where(data, i, where, sizeof where), policy->name,
                           bf_dataset_action_name(data, data->action[i], name, sizeof name));
    data->actions = copy.actions;
    data->action_names = copy.action_names;
    BF_TRY(fill(data, copy.pi, NULL, arena, err));
    return bf__mask_check(data, NULL, err);
}

/* ---- Finite states */

static bf_status fit_counts(bf_behavior *out, bf_dataset *data, bf_arena *arena, bf_error *err) {
    int64_t n = data->n, states = data->states;
    int actions = data->actions;
    double *all, *count, *rows;
    BF_ALLOC(all, arena, actions * n, err);
    BF_ZALLOC(count, arena, states * actions, err);
    BF_ZALLOC(rows, arena, states, err);
    for (int64_t i = 0; i < n; i++) {
        int64_t s = (int64_t)data->state[i];
        count[s * actions + data->action[i]] += data->weight ? data->weight[i] : 1;
        rows[s] += data->weight ? data->weight[i] : 1;
    }
    for (int64_t s = 0; s < states; s++)
        for (int a = 0; a < actions; a++)
            count[s * actions + a] =
                rows[s] > 0 ? fmax(count[s * actions + a] / rows[s], floor_counts) : 1.0 / actions;
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < actions; a++)
            all[a * n + i] = count[(int64_t)data->state[i] * actions + a];
    bf__mask_apply(all, data);
    *out = (bf_behavior){.model = "counts", .least = 1, .features = states};
    return fill(data, all, &out->least, arena, err);
}

/* ---- Features of real-valued states: 1, the coordinates, kernel features */

typedef struct points {
    const double *z; /* (d, n) */
    int64_t n;
    int d;
    bf__kernel kernel;
    int64_t selected[BF__PSD_BLOCK];
} points;

static bf_status select_points(void *self, const int64_t *columns, int64_t count, bf_error *err) {
    points *p = self;
    (void)err;
    memcpy(p->selected, columns, (size_t)count * sizeof *columns);
    return BF_OK;
}

static void block_of_points(double *out, void *self, int64_t first, int64_t rows, int64_t count) {
    const points *p = self;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < count; k++)
            out[i * count + k] = bf__kernel_plain(&p->kernel, p->z + first + i, p->n,
                                                  p->z + p->selected[k], p->n, p->d);
}

/* Fills x (n, *m), row-major. Kernel features are scaled to a mean square of 1, like the
 * coordinates. */
static bf_status features(double **out, int64_t *m, const bf_dataset *data,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    uint64_t seed = context ? context->seed : 1;
    int64_t n = data->n, rank, *pivots;
    bf__coordinates coordinates;
    BF_TRY(
        bf__coordinates_fit(&coordinates, data->state, n, data->state_dim, NULL, NULL, arena, err));
    points p = {.n = n, .d = coordinates.out};
    double *z, *f, *residual, *x, size = 0;
    BF_ALLOC(z, arena, p.d * n, err);
    bf__coordinates_apply(z, &coordinates, data->state, n);
    p.z = z;
    BF_TRY(bf__kernel_make(&p.kernel, "gaussian", "median*0.5", z, n, p.d, seed, arena, err));
    int64_t most = n < FEATURES ? n : FEATURES;
    BF_ALLOC(f, arena, n * most, err);
    BF_ALLOC(pivots, arena, most, err);
    BF_ALLOC(residual, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        residual[i] = 1;
    bf__psd matrix = {n, &p, select_points, block_of_points};
    BF_TRY(
        bf__rpcholesky(f, pivots, &rank, residual, most, &matrix, 1e-9, seed, context, arena, err));
    for (int64_t i = 0; i < n * most; i++)
        size += f[i] * f[i];
    size = sqrt(size / (double)(n * rank));
    *m = 1 + p.d + rank;
    BF_ALLOC(x, arena, n * *m, err);
    for (int64_t i = 0; i < n; i++) {
        double *row = x + i * *m;
        row[0] = 1;
        for (int c = 0; c < p.d; c++)
            row[1 + c] = z[c * n + i];
        for (int64_t k = 0; k < rank; k++)
            row[1 + p.d + k] = f[i * most + k] / size;
    }
    *out = x;
    return BF_OK;
}

/* ---- The two halves of the log, which choose and check */

typedef struct half {
    int64_t n;
    double *x;
    int32_t *y;
} half;

/* Says which half a row belongs to. Episodes stay whole. If the log has no episodes, runs of 100
 * rows take their place. */
static bf_status split(half out[2], const double *x, int64_t m, const bf_dataset *data,
                       bf_arena *arena, bf_error *err) {
    int64_t n = data->n, every = 1 + (n - 1) / TRIAL_ROWS, at[2] = {0, 0};
    uint8_t *side;
    BF_ALLOC(side, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        side[i] = (uint8_t)(i / 100 % 2);
    if (data->begin && bf__episodes_own(data) > 1)
        for (int64_t e = 0; e < data->episodes; e++)
            for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
                side[data->order[j]] = (uint8_t)(bf__episode_own(data, e) % 2);
    for (int h = 0; h < 2; h++) {
        int64_t rows = 0;
        for (int64_t i = 0; i < n; i += every)
            rows += side[i] == h;
        BF_ALLOC(out[h].x, arena, rows * m, err);
        BF_ALLOC(out[h].y, arena, rows, err);
        out[h].n = rows;
    }
    for (int64_t i = 0; i < n; i += every) {
        half *h = &out[side[i]];
        int64_t to = at[side[i]]++;
        memcpy(h->x + to * m, x + i * m, (size_t)m * sizeof *x);
        h->y[to] = data->action[i];
    }
    return BF_OK;
}

static void lift(double *p, int actions) {
    double sum = 0;
    for (int a = 0; a < actions; a++) {
        p[a] = fmax(p[a], floor_fit);
        sum += p[a];
    }
    for (int a = 0; a < actions; a++)
        p[a] /= sum;
}

/* The mean log likelihood of `to` under `beta`, and the bins: sums of the predictions, the hits and
 * the rows. */
static bf_status judge(double *likelihood, double bins[BINS][3], const half *to, const double *beta,
                       int64_t m, int actions, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *p;
    BF_ALLOC(p, arena, to->n * actions, err);
    BF_TRY(bf__logistic_predict(p, beta, to->x, to->n, m, actions, context, err));
    for (int64_t i = 0; i < to->n; i++) {
        lift(p + i * actions, actions);
        *likelihood += log(p[i * actions + to->y[i]]);
        for (int a = 0; a < actions; a++) {
            double each = p[i * actions + a];
            int b = (int)fmin(each * BINS, BINS - 1);
            bins[b][0] += each;
            bins[b][1] += to->y[i] == a;
            bins[b][2]++;
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static double calibration(double bins[BINS][3]) {
    double gap = 0, rows = 0;
    for (int b = 0; b < BINS; b++) {
        gap += fabs(bins[b][0] - bins[b][1]);
        rows += bins[b][2];
    }
    return rows > 0 ? gap / rows : 0;
}

static bf_status choose_ridge(bf_behavior *out, const half halves[2], int64_t m, int actions,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    double *beta, rows = (double)(halves[0].n + halves[1].n);
    BF_ZALLOC(beta, arena, 2 * actions * m, err);
    out->likelihood = -INFINITY;
    for (int k = 0; k < RIDGES; k++) {
        double ridge = pow(10, -1 - k), likelihood = 0, bins[BINS][3] = {{0}};
        for (int h = 0; h < 2; h++) {
            double *own = beta + h * actions * m; /* starts from the fit of the last ridge */
            BF_TRY(bf__logistic_fit(own, NULL, halves[h].x, halves[h].y, halves[h].n, m, actions, 1,
                                    ridge, context, arena, err));
            BF_TRY(judge(&likelihood, bins, &halves[1 - h], own, m, actions, context, arena, err));
        }
        if (likelihood / rows <= out->likelihood)
            break; /* the best ridge is behind us */
        out->likelihood = likelihood / rows;
        out->ridge = ridge;
        out->calibration = calibration(bins);
    }
    return BF_OK;
}

static double frequency_likelihood(const bf_dataset *data) {
    double sum = 0;
    for (int a = 0; a < data->actions; a++) {
        double rows = 0;
        for (int64_t i = 0; i < data->n; i++)
            rows += data->action[i] == a;
        if (rows > 0)
            sum += rows / (double)data->n * log(rows / (double)data->n);
    }
    return sum;
}

static bf_status fit_logistic(bf_behavior *out, bf_dataset *data, const bf_context *context,
                              bf_arena *arena, bf_error *err) {
    int64_t n = data->n, m;
    int actions = data->actions;
    double *x, *beta, *p, *all;
    half halves[2];
    if (data->weight)
        return bf_fail(err, BF_EUSAGE,
                       "`behavior` estimate: the fit to real-valued states lets every row count "
                       "the same, and the log has a column weight; give the behaviour as a policy, "
                       "or as columns mu");
    BF_TRY(features(&x, &m, data, context, arena, err));
    BF_TRY(split(halves, x, m, data, arena, err));
    *out = (bf_behavior){.model = "logistic", .least = 1, .ridge = 1e-3, .features = m};
    out->frequencies = frequency_likelihood(data);
    if (halves[0].n > 0 && halves[1].n > 0)
        BF_TRY(choose_ridge(out, halves, m, actions, context, arena, err));
    BF_ZALLOC(beta, arena, actions * m, err);
    BF_ALLOC(p, arena, n * actions, err);
    BF_ALLOC(all, arena, n * actions, err);
    BF_TRY(bf__logistic_fit(beta, NULL, x, data->action, n, m, actions, 1, out->ridge, context,
                            arena, err));
    BF_TRY(bf__logistic_predict(p, beta, x, n, m, actions, context, err));
    for (int64_t i = 0; i < n; i++) {
        lift(p + i * actions, actions);
        for (int a = 0; a < actions; a++)
            all[a * n + i] = p[i * actions + a];
    }
    bf__mask_apply(all, data);
    return fill(data, all, &out->least, arena, err);
}

bf_status bf__behavior_fit(bf_behavior *out, bf_dataset *data, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    if (!data->action)
        return bf_fail(err, BF_EDATA,
                       "`behavior` estimate: needs discrete actions; those of the log are vectors");
    return data->states > 0 ? fit_counts(out, data, arena, err)
                            : fit_logistic(out, data, context, arena, err);
}

/* ---- As programs see it */

bf_status bf_behavior_apply(const bf_dataset **out, const bf_policy *policy, const bf_dataset *data,
                            bf_arena *arena, bf_error *err) {
    bf_dataset *copy;
    BF_ALLOC(copy, arena, 1, err);
    *copy = *data;
    BF_TRY(bf__behavior_apply(policy, copy, arena, err));
    copy->behavior = NULL;
    *out = copy;
    return BF_OK;
}

bf_status bf_behavior_fit(const bf_dataset **out, const bf_dataset *data, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    bf_dataset *copy;
    bf_behavior *fit;
    BF_ALLOC(copy, arena, 1, err);
    BF_ALLOC(fit, arena, 1, err);
    *copy = *data;
    BF_TRY(bf__behavior_fit(fit, copy, context, arena, err));
    copy->behavior = fit;
    *out = copy;
    return BF_OK;
}

const bf_behavior *bf_dataset_behavior(const bf_dataset *data) {
    return data->behavior;
}
