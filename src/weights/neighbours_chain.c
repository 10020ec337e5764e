/* neighbours_chain.c - Weights from a Markov chain on the logged pairs.
 *
 * Nodes are the logged pairs x_j = (s_j, a_j). From node i the process goes to s'_i and takes a'
 * with probability pi(a'|s'_i); the pair (s'_i, a') is no node in general, so it is written as a
 * convex combination of the k logged pairs of action a' that are nearest (solver/hull.c). Those
 * coefficients are the probabilities of the chain; its long-run visits are the weights. Rows of
 * one node share its mass: weights are a function of (s, a).
 *
 * gamma and ends are in g_i and h_i, as in problem/steps.h: mass g_i goes on from row i, and h_i
 * goes to the start states, each of them a combination of nodes as above. For gamma = 1 a trace
 * (1e-6) of the mass restarts from the log's own distribution, which makes the answer unique.
 *
 * The chain is on all rows, as far as memory goes (16 million) and, in high dimension, where a
 * search looks at all nodes, time. Where the log has more, a sample makes the chain, and the others
 * get the smoothed ratio of visits to rows of their nearest nodes.
 *
 * Cost  N A searches and quadratic programs of size k, O(k^2 d) each; edges (some 6 to 20 per node)
 *       times the steps of solver/visits.c; n searches where the log is larger than the chain.
 *
 * The file is a little over 400 lines: edges, visits and the way back to rows are three short steps
 * over one struct, which nothing else sees. */
#include "weights/neighbours_chain.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "core/log.h"
#include "problem/nodes.h"
#include "solver/hull.h"
#include "solver/visits.h"

enum { MOST_NODES = 16000000, MOST_STARTS = 20000, MOST_SAMPLES = 8, FEW_DIMENSIONS = 8 };
static const double leak = 1e-6;
static const bf__hull_options hull = {.near = 0.02, .tolerance = 1e-4, .steps = 100};

/* Points to go from: next states or start states, with what the target does there. */
typedef struct places {
    int64_t n;
    const double *z, *pi, *u; /* (d, n); (A, n) or (M * k, n) */
} places;

typedef struct scratch {
    double *q, *z, *gram;
    int32_t index[BF__HULL_MOST];
    double square[BF__HULL_MOST], weight[BF__HULL_MOST];
} scratch;

/* Where places lead: entry e of place p is in [p * width, p * width + used[p]). */
typedef struct block {
    int64_t width; /* room for each place */
    int32_t *to;
    double *share;
    int32_t *used;
    double *off; /* distance from the hull, mean over actions */
} block;

typedef struct chain {
    const bf__points *points;
    const bf__nodes *nodes;
    int k, draws; /* neighbours; sampled actions that are used */
    scratch *scratch;
    int threads;
    double *restart, *start; /* (nodes) */
    double *off;             /* (rows) */
    bf__visits visits;
} chain;

static bf_status make_scratch(chain *c, bf_arena *arena, bf_error *err) {
    BF_ALLOC(c->scratch, arena, c->threads, err);
    for (int t = 0; t < c->threads; t++) {
        BF_ALLOC(c->scratch[t].q, arena, c->nodes->dim, err);
        BF_ALLOC(c->scratch[t].z, arena, c->k * c->nodes->dim, err);
        BF_ALLOC(c->scratch[t].gram, arena, c->k * c->k, err);
    }
    return BF_OK;
}

/* The pair at s->q, of action `group`, as a combination of nodes; adds to the entries of place p.
 */
static void express(block *out, int64_t p, double mass, int group, const chain *c, scratch *s) {
    const bf__nodes *nodes = c->nodes;
    int dim = nodes->dim,
        found = bf__nodes_near(s->index, s->square, s->weight, nodes, group, s->q, c->k, 0);
    for (int j = 0; j < found; j++)
        for (int e = 0; e < dim; e++)
            s->z[j * dim + e] = nodes->x[(int64_t)s->index[j] * dim + e] - s->q[e];
    out->off[p] += mass * bf__hull_solve(s->weight, s->z, found, dim, &hull, s->gram);
    for (int j = 0; j < found; j++)
        if (s->weight[j] > 0) {
            int64_t at = p * out->width + out->used[p]++;
            out->to[at] = s->index[j];
            out->share[at] = mass * s->weight[j];
        }
}

static void follow(block *out, int64_t p, const places *from, int64_t i, const chain *c,
                   scratch *s) {
    const bf__points *f = c->points;
    out->used[p] = 0;
    out->off[p] = 0;
    for (int e = 0; e < f->d; e++)
        s->q[e] = from->z[e * from->n + i];
    for (int b = 0; b < f->actions; b++) {
        double mass = from->pi[b * from->n + i];
        if (mass > 0 && c->nodes->first[b + 1] > c->nodes->first[b])
            express(out, p, mass, b, c, s);
    }
    for (int m = 0; m < c->draws; m++) {
        for (int e = 0; e < f->action_dim; e++)
            s->q[f->d + e] = from->u[((int64_t)m * f->action_dim + e) * from->n + i];
        express(out, p, 1.0 / c->draws, 0, c, s);
    }
}

static bf_status make_block(block *out, const chain *c, int64_t places_, bf_arena *arena,
                            bf_error *err) {
    out->width = (int64_t)c->k * (c->points->actions ? c->points->actions : c->draws);
    BF_ALLOC(out->to, arena, places_ * out->width, err);
    BF_ALLOC(out->share, arena, places_ * out->width, err);
    BF_ALLOC(out->used, arena, places_, err);
    BF_ALLOC(out->off, arena, places_, err);
    return BF_OK;
}

static int64_t block_size(const chain *c) {
    int64_t size =
        (1 << 20) / ((int64_t)c->k * (c->points->actions ? c->points->actions : c->draws));
    return size < 16 ? 16 : size > 4096 ? 4096 : size;
}

/* ---- The edges */

/* Edges as they are found, row after row. */
typedef struct edges {
    struct edges *next;
    int64_t count;
    int32_t *from, *to;
    double *share;
} edges;

/* Keeps the edges of rows first .. first + count - 1, out of `b`. */
static bf_status keep(edges ***tail, const chain *c, const block *b, int64_t first, int64_t count,
                      bf_arena *arena, bf_error *err) {
    edges *part;
    BF_ALLOC(part, arena, 1, err);
    *part = (edges){.next = NULL};
    for (int64_t p = 0; p < count; p++)
        part->count += b->used[p];
    BF_ALLOC(part->from, arena, part->count, err);
    BF_ALLOC(part->to, arena, part->count, err);
    BF_ALLOC(part->share, arena, part->count, err);
    int64_t at = 0;
    for (int64_t p = 0; p < count; p++) {
        int32_t node = c->nodes->node_of[first + p];
        double part_of_node = 1.0 / c->nodes->count[node];
        double on = bf__step_g(&c->points->steps, c->nodes->row[first + p]);
        c->restart[node] += part_of_node * bf__step_h(&c->points->steps, c->nodes->row[first + p]);
        c->off[first + p] = b->off[p];
        for (int32_t e = 0; e < b->used[p]; e++) {
            part->from[at] = node;
            part->to[at] = b->to[p * b->width + e];
            part->share[at++] = part_of_node * on * b->share[p * b->width + e];
        }
    }
    **tail = part;
    *tail = &part->next;
    return BF_OK;
}

static bf_status find_edges(edges **out, chain *c, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    places next = {c->points->n, c->points->nz, c->points->npi, c->points->nu};
    int64_t size = block_size(c);
    block b;
    *out = NULL;
    BF_TRY(make_block(&b, c, size, arena, err));
    for (int64_t first = 0; first < nodes->rows; first += size) {
        int64_t count = nodes->rows - first < size ? nodes->rows - first : size;
#pragma omp parallel for schedule(dynamic, 16) num_threads(c->threads)
        for (int64_t p = 0; p < count; p++) {
            int64_t i = nodes->row[first + p];
            b.used[p] = 0;
            b.off[p] = 0;
            if (bf__step_g(&c->points->steps, i) > 0)
                follow(&b, p, &next, i, c, &c->scratch[omp_get_thread_num()]);
        }
        BF_TRY(keep(&out, c, &b, first, count, arena, err));
        if (!bf__progress(context, "finding neighbours", (double)(first + count),
                          (double)nodes->rows, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

/* Edges by the node they lead to, in the order they were found. */
static bf_status turn(bf__visits *out, const edges *list, int64_t n, bf_arena *arena,
                      bf_error *err) {
    int64_t *begin, total = 0;
    int32_t *from;
    double *prob;
    BF_ZALLOC(begin, arena, n + 2, err);
    for (const edges *part = list; part; part = part->next) {
        total += part->count;
        for (int64_t e = 0; e < part->count; e++)
            begin[part->to[e] + 2]++;
    }
    BF_ALLOC(from, arena, total, err);
    BF_ALLOC(prob, arena, total, err);
    for (int64_t j = 0; j < n; j++)
        begin[j + 2] += begin[j + 1];
    for (const edges *part = list; part; part = part->next)
        for (int64_t e = 0; e < part->count; e++) {
            int64_t at = begin[part->to[e] + 1]++;
            from[at] = part->from[e];
            prob[at] = part->share[e];
        }
    out->n = n;
    out->begin = begin;
    out->from = from;
    out->prob = prob;
    return BF_OK;
}

/* The start states, or a sample, as a distribution on nodes. */
static bf_status find_start(chain *c, bf_arena *arena, bf_error *err) {
    const bf__points *f = c->points;
    places start = {f->starts, f->z0, f->pi0, f->u0};
    int64_t size = block_size(c), *chosen, count = 0;
    double sum = 0;
    block b;
    BF_ZALLOC(c->start, arena, c->nodes->n, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(make_block(&b, c, size, arena, err));
    BF_ALLOC(chosen, arena, f->starts, err);
    bf_rng rng = bf_rng_make(f->seed, "starts of neighbours", 0);
    for (int64_t e = 0; e < f->starts; e++)
        if (f->starts <= MOST_STARTS || bf_rng_below(&rng, f->starts - e) < MOST_STARTS - count)
            chosen[count++] = e;
    for (int64_t first = 0; first < count; first += size) {
        int64_t some = count - first < size ? count - first : size;
#pragma omp parallel for schedule(dynamic, 16) num_threads(c->threads)
        for (int64_t p = 0; p < some; p++)
            follow(&b, p, &start, chosen[first + p], c, &c->scratch[omp_get_thread_num()]);
        for (int64_t p = 0; p < some; p++)
            for (int32_t e = 0; e < b.used[p]; e++)
                c->start[b.to[p * b.width + e]] += b.share[p * b.width + e];
    }
    for (int64_t j = 0; j < c->nodes->n; j++)
        sum += c->start[j];
    for (int64_t j = 0; j < c->nodes->n && sum > 0; j++)
        c->start[j] /= sum;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- The visits */

/* Where ends stay ended and gamma = 1, only nodes from which no way leads to an end keep mass:
 * whether there are any. Goes backwards along the edges from the rows that end. */
static bf_status any_stays(bool *out, const chain *c, bf_arena *arena, bf_error *err) {
    const bf__visits *v = &c->visits;
    bf_mark mark = bf_arena_mark(arena);
    bool *ends;
    int32_t *stack;
    int64_t depth = 0, reached = 0;
    BF_ZALLOC(ends, arena, v->n, err);
    BF_ALLOC(stack, arena, v->n, err);
    for (int64_t r = 0; r < c->nodes->rows; r++) {
        int32_t node = c->nodes->node_of[r];
        if (bf__step_ended(&c->points->steps, c->nodes->row[r]) && !ends[node]) {
            ends[node] = true;
            stack[depth++] = node;
        }
    }
    while (depth > 0) {
        int32_t node = stack[--depth];
        reached++;
        for (int64_t e = v->begin[node]; e < v->begin[node + 1]; e++)
            if (!ends[v->from[e]]) {
                ends[v->from[e]] = true;
                stack[depth++] = v->from[e];
            }
    }
    *out = reached < v->n;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* The standard deviation, or, if there is none but rounding, what is far above rounding. */
static double scale_of(const double *x, int64_t n) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        square += (x[i] - mean) * (x[i] - mean) / (double)n;
    return fmax(sqrt(square), 1e-6 * fabs(mean));
}

/* Nodes as the trees have them: neighbours, of one action, side by side. */
static bf_status tree_order(const int32_t **out, const bf__nodes *nodes, bf_arena *arena,
                            bf_error *err) {
    int32_t *order;
    BF_ALLOC(order, arena, nodes->n, err);
    for (int b = 0; b < nodes->groups; b++)
        for (int64_t p = nodes->first[b]; p < nodes->first[b + 1]; p++)
            order[p] = (int32_t)nodes->first[b] + nodes->tree[b].index[p - nodes->first[b]];
    *out = order;
    return BF_OK;
}

/* x (nodes): the visits. */
static bf_status solve(double *x, bf__neighbours *out, chain *c, const double *reward,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    double gamma = c->points->steps.gamma, *source, *mean;
    bool stays = true;
    BF_ZALLOC(mean, arena, nodes->n, err);
    BF_ALLOC(source, arena, nodes->n, err);
    for (int64_t r = 0; r < nodes->rows; r++)
        mean[nodes->node_of[r]] += reward[nodes->row[r]] / nodes->count[nodes->node_of[r]];
    for (int64_t j = 0; j < nodes->n; j++) {
        x[j] = nodes->count[j] / (double)nodes->rows;
        source[j] = out->ends ? (1 - gamma) * (c->start ? c->start[j] : 0) : leak * x[j];
    }
    c->visits.closed = !out->ends;
    c->visits.reward = mean;
    c->visits.scale = scale_of(reward, c->points->n);
    c->visits.source = gamma == 1 || out->ends ? source : NULL;
    if (c->start && !out->ends) {
        c->visits.start = c->start;
        c->visits.restart = c->restart;
    }
    if (c->points->steps.over)
        BF_TRY(any_stays(&stays, c, arena, err));
    if (!stays) {
        memset(x, 0, (size_t)nodes->n * sizeof *x);
        return BF_OK;
    }
    bf__visits_result result;
    BF_TRY(tree_order(&c->visits.order, nodes, arena, err));
    BF_TRY(bf__visits_solve(x, &result, &c->visits, context, arena, err));
    out->steps = result.steps;
    out->settled = result.settled;
    out->change = result.change;
    return BF_OK;
}

/* ---- From nodes to rows */

/* Rows that are not in the chain: the ratio of visits to rows, smoothed over the nearest nodes. */
static void share_out(double *u, const chain *c, const double *x) {
    const bf__nodes *nodes = c->nodes;
    /* In high dimension a search that looks at all nodes would take longer than all the rest. */
    int64_t leaves = nodes->dim > 8 ? 64 : 0;
#pragma omp parallel for schedule(dynamic, 256) num_threads(c->threads)
    for (int64_t i = 0; i < c->points->n; i++) {
        scratch *s = &c->scratch[omp_get_thread_num()];
        int group = c->points->actions ? c->points->action[i] : 0;
        bf__nodes_place(s->q, nodes, c->points, i);
        int found =
            bf__nodes_near(s->index, s->square, s->weight, nodes, group, s->q, c->k, leaves);
        u[i] = 0;
        for (int j = 0; j < found; j++)
            u[i] +=
                s->weight[j] * x[s->index[j]] / (nodes->count[s->index[j]] * nodes->stands[group]);
    }
}

static void to_rows(double *u, bf__neighbours *out, const chain *c, const double *x) {
    const bf__nodes *nodes = c->nodes;
    double sum = 0, total = 0, off = 0;
    for (int64_t j = 0; j < nodes->n; j++)
        sum += x[j];
    for (int64_t r = 0; r < nodes->rows; r++) {
        double mass = x[nodes->node_of[r]] / nodes->count[nodes->node_of[r]];
        off += mass * c->off[r];
        if (nodes->rows == c->points->n)
            u[r] = mass;
    }
    if (nodes->rows < c->points->n)
        share_out(u, c, x);
    for (int64_t i = 0; i < c->points->n; i++)
        total += u[i];
    for (int64_t i = 0; i < c->points->n && total > 0; i++)
        u[i] *= sum / total;
    out->u = u;
    out->sum = sum;
    out->off_hull = sum > 0 ? off / sum : 0;
}

bf_status bf__neighbours_solve(bf__neighbours *out, const bf_problem *problem,
                               const bf__points *points, int k, int64_t most,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__nodes nodes;
    edges *list;
    double *u, *x, by_work = sqrt(2e10 / (points->d + points->action_dim));
    bool few = points->d + points->action_dim <= FEW_DIMENSIONS;
    BF_ALLOC(u, arena, points->n, err);
    bf_mark mark = bf_arena_mark(arena);
    if (most <= 0)
        most = few ? MOST_NODES : (int64_t)by_work;
    BF_TRY(bf__nodes_make(&nodes, points, most, arena, err));
    chain c = {.points = points, .nodes = &nodes, .k = k, .threads = bf__threads(context)};
    c.draws = points->actions ? 0 : points->samples < MOST_SAMPLES ? points->samples : MOST_SAMPLES;
    *out = (bf__neighbours){.nodes = nodes.n, .rows = nodes.rows, .settled = true};
    out->ends = points->steps.absorbs;
    BF_TRY(make_scratch(&c, arena, err));
    BF_ZALLOC(c.restart, arena, nodes.n, err);
    BF_ZALLOC(c.off, arena, nodes.rows, err);
    BF_ALLOC(x, arena, nodes.n, err);
    BF_TRY(find_edges(&list, &c, context, arena, err));
    BF_TRY(turn(&c.visits, list, nodes.n, arena, err));
    if (points->starts > 0)
        BF_TRY(find_start(&c, arena, err));
    BF_TRY(solve(x, out, &c, problem->data->reward, context, arena, err));
    to_rows(u, out, &c, x);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
