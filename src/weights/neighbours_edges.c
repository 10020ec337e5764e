/* neighbours_edges.c - The Markov chain on the logged pairs: where each of them leads.
 *
 * Nodes are the logged pairs x_j = (s_j, a_j). From node i the process goes to s'_i and takes a'
 * with probability pi(a'|s'_i); the pair (s'_i, a') is no node in general, so it is written as a
 * convex combination of the k logged pairs of action a' that are nearest (solver/hull.c). Those
 * coefficients are the probabilities of the chain.
 *
 * If rows have weights, those of a neighbourhood together say how often what follows; two of them
 * alone would not, however they are weighed. So the combination starts from the weights and is held
 * near them (`spread`).
 *
 * In high dimension a pair may lie far outside the hull of its neighbours. Then it is not near any
 * of the log, and what they would say is made up: a share off^4 / (off^4 + 1) of it, off its
 * distance in standard deviations of a coordinate, goes on somewhere as the log did, at a pair
 * drawn from its rows. If neighbours say nothing at all, the weights become equal ones. In few
 * dimensions neighbours have something to say even of a pair outside their hull, so nothing leaves
 * there.
 *
 * The chain is on all rows, as far as memory goes (16 million) and, in high dimension, where a
 * search looks at all nodes, time. If the log has more, a sample makes the chain.
 *
 * Cost  N A searches and quadratic programs of size k, O(k^2 d) each; some 6 to 20 edges per node
 */
#include "weights/neighbours_edges.h"

#include <math.h>
#include <omp.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"

enum { MOST_NODES = 16000000, MOST_STARTS = 20000, MOST_SAMPLES = 8 };
static const bf__hull_options hull = {.near = 0.02, .tolerance = 1e-4, .steps = 100};
static const bf__hull_options spread = {
    .near = 0.02, .spread = 1, .tolerance = 1e-4, .steps = 100}; /* rows have weights */
static const double far = 1; /* standard deviations of a coordinate */

/* Points to go from: next states or start states, with what the target does there. */
typedef struct places {
    int64_t n;
    const double *z, *pi, *u; /* (d, n); (A, n) or (M * k, n) */
} places;

/* Where places lead: entry e of place p is in [p * width, p * width + used[p]). */
typedef struct block {
    int64_t width; /* room for each place */
    int32_t *to;
    double *share;
    int32_t *used;
    double *off;   /* distance from the hull, mean over actions */
    double *leave; /* mass that goes nowhere near */
} block;

static bf_status make_scratch(bf__edges *c, bf_arena *arena, bf_error *err) {
    BF_ALLOC(c->scratch, arena, c->threads, err);
    for (int t = 0; t < c->threads; t++) {
        BF_ALLOC(c->scratch[t].q, arena, c->nodes->dim, err);
        BF_ALLOC(c->scratch[t].z, arena, c->k * c->nodes->dim, err);
        BF_ALLOC(c->scratch[t].gram, arena, c->k * c->k, err);
    }
    return BF_OK;
}

/* The share of a pair that its neighbours say nothing about, by its distance from their hull. */
static double far_off(double off) {
    double fourth = off * off * off * off;
    return fourth / (fourth + far * far * far * far);
}

/* Rows stand for each other where they are close, so one that counts more is met more often. */
static void weigh(double *share, const int32_t *index, int found, const bf__nodes *nodes) {
    double sum = 0;
    for (int j = 0; j < found; j++)
        sum += share[j] *= nodes->mass[index[j]] / nodes->count[index[j]];
    for (int j = 0; j < found; j++)
        share[j] /= sum;
}

/* The pair at s->q, of action `group`, as a combination of nodes; adds to the entries of place p.
 */
static void add_neighbours(block *out, int64_t p, double mass, int group, const bf__edges *c,
                           bf__edges_scratch *s) {
    const bf__nodes *nodes = c->nodes;
    int dim = nodes->dim, found = bf__nodes_near(s->index, s->square, s->weight, nodes, group, s->q,
                                                 c->k, bf__nodes_leaves(nodes));
    for (int j = 0; j < found; j++)
        for (int e = 0; e < dim; e++)
            s->z[j * dim + e] = nodes->x[(int64_t)s->index[j] * dim + e] - s->q[e];
    if (c->points->weight)
        weigh(s->weight, s->index, found, nodes);
    double off =
        bf__hull_solve(s->weight, s->z, found, dim, c->points->weight ? &spread : &hull, s->gram);
    double gone = dim > BF__FEW_DIMENSIONS ? far_off(off) : 0;
    out->off[p] += mass * off;
    out->leave[p] += mass * gone;
    mass *= 1 - gone;
    for (int j = 0; j < found; j++)
        if (s->weight[j] > 0) {
            int64_t at = p * out->width + out->used[p]++;
            out->to[at] = s->index[j];
            out->share[at] = mass * s->weight[j];
        }
}

static void follow(block *out, int64_t p, const places *from, int64_t i, const bf__edges *c,
                   bf__edges_scratch *s) {
    const bf__points *f = c->points;
    out->used[p] = 0;
    out->off[p] = 0;
    out->leave[p] = 0;
    for (int e = 0; e < f->d; e++)
        s->q[e] = from->z[e * from->n + i];
    for (int b = 0; b < f->actions; b++) {
        double mass = from->pi[b * from->n + i];
        if (mass > 0 && c->nodes->first[b + 1] > c->nodes->first[b])
            add_neighbours(out, p, mass, b, c, s);
    }
    for (int m = 0; m < c->draws; m++) {
        for (int e = 0; e < f->action_dim; e++)
            s->q[f->d + e] = from->u[((int64_t)m * f->action_dim + e) * from->n + i];
        add_neighbours(out, p, 1.0 / c->draws, 0, c, s);
    }
}

static bf_status make_block(block *out, const bf__edges *c, int64_t places_, bf_arena *arena,
                            bf_error *err) {
    out->width = (int64_t)c->k * (c->points->actions ? c->points->actions : c->draws);
    BF_ALLOC(out->to, arena, places_ * out->width, err);
    BF_ALLOC(out->share, arena, places_ * out->width, err);
    BF_ALLOC(out->used, arena, places_, err);
    BF_ALLOC(out->off, arena, places_, err);
    BF_ALLOC(out->leave, arena, places_, err);
    return BF_OK;
}

static int64_t block_size(const bf__edges *c) {
    int64_t size =
        (1 << 20) / ((int64_t)c->k * (c->points->actions ? c->points->actions : c->draws));
    return size < 16 ? 16 : size > 4096 ? 4096 : size;
}

/* ---- The found */

/* Edges as they are found, row after row. */
typedef struct found {
    struct found *next;
    int64_t count;
    int32_t *from, *to;
    double *share;
} found;

/* Keeps the edges of rows first .. first + count - 1, out of `b`. */
static bf_status keep(found ***tail, const bf__edges *c, const block *b, int64_t first,
                      int64_t count, bf_arena *arena, bf_error *err) {
    found *part;
    BF_ALLOC(part, arena, 1, err);
    *part = (found){.next = NULL};
    for (int64_t p = 0; p < count; p++)
        part->count += b->used[p];
    BF_ALLOC(part->from, arena, part->count, err);
    BF_ALLOC(part->to, arena, part->count, err);
    BF_ALLOC(part->share, arena, part->count, err);
    int64_t at = 0;
    for (int64_t p = 0; p < count; p++) {
        int32_t node = c->nodes->node_of[first + p];
        double part_of_node =
            bf__point_weight(c->points, c->nodes->row[first + p]) / c->nodes->mass[node];
        double on = bf__step_g(&c->points->steps, c->nodes->row[first + p]);
        c->restart[node] += part_of_node * bf__step_h(&c->points->steps, c->nodes->row[first + p]);
        c->leave[node] += part_of_node * on * b->leave[p];
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

static bf_status find_edges(found **out, bf__edges *c, const bf_context *context, bf_arena *arena,
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
            b.leave[p] = 0;
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
static bf_status edges_by_target(bf__visits *out, const found *list, int64_t n, bf_arena *arena,
                                 bf_error *err) {
    int64_t *begin, total = 0;
    int32_t *from;
    double *prob;
    BF_ZALLOC(begin, arena, n + 2, err);
    for (const found *part = list; part; part = part->next) {
        total += part->count;
        for (int64_t e = 0; e < part->count; e++)
            begin[part->to[e] + 2]++;
    }
    BF_ALLOC(from, arena, total, err);
    BF_ALLOC(prob, arena, total, err);
    for (int64_t j = 0; j < n; j++)
        begin[j + 2] += begin[j + 1];
    for (const found *part = list; part; part = part->next)
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
static bf_status find_start(bf__edges *c, bf_arena *arena, bf_error *err) {
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
        for (int64_t p = 0; p < some; p++) {
            double weight = f->weight0 ? f->weight0[chosen[first + p]] : 1;
            for (int32_t e = 0; e < b.used[p]; e++)
                c->start[b.to[p * b.width + e]] += weight * b.share[p * b.width + e];
        }
    }
    for (int64_t j = 0; j < c->nodes->n; j++)
        sum += c->start[j];
    for (int64_t j = 0; j < c->nodes->n && sum > 0; j++)
        c->start[j] /= sum;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_status bf__edges_reward(bf__edges *c, const double *reward, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    double *mean;
    BF_ZALLOC(mean, arena, nodes->n, err);
    for (int64_t r = 0; r < nodes->rows; r++)
        mean[nodes->node_of[r]] += bf__point_weight(c->points, nodes->row[r]) *
                                   reward[nodes->row[r]] / nodes->mass[nodes->node_of[r]];
    c->visits.reward = mean;
    return BF_OK;
}

bf_status bf__edges_build(bf__edges *c, bf__nodes *nodes, int64_t most, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const bf__points *f = c->points;
    found *list;
    double by_work = sqrt(2e10 / (f->d + f->action_dim));
    bool few = f->d + f->action_dim <= BF__FEW_DIMENSIONS;
    if (most <= 0)
        most = few ? MOST_NODES : (int64_t)by_work;
    if (f->weight)
        c->k = 2 * c->k < BF__HULL_MOST ? 2 * c->k : BF__HULL_MOST;
    BF_TRY(bf__nodes_make(nodes, f, most, arena, err));
    c->nodes = nodes;
    c->threads = bf__threads(context);
    c->draws = f->actions ? 0 : f->samples < MOST_SAMPLES ? f->samples : MOST_SAMPLES;
    BF_TRY(make_scratch(c, arena, err));
    BF_ZALLOC(c->restart, arena, nodes->n, err);
    BF_ZALLOC(c->leave, arena, nodes->n, err);
    BF_ZALLOC(c->off, arena, nodes->rows, err);
    BF_TRY(find_edges(&list, c, context, arena, err));
    BF_TRY(edges_by_target(&c->visits, list, nodes->n, arena, err));
    c->visits.leave = c->leave;
    return f->starts > 0 ? find_start(c, arena, err) : BF_OK;
}
