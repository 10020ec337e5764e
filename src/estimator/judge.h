/* judge.h - How an answer is judged: one set of rules for every method. */
#ifndef BF_ESTIMATOR_JUDGE_H
#define BF_ESTIMATOR_JUDGE_H

#include "estimator/answer.h"
#include "estimator/reasons.h"

/* What the rules go by: the diagnostics of the answer, and the rewards of the log. */
typedef struct bf__facts {
    const bf_estimate *estimate; /* its diagnostics, by bf__diagnosed: NaN if not measured */
    double n, episodes, gamma;
    double mean, deviation, low, high; /* of the rewards */
    const bf_dataset *data;            /* the log */
    bool rests; /* ends absorb and the log has some: the rest of the time earns 0 */
} bf__facts;

/* What a rule has to say. */
typedef struct bf__reason {
    bf__reason_id id;
    bool distrust;
    char text[512];
} bf__reason;

/* A rule: fills *out and returns true if there is something to say. */
typedef bool (*bf__rule)(bf__reason *out, const bf__facts *facts);

/* In the order they are asked; NULL past the end. */
bf__rule bf__rule_at(int index);

bf__facts bf__facts_of(const bf_estimate *estimate, const bf_problem *problem);

/* Asks every rule, and adds a warning for each that has something to say, unless the answer has a
 * warning of that code already. BF_ENUMERIC if there is no answer to judge: the value is not
 * finite, or all weights are 0 although the process does not end for good. */
bf_status bf__judge(bf_estimate *out, const char *method, const bf_problem *problem,
                    bf_arena *arena, bf_error *err);

/* The least effective sample size, in rows of n, that an answer may rest on. */
double bf__least_rows(double n);

/* The least effective sample size of a fit of weights that may stand: a fit below it is not judged
 * but tried again. It is higher than bf__least_rows, since another start costs only time. */
double bf__least_rows_of_fit(double n);

/* Hands out `weights` (n), not negative, and `with_signs` (n), for which
 * sum_i with_signs_i r_i = out->value. The value is cut to the range that a mean of the rewards can
 * have, if the weights make `mass` together (NaN: at most 1, and the rest earns 0 if ends absorb).
 * If it was cut, `with_signs` moves towards `weights` until it gives the value again. NULL for both
 * if the method has none. Gives a warning if the value was cut. */
bf_status bf__hand_out(bf_estimate *out, const bf_problem *problem, const double *weights,
                       double *with_signs, double mass, bf_arena *arena, bf_error *err);

#endif
