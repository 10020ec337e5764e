/* actor.c - A policy that can be asked anywhere.
 *
 * A simulation comes to states that are not in the log. If the question has the policy itself, it
 * is asked there. Otherwise kernel ridge regression (krr.c) says what it would do:
 *
 *     vectors         the mean and the variance of every number of the action; a deviation is drawn
 *                     from those that the log shows, in units of the fitted ones, all numbers of an
 *                     action together, so that they keep their shape and go together as they do
 *     probabilities   those of each action; below 0 counts as 0
 *
 * A vector stays within the range that was shown: policies are often cut to a box. With two samples
 * a state or more, the variance is that within a state. With one, it is what the held-out mean
 * misses. */
#include "model/actor.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "policy/kind.h"

enum { POOL = 20000, SPREAD_FEATURES = 150 }; /* variances are smoother than means */

static bf__krr_task krr_task(const bf__actor_task *t, const double *y, int outputs) {
    return (bf__krr_task){.n = t->n,
                          .inputs = t->inputs,
                          .outputs = outputs,
                          .members = t->members,
                          .x = t->x,
                          .y = y,
                          .fold = t->fold,
                          .features = t->features,
                          .rounds = t->rounds,
                          .what = t->what};
}

/* ---- Vectors */

static bf_status ranges(bf__actor *out, const bf__actor_task *t, bf_arena *arena, bf_error *err) {
    double *low, *high;
    BF_ALLOC(low, arena, t->dim, err);
    BF_ALLOC(high, arena, t->dim, err);
    for (int c = 0; c < t->dim; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int64_t i = c; i < t->n * t->samples * t->dim; i += t->dim) {
            low[c] = fmin(low[c], t->shown[i]);
            high[c] = fmax(high[c], t->shown[i]);
        }
    }
    out->low = low;
    out->high = high;
    return BF_OK;
}

/* mean (n, dim) of the samples of each state; gap (n, samples, dim), the deviations from it. */
static void within(double *mean, double *gap, const bf__actor_task *t) {
    int64_t width = (int64_t)t->samples * t->dim;
    for (int64_t i = 0; i < t->n; i++)
        for (int c = 0; c < t->dim; c++) {
            const double *a = t->shown + i * width + c;
            double sum = 0;
            for (int m = 0; m < t->samples; m++)
                sum += a[m * t->dim] / t->samples;
            mean[i * t->dim + c] = sum;
            /* The deviation from a mean of M that it is part of is smaller than from the truth. */
            double grow = t->samples > 1 ? sqrt((double)t->samples / (t->samples - 1)) : 1;
            for (int m = 0; m < t->samples; m++)
                gap[i * width + m * t->dim + c] = grow * (a[m * t->dim] - sum);
        }
}

static bf_status fit_vectors(bf__actor *out, const bf__actor_task *t, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    int dim = t->dim;
    int64_t width = (int64_t)t->samples * dim;
    double *mean, *gap, *square, *fitted, *pool;
    BF_ALLOC(mean, arena, t->n * dim, err);
    BF_ALLOC(gap, arena, t->n * width, err);
    BF_ALLOC(square, arena, t->n * dim, err);
    BF_ALLOC(fitted, arena, t->n * dim, err);
    BF_TRY(ranges(out, t, arena, err));
    within(mean, gap, t);
    bf__krr_task task = krr_task(t, mean, dim);
    BF_TRY(bf__krr_fit(&out->mean, &task, context, arena, err));
    if (t->samples == 1) {
        BF_TRY(bf__krr_held_out(fitted, &out->mean, &task, arena, err));
        for (int64_t i = 0; i < t->n * dim; i++)
            gap[i] = mean[i] - fitted[i];
    }
    double most = 0;
    for (int64_t i = 0; i < t->n; i++)
        for (int c = 0; c < dim; c++) {
            double sum = 0;
            for (int m = 0; m < t->samples; m++)
                sum += pow(gap[i * width + m * dim + c], 2) / t->samples;
            square[i * dim + c] = sum;
            most = fmax(most, sum);
        }
    if (!(most > 0))
        return BF_OK;
    task = krr_task(t, square, dim);
    task.features = t->features < SPREAD_FEATURES ? t->features : SPREAD_FEATURES;
    task.rounds = 0;
    BF_TRY(bf__krr_fit(&out->variance, &task, context, arena, err));
    BF_TRY(bf__krr_held_out(fitted, &out->variance, &task, arena, err));
    out->pool_rows = t->n < POOL ? t->n : POOL;
    BF_ALLOC(pool, arena, out->pool_rows * dim, err);
    for (int c = 0; c < dim; c++) {
        double floor = 0, size = 0;
        for (int64_t i = 0; i < t->n; i++)
            floor += 0.01 * square[i * dim + c] / (double)t->n;
        for (int64_t j = 0; j < out->pool_rows; j++) {
            int64_t i = j * t->n / out->pool_rows;
            double deviation = sqrt(fmax(fitted[i * dim + c], floor));
            double z = gap[i * width + j % t->samples * dim + c];
            pool[j * dim + c] = deviation > 0 ? fmin(fmax(z / deviation, -5), 5) : 0;
            size += pool[j * dim + c] * pool[j * dim + c] / (double)out->pool_rows;
        }
        for (int64_t j = 0; j < out->pool_rows; j++)
            pool[j * dim + c] /= size > 0 ? sqrt(size) : 1;
    }
    out->pool = pool;
    return BF_OK;
}

/* ---- Both kinds */

bf_status bf__actor_fit(bf__actor *out, const bf__actor_task *t, const bf_context *context,
                        bf_arena *arena, bf_error *err) {
    *out = (bf__actor){.dim = t->dim, .actions = t->actions};
    if (t->dim > 0)
        return fit_vectors(out, t, context, arena, err);
    bf__krr_task task = krr_task(t, t->shown, t->actions);
    return bf__krr_fit(&out->mean, &task, context, arena, err);
}

int64_t bf__actor_room(const bf__actor *a, int64_t n) {
    int64_t fitted = bf__krr_room(&a->mean, n), spread = bf__krr_room(&a->variance, n);
    int64_t asked = a->policy ? n * (a->actions ? a->actions : a->policy->samples * a->dim) : 0;
    int64_t most = fitted > spread ? fitted : spread;
    return (most > asked ? most : asked) + 2 * n * (a->actions ? a->actions : a->dim);
}

static void take(double *u, const bf__actor *a, const double *p, int64_t step, bf_rng *rng) {
    double sum = 0;
    int best = 0;
    for (int k = 0; k < a->actions; k++)
        sum += a->seen && !a->seen[k] ? 0 : fmax(p[k * step], 0);
    double at = sum * bf_rng_uniform(rng);
    for (int k = 0; k < a->actions; k++) {
        double share = a->seen && !a->seen[k] ? 0 : fmax(p[k * step], 0);
        if (!(share > 0) && !(sum <= 0 && (!a->seen || a->seen[k])))
            continue;
        best = k;
        at -= share;
        if (at < 0)
            break;
    }
    for (int k = 0; k < a->actions; k++)
        u[k] = k == best;
}

static bf_status ask(double *u, const bf__actor *a, const double *states, int64_t n,
                     bf_rng *streams, double *scratch, bf_error *err) {
    if (a->actions > 0) {
        BF_TRY(bf_policy_probabilities(a->policy, states, a->state_dim, n, scratch, err));
        for (int64_t j = 0; j < n; j++)
            take(u + j * a->actions, a, scratch + j, n, &streams[j]);
        return BF_OK;
    }
    BF_TRY(a->policy->sample(a->policy, states, n, scratch, err));
    for (int64_t j = 0; j < n; j++) {
        int64_t m = bf_rng_below(&streams[j], a->policy->samples);
        for (int c = 0; c < a->dim; c++)
            u[j * a->dim + c] = scratch[(m * a->dim + c) * n + j];
    }
    return BF_OK;
}

bf_status bf__actor_draw(double *u, const bf__actor *a, int member, const double *x,
                         const double *states, int64_t n, bf_rng *streams, double *scratch,
                         bf_error *err) {
    if (a->policy)
        return ask(u, a, states, n, streams, scratch, err);
    int width = a->actions ? a->actions : a->dim;
    double *mean = scratch, *variance = scratch + n * width, *rest = scratch + 2 * n * width;
    BF_TRY(bf__krr_predict(mean, &a->mean, member, x, n, rest, err));
    if (a->actions > 0) {
        for (int64_t j = 0; j < n; j++)
            take(u + j * width, a, mean + j * width, 1, &streams[j]);
        return BF_OK;
    }
    if (a->pool_rows > 0)
        BF_TRY(bf__krr_predict(variance, &a->variance, member, x, n, rest, err));
    for (int64_t j = 0; j < n; j++) {
        const double *z =
            a->pool_rows > 0 ? a->pool + bf_rng_below(&streams[j], a->pool_rows) * a->dim : NULL;
        for (int c = 0; c < a->dim; c++) {
            double v = mean[j * width + c];
            if (z)
                v += sqrt(fmax(variance[j * width + c], 0)) * z[c];
            u[j * width + c] = fmin(fmax(v, a->low[c]), a->high[c]);
        }
    }
    return BF_OK;
}
