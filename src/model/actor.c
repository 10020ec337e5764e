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
 * A vector stays within the range that was shown: policies are often cut to a box. If many samples
 * lie on the edge of it, they were cut, and what is fitted is what lies behind the cut (tobit.c): a
 * controller that saturates is flat at the edges and steep between them, and a smooth fit of what
 * it does is neither. An edge is taken for a cut if CUT of the samples lie exactly on it, and
 * INSIDE of them lie on none.
 *
 * With two samples a state or more, the variance is that within a state. With one, it is what the
 * held-out mean misses. Where samples were cut, it is what a normal number behind the cut has. */
#include "model/actor.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "policy/kind.h"
#include "solver/tobit.h"

enum { POOL = 20000, SPREAD_FEATURES = 150 }; /* variances are smoother than means */
enum { TOBIT_ROWS = 20000, SIGMA_TURNS = 30 };
static const double CUT = 0.005, INSIDE = 0.01;

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

/* What lies behind the cuts: `samples` (n, samples, dim) are those shown, and, where they were cut,
 * their mean given that; `cut` (n, dim) says which numbers of a state have such samples. */
typedef struct behind {
    double *samples;
    bool *cut;
    double *low, *high; /* (dim): edges that are cuts; infinite: that one is not */
} behind;

/* Which edges of column c are cuts. */
static void find_cuts(behind *b, const bf__actor *a, const bf__actor_task *t, int c) {
    double at_low = 0, at_high = 0, all = (double)(t->n * t->samples);
    for (int64_t i = c; i < t->n * t->samples * t->dim; i += t->dim) {
        at_low += t->shown[i] == a->low[c];
        at_high += t->shown[i] == a->high[c];
    }
    bool some = all - at_low - at_high >= INSIDE * all;
    b->low[c] = some && at_low >= CUT * all ? a->low[c] : -INFINITY;
    b->high[c] = some && at_high >= CUT * all ? a->high[c] : INFINITY;
}

/* Fills in column c. x and y have room for `rows` samples. */
static bf_status look_behind(behind *b, const bf__actor_task *t, int c, double *x, double *y,
                             int64_t rows, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t all = t->n * t->samples;
    double *beta, sigma;
    BF_ALLOC(beta, arena, t->inputs + 1, err);
    for (int64_t k = 0; k < rows; k++) {
        int64_t at = k * all / rows;
        memcpy(x + k * t->inputs, t->x + at / t->samples * t->inputs,
               (size_t)t->inputs * sizeof *x);
        y[k] = t->shown[at * t->dim + c];
    }
    bf__tobit_task task = {
        .n = rows, .inputs = t->inputs, .x = x, .y = y, .low = b->low[c], .high = b->high[c]};
    BF_TRY(bf__tobit_fit(beta, &sigma, &task, arena, err));
    for (int64_t k = 0; k < all; k++) {
        double *v = &b->samples[k * t->dim + c], mean = beta[t->inputs];
        bool above = *v >= b->high[c];
        if (!above && !(*v <= b->low[c]))
            continue;
        for (int j = 0; j < t->inputs; j++)
            mean += beta[j] * t->x[k / t->samples * t->inputs + j];
        *v = bf__tobit_mean(mean, sigma, *v, above);
        b->cut[k / t->samples * t->dim + c] = true;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status find_behind(behind *b, const bf__actor *a, const bf__actor_task *t,
                             bf_arena *arena, bf_error *err) {
    int64_t all = t->n * t->samples, rows = all < TOBIT_ROWS ? all : TOBIT_ROWS;
    BF_ALLOC(b->samples, arena, all * t->dim, err);
    BF_ZALLOC(b->cut, arena, t->n * t->dim, err);
    BF_ALLOC(b->low, arena, t->dim, err);
    BF_ALLOC(b->high, arena, t->dim, err);
    memcpy(b->samples, t->shown, (size_t)(all * t->dim) * sizeof *b->samples);
    bf_mark mark = bf_arena_mark(arena);
    double *x, *y;
    BF_ALLOC(x, arena, rows * t->inputs, err);
    BF_ALLOC(y, arena, rows, err);
    for (int c = 0; c < t->dim; c++) {
        find_cuts(b, a, t, c);
        if (isfinite(b->low[c]) || isfinite(b->high[c]))
            BF_TRY(look_behind(b, t, c, x, y, rows, arena, err));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* mean (n, dim) of the samples of each state; gap (n, samples, dim), the deviations from it. */
static void within(double *mean, double *gap, const bf__actor_task *t, const double *samples) {
    int64_t width = (int64_t)t->samples * t->dim;
    for (int64_t i = 0; i < t->n; i++)
        for (int c = 0; c < t->dim; c++) {
            const double *a = samples + i * width + c;
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

/* square (n, dim): the mean square of the gaps of each state. If samples were cut, their deviation
 * behind the cut is that of a normal number, whose size is found by turns from what it says of them
 * and what the others show. `fitted` (n, dim) is the mean. */
static void squares(double *square, const double *gap, const double *fitted, const behind *b,
                    const bf__actor_task *t) {
    int dim = t->dim;
    int64_t width = (int64_t)t->samples * dim;
    for (int c = 0; c < dim; c++) {
        double shown = 0, whole = 0, size = 0;
        for (int64_t i = 0; i < t->n; i++) {
            double sum = 0;
            for (int m = 0; m < t->samples; m++)
                sum += pow(gap[i * width + m * dim + c], 2) / t->samples;
            square[i * dim + c] = sum;
            if (b->cut[i * dim + c])
                continue;
            shown += sum;
            whole++;
        }
        if (whole == (double)t->n)
            continue;
        size = sqrt(shown / fmax(whole, 1));
        for (int turn = 0; turn < SIGMA_TURNS && size > 0; turn++) {
            double sum = shown;
            for (int64_t i = 0; i < t->n; i++) {
                if (!b->cut[i * dim + c])
                    continue;
                double f = fitted[i * dim + c], own = 0;
                for (int m = 0; m < t->samples; m++) {
                    double a = t->shown[i * width + m * dim + c];
                    bool above = a >= b->high[c], below = a <= b->low[c];
                    double u = (above ? f - a : a - f) / size;
                    own += (above || below ? size * size * (1 - u * bf__mills(u))
                                           : (a - f) * (a - f)) /
                           t->samples;
                }
                square[i * dim + c] = own;
                sum += own;
            }
            size = sqrt(sum / (double)t->n);
        }
    }
}

/* Deviations to draw from, in units of the fitted ones (fitted is the variance, (n, dim)). Of a
 * number that was cut the last one that was not is taken. */
static bf_status make_pool(bf__actor *out, const bf__actor_task *t, const behind *b,
                           const double *gap, const double *square, const double *fitted,
                           bf_arena *arena, bf_error *err) {
    int dim = t->dim;
    int64_t width = (int64_t)t->samples * dim;
    double *pool;
    out->pool_rows = t->n < POOL ? t->n : POOL;
    BF_ALLOC(pool, arena, out->pool_rows * dim, err);
    for (int c = 0; c < dim; c++) {
        double floor = 0, size = 0;
        int64_t last = 0;
        while (last < t->n - 1 && b->cut[last * dim + c])
            last++;
        for (int64_t i = 0; i < t->n; i++)
            floor += 0.01 * square[i * dim + c] / (double)t->n;
        for (int64_t j = 0; j < out->pool_rows; j++) {
            int64_t i = j * t->n / out->pool_rows;
            last = b->cut[i * dim + c] ? last : i;
            double deviation = sqrt(fmax(fitted[last * dim + c], floor));
            double z = gap[last * width + j % t->samples * dim + c];
            pool[j * dim + c] = deviation > 0 ? fmin(fmax(z / deviation, -5), 5) : 0;
            size += pool[j * dim + c] * pool[j * dim + c] / (double)out->pool_rows;
        }
        for (int64_t j = 0; j < out->pool_rows; j++)
            pool[j * dim + c] /= size > 0 ? sqrt(size) : 1;
    }
    out->pool = pool;
    return BF_OK;
}

static bf_status fit_vectors(bf__actor *out, const bf__actor_task *t, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    int dim = t->dim;
    behind b;
    double *mean, *gap, *square, *fitted, most = 0;
    BF_ALLOC(mean, arena, t->n * dim, err);
    BF_ALLOC(gap, arena, t->n * t->samples * dim, err);
    BF_ALLOC(square, arena, t->n * dim, err);
    BF_ALLOC(fitted, arena, t->n * dim, err);
    BF_TRY(ranges(out, t, arena, err));
    BF_TRY(find_behind(&b, out, t, arena, err));
    within(mean, gap, t, b.samples);
    bf__krr_task task = krr_task(t, mean, dim);
    BF_TRY(bf__krr_fit(&out->mean, &task, context, arena, err));
    BF_TRY(bf__krr_held_out(fitted, &out->mean, &task, arena, err));
    if (t->samples == 1)
        for (int64_t i = 0; i < t->n * dim; i++)
            gap[i] = mean[i] - fitted[i];
    squares(square, gap, fitted, &b, t);
    for (int64_t i = 0; i < t->n * dim; i++)
        most = fmax(most, square[i]);
    if (!(most > 0))
        return BF_OK;
    task = krr_task(t, square, dim);
    task.features = t->features < SPREAD_FEATURES ? t->features : SPREAD_FEATURES;
    task.rounds = 0;
    BF_TRY(bf__krr_fit(&out->variance, &task, context, arena, err));
    BF_TRY(bf__krr_held_out(fitted, &out->variance, &task, arena, err));
    return make_pool(out, t, &b, gap, square, fitted, arena, err);
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
