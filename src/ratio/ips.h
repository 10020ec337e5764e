/* ips.h - What the variants of `ips` share: options, and the log as ratios. */
#ifndef BF_RATIO_IPS_H
#define BF_RATIO_IPS_H

#include "estimator/answer.h"
#include "kernel/bandwidth.h"
#include "problem/steps.h"

enum { BF__IPS_NEXT, BF__IPS_STATES }; /* --balance */

typedef struct bf__ips {
    const bf_problem *problem; /* its log always has npi, which nothing here depends on */
    const bf_settings *settings;
    bf__steps steps;      /* none of them absorbs */
    const double *beta;   /* (n): pi / mu */
    const double *smooth; /* (n): the same, smoothed; neural fills it in for itself */
    const double *u;      /* (n): gamma^t */
} bf__ips;

/* The models, each with options of its own. */
extern const bf_model bf__ips_model_tabular, bf__ips_model_linear, bf__ips_model_neural;

#define BF__IPS_BALANCE_ROW(type)                                                                  \
    BF_OPTION_CHOICE(type, balance, "next", "next|states",                                         \
                     "What flows in is held against w(s') at the next states, as the authors do, " \
                     "or against w(s) at the states, which does not take the log for a long run.")
#define BF__IPS_BANDWIDTH_ROW(type)                                                                \
    BF_OPTION_CHECKED(type, bandwidth, "median", bf__bandwidth_check,                              \
                      "W: Width of the Gaussian kernel on states, as for blackbox.")

bf_status bf__ips_tabular(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                          bf_arena *arena, bf_error *err);
bf_status bf__ips_linear(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                         bf_arena *arena, bf_error *err);
bf_status bf__ips_neural(bf_estimate *out, const bf__ips *ips, const bf_context *context,
                         bf_arena *arena, bf_error *err);

/* The answer from state ratios w (n) at the logged states: rows weigh w beta gamma^t. */
bf_status bf__ips_result(bf_estimate *out, const bf__ips *ips, const double *w, bf_arena *arena,
                         bf_error *err);

/* The loss of a batch of the neural variant: x'Kx / sum K with x_i = w_i beta_i / mean w - next_i /
 * mean next, or 1 - next_i / mean next where start[i] (mean w is over the others). d_w and d_next
 * (b) are its gradient; x (b) and y (b) scratch; K (b, b). */
double bf__ips_loss(double *d_w, double *d_next, const float *w, const float *next,
                    const double *beta, const uint8_t *start, const float *k, int64_t b, double *x,
                    double *y);

#endif
