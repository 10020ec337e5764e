/* chain.c - Finite Markov chains: closed classes, stationary distributions, absorption.
 *
 * Classes        Tarjan's strongly connected components [1], without recursion. O(n + edges).
 * Stationary     State reduction of Grassmann, Taksar and Heyman [2]. This is Gaussian elimination
 * in which the pivot is computed as a sum, so that nothing is ever subtracted. Every entry has
 * nearly full relative accuracy, even for periodic and nearly reducible chains. It costs 2 m^3 / 3
 * operations for a class of m states, by matrix products. A class of more than DIRECT_LIMIT states
 * is solved by Gauss-Seidel sweeps, O(edges) each. Absorption     The same reduction, of the states
 * outside the closed classes.
 *
 * [1] Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972).
 * [2] Grassmann, Taksar, Heyman, Regenerative analysis and steady state distributions for Markov
 *     chains, Oper. Res. 33 (1985). */
#include "solver/chain.h"

#include <math.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"

enum { DIRECT_LIMIT = 6000, SWEEPS = 20000 };

/* ---- Classes */

typedef struct search {
    const bf__chain *chain;
    int32_t *low, *number, *stack, *path;
    int64_t *next; /* the edge to look at next */
    int32_t *class_of;
    int32_t counter, stacked, depth, count;
} search;

static void enter(search *s, int32_t node) {
    s->number[node] = s->low[node] = ++s->counter;
    s->next[node] = s->chain->begin[node];
    s->stack[s->stacked++] = node;
    s->path[s->depth++] = node;
}

static void leave(search *s, int32_t node) {
    s->depth--;
    if (s->depth > 0) {
        int32_t parent = s->path[s->depth - 1];
        if (s->low[node] < s->low[parent])
            s->low[parent] = s->low[node];
    }
    if (s->low[node] != s->number[node])
        return;
    int32_t member;
    do {
        member = s->stack[--s->stacked];
        s->class_of[member] = s->count;
    } while (member != node);
    s->count++;
}

static void walk_from(search *s, int32_t root) {
    enter(s, root);
    while (s->depth > 0) {
        int32_t node = s->path[s->depth - 1];
        if (s->next[node] == s->chain->begin[node + 1]) {
            leave(s, node);
            continue;
        }
        int64_t edge = s->next[node]++;
        int32_t to = s->chain->index[edge];
        if (!(s->chain->prob[edge] > 0))
            continue;
        if (s->number[to] == 0)
            enter(s, to);
        else if (s->class_of[to] < 0 && s->number[to] < s->low[node])
            s->low[node] = s->number[to];
    }
}

bf_status bf__chain_classes(bf__classes *out, const bf__chain *chain, bf_arena *arena,
                            bf_error *err) {
    int64_t n = chain->n;
    search s = {.chain = chain};
    uint8_t *closed;
    BF_ALLOC(s.class_of, arena, n, err);
    BF_ALLOC(closed, arena, n, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(s.low, arena, n, err);
    BF_ZALLOC(s.number, arena, n, err);
    BF_ALLOC(s.stack, arena, n, err);
    BF_ALLOC(s.path, arena, n, err);
    BF_ALLOC(s.next, arena, n, err);
    for (int64_t i = 0; i < n; i++)
        s.class_of[i] = -1;
    for (int32_t i = 0; i < (int32_t)n; i++)
        if (s.number[i] == 0)
            walk_from(&s, i);
    for (int32_t c = 0; c < s.count; c++)
        closed[c] = 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = chain->begin[i]; j < chain->begin[i + 1]; j++)
            if (chain->prob[j] > 0 && s.class_of[chain->index[j]] != s.class_of[i])
                closed[s.class_of[i]] = 0;
    bf_arena_rewind(arena, mark);
    *out = (bf__classes){s.count, s.class_of, closed};
    return BF_OK;
}

/* ---- State reduction */

enum { BLOCK = 64, ROWS = 128 };

/* Takes state k out of the rows low..k-1 in full. In the rows below low it takes k out of the
 * columns low..k-1 only; the rest of those rows follows for the whole block at once. */
static bf_status reduce_one(double *p, int64_t m, int64_t k, int64_t low, bf_error *err) {
    const double *out = p + k * m;
    double leaving = 0;
    for (int64_t j = 0; j < k; j++)
        leaving += out[j];
    if (!(leaving > 0))
        return bf_fail(err, BF_ENUMERIC, "a Markov chain cannot be reduced further");
    for (int64_t i = 0; i < k; i++) {
        double *row = p + i * m;
        if (row[k] == 0)
            continue;
        double share = row[k] /= leaving;
        for (int64_t j = i < low ? low : 0; j < k; j++)
            row[j] += share * out[j];
    }
    return BF_OK;
}

/* Takes the states m-1, ..., kept out of the dense chain p (m, m): what went through such a state
 * now goes past it. For i < k, p[i][k] is left as the expected number of visits to k per visit to
 * i. The work is done by blocks of states, so that nearly all of it is a matrix product of numbers
 * that are not negative. */
static bf_status reduce(double *p, int64_t m, int64_t kept, const bf_context *context,
                        bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    int threads = bf__threads(context);
    for (int64_t high = m; high > kept;) {
        int64_t low = high - BLOCK > kept ? high - BLOCK : kept, size = high - low;
        for (int64_t k = high - 1; k >= low; k--)
            BF_TRY(reduce_one(p, m, k, low, err));
#pragma omp parallel for schedule(static) num_threads(threads) if (low > 2 * ROWS)
        for (int64_t i = 0; i < low; i += ROWS) {
            int64_t rows = low - i < ROWS ? low - i : ROWS;
            blas->dgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__NO_TRANS, (int)rows, (int)low, (int)size,
                        1, p + i * m + low, (int)m, p + low * m, (int)m, 1, p + i * m, (int)m);
        }
        high = low;
        if (!bf__progress(context, "solving the chain", (double)(m - high), (double)m, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

/* ---- Stationary distribution */

static bf_status stationary_direct(double *x, const bf__chain *chain, const int32_t *members,
                                   const int32_t *place, int64_t m, const bf_context *context,
                                   bf_arena *arena, bf_error *err) {
    double *p, *y;
    BF_ZALLOC(p, arena, m * m, err);
    BF_ALLOC(y, arena, m, err);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = chain->begin[members[i]]; j < chain->begin[members[i] + 1]; j++)
            if (chain->prob[j] > 0)
                p[i * m + place[chain->index[j]]] += chain->prob[j];
    BF_TRY(reduce(p, m, 1, context, err));
    double sum = y[0] = 1;
    for (int64_t k = 1; k < m; k++) {
        y[k] = 0;
        for (int64_t i = 0; i < k; i++)
            y[k] += y[i] * p[i * m + k];
        sum += y[k];
    }
    for (int64_t i = 0; i < m; i++)
        x[members[i]] = y[i] / sum;
    return BF_OK;
}

/* Gauss-Seidel on x = xP: x_j = sum_{i != j} x_i P_ij / (1 - P_jj), from the reversed edges. */
static bf_status stationary_sweeps(double *x, const bf__chain *chain, const int32_t *members,
                                   const int32_t *place, int64_t m, const bf_context *context,
                                   bf_arena *arena, bf_error *err) {
    int64_t *begin, edges = 0;
    BF_ZALLOC(begin, arena, m + 2, err);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = chain->begin[members[i]]; j < chain->begin[members[i] + 1]; j++)
            if (chain->prob[j] > 0) {
                begin[place[chain->index[j]] + 2]++;
                edges++;
            }
    for (int64_t i = 0; i < m; i++)
        begin[i + 2] += begin[i + 1];
    int32_t *from;
    double *prob, *y;
    BF_ALLOC(from, arena, edges, err);
    BF_ALLOC(prob, arena, edges, err);
    BF_ALLOC(y, arena, m, err);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = chain->begin[members[i]]; j < chain->begin[members[i] + 1]; j++)
            if (chain->prob[j] > 0) {
                int64_t at = begin[place[chain->index[j]] + 1]++;
                from[at] = (int32_t)i;
                prob[at] = chain->prob[j];
            }
    for (int64_t i = 0; i < m; i++)
        y[i] = 1.0 / (double)m;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0, sum = 0;
        for (int64_t j = 0; j < m; j++) {
            double inflow = 0, stay = 0;
            for (int64_t e = begin[j]; e < begin[j + 1]; e++)
                if (from[e] == j)
                    stay += prob[e];
                else
                    inflow += y[from[e]] * prob[e];
            double fresh = inflow / (1 - stay);
            change += fabs(fresh - y[j]);
            y[j] = fresh;
            sum += fresh;
        }
        for (int64_t j = 0; j < m; j++)
            y[j] /= sum;
        if (change <= 1e-14 * sum)
            break;
        if (!bf__progress(context, "solving the chain", sweep, SWEEPS, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    for (int64_t i = 0; i < m; i++)
        x[members[i]] = y[i];
    return BF_OK;
}

bf_status bf__chain_stationary(double *x, double *residual, const bf__chain *chain,
                               const bf__classes *classes, int32_t which, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    int64_t n = chain->n, m = 0;
    bf_mark mark = bf_arena_mark(arena);
    int32_t *members, *place;
    BF_ALLOC(members, arena, n, err);
    BF_ALLOC(place, arena, n, err);
    for (int64_t i = 0; i < n; i++) {
        x[i] = 0;
        if (classes->class_of[i] == which) {
            place[i] = (int32_t)m;
            members[m++] = (int32_t)i;
        }
    }
    if (m <= DIRECT_LIMIT)
        BF_TRY(stationary_direct(x, chain, members, place, m, context, arena, err));
    else
        BF_TRY(stationary_sweeps(x, chain, members, place, m, context, arena, err));
    double *flow;
    BF_ZALLOC(flow, arena, n, err);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = chain->begin[members[i]]; j < chain->begin[members[i] + 1]; j++)
            flow[chain->index[j]] += x[members[i]] * chain->prob[j];
    *residual = 0;
    for (int64_t i = 0; i < n; i++)
        *residual += fabs(flow[i] - x[i]);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Absorption */

/* The reduced chain has node 0 for `start`, one node per closed class, and the states that are in
 * no closed class. These are taken out until only the start and the classes are left. */
bf_status bf__chain_absorption(double *out, const bf__chain *chain, const bf__classes *classes,
                               const double *start, const bf_context *context, bf_arena *arena,
                               bf_error *err) {
    int64_t n = chain->n, kept = 1;
    bf_mark mark = bf_arena_mark(arena);
    int64_t *node, *node_of_class;
    BF_ALLOC(node, arena, n, err);
    BF_ALLOC(node_of_class, arena, classes->count, err);
    for (int32_t c = 0; c < classes->count; c++)
        node_of_class[c] = classes->closed[c] ? kept++ : 0;
    int64_t m = kept;
    for (int64_t i = 0; i < n; i++) {
        int32_t c = classes->class_of[i];
        node[i] = classes->closed[c] ? node_of_class[c] : m++;
    }
    if (m > DIRECT_LIMIT)
        return bf_fail(
            err, BF_ENUMERIC,
            "%lld states outside %lld classes are too many to tell which class is reached",
            (long long)(m - kept), (long long)(kept - 1));
    double *p;
    BF_ZALLOC(p, arena, m * m, err);
    for (int64_t i = 0; i < n; i++) {
        p[node[i]] += start[i];
        if (node[i] < kept)
            continue;
        for (int64_t j = chain->begin[i]; j < chain->begin[i + 1]; j++)
            p[node[i] * m + node[chain->index[j]]] += chain->prob[j];
    }
    BF_TRY(reduce(p, m, kept, context, err));
    for (int32_t c = 0; c < classes->count; c++)
        out[c] = classes->closed[c] ? p[node_of_class[c]] : 0;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
