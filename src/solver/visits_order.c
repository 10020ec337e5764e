/* visits_order.c - A chain with its nodes in another order.
 *
 * A step of the chain reads, for every node, those that lead to it. In the order of a tree these
 * are near each other and have just been read for the node before, so they are in cache while the
 * visits of all nodes are not. And nodes with numbers next to each other can be put together
 * (visits_levels.c).
 * Edges into a node keep their order, so its sum has the same digits. */
#include "solver/visits_order.h"

#include <string.h>

#include "core/fail.h"

void bf__visits_gather(double *x, double *spare, const int32_t *order, int64_t n) {
    memcpy(spare, x, (size_t)n * sizeof *x);
    for (int64_t k = 0; k < n; k++)
        x[k] = spare[order[k]];
}

void bf__visits_scatter(double *x, double *spare, const int32_t *order, int64_t n) {
    memcpy(spare, x, (size_t)n * sizeof *x);
    for (int64_t k = 0; k < n; k++)
        x[order[k]] = spare[k];
}

static bf_status reorder_edges(bf__visits *out, const bf__visits *v, bf_arena *arena,
                               bf_error *err) {
    int64_t *begin, at = 0;
    int32_t *from, *place;
    double *prob;
    BF_ALLOC(begin, arena, v->n + 1, err);
    BF_ALLOC(from, arena, v->begin[v->n], err);
    BF_ALLOC(prob, arena, v->begin[v->n], err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(place, arena, v->n, err);
    for (int64_t k = 0; k < v->n; k++)
        place[v->order[k]] = (int32_t)k;
    for (int64_t k = 0; k < v->n; k++) {
        int64_t j = v->order[k];
        begin[k] = at;
        for (int64_t e = v->begin[j]; e < v->begin[j + 1]; e++, at++) {
            from[at] = place[v->from[e]];
            prob[at] = v->prob[e];
        }
    }
    begin[v->n] = at;
    bf_arena_rewind(arena, mark);
    out->begin = begin;
    out->from = from;
    out->prob = prob;
    return BF_OK;
}

bf_status bf__visits_reorder(bf__visits *out, const bf__visits *visits, bf_arena *arena,
                             bf_error *err) {
    *out = *visits;
    const double **of_nodes[] = {&out->start, &out->restart, &out->away,
                                 &out->leave, &out->source,  &out->reward};
    BF_TRY(reorder_edges(out, visits, arena, err));
    for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++) {
        const double *given = *of_nodes[i];
        double *moved;
        if (!given)
            continue;
        BF_ALLOC(moved, arena, visits->n, err);
        for (int64_t k = 0; k < visits->n; k++)
            moved[k] = given[visits->order[k]];
        *of_nodes[i] = moved;
    }
    return BF_OK;
}
