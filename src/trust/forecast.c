/* forecast.c - What an estimate will take, before it is made.
 *
 * The method runs on three small parts of the log: n / 64 rows of whole episodes, twice and four
 * times as many. It leaves out what it does on small logs alone (part_of in dataset.h). Memory is
 * the most that its pieces took at a time; the blocks that arenas usually ask for would hide how it
 * grows. Between parts it grows as a power of the rows:
 *
 *     bytes(2 n) = bytes(n) 2^p
 *
 * From the first two parts to the last two, p changes by a factor, and goes on to do so with every
 * doubling. It falls if features or samples are on the way to the most that a method takes, but not
 * below 1/3. It rises if what every row takes outgrows what does not depend on them, but by the
 * root of the factor, because that may reach a limit, too, and not above 1, unless it was there
 * already.
 *
 * If that is more than the machine has, a fourth part, of n / 8 rows, is tried before anybody is
 * told so: features may reach their limit there.
 *
 * Time is a power of the rows, too, 1 to 2. An exponent between 1 and 1.5 is one of a method that
 * is linear in the long run and counts as 1. Intervals take what was measured: 2.25 times the
 * estimate in all, and 1.2 times if they are fast.
 *
 * docs/scale.md has what forecasts came to. Cost  about a tenth of the estimate. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/machine.h"
#include "core/context.h"
#include "core/fail.h"
#include "estimator/answer.h"
#include "trust/subset.h"

enum { HEADER = 64, TRIALS = 4 }; /* bytes before every piece, to know its size by */

/* ---- Memory that is counted */

typedef struct counter {
    _Atomic size_t now, most;
} counter;

static void *take(void *context, size_t size) {
    counter *c = context;
    unsigned char *memory = malloc(size + HEADER);
    if (!memory)
        return NULL;
    memcpy(memory, &size, sizeof size);
    size_t now = atomic_fetch_add(&c->now, size) + size, most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now))
        continue;
    return memory + HEADER;
}

static void give(void *context, void *memory) {
    size_t size;
    if (!memory)
        return;
    memcpy(&size, (unsigned char *)memory - HEADER, sizeof size);
    atomic_fetch_sub(&((counter *)context)->now, size);
    free((unsigned char *)memory - HEADER);
}

/* ---- Parts of the log */

/* Deals episodes, or the rows of a bag, to 64 parts, or 32 if there are few; *parts is 0 if there
 * are too few. */
static bf_status deal(bf__clusters *clusters, int32_t **part, int *parts, const bf_dataset *data,
                      uint64_t seed, bf_arena *arena, bf_error *err) {
    BF_TRY(bf__clusters_make(clusters, data, NULL, NULL, 0, arena, err));
    if (clusters->count == 0) {
        int32_t *of;
        BF_ALLOC(of, arena, data->n, err);
        clusters->count = data->n < 1 << 20 ? data->n : 1 << 20;
        clusters->kind = "row";
        for (int64_t i = 0; i < data->n; i++)
            of[i] = (int32_t)(i % clusters->count);
        clusters->of = of;
    }
    *parts = clusters->count >= 64 ? 64 : clusters->count >= 32 ? 32 : 0;
    BF_ALLOC(*part, arena, clusters->count, err);
    if (*parts)
        bf__clusters_deal(*part, clusters->count, *parts, seed, "forecast", 0);
    return BF_OK;
}

typedef struct trial {
    double rows, bytes, seconds;
} trial;

static bf_status try_part(trial *out, const bf_estimator *estimator, const bf_problem *problem,
                          const bf_settings *settings, const bf__clusters *clusters,
                          const int32_t *part, const bf_context *context, bf_error *err) {
    counter count = {0, 0};
    bf_allocator allocator = {take, give, &count, 1}; /* piece by piece */
    bf_problem question = *problem;
    bf_dataset data;
    bf_estimate *estimate;
    bf_arena *arena;
    BF_TRY(bf_arena_create(&arena, &allocator, err));
    bf_status status = bf__subset(&data, problem->data, clusters, part, 0, arena, err);
    size_t before = count.now;
    double begun = bf__seconds();
    data.part_of = problem->data->n;
    question.data = &data;
    estimate = status == BF_OK ? bf_arena_zalloc(arena, 1, sizeof *estimate, err) : NULL;
    if (status == BF_OK)
        status = estimate ? bf__estimator_run(estimator, estimate, &question, settings, context,
                                              arena, err)
                          : BF_ENOMEM;
    *out = (trial){status == BF_OK ? (double)data.n : NAN,
                   count.most > before ? (double)(count.most - before) : 1,
                   fmax(bf__seconds() - begun, 1e-4)};
    bf_arena_destroy(arena);
    return status;
}

/* ---- Going on from there */

/* An exponent of memory that does not depend on the rows; and the least of one that does. */
static const double constant = 0.02, slowest = 1.0 / 3;

/* The exponent by which x grows between two trials. */
static double exponent(double x, double y, const trial *from, const trial *to) {
    return log(y / x) / log(to->rows / from->rows);
}

static double go_on_bytes(const trial *t, double rows) {
    double first = exponent(t[0].bytes, t[1].bytes, &t[0], &t[1]);
    double last = exponent(t[1].bytes, t[2].bytes, &t[1], &t[2]);
    double most = fmax(fmin(last, 2), 1), power = 0, p = last;
    double change = first > 0 ? fmin(last / first, sqrt(last / first)) : 2;
    for (double left = log2(rows / t[2].rows); last > constant && left > 0; left -= 1) {
        p = fmin(fmax(p * change, slowest), most);
        power += p * fmin(left, 1);
    }
    return t[2].bytes * exp2(power);
}

static double go_on_seconds(const trial *t, double rows) {
    double power = exponent(t[1].seconds, t[2].seconds, &t[1], &t[2]);
    return t[2].seconds * pow(rows / t[2].rows, power > 1.5 ? fmin(power, 2) : 1);
}

bf_status bf_forecast_make(bf_forecast *out, const bf_estimator *estimator,
                           const bf_problem *problem, const bf_settings *settings,
                           const bf_trust_options *how, const bf_context *context, bf_arena *arena,
                           bf_error *err) {
    const bf_context quiet = {.threads = context ? context->threads : 0,
                              .seed = context ? context->seed : 1};
    bf_mark mark = bf_arena_mark(arena);
    bf__clusters clusters;
    int32_t *part;
    int parts;
    trial t[TRIALS];
    double rows = (double)problem->data->n;
    *out = (bf_forecast){rows, NAN, NAN, NAN};
    BF_TRY(deal(&clusters, &part, &parts, problem->data, quiet.seed, arena, err));
    int last = 0; /* the trial to go on from */
    for (int k = 0; k < TRIALS; k++) {
        bf_error cause;
        if (k == 3 && go_on_bytes(t, rows) <= bf_machine_memory())
            break;
        for (int64_t c = 0; c < clusters.count && k > 0 && parts; c++)
            part[c] = part[c] < 1 << k ? 0 : part[c]; /* 2^k parts together */
        bf_status status =
            parts ? try_part(&t[k], estimator, problem, settings, &clusters, part, &quiet, &cause)
                  : BF_EDATA;
        /* A part may be too small for the method, or as large as the one before: nothing is known.
         */
        if (status != BF_OK || (k > 0 && !(t[k].rows > 1.2 * t[k - 1].rows))) {
            bf_arena_rewind(arena, mark);
            return BF_OK;
        }
        last = k;
    }
    bf_arena_rewind(arena, mark);
    int interval = how ? how->interval : BF_INTERVAL_FULL;
    const trial *three = t + last - 2;
    const trial whole = {.rows = rows};
    out->bytes = go_on_bytes(three, rows);
    double power = exponent(three[2].bytes, out->bytes, &three[2], &whole);
    out->power = fmin(fmax(power, 0.5), 2);
    out->seconds = go_on_seconds(three, rows) * (interval == BF_INTERVAL_FULL   ? 2.25
                                                 : interval == BF_INTERVAL_FAST ? 1.2
                                                                                : 1);
    return BF_OK;
}
