/* forecast.c - What an estimate will take, before it is made.
 *
 * The method runs on two small parts of the log, n / 32 rows of whole episodes and twice as many.
 * Memory is the most that its arenas held at a time. Memory and time go on as powers of the rows;
 * the exponents are those between the two parts, cut to what methods have: 0 to 2 and 1 to 2.
 *
 *     bytes(n) = bytes(n2) (n / n2)^p,   p = log2(bytes(n2) / bytes(n1))
 *
 * Cost  about a tenth of the estimate. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/answer.h"
#include "trust/subset.h"

enum { PARTS = 32, HEADER = 64 }; /* of the log; bytes before every piece, to know its size by */

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

/* Deals episodes, or the rows of a bag, to PARTS parts. */
static bf_status deal(bf__clusters *clusters, int32_t **part, const bf_dataset *data, uint64_t seed,
                      bf_arena *arena, bf_error *err) {
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
    BF_ALLOC(*part, arena, clusters->count, err);
    bf__clusters_deal(*part, clusters->count, PARTS, seed, "forecast", 0);
    return BF_OK;
}

typedef struct trial {
    double rows, bytes, seconds;
} trial;

static bf_status try_part(trial *out, const bf_estimator *estimator, const bf_problem *problem,
                          const bf_settings *settings, const bf__clusters *clusters,
                          const int32_t *part, const bf_context *context, bf_error *err) {
    counter count = {0, 0};
    bf_allocator allocator = {take, give, &count, 0};
    bf_problem question = *problem;
    bf_dataset data;
    bf_estimate *estimate;
    bf_arena *arena;
    BF_TRY(bf_arena_create(&arena, &allocator, err));
    bf_status status = bf__subset(&data, problem->data, clusters, part, 0, arena, err);
    size_t before = count.now;
    double begun = bf__seconds();
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

/* How `small` at one size and `large` at twice as many rows go on at `ratio` times the latter. */
static double go_on(double small, double large, double times, double ratio, double least) {
    double power = log(large / small) / log(times);
    return large * pow(ratio, fmin(fmax(power, least), 2));
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
    trial trials[2];
    double rows = (double)problem->data->n;
    *out = (bf_forecast){rows, NAN, NAN, NAN};
    BF_TRY(deal(&clusters, &part, problem->data, quiet.seed, arena, err));
    for (int k = 0; k < 2; k++) {
        bf_error cause;
        for (int64_t c = 0; c < clusters.count && k == 1; c++)
            part[c] = part[c] <= 1 ? 0 : 2; /* two parts together */
        bf_status status = clusters.count >= PARTS
                               ? try_part(&trials[k], estimator, problem, settings, &clusters, part,
                                          &quiet, &cause)
                               : BF_EDATA;
        if (status != BF_OK) { /* a part may be too small for the method: nothing is known */
            bf_arena_rewind(arena, mark);
            return BF_OK;
        }
    }
    bf_arena_rewind(arena, mark);
    double times = trials[1].rows / trials[0].rows, ratio = rows / trials[1].rows;
    int interval = how ? how->interval : BF_INTERVAL_FULL;
    if (!(times > 1.2))
        return BF_OK;
    out->bytes = go_on(trials[0].bytes, trials[1].bytes, times, ratio, 0);
    out->power = fmin(fmax(log(trials[1].bytes / trials[0].bytes) / log(times), 0.5), 2);
    out->seconds = go_on(trials[0].seconds, trials[1].seconds, times, ratio, 1) *
                   (interval == BF_INTERVAL_FULL   ? 3
                    : interval == BF_INTERVAL_FAST ? 1.3
                                                   : 1);
    return BF_OK;
}
