/* steps.h - What a step of the log means. This is the one place that reads gamma, the flags of
 * terminated steps and the terminal mode together; everything else asks here.
 *
 * After step i the process goes on to the logged next state with mass g_i and begins anew at a
 * start state with mass h_i. What is missing to 1 has ended for good, at reward 0:
 *
 *                 a step that goes on          a step that ended
 *     restart     g = gamma, h = 1 - gamma     g = 0,     h = 1
 *     absorb      g = gamma, h = 1 - gamma     g = 0,     h = 1 - gamma
 *     ignore      g = gamma, h = 1 - gamma     g = gamma, h = 1 - gamma
 *
 * In features phi of pairs x = (s, a), with S0 the mean of E_pi phi over the start states:
 *
 *     psi_i = phi(x_i) - g_i E_pi phi(s'_i, .) - h_i S0. */
#ifndef BF_PROBLEM_STEPS_H
#define BF_PROBLEM_STEPS_H

#include "backflow/problem.h"
#include "dataset/dataset.h"

typedef struct bf__steps {
    double gamma;
    /* (n): 1 if the process does not go on from this step to the logged next state. NULL: it always
     * does, because ends are ignored or because the log does not say where they are. */
    const uint8_t *ended;
    bool restarts; /* some steps end, and lead to a start state */
    bool absorbs;  /* some steps end, and stay ended */
    bool starts;   /* some h is not 0: the question needs start states */
    bool over;     /* some steps stay ended and gamma is 1: in the long run there is reward 0 only,
                      unless the target never comes to such a step */
} bf__steps;

/* Without `ended`, which is for each step: `any` says if one of them terminated. */
bf__steps bf__steps_any(bool any, double gamma, bf_terminal terminal);
/* Of n steps; terminated NULL: none. */
bf__steps bf__steps_make(const uint8_t *terminated, int64_t n, double gamma, bf_terminal terminal);
bf__steps bf__steps_of(const bf_problem *problem);

/* BF_EUSAGE if it is over, for methods that can only tell what goes on. */
bf_status bf__steps_last(const bf_problem *problem, bf_error *err);

static inline bool bf__step_ended(const bf__steps *steps, int64_t i) {
    return steps->ended && steps->ended[i];
}

static inline double bf__step_g(const bf__steps *steps, int64_t i) {
    return bf__step_ended(steps, i) ? 0 : steps->gamma;
}

static inline double bf__step_h(const bf__steps *steps, int64_t i) {
    return steps->restarts && steps->ended[i] ? 1 : 1 - steps->gamma;
}

#endif
