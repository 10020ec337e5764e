/* q.h - The differential value q of the target policy, fitted to a log.
 *
 *     q(x) = E[r - rho + q(x')],     that is     r_i - <psi_i, q> has mean rho,
 *
 * with psi of problem/steps.h, so that gamma < 1 and restarts are the same equation. For gamma < 1
 * the usual discounted Q is one of its solutions: r + gamma E Q(x') - Q(x) + (1 - gamma) E Q(x0)
 * has mean (1 - gamma) E Q(x0), which is rho. */
#ifndef BF_VALUE_Q_H
#define BF_VALUE_Q_H

#include "estimator/answer.h"
#include "kernel/bandwidth.h"
#include "problem/points.h"
#include "weights/ridge.h"

typedef struct bf__q_options {
    const char *bandwidth, *periodic, *scale;
    bf_auto ridge;
    int64_t features;
} bf__q_options;

typedef struct bf__q {
    double value;        /* rho by q alone */
    const double *gap;   /* (n): <psi_i, q> = q(x_i) - E q(x'_i) */
    double error;        /* root of the mean square of r_i - gap_i - value */
    const char *model;   /* "tabular", "lowrank" */
    bf_estimate remarks; /* diagnostics and warnings to hand on */
} bf__q;

/* Finite states: exact on the count model. Otherwise least-squares temporal differences on kernel
 * features. */
bf_status bf__q_fit(bf__q *out, const bf_problem *problem, const bf__q_options *options,
                    const bf_context *context, bf_arena *arena, bf_error *err);

/* The two ways as models, for methods that fit q, and which of them a log takes. The second reads
 * a bf__q_options, of bf__q_table. */
extern const bf_option_table bf__q_table;
const bf_model *bf__q_model(int index);
bf_status bf__q_choose(const bf_model **out, const bf_problem *problem, const bf_settings *settings,
                       bf_arena *arena, bf_error *err);

/* The two ways. */
bf_status bf__q_cells(bf__q *out, const bf_problem *problem, const bf_context *context,
                      bf_arena *arena, bf_error *err);
bf_status bf__q_lowrank(bf__q *out, const bf_problem *problem, const bf__q_options *options,
                        const bf_context *context, bf_arena *arena, bf_error *err);

/* sum_i w_i (r_i - gap_i): rho where w balances the flow, whatever q, and where q is right,
 * whatever w. Weights that sum to less than 1 leave the rest after the end, where what is left of
 * the equation is rho itself for gamma < 1, and 0 for gamma = 1. */
double bf__dr_value(const double *w, const bf__q *q, const bf_problem *problem);

#endif
