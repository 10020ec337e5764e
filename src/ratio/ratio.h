/* ratio.h - What estimators by ratios share: pi over mu, discounts by time, answers from weights
 * that may be negative. */
#ifndef BF_RATIO_RATIO_H
#define BF_RATIO_RATIO_H

#include "estimator/answer.h"
#include "problem/steps.h"

/* beta (n) = (pi(a_i|s_i) + c) / (mu(a_i|s_i) + c), c = smoothing. The log has pi, and mu or
 * mu_all. */
bf_status bf__ratio_actions(double *beta, const bf_dataset *data, double smoothing, bf_error *err);

/* u (n) = gamma^t, t the place of a row in its episode; 1 where gamma is 1 or there are none. */
void bf__ratio_discounts(double *u, const bf_dataset *data, double gamma);

/* What the steps mean. Refuses an absorbing end, because a state that is never logged has no ratio,
 * and a log whose start states are not known, if they are needed. */
bf_status bf__ratio_steps(bf__steps *out, const char *method, const bf_problem *problem,
                          bf_error *err);

/* The answer sum_i w_i r_i of weights w (n), rescaled to sum to `mass`, which may be negative here
 * and there: the value is that of w itself (cut to the range of the rewards), the weights handed
 * out are max(w, 0). Says so where that is much, and where few rows carry the answer. */
bf_status bf__ratio_result(bf_estimate *out, const bf_problem *problem, const double *w,
                           double mass, bf_arena *arena, bf_error *err);

#endif
