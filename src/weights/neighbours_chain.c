/* neighbours_chain.c - Weights from a Markov chain on the logged pairs.
 *
 * The chain is that of neighbours_edges.c; its long-run visits are the weights. Rows of one node
 * share its mass: weights are a function of (s, a), times what a row counts by its own weight.
 *
 * gamma and ends are in g_i and h_i, as in problem/steps.h: mass g_i goes on from row i, and h_i
 * goes to the start states, each of them a combination of nodes, too. For gamma = 1 a trace (1e-6)
 * of the mass restarts from the log's own distribution, which makes the answer unique. A chain can
 * come upon a few pairs at the edge of the log that lead to each other, and hardly ever leave them,
 * which the process would: then its weights are those of a handful of rows. Where they are, in few
 * dimensions, one in a thousand restarts. What that is off by is left to the correction.
 *
 * If the log has more rows than the chain, the others get the smoothed ratio of visits to rows of
 * their nearest nodes.
 *
 * Several methods begin with these weights. If the log is shared (core/share.h), the share has a
 * place for those of one question, the last that was asked, and whoever asks the same again takes
 * them from there. A question is the same if the hash of all that the chain reads besides the
 * log's coordinates is: the policy, the discount, the ends and the rewards, by which the iteration
 * ends.
 *
 * Cost  that of the edges; edges times the steps of solver/visits.c; n searches if the log is
 * larger than the chain */
#include "weights/neighbours_chain.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/mix.h"
#include "core/share.h"
#include "weights/neighbours_edges.h"

static const double leak = 1e-6, more_leak = 1e-3;

/* Where ends stay ended and gamma = 1, only nodes from which no way leads to an end keep mass:
 * whether there are any. Goes backwards along the edges from the rows that end. */
static bf_status any_stays(bool *out, const bf__edges *c, bf_arena *arena, bf_error *err) {
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

double bf__reward_scale(const double *x, int64_t n) {
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
static bf_status solve(double *x, bf__neighbours *out, bf__edges *c, const double *reward,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__nodes *nodes = c->nodes;
    double gamma = c->points->steps.gamma, *source, *away;
    bool stays = true;
    BF_TRY(bf__edges_reward(c, reward, arena, err));
    BF_ALLOC(source, bf__edges_arena(c, arena), nodes->n, err);
    BF_ALLOC(away, bf__edges_arena(c, arena), nodes->n, err);
    for (int64_t j = 0; j < nodes->n; j++) {
        x[j] = away[j] = nodes->mass[j] / nodes->total;
        source[j] = out->ends ? (1 - gamma) * (c->start ? c->start[j] : 0) : leak * x[j];
    }
    c->visits.closed = !out->ends;
    c->visits.away = c->visits.leave ? away : NULL;
    c->visits.scale = bf__reward_scale(reward, c->points->n);
    c->visits.source = gamma == 1 || out->ends ? source : NULL;
    c->visits.more_source = c->visits.leave ? 0 : more_leak / leak;
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
    c->visits.held = &c->for_edges;
    BF_TRY(bf__visits_solve(x, &result, &c->visits, context, arena, err));
    out->steps = result.steps;
    out->settled = result.settled;
    out->left = result.more ? more_leak : 0;
    out->change = result.change;
    return BF_OK;
}

/* ---- From nodes to rows */

/* Rows that are not in the chain: the ratio of visits to rows, smoothed over the nearest nodes. */
static void share_out(double *u, const bf__edges *c, const double *x) {
    const bf__nodes *nodes = c->nodes;
#pragma omp parallel for schedule(dynamic, 256) num_threads(c->mixer.threads)
    for (int64_t i = 0; i < c->points->n; i++) {
        bf__mixer_scratch *s = &c->mixer.scratch[omp_get_thread_num()];
        int group = c->points->actions ? c->points->action[i] : 0;
        bf__nodes_place(s->q, nodes, c->points, i);
        int found = bf__nodes_near(s->index, s->square, s->weight, nodes, group, s->q, c->k,
                                   bf__nodes_leaves(nodes));
        u[i] = 0;
        for (int j = 0; j < found; j++)
            u[i] +=
                s->weight[j] * x[s->index[j]] / (nodes->mass[s->index[j]] * nodes->stands[group]);
        u[i] *= bf__point_weight(c->points, i);
    }
}

static void to_rows(double *u, bf__neighbours *out, const bf__edges *c, const double *x) {
    const bf__nodes *nodes = c->nodes;
    double sum = 0, total = 0, off = 0;
    for (int64_t j = 0; j < nodes->n; j++)
        sum += x[j];
    for (int64_t r = 0; r < nodes->rows; r++) {
        double mass = x[nodes->node_of[r]] / nodes->mass[nodes->node_of[r]] *
                      bf__point_weight(c->points, nodes->row[r]);
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
    for (int64_t j = 0; j < nodes->n && sum > 0; j++)
        out->left += x[j] / sum * c->leave[j];
}

/* Gives up the trees, which take more than the rest of the nodes, if nobody searches any more. */
static bf_status drop_trees(bf__edges *c, bf__nodes *nodes, bf_arena *arena, bf_error *err) {
    int64_t *row;
    int32_t *node_of;
    double *mass;
    if (nodes->rows < c->points->n)
        return BF_OK;
    BF_ALLOC(row, arena, nodes->rows, err);
    BF_ALLOC(node_of, arena, nodes->rows, err);
    BF_ALLOC(mass, arena, nodes->n, err);
    memcpy(row, nodes->row, (size_t)nodes->rows * sizeof *row);
    memcpy(node_of, nodes->node_of, (size_t)nodes->rows * sizeof *node_of);
    memcpy(mass, nodes->mass, (size_t)nodes->n * sizeof *mass);
    *nodes = (bf__nodes){.rows = nodes->rows,
                         .row = row,
                         .node_of = node_of,
                         .n = nodes->n,
                         .mass = mass,
                         .total = nodes->total};
    bf_arena_destroy(c->for_nodes);
    c->for_nodes = NULL;
    return BF_OK;
}

static bf_status weigh(double *u, bf__neighbours *out, bf__edges *c, int64_t most,
                       const double *reward, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    bf__nodes nodes;
    double *x;
    BF_TRY(bf__edges_build(c, &nodes, most, context, arena, err));
    *out = (bf__neighbours){.nodes = nodes.n, .rows = nodes.rows, .settled = true};
    out->ends = c->points->steps.absorbs;
    BF_TRY(tree_order(&c->visits.order, &nodes, arena, err));
    BF_TRY(drop_trees(c, &nodes, arena, err));
    BF_ALLOC(x, arena, nodes.n, err);
    BF_TRY(solve(x, out, c, reward, context, arena, err));
    to_rows(u, out, c, x);
    return BF_OK;
}

/* ---- The question asked last */

typedef struct last_asked {
    bool any;
    uint64_t question;
    bf__neighbours chain;
    double *u; /* (n) */
} last_asked;

static bf_status make_last(void **out, const void *self, bf_arena *arena, bf_error *err) {
    const bf__points *points = self;
    last_asked *last;
    BF_ZALLOC(last, arena, 1, err);
    BF_ALLOC(last->u, arena, points->n, err);
    *out = last;
    return BF_OK;
}

static uint64_t mix_all(uint64_t hash, const double *x, int64_t count) {
    hash = bf__mix(hash, x ? (uint64_t)count : UINT64_MAX);
    for (int64_t i = 0; x && i < count; i++)
        hash = bf__mix_real(hash, x[i]);
    return hash;
}

static uint64_t question_of(const bf__points *f, const double *reward) {
    int64_t vectors = (int64_t)f->samples * f->action_dim;
    const bf__steps *steps = &f->steps;
    uint64_t flags =
        (uint64_t)(steps->restarts | steps->absorbs << 1 | steps->starts << 2 | steps->over << 3);
    uint64_t hash = bf__mix(bf__mix_real(1, steps->gamma), flags);
    hash = bf__mix(hash, steps->ended != NULL);
    for (int64_t i = 0; steps->ended && i < f->n; i++)
        hash = bf__mix(hash, steps->ended[i]);
    hash = mix_all(hash, f->npi, f->actions * f->n);
    hash = mix_all(hash, f->nu, vectors * f->n);
    hash = mix_all(hash, f->weight, f->n);
    hash = mix_all(hash, f->z0, f->d * f->starts);
    hash = mix_all(hash, f->pi0, f->actions * f->starts);
    hash = mix_all(hash, f->u0, vectors * f->starts);
    hash = mix_all(hash, f->weight0, f->starts);
    return mix_all(hash, reward, f->n);
}

static bf_status get_last(last_asked **out, const bf__points *points, int k, int64_t most,
                          bf_arena *arena, bf_error *err) {
    void *made = NULL;
    if (bf__share_has_room(points->share))
        BF_TRY(bf__share_get(&made, points->share, make_last, points, arena, err,
                             "%s: %lld rows, chain of %d neighbours, %lld nodes, seed %llu",
                             points->made_by, (long long)points->n, k, (long long)most,
                             (unsigned long long)points->seed));
    *out = made;
    return BF_OK;
}

bf_status bf__neighbours_solve(bf__neighbours *out, const bf_problem *problem,
                               const bf__points *points, int k, int64_t most,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    const double *reward = problem->data->reward;
    double *u;
    last_asked *last;
    BF_ALLOC(u, arena, points->n, err);
    BF_TRY(get_last(&last, points, k, most, arena, err));
    uint64_t question = last ? question_of(points, reward) : 0;
    if (last && last->any && last->question == question) {
        memcpy(u, last->u, (size_t)points->n * sizeof *u);
        *out = last->chain;
        out->u = u;
        return BF_OK;
    }
    bf_mark mark = bf_arena_mark(arena);
    bf__edges c = {.points = points, .k = k};
    bf_status status = bf_arena_create(&c.for_nodes, bf_arena_allocator(arena), err);
    if (status == BF_OK)
        status = bf_arena_create(&c.for_edges, bf_arena_allocator(arena), err);
    if (status == BF_OK)
        status = weigh(u, out, &c, most, reward, context, arena, err);
    bf_arena_destroy(c.for_nodes);
    bf_arena_destroy(c.for_edges);
    bf_arena_rewind(arena, mark);
    if (last && status == BF_OK) {
        *last = (last_asked){.any = true, .question = question, .chain = *out, .u = last->u};
        memcpy(last->u, u, (size_t)points->n * sizeof *u);
    }
    return status;
}

bf_status bf__neighbours_chain(bf__visits *out, const bf_problem *problem, const bf__points *points,
                               int k, const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__nodes nodes;
    bf__edges c = {.points = points, .k = k};
    BF_TRY(bf__edges_build(&c, &nodes, 0, context, arena, err));
    BF_TRY(bf__edges_reward(&c, problem->data->reward, arena, err));
    double *away;
    BF_ALLOC(away, arena, nodes.n, err);
    for (int64_t j = 0; j < nodes.n; j++)
        away[j] = nodes.mass[j] / nodes.total;
    *out = c.visits;
    out->away = away;
    out->start = c.start;
    out->restart = c.restart;
    return BF_OK;
}
