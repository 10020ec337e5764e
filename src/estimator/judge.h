/* judge.h - Judging an answer by what its method measured of itself. */
#ifndef BF_ESTIMATOR_JUDGE_H
#define BF_ESTIMATOR_JUDGE_H

#include "estimator/rules.h"

/* In the order they are asked; NULL past the end. */
bf__rule bf__rule_at(int index);

/* Asks every rule of judge.c; what they say become warnings of the answer. BF_ENUMERIC if there is
 * no answer to judge: the value is not finite, or all weights are 0 although the process does not
 * end for good. */
bf_status bf__judge(bf_estimate *out, const char *method, const bf_problem *problem,
                    bf_arena *arena, bf_error *err);

/* The same for facts that are known by other means than from a log in memory. */
bf_status bf__judge_facts(bf_estimate *out, const bf__facts *facts, bf_arena *arena, bf_error *err);

/* Whether the method gave that reason itself. */
bool bf__was_said(const bf_estimate *estimate, bf__reason_id id);

/* Whether neighbours say little about a pair: states and vector actions have more coordinates than
 * BF__FEW_DIMENSIONS, without columns that the method left out; or there are enough rows, and what
 * the target does next lies outside the hull of its neighbours, as far as the method measured that.
 * If corrections of the weights were not credible, nothing vouches for them, and less of it is
 * enough. */
bool bf__neighbours_say_little(const bf_estimate *estimate, const bf_problem *problem);

/* How much of what a method finds its own measurements leave in doubt: the most that its members
 * differ by or its replay is off by, less half of what was taken off for that, beside the
 * difference to what the log earned; or how near its runs are to being too far from the log, where
 * that is 1. 0: nothing of the kind was measured. */
double bf__doubt(const bf_estimate *estimate, const bf_problem *problem);

/* The least effective sample size, in rows of n, that an answer may rest on. */
double bf__least_rows(double n);

/* The least effective sample size of a fit of weights that may stand: a fit below it is not judged
 * but tried again. It is higher than bf__least_rows, since another start costs only time. */
double bf__least_rows_of_fit(double n);

/* Cuts the value to low .. high, the range that a mean of the rewards can have, with a warning. */
bf_status bf__cut_to_range(bf_estimate *out, double low, double high, bf_arena *arena,
                           bf_error *err);

/* Hands out `weights` (n), not negative, and `with_signs` (n), for which
 * sum_i with_signs_i r_i = out->value. The value is cut to the range that a mean of the rewards can
 * have, if the weights make `mass` together (NaN: at most 1, and the rest earns 0 if ends absorb).
 * If it was cut, `with_signs` moves towards `weights` until it gives the value again. NULL for both
 * if the method has none. Gives a warning if the value was cut. */
bf_status bf__hand_out(bf_estimate *out, const bf_problem *problem, const double *weights,
                       double *with_signs, double mass, bf_arena *arena, bf_error *err);

#endif
