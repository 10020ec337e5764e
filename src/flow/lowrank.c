/* lowrank.c - Coordinates of features in the span of a few of them (Nystroem).
 *
 * With pivots x_1 .. x_m, G their kernel matrix and L L' = G, the coordinates of any feature f
 * projected on span{phi(x_p)} are
 *
 *     L^-1 (<phi(x_1), f>, ..., <phi(x_m), f>)
 *
 * so inner products of coordinates are those of projections, and what is lost of psi_i is
 * orthogonal to the span: R_ii = K_ii - |Psi_i|^2, and
 *
 *     0 <= w'Kw - |Psi'w|^2 = |sum_i w_i (psi_i - P psi_i)|^2 <= (sum_i |w_i| sqrt(R_ii))^2.
 *
 * Pivots are chosen by randomly pivoted Cholesky among the logged pairs, or a sample of them. They
 * end, unless told otherwise, where a share of 1e-12 of the kernel is left: a pivot that adds less
 * has a diagonal below 1e-6 in L, and dividing by it makes rounding a part of the features.
 *
 * Cost  choosing O(N m^2) for N candidates, N m doubles of memory, released; rows O(m^2) each. */
#include "flow/lowrank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"
#include "flow/tile.h"
#include "linalg/dense.h"
#include "linalg/rpcholesky.h"

enum { ROWS = 256, CANDIDATES = 20000, BLOCK = BF__PSD_BLOCK };

/* Copies the data atoms index[.] of `from` into the set `to`, which has room for `room` of them
 * and is used as one of `count`. */
typedef struct picked {
    bf__data_d set;
    double *z, *o, *u;
    int32_t *action;
} picked;

static bf_status make_room(picked *out, const bf__flow *flow, int64_t room, bf_arena *arena,
                           bf_error *err) {
    BF_ALLOC(out->z, arena, flow->d * room, err);
    BF_ALLOC(out->o, arena, flow->actions * room, err);
    BF_ALLOC(out->u, arena, flow->action_dim * room, err);
    BF_ALLOC(out->action, arena, room, err);
    return BF_OK;
}

static void pick(picked *out, const bf__flow *flow, const bf__data_d *from, const int64_t *index,
                 int64_t count) {
    for (int64_t p = 0; p < count; p++) {
        int64_t i = index[p];
        for (int c = 0; c < flow->d; c++)
            out->z[c * count + p] = from->z[c * from->n + i];
        for (int a = 0; a < flow->actions; a++)
            out->o[a * count + p] = from->o[a * from->n + i];
        for (int c = 0; c < flow->action_dim; c++)
            out->u[c * count + p] = from->u[c * from->n + i];
        out->action[p] = flow->actions ? from->action[i] : 0;
    }
    out->set =
        (bf__data_d){.n = count, .z = out->z, .o = out->o, .u = out->u, .action = out->action};
}

/* ---- Choosing pivots: the kernel between candidates as a matrix of entries. */

typedef struct pairs {
    const bf__flow *flow;
    picked all, selected;
} pairs;

static bf_status select_pairs(void *self, const int64_t *columns, int64_t count, bf_error *err) {
    pairs *p = self;
    (void)err;
    pick(&p->selected, p->flow, &p->all.set, columns, count);
    return BF_OK;
}

static void block_of_pairs(double *out, void *self, int64_t first, int64_t rows, int64_t count) {
    const pairs *p = self;
    for (int64_t i = 0; i < rows; i++)
        bf__data_data_d(out + i * count, p->flow, &p->all.set, first + i, &p->selected.set, 0,
                        count);
}

/* N of the transitions without replacement: those that were given, or all of them, or drawn by
 * going through them once. */
static int64_t draw_candidates(int64_t *index, int64_t n, int64_t most, const int64_t *among,
                               uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "candidates", 0);
    int64_t taken = 0;
    if (among) {
        memcpy(index, among, (size_t)most * sizeof *index);
        return most;
    }
    for (int64_t i = 0; i < n; i++)
        if (n <= most || bf_rng_below(&rng, n - i) < most - taken)
            index[taken++] = i;
    return taken;
}

/* F (N, m) as the rows of `lowrank`: its columns from m on, which are 0, are closed up. */
static void keep_rows(bf__lowrank *lowrank, double *f, int64_t most, const int64_t *rows,
                      int64_t count) {
    for (int64_t i = 0; i < count && lowrank->m < most; i++)
        memmove(f + i * lowrank->m, f + i * most, (size_t)lowrank->m * sizeof *f);
    lowrank->kept = f;
    lowrank->rows = rows;
    lowrank->kept_rows = count;
}

static bf_status choose(bf__lowrank *lowrank, int64_t *index, const bf__lowrank_options *options,
                        int64_t most, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__flow *flow = lowrank->flow;
    bf_mark mark = bf_arena_mark(arena);
    int64_t room = options->candidates > 0 ? options->candidates : CANDIDATES, *candidates;
    pairs p = {.flow = flow};
    double *f, *residual, sum = 0;
    room = room < most && !options->among ? most : room;
    room = room < flow->n ? room : flow->n;
    bool keep = options->keep && 2 * room >= flow->n;
    BF_ALLOC(candidates, arena, flow->n, err);
    BF_ALLOC(f, arena, room * most, err);
    if (keep)
        mark = bf_arena_mark(arena);
    int64_t count = draw_candidates(candidates, flow->n, room, options->among, options->seed);
    BF_TRY(make_room(&p.all, flow, count, arena, err));
    BF_TRY(make_room(&p.selected, flow, BLOCK, arena, err));
    pick(&p.all, flow, &flow->data_d, candidates, count);
    BF_ALLOC(residual, arena, count, err);
    for (int64_t i = 0; i < count; i++)
        residual[i] = 1; /* k(x, x) */
    bf__psd matrix = {count, &p, select_pairs, block_of_pairs, options->among ? candidates : NULL};
    double tolerance = options->tolerance > 0 ? options->tolerance : 1e-12;
    BF_TRY(bf__rpcholesky(f, index, &lowrank->m, residual, most, &matrix, tolerance, options->seed,
                          context, arena, err));
    for (int64_t i = 0; i < count; i++)
        sum += residual[i];
    lowrank->left = sum / (double)count;
    for (int64_t k = 0; k < lowrank->m; k++)
        index[k] = candidates[index[k]];
    if (keep)
        keep_rows(lowrank, f, most, candidates, count);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* <phi(x_p), S0> for every pivot. */
static bf_status fill_start(bf__lowrank *lowrank, bf_arena *arena, bf_error *err) {
    const bf__flow *flow = lowrank->flow;
    double *start;
    BF_ZALLOC(start, arena, lowrank->m, err);
    bf_mark mark = bf_arena_mark(arena);
    double *row;
    BF_ALLOC(row, arena, lowrank->m, err);
    for (int64_t s = 0; s < flow->start.n; s++) {
        bf__next_data_d(row, flow, &flow->start, s, &lowrank->pivots, 0, lowrank->m);
        for (int64_t p = 0; p < lowrank->m; p++)
            start[p] += row[p];
    }
    bf_arena_rewind(arena, mark);
    lowrank->start = start;
    return BF_OK;
}

/* ---- Once for all policies: phi depends on the logged pairs and the kernel alone. */

typedef struct recipe {
    const bf__flow *flow;
    const bf__lowrank_options *options;
    const bf_context *context;
    int64_t most;
} recipe;

/* Pivots, L and phi of the candidates: what does not depend on the policy. */
static bf_status make_span(void **out, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *r = self;
    const bf__flow *flow = r->flow;
    bf__lowrank *span;
    int64_t *index;
    BF_ALLOC(span, arena, 1, err);
    BF_ALLOC(index, arena, r->most, err);
    *span = (bf__lowrank){.flow = flow, .index = index};
    BF_TRY(choose(span, index, r->options, r->most, r->context, arena, err));
    int64_t m = span->m;
    picked room;
    BF_TRY(make_room(&room, flow, m, arena, err));
    pick(&room, flow, &flow->data_d, index, m);
    span->pivots = room.set;
    double *l;
    BF_ALLOC(l, arena, m * m, err);
    for (int64_t p = 0; p < m; p++)
        bf__data_data_d(l + p * m, flow, &span->pivots, p, &span->pivots, 0, m);
    BF_TRY(bf__cholesky(l, m, &span->jitter, arena, err));
    span->l = l;
    if (span->jitter > 0) /* they are without it */
        span->kept = NULL;
    *out = span;
    return BF_OK;
}

/* "matern 0x1.8p+0": false if the text has no room for all widths. */
static bool name_kernel(char *text, size_t size, const bf__kernel *kernel) {
    size_t used = (size_t)snprintf(text, size, "%s", kernel->kind ? kernel->kind->name : "none");
    for (int w = 0; kernel->kind && w < kernel->widths && used < size; w++)
        used += (size_t)snprintf(text + used, size - used, " %a", kernel->width[w]);
    return used < size;
}

static bf_status get_span(void **out, const recipe *r, bf_arena *arena, bf_error *err) {
    const bf__lowrank_options *o = r->options;
    const bf__pair_kernel *kernel = &r->flow->kernel;
    char states[128], actions[128];
    bool named = name_kernel(states, sizeof states, &kernel->state) &&
                 name_kernel(actions, sizeof actions, &kernel->action);
    return bf__share_get(out, named && !o->among ? o->share : NULL, make_span, r, arena, err,
                         "%s: span of %lld, %lld, %a, %d, seed %llu, %s, %s, %a", o->made_by,
                         (long long)r->most, (long long)o->candidates, o->tolerance, o->keep,
                         (unsigned long long)o->seed, states, actions, kernel->share);
}

bf_status bf__lowrank_create(bf__lowrank **out, const bf__flow *flow,
                             const bf__lowrank_options *options, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    const recipe by = {flow, options, context, options->rank < flow->n ? options->rank : flow->n};
    bf__lowrank *lowrank;
    void *span;
    *out = NULL;
    if (by.most < 1)
        return bf_fail(err, BF_EUSAGE, "rank: %lld is below 1, the least allowed",
                       (long long)options->rank);
    BF_ALLOC(lowrank, arena, 1, err);
    BF_TRY(get_span(&span, &by, arena, err));
    *lowrank = *(const bf__lowrank *)span;
    lowrank->flow = flow;
    if (flow->corrected)
        BF_TRY(fill_start(lowrank, arena, err));
    *out = lowrank;
    return BF_OK;
}

/* ---- Coordinates. */

static void solve(double *rows, int64_t count, const bf__lowrank *lowrank, const bf__blas *blas) {
    int m = (int)lowrank->m;
    blas->dtrsm(BF__ROW_MAJOR, BF__RIGHT, BF__LOWER, BF__TRANS, BF__NON_UNIT, (int)count, m, 1,
                lowrank->l, m, rows, m);
}

/* The first kept row of transition i or after. */
static int64_t find_kept(const bf__lowrank *lowrank, int64_t i) {
    int64_t low = 0, high = lowrank->kept ? lowrank->kept_rows : 0;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lowrank->rows[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Coordinates of phi; on entry its inner products with the pivots, of the rows that are not kept,
 * `made` of them one after the other. */
static void finish_phi(double *phi, const bf__lowrank *lowrank, int64_t first, int64_t count,
                       int64_t made, const bf__blas *blas) {
    int64_t m = lowrank->m, at = find_kept(lowrank, first + count);
    solve(phi, made, lowrank, blas);
    for (int64_t i = count - 1; i >= 0 && made <= i; i--) {
        bool kept = at > 0 && lowrank->rows[at - 1] == first + i;
        const double *from = kept ? lowrank->kept + --at * m : phi + --made * m;
        memcpy(phi + i * m, from, (size_t)m * sizeof *phi);
    }
}

typedef enum kind { PHI, PSI, INNER, PRODUCTS } kind;

/* psi (count, m): inner products of psi_i with the pivots; phi: those of phi(x_i), of row i in
 * place to[i] unless that is negative. phi may be NULL. Pivots are taken a tile at a time, so that
 * the kernel of a next state serves the row after it. */
static void inner_products(double *phi, const int *to, double *psi, const bf__lowrank *lowrank,
                           int64_t first, int64_t count) {
    const bf__flow *flow = lowrank->flow;
    int64_t m = lowrank->m;
    double next[BF__TILE];
    bf__held_d held;
    for (int64_t from = 0; from < m; from += BF__TILE) {
        int64_t part = m - from < BF__TILE ? m - from : BF__TILE;
        held.of = -1;
        for (int64_t i = 0; i < count; i++) {
            double *row = psi + i * m + from, h = flow->h_d[first + i];
            bf__both_data_d(row, next, flow, first + i, &lowrank->pivots, from, part, &held);
            if (phi && to[i] >= 0)
                memcpy(phi + to[i] * m + from, row, (size_t)part * sizeof *row);
            for (int64_t p = 0; p < part; p++)
                row[p] -= next[p] + (h != 0 ? h * lowrank->start[from + p] : 0);
        }
    }
}

static void rows_of_block(double *phi, double *psi, kind what, const bf__lowrank *lowrank,
                          int64_t first, int64_t count, const bf__blas *blas) {
    const bf__flow *flow = lowrank->flow;
    int64_t m = lowrank->m, at = find_kept(lowrank, first);
    int to[ROWS], made = 0; /* rows of phi that are not kept come one after the other */
    for (int64_t i = 0; i < count; i++) {
        bool kept = what != PRODUCTS && lowrank->kept && at < lowrank->kept_rows &&
                    lowrank->rows[at] == first + i;
        at += kept;
        to[i] = kept ? -1 : made++;
        if (!psi && !kept)
            bf__data_data_d(phi + to[i] * m, flow, &flow->data_d, first + i, &lowrank->pivots, 0,
                            m);
    }
    if (psi)
        inner_products(phi, to, psi, lowrank, first, count);
    if (phi && what != PRODUCTS)
        finish_phi(phi, lowrank, first, count, made, blas);
    if (what == PSI)
        solve(psi, count, lowrank, blas);
}

static bf_status make_rows(double *phi, double *psi, kind what, const bf__lowrank *lowrank,
                           int64_t first, int64_t count, const bf_context *context, bf_error *err) {
    const bf__blas *blas;
    BF_TRY(bf__blas_load(&blas, bf__threads(context), err));
    int64_t m = lowrank->m;
#pragma omp parallel for schedule(dynamic) num_threads(bf__threads(context))
    for (int64_t r = 0; r < count; r += ROWS)
        if (phi || psi)
            rows_of_block(phi ? phi + r * m : NULL, psi ? psi + r * m : NULL, what, lowrank,
                          first + r, count - r < ROWS ? count - r : ROWS, blas);
    return BF_OK;
}

bf_status bf__lowrank_rows(double *phi, double *psi, const bf__lowrank *lowrank, int64_t first,
                           int64_t count, const bf_context *context, bf_error *err) {
    return make_rows(phi, psi, psi ? PSI : PHI, lowrank, first, count, context, err);
}

bf_status bf__lowrank_inner(double *phi, double *inner, const bf__lowrank *lowrank, int64_t first,
                            int64_t count, const bf_context *context, bf_error *err) {
    return make_rows(phi, inner, INNER, lowrank, first, count, context, err);
}

bf_status bf__lowrank_products(double *phi, double *psi, const bf__lowrank *lowrank, int64_t first,
                               int64_t count, const bf_context *context, bf_error *err) {
    return make_rows(phi, psi, PRODUCTS, lowrank, first, count, context, err);
}

bf_status bf__lowrank_data(double *out, const bf__lowrank *lowrank, const bf__data_d *set,
                           const bf_context *context, bf_error *err) {
    int64_t m = lowrank->m;
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < set->n; i++)
        bf__data_data_d(out + i * m, lowrank->flow, set, i, &lowrank->pivots, 0, m);
    return bf__lower_solve(out, set->n, lowrank->l, m, false, context, err);
}

bf_status bf__lowrank_next(double *out, const bf__lowrank *lowrank, const bf__next_d *set,
                           const bf_context *context, bf_error *err) {
    int64_t m = lowrank->m;
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < set->n; i++)
        bf__next_data_d(out + i * m, lowrank->flow, set, i, &lowrank->pivots, 0, m);
    return bf__lower_solve(out, set->n, lowrank->l, m, false, context, err);
}

void bf__lowrank_residual(double *residual, const bf__flow *flow, const double *psi, int64_t m,
                          const bf_context *context) {
    bf__flow_diagonal(residual, flow, context);
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t i = 0; i < flow->n; i++) {
        double sum = 0;
        for (int64_t p = 0; p < m; p++)
            sum += psi[i * m + p] * psi[i * m + p];
        residual[i] = residual[i] > sum ? residual[i] - sum : 0;
    }
}

double bf__lowrank_guard(const double *w, const double *residual, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(w[i]) * sqrt(residual[i]);
    return sum * sum;
}

/* ---- Pivots among the psi themselves. */

typedef struct residuals {
    const bf__flow *flow;
    int64_t selected[BLOCK];
} residuals;

static bf_status select_psi(void *self, const int64_t *columns, int64_t count, bf_error *err) {
    residuals *r = self;
    (void)err;
    for (int64_t p = 0; p < count; p++)
        r->selected[p] = columns[p];
    return BF_OK;
}

/* Rows of K are made for a pivot along its columns; K is symmetric, so they are turned here. */
static void block_of_psi(double *out, void *self, int64_t first, int64_t rows, int64_t count) {
    const residuals *r = self;
    bf__scratch_d scratch;
    double row[BF__TILE];
    for (int64_t from = 0; from < rows; from += BF__TILE) {
        int64_t part = rows - from < BF__TILE ? rows - from : BF__TILE, at = first + from;
        scratch.held[0] = scratch.held[1] = -1;
        for (int64_t p = 0; p < count; p++) {
            bf__tile_row_d(row, r->flow, r->selected[p], at, at + part, &scratch);
            for (int64_t i = 0; i < part; i++)
                out[(from + i) * count + p] = row[i];
        }
    }
}

bf_status bf__flow_factor(double *psi, int64_t *pivots, int64_t *rank, double *residual,
                          const bf__flow *flow, int64_t m, double tolerance, uint64_t seed,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    residuals r = {.flow = flow};
    bf__psd matrix = {flow->n, &r, select_psi, block_of_psi};
    bf__flow_diagonal(residual, flow, context);
    return bf__rpcholesky(psi, pivots, rank, residual, m, &matrix, tolerance, seed, context, arena,
                          err);
}
