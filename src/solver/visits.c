/* visits.c - The long-run visits of a large sparse chain with restarts.
 *
 * Steps x <- (x + f(x)) / 2, f the map of visits.h: averaging with x takes the edge off periods.
 * Alone they need as many steps as the chain takes to mix, thousands where it is slow. Every fourth
 * step the last ones are combined (visits_mix.c), with plain steps between combinations [1]. A
 * combination that is not an improvement is dropped, so the plain steps are always there to fall
 * back on.
 *
 * Where the caller gives an order of the nodes, every eighth step is a cycle over coarser copies of
 * the chain (visits_levels.c), which moves mass as far as it has to go. Ten to fifty cycles do what
 * thousands of steps do. They leave a roughness that the steps between them even out, so one cycle
 * need not lower the residual; where 32 of them do not lower it threefold, there are no more.
 * Where mass still creeps from one place to another, every second cycle is followed by a look
 * whether it can leap (visits_leap.c). Without an order the steps above are the plain version that
 * tests compare with.
 *
 * It has settled where the residual is below 1e-6, the sum that the visits are wanted for changed
 * by less than 1e-7 between checks, and, at the rate at which changes shrink, will change by less
 * than 1e-6 in all, twice in a row. A chain that crawls has not settled, however little it moves.
 *
 * Visits pile up if they are worth less than a hundredth of the nodes (1 / sum x^2). So they do
 * where the chain comes upon a few nodes that it all but never leaves. If the caller says so,
 * such a chain is not solved to the end, but anew, from the source and with more of it.
 *
 * A node adds up what comes in, in one order, so digits do not depend on the number of threads.
 *
 * Cost O(edges + n) a step.
 *
 * [1] Pratapa, Suryanarayana, Pask, J. Comput. Phys. 306 (2016). */
#include "solver/visits.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "solver/sums.h"
#include "solver/visits_leap.h"
#include "solver/visits_levels.h"
#include "solver/visits_mix.h"
#include "solver/visits_order.h"

enum { STEPS = 20000, EVERY = 4, CHECK = 100, THREADED = 400000 };
enum { CYCLE = 8, CHECK_CYCLES = 16, PATIENCE = 32 };
static const double least_worth = 0.01; /* of the nodes */

typedef struct work {
    const bf__visits *v;
    int threads, together; /* threads for sums over edges, for loops over nodes */
    double *image, *gap;   /* (n): f(x) and then |gap|; (f(x) - x) / 2 */
    bf__mix mix;
    bf__levels *levels; /* NULL: plain steps only */
    bf__leap leap;      /* used with levels */
    int64_t cycles;
    double mark;  /* the residual, some cycles ago */
    int calm;     /* checks in a row at which all was quiet */
    double worth; /* 1 / (n sum x^2), at the last check */
} work;

/* gap = (f(x) - x) / 2; returns |f(x) - x|_1. */
static double look(work *k, const double *x) {
    const bf__visits *v = k->v;
    double back = v->restart ? bf__sum_products(v->restart, x, v->n, k->threads) : 0;
    double gone = v->leave ? bf__sum_products(v->leave, x, v->n, k->threads) : 0;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(k->threads) if (k->threads > 1 && v->begin[v->n] > THREADED)
    for (int64_t j = 0; j < v->n; j++) {
        double sum = v->source ? v->source[j] : 0;
        if (v->restart)
            sum += v->start[j] * back;
        if (v->leave)
            sum += v->away[j] * gone;
        for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++)
            sum += v->prob[e] * x[v->from[e]];
        k->image[j] = sum;
    }
    if (v->closed)
        bf__scale_to_one(k->image, v->n, k->threads);
#pragma omp parallel for schedule(static) num_threads(k->together)
    for (int64_t j = 0; j < v->n; j++) {
        k->gap[j] = 0.5 * (k->image[j] - x[j]);
        k->image[j] = fabs(k->gap[j]);
    }
    return 2 * bf__sum(k->image, v->n, k->threads);
}

/* The combined x into k->image, as a proposal. */
static bool propose(work *k, const double *x) {
    if (!bf__mix_propose(k->image, &k->mix, x, k->gap))
        return false;
    if (k->v->closed)
        bf__scale_to_one(k->image, k->v->n, k->threads);
    return true;
}

static bf_status prepare(work *k, const bf__visits *v, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    int threads = bf__threads(context);
    *k = (work){.v = v, .threads = threads, .together = bf__threads_over(v->n, threads)};
    BF_ALLOC(k->image, arena, v->n, err);
    BF_ALLOC(k->gap, arena, v->n, err);
    BF_TRY(bf__mix_make(&k->mix, v->n, threads, arena, err));
    if (v->order)
        BF_TRY(bf__levels_make(&k->levels, v, k->image, context, arena, err));
    if (k->levels)
        BF_TRY(bf__leap_make(&k->leap, v->n, arena, err));
    return BF_OK;
}

/* x as it was, where a proposal was no improvement. */
static double go_back(work *k, double *x) {
    bf__mix_undo(&k->mix, x);
    double residual = look(k, x);
    bf__mix_before(&k->mix, x, k->gap);
    return residual;
}

/* A cycle over coarser chains in the place of a step. */
static void take_cycle(work *k, double *x, bf__visits_result *result) {
    double before = result->residual;
    bf__mix_before(&k->mix, x, k->gap);
    bf__levels_cycle(k->levels, x);
    result->residual = look(k, x);
    if (k->cycles++ % PATIENCE)
        return;
    if (k->cycles > 1 && !(before < k->mark / 3))
        k->levels = NULL;
    k->mark = before;
}

/* A plain step, or a combination of the last ones. */
static void try_step(work *k, double *x, int64_t step, bf__visits_result *result) {
    double before = result->residual;
    int64_t n = k->v->n;
    bool combined = step % EVERY == 0 && propose(k, x);
    bf__mix_before(&k->mix, x, k->gap);
    if (combined) {
        memcpy(x, k->image, (size_t)n * sizeof *x);
    } else {
#pragma omp parallel for schedule(static) num_threads(k->together)
        for (int64_t j = 0; j < n; j++)
            x[j] += k->gap[j];
    }
    result->residual = look(k, x);
    if (combined && !(result->residual < before))
        result->residual = go_back(k, x);
}

/* Whether it has settled, at a check. */
static bool settled(work *k, const double *x, double *value, bf__visits_result *result) {
    double fresh = bf__sum_products(x, k->v->reward, k->v->n, k->threads), before = result->change;
    result->change = fabs(fresh - *value) / fmax(k->v->scale, 1e-300);
    *value = fresh;
    /* Changes that shrink by a factor c from check to check add up to change / (1 - c). */
    double ahead = result->change / fmax(1 - result->change / before, 1e-4);
    bool calm = result->change < 1e-7 && ahead < 1e-6 && result->residual < 1e-6;
    k->calm = calm ? k->calm + 1 : 0;
    return k->calm == 2;
}

/* A leap where x creeps. What it roughens does not count against the cycles. */
static bool try_leap(work *k, double *x, bf__visits_result *result) {
    double before = result->residual;
    if (!k->levels || !bf__leap_try(&k->leap, x, k->threads))
        return false;
    result->residual = look(k, x);
    k->mark *= fmax(result->residual / before, 1);
    bf__mix_forget(&k->mix);
    return true;
}

/* Whether x piles up, and the caller wants another chain then. */
static bool piles_up(work *k, const double *x) {
    const bf__visits *v = k->v;
    if (!v->closed || !v->source || !(v->more_source > 0))
        return false;
    k->worth = 1 / ((double)v->n * bf__sum_products(x, x, v->n, k->threads));
    return k->worth < least_worth;
}

/* Whether it does so more and more while all but that has settled. A leap may have gone too far. */
static bool keeps_piling_up(work *k, const double *x, bool leapt, double residual) {
    double last = k->worth;
    return piles_up(k, x) && k->worth <= last && !leapt && residual < 1e-3;
}

/* Steps until it has settled or piles up, or there are no more. */
static bf_status iterate(double *x, bool *piled, bf__visits_result *result, work *k,
                         const bf_context *context, bf_error *err) {
    const bf__visits *v = k->v;
    int64_t steps = v->steps > 0 ? v->steps : STEPS;
    double value = bf__sum_products(x, v->reward, v->n, k->threads);
    *result = (bf__visits_result){.residual = look(k, x), .change = INFINITY};
    *piled = false;
    for (int64_t step = 1; step <= steps && !result->settled && !*piled; step++) {
        if (result->residual <= 1e-12) {
            result->settled = true;
            result->change = 0;
            break;
        }
        if (k->levels && step % CYCLE == 1)
            take_cycle(k, x, result);
        else
            try_step(k, x, step, result);
        bf__mix_after(&k->mix, x, k->gap);
        result->steps = step;
        if (step % (k->levels ? CHECK_CYCLES : CHECK))
            continue;
        bool leapt = try_leap(k, x, result);
        result->settled = settled(k, x, &value, result);
        *piled = keeps_piling_up(k, x, leapt, result->residual);
        if (!bf__progress(context, "weights of neighbours", (double)step, (double)steps, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    *piled = piles_up(k, x);
    return BF_OK;
}

/* The chain in the order in which it is solved. */
static bf_status solve(double *x, bool *piled, bf__visits_result *result, const bf__visits *v,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    work k;
    BF_TRY(prepare(&k, v, context, arena, err));
    BF_TRY(iterate(x, piled, result, &k, context, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* The same with more of a source, which it starts from. */
static bf_status solve_with_more(double *x, bf__visits_result *result, bf__visits *v,
                                 const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t steps = result->steps;
    double *source;
    bool piled;
    BF_ALLOC(source, arena, v->n, err);
    for (int64_t j = 0; j < v->n; j++) {
        x[j] = v->source[j];
        source[j] = v->more_source * v->source[j];
    }
    v->source = source;
    v->more_source = 0;
    bf__scale_to_one(x, v->n, bf__threads(context));
    BF_TRY(solve(x, &piled, result, v, context, arena, err));
    result->steps += steps;
    result->more = true;
    return BF_OK;
}

bf_status bf__visits_solve(double *x, bf__visits_result *result, const bf__visits *visits,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    bf__visits inner = *visits;
    double *spare;
    bool piled;
    if (visits->order) {
        BF_TRY(bf__visits_reorder(&inner, visits, arena, err));
        if (visits->held) {
            bf_arena_destroy(*visits->held);
            *visits->held = NULL;
        }
        bf_mark ready = bf_arena_mark(arena);
        BF_ALLOC(spare, arena, visits->n, err);
        bf__visits_gather(x, spare, visits->order, visits->n);
        bf_arena_rewind(arena, ready);
    }
    BF_TRY(solve(x, &piled, result, &inner, context, arena, err));
    if (piled)
        BF_TRY(solve_with_more(x, result, &inner, context, arena, err));
    if (visits->order) {
        BF_ALLOC(spare, arena, visits->n, err);
        bf__visits_scatter(x, spare, visits->order, visits->n);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
