/* rebalance.h - Base weights, corrected so that the flow balances on features. */
#ifndef BF_WEIGHTS_REBALANCE_H
#define BF_WEIGHTS_REBALANCE_H

#include "weights/features.h"
#include "weights/neighbours_chain.h"

enum { BF__CORRECTION_ROWS = 2048 }; /* of a block of sums */

/* What all ridges have in common. `base` and `lowrank` have to stay. The moments are summed over
 * the rows of `some`, whose features are `part`; NULL for both: over all rows. `leave_own`: a row
 * has no part in its own instruments, for noisy steps. */
typedef struct bf__correction {
    const bf__neighbours *base;
    const bf__lowrank *lowrank, *part; /* of all rows, of those that are summed over */
    const bf__sample *some;            /* those rows; NULL: all */
    const double *u;                   /* their weights */
    int64_t m;
    double *l;      /* (m, m): G, then its factor L */
    double *x;      /* (m, m): C, then X' = (L^-1 C)', a row for each psi */
    double *a;      /* (m, m): A */
    double *h;      /* (N): a row's own part in its fitted value; NULL: it stays */
    double *phi;    /* (m): phibar */
    double *psi;    /* (m): psibar of all rows, less what flows in from outside */
    double *centre; /* (m): the inner products of what psi is less by in A */
    double *inflow; /* (m): (1 - gamma) S0; 0 if nothing flows in from outside */
    bool products;  /* while G and C are summed: phi as inner products with the pivots too */
    double least;   /* the least ridge that makes A positive */
} bf__correction;
bf_status bf__correction_make(bf__correction **out, const bf__neighbours *base,
                              const bf__lowrank *lowrank, const bf__sample *some,
                              const bf__lowrank *part, bool leave_own, double gamma,
                              const bf_context *context, bf_arena *arena, bf_error *err);

/* The least ridge that makes sense: 0, or, if rows have no part in their own instruments, what
 * makes the moments positive. Below it, y is mostly noise. */
double bf__correction_least(const bf__correction *correction);

/* y (m) becomes (A + ridge)^-1 y. */
bf_status bf__correction_solve(double *y, const bf__correction *correction, double ridge,
                               const bf_context *context, bf_arena *arena, bf_error *err);

/* beta (count, m): the fitted q of each of the rewards (count, n), for rows of any log,
 *
 *     q(x) = sum_p beta_p k(x_p, x),   sum_i w_i r_i = sum_i u_i (r_i - q(x_i) + g_i E q(x'_i) +
 * h_i S0'q)
 *
 * where x_p are the pivots and w the corrected weights of the same ridge (rebalance_value.c). */
bf_status bf__correction_value(double *beta, const bf__correction *correction,
                               const double *rewards, int count, double ridge,
                               const bf_context *context, bf_arena *arena, bf_error *err);

/* w (ridges, n): the base weights, corrected, for each ridge; with signs. */
bf_status bf__correct(double *w, const bf__correction *correction, const double *ridge, int ridges,
                      const bf_context *context, bf_arena *arena, bf_error *err);

#endif
