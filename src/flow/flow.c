/* flow.c - From points and a kernel to the atoms of psi, and what follows row by row.
 *
 * Cost  O(n (d + A)) to build, plus O(n n0) exponentials for the products with the n0 start
 *       states where there are restarts or gamma < 1. */
#include "flow/flow.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "flow/tile.h"

/* A chain has to be this long on average before one row serves both ends of a transition. */
enum { MIN_CHAIN = 16, MAX_STARTS = 1000 };

static bf_status check(const bf__points *in, const bf__pair_kernel *kernel, bf_error *err) {
    if (in->n < 1 || in->d < 1)
        return bf_fail(err, BF_EDATA, "no transitions, or states without coordinates");
    if (!(in->steps.gamma >= 0 && in->steps.gamma <= 1))
        return bf_fail(err, BF_EUSAGE, "gamma: %g is outside 0 to 1", in->steps.gamma);
    if (!(kernel->share >= 0 && kernel->share <= 1))
        return bf_fail(err, BF_EUSAGE, "action share: %g is outside 0 to 1", kernel->share);
    if (in->actions ? !in->action || !in->npi : !in->u || !in->nu || in->samples < 1)
        return bf_fail(err, BF_ENEEDS, "no actions, or no target policy at the next states");
    if (in->steps.starts && (in->starts < 1 || (in->actions ? !in->pi0 : !in->u0)))
        return bf_fail(err, BF_ENEEDS, "%s needs start states and the target policy there",
                       in->steps.restarts ? "restarting terminated steps" : "gamma < 1");
    return BF_OK;
}

static bf_status copy(const double **out, const double *x, int64_t count, bf_arena *arena,
                      bf_error *err) {
    double *kept;
    *out = NULL;
    if (!x)
        return BF_OK;
    BF_ALLOC(kept, arena, count, err);
    memcpy(kept, x, (size_t)count * sizeof *kept);
    *out = kept;
    return BF_OK;
}

static bf_status narrow(const float **out, const double *x, int64_t count, bf_arena *arena,
                        bf_error *err) {
    float *kept;
    *out = NULL;
    if (!x)
        return BF_OK;
    BF_ALLOC(kept, arena, count, err);
    for (int64_t i = 0; i < count; i++)
        kept[i] = (float)x[i];
    *out = kept;
    return BF_OK;
}

bf_status bf__data_make(bf__data_d *out, const bf__flow *flow, const double *z,
                        const int32_t *action, const double *u, int64_t n, bf_arena *arena,
                        bf_error *err) {
    *out = (bf__data_d){.n = n};
    BF_TRY(copy(&out->z, z, flow->d * n, arena, err));
    if (!flow->actions)
        return copy(&out->u, u, flow->action_dim * n, arena, err);
    int32_t *kept;
    double *o;
    BF_ALLOC(kept, arena, n, err);
    BF_ALLOC(o, arena, flow->actions * n, err);
    for (int64_t i = 0; i < n; i++) {
        if (action[i] < 0 || action[i] >= flow->actions)
            return bf_fail(err, BF_EDATA, "transition %lld: action %d is outside 0 to %d",
                           (long long)i, (int)action[i], flow->actions - 1);
        kept[i] = action[i];
        for (int a = 0; a < flow->actions; a++)
            o[a * n + i] = a == action[i] ? 1 : flow->kernel.share;
    }
    out->action = kept;
    out->o = o;
    return BF_OK;
}

/* Probabilities are divided by their sum: they came within 1e-6 of it. */
static bf_status fill_policy(bf__next_d *out, const bf__flow *flow, const double *pi,
                             const double *g, int64_t n, bf_arena *arena, bf_error *err) {
    int actions = flow->actions;
    double *pg, *q;
    BF_ALLOC(pg, arena, actions * n, err);
    BF_ALLOC(q, arena, actions * n, err);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 0; a < actions; a++)
            sum += pi[a * n + i];
        if (!(sum > 0 && isfinite(sum)))
            return bf_fail(err, BF_EPOLICY, "transition %lld: the probabilities of pi sum to %g",
                           (long long)i, sum);
        for (int a = 0; a < actions; a++) {
            double p = pi[a * n + i] / sum;
            pg[a * n + i] = g[i] * (flow->kernel.share + (1 - flow->kernel.share) * p);
            q[i * actions + a] = g[i] * p;
        }
    }
    out->pg = pg;
    out->q = q;
    return BF_OK;
}

bf_status bf__next_make(bf__next_d *out, const bf__flow *flow, const double *z, const double *pi,
                        const double *nu, const double *g, int64_t n, bf_arena *arena,
                        bf_error *err) {
    *out = (bf__next_d){.n = n};
    BF_TRY(copy(&out->g, g, n, arena, err));
    BF_TRY(copy(&out->z, z, flow->d * n, arena, err));
    if (flow->actions)
        return fill_policy(out, flow, pi, g, n, arena, err);
    return copy(&out->nu, nu, (int64_t)flow->samples * flow->action_dim * n, arena, err);
}

static bf_status fill_successors(bf__flow *flow, const bf__points *in, bf_arena *arena,
                                 bf_error *err) {
    double *g, *h;
    BF_ALLOC(g, arena, in->n, err);
    BF_ALLOC(h, arena, in->n, err);
    for (int64_t i = 0; i < in->n; i++) {
        g[i] = bf__step_g(&in->steps, i);
        h[i] = bf__step_h(&in->steps, i);
    }
    flow->h_d = h;
    return bf__next_make(&flow->next_d, flow, in->nz, in->npi, in->nu, g, in->n, arena, err);
}

/* The start states, or most_starts of them drawn without replacement; their weights sum to 1. */
static bf_status fill_starts(bf__flow *flow, const bf__points *in, bf_arena *arena, bf_error *err) {
    int64_t all = in->starts, most = in->most_starts > 0 ? in->most_starts : MAX_STARTS;
    int64_t n0 = all < most ? all : most;
    int64_t k = (int64_t)in->samples * in->action_dim;
    int64_t *chosen;
    double *z0, *p0, *g0, sum = 0;
    BF_ALLOC(chosen, arena, all, err);
    BF_ALLOC(z0, arena, in->d * n0, err);
    BF_ALLOC(p0, arena, (in->actions ? in->actions : k) * n0, err);
    BF_ALLOC(g0, arena, n0, err);
    bf_rng rng = bf_rng_make(in->seed, "starts", 0);
    for (int64_t i = 0; i < all; i++)
        chosen[i] = i;
    for (int64_t i = 0; i < n0; i++) {
        int64_t other = n0 < all ? i + bf_rng_below(&rng, all - i) : i, from = chosen[other];
        chosen[other] = chosen[i];
        for (int c = 0; c < in->d; c++)
            z0[c * n0 + i] = in->z0[c * all + from];
        for (int a = 0; a < in->actions; a++)
            p0[a * n0 + i] = in->pi0[a * all + from];
        for (int64_t c = 0; c < k && !in->actions; c++)
            p0[c * n0 + i] = in->u0[c * all + from];
        g0[i] = in->weight0 ? in->weight0[from] : 1;
        sum += g0[i];
    }
    for (int64_t i = 0; i < n0; i++)
        g0[i] /= sum;
    return bf__next_make(&flow->start, flow, z0, p0, p0, g0, n0, arena, err);
}

static double sum_of(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* b_i = <phi_i - g_i phi'_i, S0> and e_j = <S0, S0> h_j - b_j. */
static bf_status fill_correction(bf__flow *flow, const bf_context *context, bf_arena *arena,
                                 bf_error *err) {
    int64_t n = flow->n, n0 = flow->start.n;
    int threads = bf__threads(context);
    double *b, *e, *row, norm = 0;
    BF_ALLOC(b, arena, n, err);
    BF_ALLOC(e, arena, n, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(row, arena, threads * n0, err);
#pragma omp parallel num_threads(threads)
    {
        double *mine = row + omp_get_thread_num() * n0;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            bf__data_next_d(mine, flow, &flow->data_d, i, &flow->start, 0, n0);
            b[i] = sum_of(mine, n0);
            bf__next_next_d(mine, flow, &flow->next_d, i, &flow->start, 0, n0);
            b[i] -= sum_of(mine, n0);
        }
    }
    for (int64_t i = 0; i < n0; i++) {
        bf__next_next_d(row, flow, &flow->start, i, &flow->start, 0, n0);
        norm += sum_of(row, n0);
    }
    bf_arena_rewind(arena, mark);
    for (int64_t i = 0; i < n; i++)
        e[i] = norm * flow->h_d[i] - b[i];
    flow->b_d = b;
    flow->e_d = e;
    return BF_OK;
}

static bool same_point(const double *x, int64_t i, const double *y, int64_t j, int64_t n, int d) {
    for (int c = 0; c < d; c++)
        if (x[c * n + i] != y[c * n + j])
            return false;
    return true;
}

static bf_status find_chain(bf__flow *flow, bf_arena *arena, bf_error *err) {
    const double *z = flow->data_d.z, *nz = flow->next_d.z;
    int64_t n = flow->n, count = 2;
    for (int64_t i = 1; i < n; i++)
        count += same_point(nz, i - 1, z, i, n, flow->d) ? 1 : 2;
    if (count > n + n / MIN_CHAIN)
        return BF_OK;
    int64_t *place, *stop;
    double *chain;
    count = (count + 2 * BF__LANES - 1) / BF__LANES * BF__LANES;
    BF_ALLOC(place, arena, n, err);
    BF_ALLOC(stop, arena, n, err);
    BF_ZALLOC(chain, arena, count * flow->d, err);
    for (int64_t i = 0; i < n; i++) {
        bool goes_on = i > 0 && same_point(nz, i - 1, z, i, n, flow->d);
        place[i] = i == 0 ? 0 : place[i - 1] + (goes_on ? 1 : 2);
        for (int c = 0; c < flow->d; c++) {
            chain[c * count + place[i]] = z[c * n + i];
            chain[c * count + place[i] + 1] = nz[c * n + i];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--)
        stop[i] = i + 1 < n && place[i + 1] == place[i] + 1 ? stop[i + 1] : i + 1;
    flow->points = count;
    flow->place = place;
    flow->stop = stop;
    flow->chain_d = chain;
    return BF_OK;
}

static bf_status fill_floats(bf__flow *flow, bf_arena *arena, bf_error *err) {
    int64_t n = flow->n, d = flow->d, k = flow->action_dim;
    const bf__data_d *data = &flow->data_d;
    const bf__next_d *next = &flow->next_d;
    flow->data_f = (bf__data_f){.n = n, .action = data->action};
    flow->next_f = (bf__next_f){.n = n};
    BF_TRY(narrow(&flow->data_f.z, data->z, d * n, arena, err));
    BF_TRY(narrow(&flow->data_f.o, data->o, flow->actions * n, arena, err));
    BF_TRY(narrow(&flow->data_f.u, data->u, k * n, arena, err));
    BF_TRY(narrow(&flow->next_f.z, next->z, d * n, arena, err));
    BF_TRY(narrow(&flow->next_f.pg, next->pg, flow->actions * n, arena, err));
    BF_TRY(narrow(&flow->next_f.q, next->q, flow->actions * n, arena, err));
    BF_TRY(narrow(&flow->next_f.nu, next->nu, flow->samples * k * n, arena, err));
    BF_TRY(narrow(&flow->next_f.g, next->g, n, arena, err));
    BF_TRY(narrow(&flow->h_f, flow->h_d, n, arena, err));
    BF_TRY(narrow(&flow->b_f, flow->b_d, n, arena, err));
    BF_TRY(narrow(&flow->e_f, flow->e_d, n, arena, err));
    return narrow(&flow->chain_f, flow->chain_d, d * flow->points, arena, err);
}

bf_status bf__flow_atoms(bf__flow **out, const bf__points *in, const bf__pair_kernel *kernel,
                         bf_arena *arena, bf_error *err) {
    *out = NULL;
    BF_TRY(check(in, kernel, err));
    bf__flow *flow;
    BF_ALLOC(flow, arena, 1, err);
    *flow = (bf__flow){.n = in->n,
                       .d = in->d,
                       .actions = in->actions,
                       .action_dim = in->actions ? 0 : in->action_dim,
                       .samples = in->actions ? 0 : in->samples,
                       .kernel = *kernel,
                       .corrected = in->steps.starts};
    BF_TRY(bf__data_make(&flow->data_d, flow, in->z, in->action, in->u, in->n, arena, err));
    BF_TRY(fill_successors(flow, in, arena, err));
    if (flow->corrected)
        BF_TRY(fill_starts(flow, in, arena, err));
    *out = flow;
    return BF_OK;
}

bf_status bf__flow_create(bf__flow **out, const bf__points *in, const bf__pair_kernel *kernel,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__flow *flow;
    *out = NULL;
    BF_TRY(bf__flow_atoms(&flow, in, kernel, arena, err));
    if (flow->corrected)
        BF_TRY(fill_correction(flow, context, arena, err));
    BF_TRY(find_chain(flow, arena, err));
    BF_TRY(fill_floats(flow, arena, err));
    *out = flow;
    return BF_OK;
}

void bf__flow_diagonal(double *diagonal, const bf__flow *flow, const bf_context *context) {
#pragma omp parallel num_threads(bf__threads(context))
    {
        bf__scratch_d scratch;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < flow->n; i++) {
            scratch.held[0] = scratch.held[1] = -1;
            bf__tile_row_d(diagonal + i, flow, i, i, i + 1, &scratch);
        }
    }
}

void bf__flow_rows(double *out, const bf__flow *flow, const int64_t *i, int64_t count,
                   const bf_context *context) {
    int64_t n = flow->n, tiles = (n + BF__TILE - 1) / BF__TILE;
#pragma omp parallel num_threads(bf__threads(context))
    {
        bf__scratch_d scratch;
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles; t++) {
            int64_t first = t * BF__TILE, end = first + BF__TILE < n ? first + BF__TILE : n;
            scratch.held[0] = scratch.held[1] = -1;
            for (int64_t r = 0; r < count; r++)
                bf__tile_row_d(out + r * n + first, flow, i[r], first, end, &scratch);
        }
    }
}
