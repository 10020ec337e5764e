/* linear_fit.h - Weights and differential value, both linear in kernel features: one solution seen
 * from two sides.
 *
 *     M = mean psi_i (phi_i - f)',   f = mean phi_i,   p = mean psi_i,   b = mean (phi_i - f) r_i
 *     weights   W_i = 1 - (phi_i - f)' (M'M + lambda I)^-1 M'p
 *     value     q(x) = phi(x)' theta,   theta = M (M'M + lambda I)^-1 b
 *
 * Both give the same answer, mean_i W_i r_i = mean_i (r_i - psi_i' theta), so `--weights linear`
 * and `lstdq` differ in their features and in nothing else. ridge.h chooses lambda by W for both.
 */
#ifndef BF_WEIGHTS_LINEAR_FIT_H
#define BF_WEIGHTS_LINEAR_FIT_H

#include "flow/lowrank.h"
#include "weights/ridge.h"

typedef struct bf__linear_fit {
    const bf__lowrank *lowrank;
    const char *task;        /* what progress reports call it */
    double part, parts;      /* passes over the rows that are done, and all that there will be */
    int64_t n, m, rows;      /* transitions, features, rows of a block */
    const double *weight;    /* (n): what means are over, mean 1; NULL: all rows the same */
    bool kept;               /* phi and psi of all rows are in memory; otherwise of one block */
    double *phi, *psi;       /* (n, m) if kept, otherwise (rows, m) */
    double *f, *p, *b;       /* (m) */
    double spread;           /* mean of |phi_i - f|^2 */
    double *cross;           /* (m, m): M */
    double *vectors;         /* (m, m): row k is an eigenvector of M'M */
    double *values;          /* (m) */
    bf__ridges ridges;       /* `negative` is filled by bf__linear_fit_weigh */
    double norm[BF__RIDGES]; /* |alpha| for every ridge, by bf__linear_fit_weigh */
} bf__linear_fit;

/* Passes over the rows once and decomposes M'M. `weight` (n) says how much rows count; `keep` holds
 * phi and psi of all rows; `passes` is how many passes the caller will make in all, for progress.
 * O(n m^2 + m^3). */
bf_status bf__linear_fit_make(bf__linear_fit *out, const bf__lowrank *lowrank, const double *reward,
                              const double *weight, bf_auto ridge, bool keep, const char *task,
                              int passes, const bf_context *context, bf_arena *arena,
                              bf_error *err);

/* W for every ridge, and how much of it is negative. w (n, ridges), or NULL if only the latter is
 * wanted. O(n m) per ridge. */
bf_status bf__linear_fit_weigh(double *w, bf__linear_fit *fit, const bf_context *context,
                               bf_arena *arena, bf_error *err);

/* gap (n): psi_i' theta for one ridge. O(n m). */
bf_status bf__linear_fit_gap(double *gap, bf__linear_fit *fit, double ridge,
                             const bf_context *context, bf_arena *arena, bf_error *err);

#endif
