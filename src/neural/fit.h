/* fit.h - Fitting the network of the weights: all transitions at once, or by mini-batches.
 */
#ifndef BF_NEURAL_FIT_H
#define BF_NEURAL_FIT_H

#include "neural/loss.h"
#include "solver/mlp.h"

typedef struct bf__neural_task {
    bf__mlp net;
    const bf__flow *flow;
    const float *inputs;   /* (size[0], n) */
    bf__neural_loss *loss; /* of all transitions; NULL: mini-batches only */
    const double *near;    /* (n): weights of sum 1 to begin at; NULL: equal ones */
    int64_t first_steps;   /* at most, on the way there */
    int64_t steps, batch;
    double rate, spread;
    double least_ess; /* stop before the effective sample size falls below this */
    double done, all; /* for progress: steps before this fit, and of all fits */
    uint64_t replicate;
    const bf_context *context;
} bf__neural_task;

typedef struct bf__neural_fit {
    double *parameters;
    float *weights; /* (n): W, of the parameters */
    double loss;    /* log w'Kw; of mini-batches a running mean of the estimates */
    double ess;
    int64_t steps;
    bool interrupted; /* asked to stop */
    bool diverged;    /* numbers left the range; what is given is from before */
    bool thin;        /* stopped by least_ess */
} bf__neural_fit;

/* Weights start out nearly equal: Glorot, the last layer's weights scaled down. */
bf_status bf__neural_start(bf__neural_fit *out, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err);
/* L-BFGS on KL(near, w), from where `fit` is. */
bf_status bf__neural_begin(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err);
/* Gauss-Newton steps on the residual of all transitions, of a low-rank loss. */
bf_status bf__neural_gauss(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err);
/* L-BFGS on the loss of all transitions. */
bf_status bf__neural_lbfgs(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err);
/* Adam on batches of rows: first on KL(near, w), if there is `near`, then on a low-rank loss. */
bf_status bf__neural_adam(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                          bf_error *err);
/* Adam on the loss of the pairs of a batch, as in the paper. The rate falls to 0 along half a
 * cosine. */
bf_status bf__neural_pairs(bf__neural_fit *fit, const bf__neural_task *task, bf_arena *arena,
                           bf_error *err);

/* Tells how far the fit is, `loss` NAN on the way to `near`; false: it should stop. */
bool bf__neural_report(const bf__neural_task *task, double step, double loss, double ess);

#endif
