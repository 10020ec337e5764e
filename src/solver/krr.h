/* krr.h - Kernel ridge regression in a metric that it learns from its own slopes.
 *
 * Rows are cut into folds, one per member; a member is fitted to all folds but its own and judged
 * on that one. The spread over members says how far the fit depends on the rows, and what a member
 * says of its own fold is honest: it has not seen it. */
#ifndef BF_SOLVER_KRR_H
#define BF_SOLVER_KRR_H

#include <stdbool.h>

#include "solver/krr_metric.h"

typedef struct bf__krr {
    int inputs, outputs, members;
    int64_t features;      /* m */
    const double *turn;    /* (inputs, inputs): u = x turn; the kernel is exp(-|u - c|^2) */
    const double *centres; /* (m, inputs), turned */
    const double *square;  /* (m): |c|^2 */
    const double *linear;  /* (outputs, inputs + 1): slopes, then the constant */
    const double *alpha;   /* (members, m, outputs) */
    const double *missed;  /* (outputs): held-out mean square error over the variance */
} bf__krr;

bf_status bf__krr_fit(bf__krr *out, const bf__krr_task *task, const bf_context *context,
                      bf_arena *arena, bf_error *err);

/* The numbers of scratch that predicting n rows takes. */
int64_t bf__krr_room(const bf__krr *krr, int64_t n);

/* y (n, outputs) at x (n, inputs), by one member. `scratch` has bf__krr_room(n) numbers. One
 * thread; safe from any. */
bf_status bf__krr_predict(double *y, const bf__krr *krr, int member, const double *x, int64_t n,
                          double *scratch, bf_error *err);

/* How far row j of the last prediction of n rows is from the nearest centre: its squared distance
 * in the metric and the width of the fit. `scratch` is that of the prediction. Centres at the row
 * itself do not count if `others`. */
double bf__krr_distance(const bf__krr *krr, const double *scratch, int64_t n, int64_t j,
                        bool others);

/* y (n, outputs) at the rows of the task, each by the member that has not seen it. */
bf_status bf__krr_held_out(double *y, const bf__krr *krr, const bf__krr_task *task, bf_arena *arena,
                           bf_error *err);

#endif
