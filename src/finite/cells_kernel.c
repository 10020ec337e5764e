/* cells_kernel.c - The flow residual of a finite model under a kernel on the states.
 *
 * l(x) = r'Kr,  r = E x - Pi T x over all S A pairs (cells_qp.c),  K = k_s on states, equality on
 * actions. So l = sum_a r_a' k_s r_a, and Q = sum_a A_a' k_s A_a with A_a (S, C) the rows of
 * E - Pi T that belong to action a. Cost O(A S C (S + C)) once, memory O(C^2 + S C). */
#include "finite/cells_kernel.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "finite/cells_qp.h"
#include "kernel/bandwidth.h"
#include "kernel/coordinates.h"
#include "kernel/kernel.h"
#include "linalg/dense.h"

#define MOST_BYTES 1e9

bf_status bf__cells_kernel_make(bf__cells_kernel *out, const bf__cells *m, const char *name,
                                const char *bandwidth, const bf_context *context, bf_arena *arena,
                                bf_error *err) {
    int64_t points = m->states - m->absorbing, states = m->states, d = m->dim;
    double bytes = 8.0 * ((double)states * (double)states +
                          (double)m->cells * (2.0 * (double)m->cells + 2.0 * (double)states));
    if (bytes > MOST_BYTES)
        return bf_fail(err, BF_EDATA,
                       "the %s kernel on %lld states and %lld visited pairs needs %.1f GB; "
                       "`kernel` delta does not",
                       name, (long long)states, (long long)m->cells, bytes / 1e9);
    double *x, *k, *block;
    BF_ALLOC(k, arena, states * states, err);
    BF_ALLOC(x, arena, points * d, err);
    for (int64_t s = 0; s < points; s++)
        for (int64_t j = 0; j < d; j++)
            x[j * points + s] = m->point[s * d + j];
    bf__coordinates coordinates;
    BF_TRY(bf__coordinates_fit(&coordinates, x, points, (int)d, NULL, NULL, arena, err));
    double *z;
    BF_ALLOC(z, arena, points * coordinates.out, err);
    bf__coordinates_apply(z, &coordinates, x, points);
    bf__kernel kernel;
    BF_TRY(bf__kernel_make(&kernel, name, bandwidth, z, points, coordinates.out,
                           context ? context->seed : 1, arena, err));
    BF_ALLOC(block, arena, points * points, err);
    bf__kernel_block_d(block, &kernel, z, points, z, points, coordinates.out, bf__threads(context));
    memset(k, 0, (size_t)(states * states) * sizeof *k);
    for (int64_t s = 0; s < points; s++)
        memcpy(k + s * states, block + s * points, (size_t)points * sizeof *k);
    if (m->absorbing) /* like nothing else */
        k[states * states - 1] = 1;
    *out = (bf__cells_kernel){m, k, kernel.kind->wide ? kernel.width[0] : 0};
    return BF_OK;
}

double bf__cells_kernel_loss(const bf__cells_kernel *kernel, const double *x, double *r) {
    const bf__cells *m = kernel->model;
    int64_t states = m->states, actions = m->actions;
    bf__cells_inflow(m, x, r); /* the first S of the scratch, before it is overwritten backwards */
    for (int64_t s = states - 1; s >= 0; s--) {
        double y = r[s];
        for (int64_t a = 0; a < actions; a++)
            r[s * actions + a] = -m->pi[s * actions + a] * y;
    }
    for (int64_t c = 0; c < m->cells; c++)
        r[m->state_of[c] * actions + m->action_of[c]] += x[c];
    double sum = 0;
    for (int64_t s = 0; s < states; s++)
        for (int64_t t = 0; t < states; t++) {
            double product = 0;
            for (int64_t a = 0; a < actions; a++)
                product += r[s * actions + a] * r[t * actions + a];
            sum += kernel->k[s * states + t] * product;
        }
    return fmax(sum, 0);
}

/* A_a' (C, S): row c is what a unit of mass on cell c leaves at the pairs (s, a). */
static void action_rows(const bf__cells *m, int a, double *rows) {
    int64_t states = m->states;
    memset(rows, 0, (size_t)(m->cells * states) * sizeof *rows);
    for (int64_t c = 0; c < m->cells; c++) {
        double *row = rows + c * states;
        for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++)
            row[m->to[j]] -= m->prob[j] * m->pi[m->to[j] * m->actions + a];
        for (int64_t s = 0; s < states && m->restart[c] > 0; s++)
            row[s] -= m->restart[c] * m->start[s] * m->pi[s * m->actions + a];
        if (m->action_of[c] == a)
            row[m->state_of[c]] += 1;
    }
}

bf_status bf__cells_kernel_quadratic(bf__quadratic *q, const bf__cells_kernel *kernel,
                                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__cells *m = kernel->model;
    int64_t cells = m->cells, states = m->states;
    double *sum, *part, *rows, *product;
    BF_ZALLOC(sum, arena, cells * cells, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(part, arena, cells * cells, err);
    BF_ALLOC(rows, arena, cells * states, err);
    BF_ALLOC(product, arena, cells * states, err);
    for (int a = 0; a < m->actions; a++) {
        action_rows(m, a, rows);
        BF_TRY(bf__matmul(product, rows, false, kernel->k, false, cells, states, states, context,
                          err));
        BF_TRY(bf__matmul(part, product, false, rows, true, cells, cells, states, context, err));
        for (int64_t i = 0; i < cells * cells; i++)
            sum[i] += part[i];
        if (!bf__progress(context, "building the quadratic program", a + 1, m->actions, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    bf_arena_rewind(arena, mark);
    for (int64_t i = 0; i < cells; i++)
        for (int64_t j = 0; j < i; j++)
            sum[i * cells + j] = sum[j * cells + i] =
                0.5 * (sum[i * cells + j] + sum[j * cells + i]);
    return bf__quadratic_dense(q, sum, cells, arena, err);
}
