/* lowrank.h - psi in m coordinates: K close to Psi Psi', Psi (n, m).
 *
 * Two ways. bf__lowrank spans the features by phi of m logged pairs x_p: then phi(x) of any pair
 * and psi of any transition have coordinates in the same space, as weights linear in features
 * need, and rows can be made block by block, with no memory of n m. bf__flow_factor spans them by
 * m of the psi themselves: the better fit to K alone. */
#ifndef BF_FLOW_LOWRANK_H
#define BF_FLOW_LOWRANK_H

#include "flow/flow.h"

typedef struct bf__lowrank_options {
    int64_t rank;         /* m, at most */
    int64_t candidates;   /* pairs that pivots are chosen among; 0: 20,000 */
    const int64_t *among; /* (candidates): the transitions of these pairs, ascending; NULL: drawn */
    double tolerance;     /* stop where this share of the trace is left; 0: 1e-12 */
    bool keep;            /* phi of the candidates, where they are half of the transitions or more:
                             choosing pivots makes them, and rows then need not be made again */
    uint64_t seed;
    struct bf__share *share; /* of the points of the flow, so that pivots are chosen once for
                                several policies; NULL: nothing is shared */
    const char *made_by;     /* with it: key of the points */
} bf__lowrank_options;

typedef struct bf__lowrank {
    const bf__flow *flow;
    int64_t m;
    const int64_t *index; /* (m): the transitions of the pivots, in the order they were chosen */
    bf__data_d pivots;    /* their pairs */
    const double *l;      /* (m, m): L L' = kernel between the pivots (+ jitter) */
    double jitter;
    const double *start; /* (m): <phi(x_p), S0>; NULL where nothing restarts and gamma = 1 */
    double left;         /* share of the candidates' trace that the pivots do not reach */
    const double *kept;  /* (kept_rows, m): phi of some transitions, or NULL; ... */
    const int64_t *rows; /* (kept_rows): ... of which, ascending */
    int64_t kept_rows;
} bf__lowrank;

bf_status bf__lowrank_create(bf__lowrank **out, const bf__flow *flow,
                             const bf__lowrank_options *options, const bf_context *context,
                             bf_arena *arena, bf_error *err);

/* phi(x_i) and psi_i of transitions first .. first + count - 1: phi, psi (count, m), row-major;
 * either may be NULL. */
bf_status bf__lowrank_rows(double *phi, double *psi, const bf__lowrank *lowrank, int64_t first,
                           int64_t count, const bf_context *context, bf_error *err);

/* The same, but `inner` (count, m) has the inner products of psi_i with the pivots, which L^-1 has
 * yet to make coordinates of: after a sum over transitions that is m^2 for all, not for each. */
bf_status bf__lowrank_inner(double *phi, double *inner, const bf__lowrank *lowrank, int64_t first,
                            int64_t count, const bf_context *context, bf_error *err);

/* Inner products with the pivots of both, phi(x_i) and psi_i: phi, psi (count, m). */
bf_status bf__lowrank_products(double *phi, double *psi, const bf__lowrank *lowrank, int64_t first,
                               int64_t count, const bf_context *context, bf_error *err);

/* Coordinates of atoms of one's own (bf__data_make, bf__next_make): out (set->n, m). */
bf_status bf__lowrank_data(double *out, const bf__lowrank *lowrank, const bf__data_d *set,
                           const bf_context *context, bf_error *err);
bf_status bf__lowrank_next(double *out, const bf__lowrank *lowrank, const bf__next_d *set,
                           const bf_context *context, bf_error *err);

/* residual (n) = K_ii - |Psi_i|^2, not below 0. */
void bf__lowrank_residual(double *residual, const bf__flow *flow, const double *psi, int64_t m,
                          const bf_context *context);

/* (sum_i |w_i| sqrt(R_ii))^2: w'Kw is at least |Psi'w|^2, and above it by no more than this. */
double bf__lowrank_guard(const double *w, const double *residual, int64_t n);

/* Psi (n, m) by pivots among the transitions: pivots (m), *rank of them; residual (n). */
bf_status bf__flow_factor(double *psi, int64_t *pivots, int64_t *rank, double *residual,
                          const bf__flow *flow, int64_t m, double tolerance, uint64_t seed,
                          const bf_context *context, bf_arena *arena, bf_error *err);

#endif
