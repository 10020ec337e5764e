/* spread.c - How far off repeated answers are, and how well that is known.
 *
 * Standard errors come from the bootstrap: we draw the runs again with replacement, DRAWS times,
 * and take the standard deviation of the statistic over the draws. For the root mean square of
 * a few heavy-tailed errors there is no better standard error. */
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>

#include "backflow/rng.h"
#include "core/fail.h"

#define DRAWS 2000

/* Sums of the errors and of their squares; every statistic follows from them. Errors are measured
 * from `zero`, so that a small spread is not lost beside a large bias. */
typedef struct sums {
    double zero, n, first, second;
} sums;

static void add_value(sums *s, double x) {
    x -= s->zero;
    s->n += 1;
    s->first += x;
    s->second += x * x;
}

static double mean_of(const sums *s) {
    return s->zero + s->first / s->n;
}

static double rms_of(const sums *s) {
    double mean = mean_of(s), off = s->first / s->n;
    return sqrt(mean * mean + fmax(s->second / s->n - off * off, 0));
}

static double sd_of(const sums *s) {
    double around = s->second - s->first * s->first / s->n;
    return s->n > 1 ? sqrt(fmax(around, 0) / (s->n - 1)) : NAN;
}

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* A quantile of sorted x (n), linear between neighbours. */
static double quantile(const double *x, int64_t n, double share) {
    double at = share * (double)(n - 1);
    int64_t below = (int64_t)floor(at), above = below + 1 < n ? below + 1 : below;
    return x[below] + (at - (double)below) * (x[above] - x[below]);
}

bf_status bf__spread_of(bf__spread *out, const double *error, int64_t n, uint64_t seed,
                        bf_arena *arena, bf_error *err) {
    const bf_mean none = {NAN, NAN};
    *out = (bf__spread){0, none, none, none, NAN, NAN, NAN};
    bf_mark mark = bf_arena_mark(arena);
    double *x;
    BF_ALLOC(x, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(error[i]))
            x[out->runs++] = error[i];
    if (out->runs == 0)
        return BF_OK;
    sums all = {.zero = x[0]};
    for (int64_t i = 0; i < out->runs; i++)
        add_value(&all, x[i]);
    bf_rng rng = bf_rng_make(seed, "bootstrap", 0);
    sums biases = {.zero = mean_of(&all)}, sds = {.zero = sd_of(&all)},
         rmses = {.zero = rms_of(&all)};
    for (int d = 0; d < DRAWS && out->runs > 1; d++) {
        sums drawn = {.zero = x[0]};
        for (int64_t i = 0; i < out->runs; i++)
            add_value(&drawn, x[bf_rng_below(&rng, out->runs)]);
        add_value(&biases, mean_of(&drawn));
        add_value(&sds, sd_of(&drawn));
        add_value(&rmses, rms_of(&drawn));
    }
    out->bias = (bf_mean){mean_of(&all), sd_of(&biases)};
    out->sd = (bf_mean){sd_of(&all), sd_of(&sds)};
    out->rmse = (bf_mean){rms_of(&all), sd_of(&rmses)};
    for (int64_t i = 0; i < out->runs; i++)
        x[i] = fabs(x[i]);
    qsort(x, (size_t)out->runs, sizeof *x, by_size);
    out->low = quantile(x, out->runs, 0.25);
    out->median = quantile(x, out->runs, 0.5);
    out->high = quantile(x, out->runs, 0.75);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__rmse_difference(bf_mean *out, const double *a, const double *b, int64_t n,
                              uint64_t seed, bf_arena *arena, bf_error *err) {
    *out = (bf_mean){NAN, NAN};
    bf_mark mark = bf_arena_mark(arena);
    int64_t *both, count = 0;
    BF_ALLOC(both, arena, n, err);
    sums all[2] = {{.n = 0}, {.n = 0}}, differences = {.n = 0};
    for (int64_t i = 0; i < n; i++)
        if (!isnan(a[i]) && !isnan(b[i])) {
            both[count++] = i;
            add_value(&all[0], a[i]);
            add_value(&all[1], b[i]);
        }
    if (count == 0)
        return BF_OK;
    bf_rng rng = bf_rng_make(seed, "bootstrap", 0);
    for (int d = 0; d < DRAWS && count > 1; d++) {
        sums drawn[2] = {{.n = 0}, {.n = 0}};
        for (int64_t k = 0; k < count; k++) {
            int64_t i = both[bf_rng_below(&rng, count)];
            add_value(&drawn[0], a[i]);
            add_value(&drawn[1], b[i]);
        }
        add_value(&differences, rms_of(&drawn[0]) - rms_of(&drawn[1]));
    }
    *out = (bf_mean){rms_of(&all[0]) - rms_of(&all[1]), sd_of(&differences)};
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
