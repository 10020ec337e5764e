/* network_inputs.h - (state, action) pairs as inputs of a network: logged ones, and those of the
 * target.
 *
 * A pair is the state's coordinates, then the action: one input per action that is 1 for the one
 * taken, or the coordinates of an action vector. At a next or a start state the target has
 * `choices` actions: all A of them with probabilities pi, or M sampled ones with 1 / M each. */
#ifndef BF_PROBLEM_NETWORK_INPUTS_H
#define BF_PROBLEM_NETWORK_INPUTS_H

#include "problem/points.h"

typedef struct bf__pairs {
    bf__points points;
    int64_t n, starts;
    int d;                    /* coordinates of a state */
    int inputs, choices;      /* choices: K */
    const float *z, *nz, *z0; /* (d, n), (d, n), (d, starts) */
} bf__pairs;

/* *out (count): x in single precision. */
bf_status bf__pairs_narrow(const float **out, const double *x, int64_t count, bf_arena *arena,
                           bf_error *err);

/* BF_EUSAGE if an option about coordinates was set, and the log has none that are read. */
bf_status bf__pairs_check(const bf_problem *problem, const bf_settings *settings, bf_error *err);

/* Coordinates are those of points.h; a finite state space of up to 100 states gets one input per
 * state instead. `problem` has gamma < 1 where start states are needed. */
bf_status bf__pairs_make(bf__pairs *out, const bf_problem *problem, const char *periodic,
                         const char *scale, const bf_context *context, bf_arena *arena,
                         bf_error *err);

/* The same on points that there are already. */
bf_status bf__pairs_on(bf__pairs *out, const bf__points *points, const bf_dataset *data,
                       bf_arena *arena, bf_error *err);

/* Columns first .. first + count - 1 of out (inputs, stride): the logged pairs rows[.], or 0, 1, ..
 * where rows is NULL. */
void bf__pairs_logged(float *out, int64_t stride, int64_t first, const bf__pairs *pairs,
                      const int64_t *rows, int64_t count);
/* Columns first .. first + K count - 1, choice after choice: the target's pairs at the next states
 * of rows[.], with their probabilities p (K, count). */
void bf__pairs_next(float *out, int64_t stride, int64_t first, double *p, const bf__pairs *pairs,
                    const int64_t *rows, int64_t count);
/* The same at start states which[.]. */
void bf__pairs_start(float *out, int64_t stride, int64_t first, double *p, const bf__pairs *pairs,
                     const int64_t *which, int64_t count);

#endif
