/* gauss.c - Fitting the network of the weights by Gauss-Newton steps.
 *
 * The flow residual of all transitions is a vector of m numbers only, p = Psi'w, while the network
 * has many more parameters x. So a step that takes its linear model to 0 is found among m numbers:
 *
 *     p(x + d) ~ p + A d,   A = dp / dx = sum_i (psi_i - p) / S dW_i / dx,   S = sum W
 *     d = -A' y,   (A A' + t I) y = p
 *
 * d is the least of all moves that minimise |p + A d|^2 + t |d|^2 (Levenberg and Marquardt). The
 * damping t goes down if a step lowers |p|^2 about as the model says, and up if it does not [1].
 *
 * p is that of all rows. A may be that of some: from MOST_TILES tiles of rows on, each step draws
 * its tiles. A step is only kept if it lowers the |p|^2 of all rows.
 *
 * Shapes  n transitions, P parameters; Psi (n, m), A' (P, m)
 * Cost    a step: 2 N m P for A, N = n rows up to 16,384; m^2 P + m^3 / 3 for y; O(n (P + m)) for
 *         p, again for each t that is tried
 *
 * A is summed up over tiles of rows, in PARTS fixed parts that are added in order, so that digits
 * do not depend on threads. Psi has a column of ones beside it, whose sum is d log S / dx.
 *
 * [1] Nielsen, Damping parameter in Marquardt's method, 1999. */
#include <math.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"
#include "neural/fit.h"

enum { PARTS = 4, TRIES = 8, STALL = 3, MOST_TILES = 64, TILE = BF__MLP_TILE };
static const double first_damping = 1e-3, least_damping = 1e-12, most_damping = 1e6;
static const double nothing = 1e-30; /* a residual that is 0 */

typedef struct gauss {
    const bf__neural_task *task;
    bf__neural_loss *loss;
    const bf__blas *blas;
    bf__mlp_work *work;
    int64_t n, m, count;    /* rows, features, parameters */
    int64_t *tile, tiles;   /* those of this step come first; how many there are */
    float *weights, *slope; /* (n) */
    float *parts;           /* (PARTS, count, m + 1): of A', and of d log S / dx */
    float *room;            /* (PARTS, room_size): what a tile needs */
    int64_t room_size;
    double *turned;           /* (count, m): A' */
    double *gram, *factor;    /* (m, m): A A', and L L' = A A' + t I */
    double *residual, *trial; /* (stride): p where the fit is, and where it might go */
    double sum, ess;          /* of the weights looked at last */
    double *y, *x;            /* (m); (count): parameters that are tried */
    double damping, rise;     /* t as a share of the mean diagonal of A A'; its next factor up */
    double mean;              /* that diagonal */
    bf_rng rng;
} gauss;

static double square_of(const double *p, int64_t m) {
    double sum = 0;
    for (int64_t c = 0; c < m; c++)
        sum += p[c] * p[c];
    return sum;
}

static bf_status make(gauss *g, const bf__neural_task *task, bf_arena *arena, bf_error *err) {
    *g = (gauss){.task = task, .loss = task->loss, .n = task->flow->n, .m = task->loss->rank};
    int threads = bf__threads(task->context);
    int64_t m = g->m, count = g->count = bf__mlp_parameters(&task->net);
    g->damping = first_damping;
    g->rise = 3;
    g->tiles = (g->n + TILE - 1) / TILE;
    g->rng = bf_rng_make(task->context ? task->context->seed : 1, "tiles", task->replicate);
    BF_TRY(bf__blas_load(&g->blas, threads, err));
    BF_TRY(bf__mlp_prepare(&g->work, &task->net, g->n, threads, arena, err));
    BF_ALLOC(g->tile, arena, g->tiles, err);
    for (int64_t t = 0; t < g->tiles; t++)
        g->tile[t] = t;
    BF_ALLOC(g->weights, arena, g->n, err);
    BF_ALLOC(g->slope, arena, g->n, err);
    BF_ALLOC(g->parts, arena, PARTS * count * (m + 1), err);
    g->room_size = (count + m + 1) * TILE + bf__mlp_scratch(g->work);
    BF_ALLOC(g->room, arena, PARTS * g->room_size, err);
    BF_ALLOC(g->turned, arena, count * m, err);
    BF_ALLOC(g->gram, arena, m * m, err);
    BF_ALLOC(g->factor, arena, m * m, err);
    BF_ALLOC(g->residual, arena, g->loss->stride, err);
    BF_ALLOC(g->trial, arena, g->loss->stride, err);
    BF_ALLOC(g->y, arena, m, err);
    BF_ALLOC(g->x, arena, count, err);
    return BF_OK;
}

/* |p|^2 at parameters x, with p; INFINITY if there is none. */
static double look(gauss *g, double *residual, const double *x) {
    bf__mlp_forward(g->work, x, g->task->inputs, g->n, g->weights);
    if (!bf__neural_residual(residual, &g->sum, &g->ess, g->loss, g->weights, g->task->context))
        return INFINITY;
    return square_of(residual, g->m);
}

/* ---- The linear model */

/* The sum over the tiles begin, ..., end - 1 of the step, (count, m + 1). Returns their rows. */
static int64_t sum_part(gauss *g, int part, int64_t begin, int64_t end) {
    int64_t m = g->m, count = g->count, used = 0;
    float *sum = g->parts + part * count * (m + 1), *jacobian = g->room + part * g->room_size;
    float *psi = jacobian + count * TILE, *scratch = psi + (m + 1) * TILE;
    memset(sum, 0, (size_t)(count * (m + 1)) * sizeof *sum);
    for (int64_t t = begin; t < end; t++) {
        int64_t first = g->tile[t] * TILE;
        int rows = bf__mlp_jacobian(g->work, g->slope, first, jacobian, scratch);
        bf__neural_psi(psi, g->loss, first, rows);
        g->blas->sgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__NO_TRANS, (int)count, (int)m + 1, rows, 1,
                       jacobian, TILE, psi, (int)m + 1, 1, sum, (int)m + 1);
        used += rows;
    }
    return used;
}

/* Draws the tiles of a step; returns how many. */
static int64_t draw(gauss *g) {
    for (int64_t t = 0; t < MOST_TILES && g->tiles > MOST_TILES; t++) {
        int64_t other = t + bf_rng_below(&g->rng, g->tiles - t), swap = g->tile[t];
        g->tile[t] = g->tile[other];
        g->tile[other] = swap;
    }
    return g->tiles < MOST_TILES ? g->tiles : MOST_TILES;
}

/* A' and A A' at the parameters that were looked at last, whose p is `residual`. */
static bf_status linearise(gauss *g, bf_error *err) {
    int64_t m = g->m, count = g->count, tiles = draw(g), used = 0;
    for (int64_t i = 0; i < g->n; i++)
        g->slope[i] = (float)(1 / g->sum);
#pragma omp parallel for num_threads(bf__threads(g->task->context)) schedule(dynamic, 1)           \
    reduction(+ : used)
    for (int part = 0; part < PARTS; part++)
        used += sum_part(g, part, tiles * part / PARTS, tiles * (part + 1) / PARTS);
    double share = (double)g->n / (double)used;
    for (int64_t k = 0; k < count; k++) {
        double *row = g->turned + k * m, all = 0;
        for (int part = 0; part < PARTS; part++)
            all += (double)g->parts[(part * count + k) * (m + 1) + m];
        for (int64_t c = 0; c < m; c++) {
            row[c] = -all * g->residual[c];
            for (int part = 0; part < PARTS; part++)
                row[c] += (double)g->parts[(part * count + k) * (m + 1) + c];
            row[c] *= share;
        }
    }
    BF_TRY(bf__gram(g->gram, g->turned, m, g->turned, m, count, 0, g->task->context, err));
    g->mean = 0;
    for (int64_t c = 0; c < m; c++)
        g->mean += g->gram[c * (m + 1)] / (double)m;
    return BF_OK;
}

/* x = from - A' y with the damping as it is. *foretold is |p + A d|^2, INFINITY if there is no such
 * step. */
static bf_status aim(gauss *g, double *foretold, const double *from, bf_error *err) {
    int64_t m = g->m;
    double t = g->damping * g->mean;
    bool positive;
    memcpy(g->factor, g->gram, (size_t)(m * m) * sizeof *g->gram);
    for (int64_t c = 0; c < m; c++)
        g->factor[c * (m + 1)] += t;
    BF_TRY(bf__cholesky_exact(&positive, g->factor, m, err));
    *foretold = INFINITY;
    if (!positive)
        return BF_OK;
    memcpy(g->y, g->residual, (size_t)m * sizeof *g->y);
    BF_TRY(bf__cholesky_solve(g->y, 1, g->factor, m, g->task->context, err));
    *foretold = t * t * square_of(g->y, m); /* p + A d = t y */
    BF_TRY(bf__matvec(g->x, g->turned, false, g->y, g->count, m, g->task->context, err));
    for (int64_t k = 0; k < g->count; k++)
        g->x[k] = from[k] - g->x[k];
    return BF_OK;
}

/* ---- The steps */

/* |p|^2 of a step that lowers it, with its parameters in x; INFINITY if none was found. */
static bf_status step_down(gauss *g, double *next, double value, const double *from,
                           bf_error *err) {
    *next = INFINITY;
    for (int tries = 0; tries < TRIES && !(*next < value) && g->damping < most_damping; tries++) {
        double foretold;
        BF_TRY(aim(g, &foretold, from, err));
        *next = isfinite(foretold) ? look(g, g->trial, g->x) : INFINITY;
        if (*next < value) {
            double gain = 2 * (value - *next) / (value - foretold) - 1;
            g->damping = fmax(g->damping * fmax(0.2, 1 - gain * gain * gain), least_damping);
            g->rise = 3;
        } else {
            g->damping *= g->rise;
            g->rise *= 2;
        }
    }
    if (!(*next < value))
        *next = INFINITY;
    return BF_OK;
}

static void keep(gauss *g, bf__neural_fit *fit, double value) {
    memcpy(fit->weights, g->weights, (size_t)g->n * sizeof *fit->weights);
    fit->ess = g->ess;
    fit->loss = log(fmax(value, nothing));
}

bf_status bf__neural_gauss(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err) {
    gauss g;
    int stalls = 0;
    double next;
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(make(&g, task, arena, err));
    double value = look(&g, g.residual, fit->parameters);
    keep(&g, fit, value);
    fit->diverged = !isfinite(value);
    for (int64_t step = 0; step < task->steps && value > nothing && isfinite(value) &&
                           stalls < STALL && !fit->interrupted && !fit->thin;
         step++) {
        BF_TRY(linearise(&g, err));
        BF_TRY(step_down(&g, &next, value, fit->parameters, err));
        if (!isfinite(next))
            break;
        fit->thin = g.ess < task->least_ess;
        if (fit->thin)
            break;
        memcpy(fit->parameters, g.x, (size_t)g.count * sizeof *g.x);
        memcpy(g.residual, g.trial, (size_t)g.loss->stride * sizeof *g.trial);
        keep(&g, fit, next);
        fit->steps++;
        stalls = next < 0.98 * value ? 0 : stalls + 1;
        value = next;
        fit->interrupted = !bf__neural_report(task, (double)fit->steps, fit->loss, fit->ess);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
