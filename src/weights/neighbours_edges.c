/* neighbours_edges.c - The Markov chain on the logged pairs: where each of them leads.
 *
 * Nodes are the logged pairs x_j = (s_j, a_j). From node i the process goes to s'_i and takes a'
 * with probability pi(a'|s'_i); the pair (s'_i, a') is no node in general, so it is written as a
 * mixture of logged pairs of action a' (mixtures.c). Its coefficients are the probabilities of the
 * chain.
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
#include "solver/sums.h"

enum { MOST_NODES = 16000000, MOST_STARTS = 20000 };
enum { ORDERED = 50000 }; /* rows that are worth an order */

/* Edges as they are found, in parts of `room` rows each. */
typedef struct found {
    int64_t room;
    int32_t **to;   /* (parts): the edges of one row after those of the other */
    double **share; /* as `to` */
    int32_t *begin; /* (parts, room + 1): where the edges of each row begin in its part */
    int32_t *order; /* (rows): which row is asked for when; NULL: as they are in the log */
    int32_t *asked; /* (rows): when each row is; NULL likewise */
} found;

/* The order in which rows are asked for their neighbours. Large logs go by where their next states
 * are in the tree of the largest group. Then a search reads what the one before it has read, which
 * is in cache; in the order of the log nearly all that it reads comes from memory. */
static bf_status order_rows(found *out, const bf__edges *c, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    const bf__points *f = c->points;
    int32_t *place, *begin;
    int largest = 0;
    if (nodes->rows < ORDERED || !f->actions || nodes->dim > BF__FEW_DIMENSIONS)
        return BF_OK;
    for (int b = 1; b < nodes->groups; b++)
        if (nodes->first[b + 1] - nodes->first[b] >
            nodes->first[largest + 1] - nodes->first[largest])
            largest = b;
    const bf__kdtree *tree = nodes->tree + largest;
    BF_ALLOC(out->order, arena, nodes->rows, err);
    BF_ALLOC(out->asked, arena, nodes->rows, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(place, arena, nodes->rows, err);
    BF_ZALLOC(begin, arena, tree->n + 1, err);
#pragma omp parallel for schedule(static) num_threads(c->mixer.threads)
    for (int64_t r = 0; r < nodes->rows; r++) {
        double *q = c->mixer.scratch[omp_get_thread_num()].q;
        for (int e = 0; e < f->d; e++)
            q[e] = f->nz[e * f->n + nodes->row[r]];
        place[r] = bf__kdtree_where(tree, q);
    }
    for (int64_t r = 0; r < nodes->rows; r++)
        begin[place[r] + 1]++;
    for (int64_t p = 0; p < tree->n; p++)
        begin[p + 1] += begin[p];
    for (int64_t r = 0; r < nodes->rows; r++) {
        out->asked[r] = begin[place[r]]++;
        out->order[out->asked[r]] = (int32_t)r;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* Keeps the edges of part number `part`: `count` rows, whose mixtures are in `m`. */
static bf_status keep(found *out, const bf__edges *c, const bf__mixtures *m, int64_t part,
                      int64_t count, bf_arena *arena, bf_error *err) {
    int choices = c->mixer.choices;
    int32_t *begin = out->begin + part * (out->room + 1), put = 0;
    int64_t total = 0;
    for (int64_t at = 0; at < count * choices; at++)
        total += m->of[at].count;
    BF_ALLOC(out->to[part], arena, total, err);
    BF_ALLOC(out->share[part], arena, total, err);
    for (int64_t p = 0; p < count; p++) {
        int64_t at = part * out->room + p, r = out->order ? out->order[at] : at;
        int64_t i = c->nodes->row[r];
        int32_t node = c->nodes->node_of[r];
        double part_of_node = bf__point_weight(c->points, i) / c->nodes->mass[node];
        double on = bf__step_g(&c->points->steps, i), off = 0, leave = 0;
        begin[p] = put;
        for (int b = 0; b < choices; b++) {
            const bf__mixture *mixture = &m->of[p * choices + b];
            if (mixture->count == 0)
                continue;
            double mass = bf__mixer_chosen(&c->mixer, &m->places, i, b);
            double gone = bf__mixture_gone(mixture, &c->mixer);
            off += mass * mixture->off;
            leave += mass * gone;
            mass *= 1 - gone;
            for (int32_t e = 0; e < mixture->count; e++) {
                out->to[part][put] = mixture->node[e];
                out->share[part][put++] = part_of_node * on * (mass * mixture->weight[e]);
            }
        }
        c->leave[node] += part_of_node * on * leave;
        c->off[r] = off;
    }
    begin[count] = put;
    return BF_OK;
}

static bf_status find_edges(found *out, bf__edges *c, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    const bf__points *f = c->points;
    const bf__places next = {"next states", f->n, f->nz, f->npi, f->nu};
    bf__mixtures m;
    int64_t *which;
    BF_TRY(order_rows(out, c, arena, err));
    BF_TRY(bf__mixtures_make(&m, &c->mixer, &next, arena, err));
    BF_ALLOC(which, arena, m.room, err);
    int64_t parts = (nodes->rows + m.room - 1) / m.room;
    out->room = m.room;
    BF_ALLOC(out->to, arena, parts, err);
    BF_ALLOC(out->share, arena, parts, err);
    BF_ALLOC(out->begin, arena, parts * (m.room + 1), err);
    for (int64_t part = 0, first = 0; part < parts; part++, first += m.room) {
        int64_t count = nodes->rows - first < m.room ? nodes->rows - first : m.room;
        for (int64_t p = 0; p < count; p++) {
            int64_t i = nodes->row[out->order ? out->order[first + p] : first + p];
            which[p] = bf__step_g(&f->steps, i) > 0 ? i : -1;
        }
        BF_TRY(bf__mixtures_find(&m, which, count, err));
        BF_TRY(keep(out, c, &m, part, count, arena, err));
        if (!bf__progress(context, "finding neighbours", (double)(first + count),
                          (double)nodes->rows, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

/* The edges of row r: first .. end - 1 of the part that is returned. */
static int64_t edges_of(int32_t *first, int32_t *end, const found *f, int64_t r) {
    int64_t at = f->asked ? f->asked[r] : r, part = at / f->room;
    const int32_t *begin = f->begin + part * (f->room + 1) + at % f->room;
    *first = begin[0];
    *end = begin[1];
    return part;
}

/* Edges by the node they lead to, those of one row after those of the other. */
static bf_status edges_by_target(bf__visits *out, const found *f, const bf__nodes *nodes,
                                 bf_arena *arena, bf_error *err) {
    int64_t *begin, n = nodes->n;
    int32_t *from, e, end;
    double *prob;
    BF_ZALLOC(begin, arena, n + 2, err);
    for (int64_t r = 0; r < nodes->rows; r++) {
        int64_t part = edges_of(&e, &end, f, r);
        for (; e < end; e++)
            begin[f->to[part][e] + 2]++;
    }
    for (int64_t j = 0; j < n; j++)
        begin[j + 2] += begin[j + 1];
    BF_ALLOC(from, arena, begin[n + 1], err);
    BF_ALLOC(prob, arena, begin[n + 1], err);
    for (int64_t r = 0; r < nodes->rows; r++) {
        int64_t part = edges_of(&e, &end, f, r);
        for (; e < end; e++) {
            int64_t at = begin[f->to[part][e] + 1]++;
            from[at] = nodes->node_of[r];
            prob[at] = f->share[part][e];
        }
    }
    out->n = n;
    out->begin = begin;
    out->from = from;
    out->prob = prob;
    return BF_OK;
}

/* What is found row by row is given back as soon as the edges are in their order. */
static bf_status make_edges(bf__edges *c, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    found list = {.order = NULL};
    bf_arena *own;
    BF_TRY(bf_arena_create(&own, bf_arena_allocator(arena), err));
    bf_status status = find_edges(&list, c, context, own, err);
    if (status == BF_OK)
        status = edges_by_target(&c->visits, &list, c->nodes, bf__edges_arena(c, arena), err);
    bf_arena_destroy(own);
    return status;
}

/* The start states, or a sample, as a distribution on nodes. */
static bf_status find_start(bf__edges *c, bf_arena *arena, bf_error *err) {
    const bf__points *f = c->points;
    const bf__places start = {"start states", f->starts, f->z0, f->pi0, f->u0};
    int choices = c->mixer.choices;
    int64_t *chosen, count = 0;
    double sum = 0;
    bf__mixtures m;
    BF_ZALLOC(c->start, bf__edges_arena(c, arena), c->nodes->n, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(bf__mixtures_make(&m, &c->mixer, &start, arena, err));
    BF_ALLOC(chosen, arena, f->starts, err);
    bf_rng rng = bf_rng_make(f->seed, "starts of neighbours", 0);
    for (int64_t e = 0; e < f->starts; e++)
        if (f->starts <= MOST_STARTS || bf_rng_below(&rng, f->starts - e) < MOST_STARTS - count)
            chosen[count++] = e;
    for (int64_t first = 0; first < count; first += m.room) {
        int64_t some = count - first < m.room ? count - first : m.room;
        BF_TRY(bf__mixtures_find(&m, chosen + first, some, err));
        for (int64_t at = 0; at < some * choices; at++) {
            const bf__mixture *mixture = &m.of[at];
            int64_t from = chosen[first + at / choices];
            double weight = f->weight0 ? f->weight0[from] : 1;
            double mass = bf__mixer_chosen(&c->mixer, &start, from, (int)(at % choices));
            if (mixture->count > 0)
                mass *= 1 - bf__mixture_gone(mixture, &c->mixer);
            for (int32_t e = 0; e < mixture->count; e++)
                c->start[mixture->node[e]] += weight * (mass * mixture->weight[e]);
        }
    }
    for (int64_t j = 0; j < c->nodes->n; j++)
        sum += c->start[j];
    for (int64_t j = 0; j < c->nodes->n && sum > 0; j++)
        c->start[j] /= sum;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

bf_arena *bf__edges_arena(const bf__edges *c, bf_arena *arena) {
    return c->for_edges ? c->for_edges : arena;
}

bf_status bf__edges_reward(bf__edges *c, const double *reward, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    double *mean;
    BF_ZALLOC(mean, bf__edges_arena(c, arena), nodes->n, err);
    for (int64_t r = 0; r < nodes->rows; r++)
        mean[nodes->node_of[r]] += bf__point_weight(c->points, nodes->row[r]) *
                                   reward[nodes->row[r]] / nodes->mass[nodes->node_of[r]];
    c->visits.reward = mean;
    return BF_OK;
}

bf_status bf__edges_build(bf__edges *c, bf__nodes *nodes, int64_t most, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const bf__points *f = c->points;
    double by_work = sqrt(2e10 / (f->d + f->action_dim));
    bool few = f->d + f->action_dim <= BF__FEW_DIMENSIONS;
    if (most <= 0)
        most = few ? MOST_NODES : (int64_t)by_work;
    if (f->weight)
        c->k = 2 * c->k < BF__HULL_MOST ? 2 * c->k : BF__HULL_MOST;
    BF_TRY(bf__nodes_make(nodes, f, most, c->for_nodes ? c->for_nodes : arena, err));
    c->nodes = nodes;
    BF_TRY(bf__mixer_make(&c->mixer, f, nodes, c->k, context, arena, err));
    BF_ZALLOC(c->restart, bf__edges_arena(c, arena), nodes->n, err);
    BF_ZALLOC(c->leave, arena, nodes->n, err);
    BF_ZALLOC(c->off, arena, nodes->rows, err);
    BF_TRY(make_edges(c, context, arena, err));
    for (int64_t r = 0; r < nodes->rows; r++) {
        int64_t i = nodes->row[r];
        int32_t node = nodes->node_of[r];
        c->restart[node] += bf__point_weight(f, i) / nodes->mass[node] * bf__step_h(&f->steps, i);
    }
    c->visits.leave = bf__sum(c->leave, nodes->n, c->mixer.threads) > 0 ? c->leave : NULL;
    return f->starts > 0 ? find_start(c, arena, err) : BF_OK;
}
