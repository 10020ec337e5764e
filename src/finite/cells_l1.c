/* cells_l1.c - Discrepancies of a finite model that are sums of absolute values.
 *
 * r = E x - Pi T x is what mass x on the cells leaves at all S A pairs (cells_qp.c); it sums to 0.
 *
 * Variation    1/2 sum |r|, an f-divergence, and the Wasserstein distance if all pairs are 1 apart.
 * Wasserstein  On a tree it is the sum over edges of length times |mass below the edge|. The states
 *              are a line of such edges. Every pair (s, a) is a leaf that hangs on s by an edge of
 *              1/2, so that two actions at one state are 1 apart.
 *
 * Both are l(x) = |A x|_1, for solver/simplex_l1.h.
 * Cost  O(C E) to make them, E = S A or a little more */
#include "finite/cells_l1.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "kernel/coordinates.h"

#define MOST_BYTES 1e9

/* ---- The edges */

/* What a unit of mass on cell c leaves at all pairs: r (S, A). */
static void residual_of(double *r, const bf__cells *m, int64_t c) {
    int64_t actions = m->actions;
    memset(r, 0, (size_t)(m->states * actions) * sizeof *r);
    for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
        for (int64_t a = 0; a < actions; a++)
            r[m->to[j] * actions + a] -= m->prob[j] * m->pi[m->to[j] * actions + a];
    for (int64_t i = 0; i < m->states * actions && m->restart[c] > 0; i++)
        r[i] -= m->restart[c] * m->start[i / actions] * m->pi[i];
    r[m->state_of[c] * actions + m->action_of[c]] += 1;
}

/* States in the order of the line, with their places on it. */
typedef struct place {
    double z;
    int64_t state;
} place;

static int by_place(const void *left, const void *right) {
    const place *a = left, *b = right;
    return a->z != b->z ? (a->z > b->z) - (a->z < b->z)
                        : (a->state > b->state) - (a->state < b->state);
}

static bf_status line_up(place **out, const bf__cells *m, bf_arena *arena, bf_error *err) {
    place *line;
    double *z;
    bf__coordinates coordinates;
    if (m->dim != 1 || m->absorbing)
        return bf_fail(err, BF_EUSAGE, "discrepancy: wasserstein is for states of one number%s",
                       m->dim == 1 ? ", and an end that absorbs has no place among them" : "");
    BF_ALLOC(line, arena, m->states, err);
    BF_ALLOC(z, arena, m->states, err);
    BF_TRY(bf__coordinates_fit(&coordinates, m->point, m->states, 1, NULL, NULL, arena, err));
    bf__coordinates_apply(z, &coordinates, m->point, m->states);
    for (int64_t s = 0; s < m->states; s++)
        line[s] = (place){z[s], s};
    qsort(line, (size_t)m->states, sizeof *line, by_place);
    *out = line;
    return BF_OK;
}

bf_status bf__cells_l1_make(bf__cells_l1 *out, const bf__cells *m, bf__l1_kind kind,
                            bf_arena *arena, bf_error *err) {
    int64_t states = m->states, pairs = states * m->actions;
    int64_t count = kind == BF__L1_WASSERSTEIN ? pairs + states - 1 : pairs;
    double bytes = 8.0 * (double)m->cells * (2.0 * (double)count + 3.0 * (double)m->cells);
    place *line = NULL;
    double *edges;
    if (bytes > MOST_BYTES)
        return bf_fail(err, BF_EDATA,
                       "this discrepancy on %lld states and %lld visited pairs needs %.1f GB; "
                       "`discrepancy` mmd does not",
                       (long long)states, (long long)m->cells, bytes / 1e9);
    if (kind == BF__L1_WASSERSTEIN)
        BF_TRY(line_up(&line, m, arena, err));
    BF_ALLOC(edges, arena, m->cells * count, err);
    for (int64_t c = 0; c < m->cells; c++) {
        double *edge = edges + c * count, below = 0;
        residual_of(edge, m, c);
        for (int64_t k = 0; k + 1 < states && line; k++) {
            for (int a = 0; a < m->actions; a++)
                below += edge[line[k].state * m->actions + a];
            edge[pairs + k] = below * (line[k + 1].z - line[k].z);
        }
        for (int64_t i = 0; i < pairs; i++)
            edge[i] *= 0.5;
    }
    *out = (bf__cells_l1){m->cells, count, edges};
    return BF_OK;
}

double bf__cells_l1_loss(const bf__cells_l1 *l1, const double *x, double *r) {
    double sum = 0;
    memset(r, 0, (size_t)l1->count * sizeof *r);
    for (int64_t c = 0; c < l1->cells; c++)
        for (int64_t e = 0; e < l1->count && x[c] != 0; e++)
            r[e] += x[c] * l1->edges[c * l1->count + e];
    for (int64_t e = 0; e < l1->count; e++)
        sum += fabs(r[e]);
    return sum;
}
