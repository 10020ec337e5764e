/* adam.c - Fitting the network of the weights by mini-batches, with the residual of all rows.
 *
 * Minimises L = log p'M p, p = q / S, q = sum_i W_i psi_i, S = sum_i W_i, whose gradient in the
 * parameters x is a sum over rows:
 *
 *     dL / dx = sum_i 2 / S (psi_i'y / p'y - 1) dW_i / dx,   y = M p
 *
 * A batch of rows gives it without bias if p is known. p is a vector of m numbers only, and it is
 * kept. Now and then all rows are read, and q and S are exact. From there on a batch B says by how
 * much they have changed since, which is little, so that its noise is little too:
 *
 *     q ~ q0 + n / B sum_{i in B} (W_i - W0_i) psi_i,   S likewise
 *
 * and a running mean of these serves the next step. So the noise falls with the steps, and the fit
 * goes on where the paper's estimate, from the pairs of a batch alone (pairs.c), drowns in noise.
 *
 * With M = I, L is log w'Kw, and the fit is slow: what is left of p soon lies in directions that
 * parameters hardly move. So M^-1 = A A' + t I as in gauss.c, A = dp / dx by some batches, measured
 * anew MEASURES times. The gradient then points along the Gauss-Newton step. Either L is least
 * where p is 0.
 *
 * Before that, batches fit the network to weights u at hand: dKL(u, w) / dW_i = 1 / S - u_i / W_i.
 * The rate of Adam falls to 0 along half a cosine in either part, and the answer is the mean of the
 * last quarter of the parameters.
 *
 * Source  appendix D of the paper, for batches; Johnson and Zhang, Accelerating stochastic gradient
 *         descent using predictive variance reduction, 2013, for what is kept between them
 * Shapes  n transitions, B of a batch, P parameters, m features; A' (P, m), M (m, m)
 * Cost    a step O(B (P + m) + m^2); O(n (P + m)) each time that all rows are read, n / 4 B or 20
 *         steps apart; 2 N m P for each M, N = 8,192 rows */
#include <math.h>
#include <string.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"
#include "linalg/dense.h"
#include "neural/minibatch.h"
#include "solver/adam.h"

enum { LEAST_BETWEEN = 20, BATCHES_BETWEEN = 4, MEASURES = 8, METRIC_ROWS = 8192 };
enum { TILE = BF__MLP_TILE };
static const double damping = 1e-1;    /* t as a share of the mean diagonal of A A' */
static const double first_rate = 0.01; /* on the way to given weights */
static const double lasting = 0.8;     /* share of the running mean that the next batch leaves */

typedef struct batches {
    const bf__neural_task *task;
    bf__neural_loss *loss;
    bf__minibatch batch;
    bf__adam adam;
    int64_t n, m, size, count; /* rows, features, rows of a batch, parameters */
    float *slope;              /* (size) */
    float *psi;                /* (m + 1): a row of Psi, and 1 */
    float *before;             /* (n): W0 */
    double *known, *change;    /* (m + 1): (q0, S0); and since then, by one batch */
    double *running;           /* (m + 1): (q, S) */
    double *gradient, *mean;   /* (count) */
    const bf__blas *blas;
    float *jacobian, *tile, *sum; /* (count, TILE); (TILE, m + 1); (count, m + 1) */
    float *scratch;               /* of bf__mlp_jacobian */
    double *turned, *factor, *y;  /* (count, m): A'; (m, m): L; (m): y */
} batches;

static bf_status make(batches *b, const bf__neural_task *task, bf_arena *arena, bf_error *err) {
    *b = (batches){.task = task, .loss = task->loss, .n = task->flow->n, .m = task->loss->rank};
    BF_TRY(bf__minibatch_make(&b->batch, task, arena, err));
    b->size = b->batch.size;
    b->count = bf__mlp_parameters(&task->net);
    BF_TRY(bf__adam_make(&b->adam, b->count, task->rate, arena, err));
    BF_ALLOC(b->slope, arena, b->size, err);
    BF_ALLOC(b->psi, arena, b->m + 1, err);
    BF_ALLOC(b->before, arena, b->n, err);
    BF_ALLOC(b->known, arena, b->loss->stride + 1, err);
    BF_ALLOC(b->change, arena, b->m + 1, err);
    BF_ALLOC(b->running, arena, b->m + 1, err);
    BF_ALLOC(b->gradient, arena, b->count, err);
    BF_ZALLOC(b->mean, arena, b->count, err);
    BF_TRY(bf__blas_load(&b->blas, bf__threads(task->context), err));
    BF_ALLOC(b->jacobian, arena, b->count * TILE, err);
    BF_ALLOC(b->tile, arena, (b->m + 1) * TILE, err);
    BF_ALLOC(b->scratch, arena, bf__mlp_scratch(b->batch.work), err);
    BF_ALLOC(b->sum, arena, b->count * (b->m + 1), err);
    BF_ALLOC(b->turned, arena, b->count * b->m, err);
    BF_ALLOC(b->factor, arena, b->m * b->m, err);
    BF_ALLOC(b->y, arena, b->m, err);
    return BF_OK;
}

/* ---- Towards given weights */

/* The slope of KL(near, w); false if the weights are no weights. */
static bool slope_to_given(batches *b, int64_t step) {
    double share = (double)b->n / (double)b->size, sum = 0, *running = b->running + b->m;
    bool lost = false;
    for (int64_t i = 0; i < b->size; i++) {
        sum += share * (double)b->batch.weights[i];
        lost |= !(b->batch.weights[i] > 0);
    }
    *running = step ? lasting * *running + (1 - lasting) * sum : sum;
    if (lost || !isfinite(sum))
        return false;
    for (int64_t i = 0; i < b->size; i++)
        b->slope[i] = (float)(share * (1 / *running - b->task->near[b->batch.order[i]] /
                                                          (double)b->batch.weights[i]));
    return true;
}

/* ---- Down the loss */

/* L L' = A A' + t I, A by METRIC_ROWS rows or more, at the running p. */
static bf_status measure(batches *b, const double *parameters, bf_error *err) {
    int64_t m = b->m, count = b->count, used = 0;
    double sum = b->running[m], mean = 0;
    bool positive;
    memset(b->sum, 0, (size_t)(count * (m + 1)) * sizeof *b->sum);
    while (used < METRIC_ROWS) {
        bf__minibatch_next(&b->batch, parameters);
        for (int64_t i = 0; i < b->size; i++)
            b->slope[i] = (float)(1 / sum);
        for (int64_t first = 0; first < b->size; first += TILE) {
            int rows = bf__mlp_jacobian(b->batch.work, b->slope, first, b->jacobian, b->scratch);
            for (int i = 0; i < rows; i++)
                bf__neural_psi(b->tile + i * (m + 1), b->loss, b->batch.order[first + i], 1);
            b->blas->sgemm(BF__ROW_MAJOR, BF__NO_TRANS, BF__NO_TRANS, (int)count, (int)m + 1, rows,
                           1, b->jacobian, TILE, b->tile, (int)m + 1, 1, b->sum, (int)m + 1);
        }
        used += b->size;
    }
    double share = (double)b->n / (double)used;
    for (int64_t k = 0; k < count; k++)
        for (int64_t c = 0; c < m; c++)
            b->turned[k * m + c] = share * ((double)b->sum[k * (m + 1) + c] -
                                            (double)b->sum[k * (m + 1) + m] * b->running[c] / sum);
    BF_TRY(bf__gram(b->factor, b->turned, m, b->turned, m, count, 0, b->task->context, err));
    for (int64_t c = 0; c < m; c++)
        mean += b->factor[c * (m + 1)] / (double)m;
    for (int64_t c = 0; c < m; c++)
        b->factor[c * (m + 1)] += damping * mean + 1e-300;
    BF_TRY(bf__cholesky_exact(&positive, b->factor, m, err));
    return positive ? BF_OK : bf_fail(err, BF_ENUMERIC, "the residual's metric is not positive");
}

/* q and S of all rows; returns |p|^2, INFINITY if the weights are no weights. */
static double know(batches *b, bf__neural_fit *fit, const double *parameters) {
    double sum, square = 0;
    bf__minibatch_all(&b->batch, parameters, b->before);
    if (!bf__neural_residual(b->known, &sum, &fit->ess, b->loss, b->before, b->task->context))
        return INFINITY;
    for (int64_t c = 0; c < b->m; c++) {
        square += b->known[c] * b->known[c];
        b->known[c] *= sum;
    }
    b->known[b->m] = sum;
    memcpy(b->running, b->known, (size_t)(b->m + 1) * sizeof *b->known);
    return square;
}

/* The slope of L at the running p, and then that p goes on. *left is false if p is 0. */
static bf_status slope_down(batches *b, bool *left, bf_error *err) {
    int64_t m = b->m;
    double share = (double)b->n / (double)b->size, square = 0, sum = b->running[m];
    float y[m + 1];
    for (int64_t c = 0; c < m; c++)
        b->y[c] = b->running[c] / sum;
    BF_TRY(bf__cholesky_solve(b->y, 1, b->factor, m, b->task->context, err));
    for (int64_t c = 0; c < m; c++) {
        y[c] = (float)b->y[c];
        square += b->y[c] * b->running[c] / sum;
    }
    *left = square > 1e-30 && isfinite(square);
    if (!*left)
        return BF_OK;
    memset(b->change, 0, (size_t)(m + 1) * sizeof *b->change);
    for (int64_t i = 0; i < b->size; i++) {
        double more = share * ((double)b->batch.weights[i] - (double)b->before[b->batch.order[i]]),
               dot = 0;
        bf__neural_psi(b->psi, b->loss, b->batch.order[i], 1);
        for (int64_t c = 0; c < m; c++)
            dot += (double)(y[c] * b->psi[c]);
        for (int64_t c = 0; c <= m; c++)
            b->change[c] += more * (double)b->psi[c];
        b->slope[i] = (float)(share * 2 / sum * (dot / square - 1));
    }
    for (int64_t c = 0; c <= m; c++)
        b->running[c] = lasting * b->running[c] + (1 - lasting) * (b->known[c] + b->change[c]);
    return BF_OK;
}

/* ---- The steps */

/* The slope of this step's batch; *left is false if it is time to end. */
static bf_status slope_of(batches *b, bool *left, bf__neural_fit *fit, bool towards, int64_t step,
                          int64_t steps, bf_error *err) {
    int64_t between = b->n / b->size / BATCHES_BETWEEN;
    between = between < LEAST_BETWEEN ? LEAST_BETWEEN : between;
    *left = true;
    if (!towards && step % between == 0) {
        double value = know(b, fit, fit->parameters);
        fit->loss = log(fmax(value, 1e-30));
        *left = value > 1e-30 && isfinite(value);
    }
    if (!towards && *left && step % (steps / MEASURES + 1) == 0)
        BF_TRY(measure(b, fit->parameters, err));
    if (!*left)
        return BF_OK;
    bf__minibatch_next(&b->batch, fit->parameters);
    if (!towards)
        return slope_down(b, left, err);
    *left = slope_to_given(b, step);
    return BF_OK;
}

/* `steps` moves towards `near`, or down the loss. */
static bf_status descend(batches *b, bf__neural_fit *fit, bool towards, int64_t steps,
                         bf_error *err) {
    int64_t late = steps - (steps + 3) / 4;
    double *x = fit->parameters;
    bf__adam_reset(&b->adam);
    memset(b->mean, 0, (size_t)b->count * sizeof *b->mean);
    for (int64_t step = 0; step < steps; step++) {
        bool left;
        double way = 3.141592653589793 * (double)step / (double)steps;
        b->adam.rate = (towards ? first_rate : b->task->rate) * 0.5 * (1 + cos(way));
        BF_TRY(slope_of(b, &left, fit, towards, step, steps, err));
        if (!left)
            return BF_OK;
        bf__mlp_backward(b->batch.work, b->slope, b->gradient);
        bf__adam_move(&b->adam, b->gradient, x);
        fit->steps++;
        for (int64_t k = 0; k < b->count && step >= late; k++)
            b->mean[k] += x[k] / (double)(steps - late);
        fit->interrupted = !bf__neural_report(b->task, (double)fit->steps,
                                              towards ? NAN : fit->loss, towards ? 0 : fit->ess);
        if (fit->interrupted)
            return BF_OK;
    }
    memcpy(x, b->mean, (size_t)b->count * sizeof *x);
    return BF_OK;
}

bf_status bf__neural_adam(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                          bf_error *err) {
    batches b;
    BF_TRY(make(&b, task, arena, err));
    if (task->near)
        BF_TRY(descend(&b, fit, true, task->first_steps, err));
    if (!fit->interrupted)
        BF_TRY(descend(&b, fit, false, task->steps, err));
    double value = know(&b, fit, fit->parameters);
    memcpy(fit->weights, b.before, (size_t)b.n * sizeof *fit->weights);
    fit->loss = log(fmax(value, 1e-30));
    fit->diverged = !isfinite(value);
    fit->thin = fit->ess < task->least_ess;
    return BF_OK;
}
