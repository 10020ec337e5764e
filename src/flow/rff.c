/* rff.c - Random Fourier features [1].
 *
 * A radial kernel is the mean of cos(omega'(x - y)) over its frequencies omega, so D of them give
 *
 *     phi(s) = sqrt(1/D) (cos omega_1's, sin omega_1's, ..., cos omega_D's, sin omega_D's)
 *
 * with <phi(s), phi(t)> within about 1/sqrt(D) of k(s, t). Actions enter by channels, each with its
 * own copy of the waves:
 *
 *     discrete     channel 0: sqrt(c);  channel 1 + a: sqrt(1 - c) 1{action = a}, or pi(a)
 *     continuous   channel 0: sqrt(c);  channel 1: sqrt(1 - c), waves of state and action vector
 *
 * (no channel 0 where c = 0). A mixture of widths gives each its share of the waves.
 * Cost  n D (d + 1) for rows; no choice of pivots, but many more features for the same error.
 *
 * [1] Rahimi, Recht, Random features for large-scale kernel machines, 2007. */
#include "flow/rff.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"

/* `count` frequencies of a kernel in d dimensions. */
static bf_status draw(const double **out, const bf__kernel *kernel, int d, int64_t count,
                      bf_rng *rng, bf_arena *arena, bf_error *err) {
    if (!kernel->kind->spread)
        return bf_fail(err, BF_EUSAGE, "the kernel %s has no random Fourier features",
                       kernel->kind->name);
    double *omega;
    BF_ALLOC(omega, arena, count * d, err);
    for (int64_t f = 0; f < count; f++) {
        double size = kernel->kind->spread(rng) / kernel->width[f % kernel->widths];
        for (int c = 0; c < d; c++)
            omega[f * d + c] = size * bf_rng_normal(rng);
    }
    *out = omega;
    return BF_OK;
}

/* out (m) += the waves at one point: `common` times them in the channel of c, own * q[.] times them
 * in `count` channels of actions from `channel` on. u NULL: waves of states alone. */
static void add_waves(double *out, const bf__rff *rff, const double *z, const double *u,
                      int64_t stride, double common, double own, const double *q, int channel,
                      int count) {
    int d = rff->flow->d, k = rff->flow->action_dim;
    int64_t width = 2 * rff->waves;
    double *actions = out + (rff->common ? width : 0) + channel * width;
    for (int64_t f = 0; f < rff->waves; f++) {
        double angle = 0;
        for (int c = 0; c < d; c++)
            angle += rff->state[f * d + c] * z[c * stride];
        if (common != 0) {
            out[2 * f] += common * cos(angle);
            out[2 * f + 1] += common * sin(angle);
        }
        for (int c = 0; u && c < k; c++)
            angle += rff->action[f * k + c] * u[c * stride];
        double cosine = own * cos(angle), sine = own * sin(angle);
        for (int a = 0; a < count; a++) {
            actions[a * width + 2 * f] += q[a] * cosine;
            actions[a * width + 2 * f + 1] += q[a] * sine;
        }
    }
}

/* out (m) += phi(x_i). */
static void add_data(double *out, const bf__rff *rff, const bf__data_d *set, int64_t i) {
    const bf__flow *flow = rff->flow;
    double one = 1, unit = sqrt(1 / (double)rff->waves);
    add_waves(out, rff, set->z + i, flow->actions ? NULL : set->u + i, set->n,
              sqrt(flow->kernel.share) * unit, sqrt(1 - flow->kernel.share) * unit, &one,
              flow->actions ? set->action[i] : 0, 1);
}

/* out (m) += sign g_i E_pi phi(z_i, a). */
static void add_next(double *out, const bf__rff *rff, double sign, const bf__next_d *set,
                     int64_t i) {
    const bf__flow *flow = rff->flow;
    double one = 1, unit = sign * sqrt(1 / (double)rff->waves), g = set->g[i];
    double common = sqrt(flow->kernel.share) * unit * g, own = sqrt(1 - flow->kernel.share) * unit;
    if (flow->actions) { /* q has g in it */
        add_waves(out, rff, set->z + i, NULL, set->n, common, own, set->q + i * flow->actions, 0,
                  flow->actions);
        return;
    }
    for (int m = 0; m < flow->samples; m++)
        add_waves(out, rff, set->z + i, set->nu + m * flow->action_dim * set->n + i, set->n,
                  common / flow->samples, own * g / flow->samples, &one, 0, 1);
}

bf_status bf__rff_create(bf__rff **out, const bf__flow *flow, int64_t waves, uint64_t seed,
                         bf_arena *arena, bf_error *err) {
    *out = NULL;
    bf__rff *rff;
    bf_rng rng = bf_rng_make(seed, "waves", 0);
    if (waves < 1)
        return bf_fail(err, BF_EUSAGE, "waves: %lld is below 1, the least allowed",
                       (long long)waves);
    BF_ALLOC(rff, arena, 1, err);
    *rff = (bf__rff){.flow = flow, .waves = waves, .common = flow->kernel.share > 0};
    rff->m = 2 * waves * ((flow->actions ? flow->actions : 1) + (rff->common ? 1 : 0));
    BF_TRY(draw(&rff->state, &flow->kernel.state, flow->d, waves, &rng, arena, err));
    if (!flow->actions)
        BF_TRY(draw(&rff->action, &flow->kernel.action, flow->action_dim, waves, &rng, arena, err));
    if (flow->corrected) {
        double *start;
        BF_ZALLOC(start, arena, rff->m, err);
        for (int64_t s = 0; s < flow->start.n; s++)
            add_next(start, rff, 1, &flow->start, s);
        rff->start = start;
    }
    *out = rff;
    return BF_OK;
}

void bf__rff_rows(double *phi, double *psi, const bf__rff *rff, int64_t first, int64_t count,
                  const bf_context *context) {
    const bf__flow *flow = rff->flow;
    int64_t m = rff->m;
#pragma omp parallel for schedule(static) num_threads(bf__threads(context))
    for (int64_t r = 0; r < count; r++) {
        double *row = phi ? phi + r * m : psi + r * m, h = flow->h_d[first + r];
        memset(row, 0, (size_t)m * sizeof *row);
        add_data(row, rff, &flow->data_d, first + r);
        if (!psi)
            continue;
        double *own = psi + r * m;
        if (own != row)
            memcpy(own, row, (size_t)m * sizeof *row);
        add_next(own, rff, -1, &flow->next_d, first + r);
        for (int64_t f = 0; h != 0 && f < m; f++)
            own[f] -= h * rff->start[f];
    }
}
