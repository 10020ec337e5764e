/* balance.h - What models of the weights share where states are real numbers: psi, and a report. */
#ifndef BF_WEIGHTS_BALANCE_H
#define BF_WEIGHTS_BALANCE_H

#include "flow/lowrank.h"
#include "problem/points.h"
#include "weights/weights.h"

typedef struct bf__balance {
    bf__points points;
    bf__pair_kernel kernel;
    bf__flow *flow;
    bool absorbed;   /* absorb: the flow restarts, and shares of time are worked out after */
    bool unmeasured; /* nobody wants to know the flow residual */
} bf__balance;

/* Reads the log as points and makes psi. `kernel` and `share` are what "auto" stands for. */
bf_status bf__balance_make(bf__balance *out, const bf_problem *problem,
                           const bf__pointwise *options, const char *kernel, double share,
                           const bf_context *context, bf_arena *arena, bf_error *err);

/* True where the answer needs no weights: at gamma 1 a log with ends that absorb is, in the long
 * run, all end. Fills *out then. */
bf_status bf__balance_ended(bool *ended, bf_estimate *out, const bf_problem *problem,
                            bf_arena *arena, bf_error *err);

/* What there is to say of weights w (n) of sum 1, which are changed in place where ends absorb:
 * value, weights, diagnostics, warnings. psi (n, m) of `lowrank` where it is at hand, or NULL: then
 * its rows are made again where they are needed. lowrank NULL: exact alone. If nobody wants to know
 * the flow residual, there is none, and neither lowrank nor psi is read. */
bf_status bf__balance_report(bf_estimate *out, const bf_problem *problem,
                             const bf__balance *balance, double *w, const bf__lowrank *lowrank,
                             const double *psi, const bf_context *context, bf_arena *arena,
                             bf_error *err);

#endif
