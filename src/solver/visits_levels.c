/* visits_levels.c - Coarser copies of a chain, to move mass over long distances at once.
 *
 * Nodes are put together by threes. Given visits x, the coarse chain goes from group C to group D
 * as a random node of C does, drawn by x:
 *
 *     P_CD = sum_{i in C} x_i / X_C  sum_{j in D} P_ij,     X_C = sum_{i in C} x_i
 *
 * and restarts likewise. Where x is right, X is the stationary distribution of the coarse chain; so
 * that is solved, and the nodes of a group are scaled to its new mass (aggregation and
 * disaggregation [1]). The coarse chain is solved the same way, twice a cycle, down to some hundred
 * nodes, where elimination without subtraction (Grassmann, Taksar, Heyman) is exact. Damped steps
 * before and after even out what scaling leaves within groups. Steps alone move mass as far as the
 * chain does: they are slow just where the coarse chain is exact.
 *
 * Groups are nodes with numbers next to each other, so these should lead to similar places.
 *
 * Cost  a cycle is about ten steps. Memory 4 bytes per edge and the coarse edges.
 *
 * [1] Koury, McAllister, Stewart, Iterative methods for computing stationary distributions of
 *     nearly completely decomposable Markov chains, SIAM J. Alg. Disc. Meth. 5 (1984);
 *     multilevel: Horton, Leutenegger, SIGMETRICS 1994. */
#include "solver/visits_levels.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "solver/sums.h"

enum { EACH = 3, BOTTOM = 200, MOST_LEVELS = 24, SMOOTH = 3, THREADED = 100000 };
static const double trace = 1e-40; /* so that no group is empty */

typedef struct level {
    bf__visits v;
    int32_t *map;                                           /* (edges): edge of the next level */
    double *x, *image;                                      /* (n); x is the caller's on level 0 */
    double *old;                                            /* (n): masses before the solve */
    double *prob, *start, *restart, *away, *leave, *source; /* of v, from level 1 on */
} level;

struct bf__levels {
    level level[MOST_LEVELS];
    int count, threads;
    double *dense; /* (BOTTOM, BOTTOM) */
};

/* ---- Making */

/* seen and slot have room for as many groups as there are. */
static bf_status make_coarse(level *next, level *fine, int32_t *seen, int32_t *slot,
                             bf_arena *arena, bf_error *err) {
    const bf__visits *v = &fine->v;
    int64_t groups = (v->n + EACH - 1) / EACH, *begin, total = 0;
    int32_t *from;
    BF_ALLOC(fine->map, arena, v->begin[v->n], err);
    BF_ALLOC(begin, arena, groups + 1, err);
    memset(seen, 0xff, (size_t)groups * sizeof *seen);
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills */
        from = NULL;
        if (pass == 1) {
            BF_ALLOC(from, arena, total, err);
            memset(seen, 0xff, (size_t)groups * sizeof *seen);
        }
        total = 0;
        for (int64_t d = 0; d < groups; d++) {
            begin[d] = total;
            for (int64_t j = d * EACH; j < (d + 1) * EACH && j < v->n; j++) {
                for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++) {
                    int32_t c = v->from[e] / EACH;
                    if (seen[c] != (int32_t)d) {
                        seen[c] = (int32_t)d;
                        slot[c] = (int32_t)total;
                        if (from)
                            from[total] = c;
                        total++;
                    }
                    fine->map[e] = slot[c];
                }
            }
        }
        begin[groups] = total;
    }
    *next = (level){.v = {.n = groups, .begin = begin, .from = from, .closed = true}};
    BF_ALLOC(next->prob, arena, total, err);
    BF_ALLOC(next->x, arena, groups, err);
    BF_ALLOC(next->image, arena, groups, err);
    BF_ALLOC(next->old, arena, groups, err);
    next->v.prob = next->prob;
    if (v->restart) {
        BF_ALLOC(next->start, arena, groups, err);
        BF_ALLOC(next->restart, arena, groups, err);
        next->v.start = next->start;
        next->v.restart = next->restart;
    }
    if (v->leave) {
        BF_ALLOC(next->away, arena, groups, err);
        BF_ALLOC(next->leave, arena, groups, err);
        next->v.away = next->away;
        next->v.leave = next->leave;
    }
    if (v->source) {
        BF_ALLOC(next->source, arena, groups, err);
        next->v.source = next->source;
    }
    return BF_OK;
}

/* What does not depend on x: where restarts and the source lead. */
static void sum_fixed(level *next, const level *fine) {
    for (int64_t d = 0; d < next->v.n; d++) {
        double start = 0, away = 0, source = 0;
        for (int64_t j = d * EACH; j < (d + 1) * EACH && j < fine->v.n; j++) {
            start += fine->v.restart ? fine->v.start[j] : 0;
            away += fine->v.leave ? fine->v.away[j] : 0;
            source += fine->v.source ? fine->v.source[j] : 0;
        }
        if (next->start)
            next->start[d] = start;
        if (next->away)
            next->away[d] = away;
        if (next->source)
            next->source[d] = source;
    }
}

bf_status bf__levels_make(bf__levels **out, const bf__visits *visits, double *spare,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__levels *l;
    int64_t groups = (visits->n + EACH - 1) / EACH;
    int32_t *seen, *slot;
    *out = NULL;
    if (visits->n <= BOTTOM || !visits->closed)
        return BF_OK;
    BF_ALLOC(l, arena, 1, err);
    *l = (bf__levels){.count = 1, .threads = bf__threads(context)};
    l->level[0] = (level){.v = *visits, .image = spare};
    BF_ALLOC(seen, arena, groups, err);
    BF_ALLOC(slot, arena, groups, err);
    while (l->level[l->count - 1].v.n > BOTTOM && l->count < MOST_LEVELS) {
        BF_TRY(make_coarse(&l->level[l->count], &l->level[l->count - 1], seen, slot, arena, err));
        sum_fixed(&l->level[l->count], &l->level[l->count - 1]);
        l->count++;
    }
    BF_ALLOC(l->dense, arena, BOTTOM * BOTTOM, err);
    *out = l;
    return BF_OK;
}

/* ---- Cycling */

/* x <- (x + f(x)) / 2, scaled to sum 1. */
static void smooth(level *l, double *x, int threads) {
    const bf__visits *v = &l->v;
    double back = v->restart ? bf__sum_products(v->restart, x, v->n, threads) : 0;
    double gone = v->leave ? bf__sum_products(v->leave, x, v->n, threads) : 0;
    int together = bf__threads_over(v->n, threads);
#pragma omp parallel for schedule(static)                                                          \
    num_threads(threads) if (threads > 1 && v->begin[v->n] > THREADED)
    for (int64_t j = 0; j < v->n; j++) {
        double sum = (v->source ? v->source[j] : 0) + (v->restart ? v->start[j] * back : 0) +
                     (v->leave ? v->away[j] * gone : 0);
        for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++)
            sum += v->prob[e] * x[v->from[e]];
        l->image[j] = sum;
    }
    double total = bf__sum(l->image, v->n, threads);
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t j = 0; j < v->n; j++)
        x[j] = 0.5 * (x[j] + l->image[j] / total);
}

/* The chain of `next` from the masses x of `fine`; next->x and old become the masses of groups. */
static void coarsen(level *next, level *fine, double *x, int threads) {
    const bf__visits *v = &fine->v;
    int together = bf__threads_over(v->n, threads);
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t i = 0; i < v->n; i++)
        x[i] += trace;
#pragma omp parallel for schedule(static)                                                          \
    num_threads(threads) if (threads > 1 && v->begin[v->n] > THREADED)
    for (int64_t d = 0; d < next->v.n; d++) {
        double mass = 0, restart = 0, leave = 0;
        for (int64_t e = next->v.begin[d]; e < next->v.begin[d + 1]; e++)
            next->prob[e] = 0;
        for (int64_t j = d * EACH; j < (d + 1) * EACH && j < v->n; j++) {
            mass += x[j];
            restart += v->restart ? v->restart[j] * x[j] : 0;
            leave += v->leave ? v->leave[j] * x[j] : 0;
            for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++)
                next->prob[fine->map[e]] += v->prob[e] * x[v->from[e]];
        }
        next->x[d] = next->old[d] = mass;
        if (next->restart)
            next->restart[d] = restart / mass;
        if (next->leave)
            next->leave[d] = leave / mass;
    }
    int64_t edges = next->v.begin[next->v.n];
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t e = 0; e < edges; e++)
        next->prob[e] /= next->old[next->v.from[e]];
}

/* Elimination on the last level: exact, and no subtraction. Leaves x where a group is never left.
 */
static void eliminate(level *l, double *b) {
    const bf__visits *v = &l->v;
    int64_t n = v->n;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            b[i * n + j] = (v->source ? v->source[j] : 0) +
                           (v->restart ? v->restart[i] * v->start[j] : 0) +
                           (v->leave ? v->leave[i] * v->away[j] : 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++)
            b[v->from[e] * n + j] += v->prob[e];
    for (int64_t k = n - 1; k > 0; k--) {
        double out = 0;
        for (int64_t j = 0; j < k; j++)
            out += b[k * n + j];
        if (!(out > 0))
            return;
        for (int64_t i = 0; i < k; i++) {
            double share = b[i * n + k] /= out;
            for (int64_t j = 0; j < k && share > 0; j++)
                b[i * n + j] += share * b[k * n + j];
        }
    }
    double total = l->x[0] = 1;
    for (int64_t k = 1; k < n; k++) {
        l->x[k] = 0;
        for (int64_t i = 0; i < k; i++)
            l->x[k] += l->x[i] * b[i * n + k];
        total += l->x[k];
    }
    for (int64_t k = 0; k < n; k++)
        l->x[k] /= total;
}

static void cycle(bf__levels *l, int at, double *x) {
    level *fine = &l->level[at], *next = fine + 1;
    if (at == l->count - 1) {
        eliminate(fine, l->dense);
        return;
    }
    for (int turn = 0; turn < (at == 0 || at + 2 == l->count ? 1 : 2); turn++) {
        for (int s = 0; s < SMOOTH; s++)
            smooth(fine, x, l->threads);
        coarsen(next, fine, x, l->threads);
        cycle(l, at + 1, next->x);
        int together = bf__threads_over(fine->v.n, l->threads);
#pragma omp parallel for schedule(static) num_threads(together)
        for (int64_t i = 0; i < fine->v.n; i++)
            x[i] *= next->x[i / EACH] / next->old[i / EACH];
        for (int s = 0; s < SMOOTH; s++)
            smooth(fine, x, l->threads);
    }
}

void bf__levels_cycle(bf__levels *levels, double *x) {
    cycle(levels, 0, x);
}
