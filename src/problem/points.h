/* points.h - A log as points: what every method for real-valued states reads. */
#ifndef BF_PROBLEM_POINTS_H
#define BF_PROBLEM_POINTS_H

#include "estimator/answer.h"
#include "flow/flow.h"
#include "kernel/coordinates.h"
#include "problem/column_list.h"

/* The log in coordinates. `flow` has everything but the kernels. */
typedef struct bf__points {
    bf__flow_input flow;
    bf__coordinates coordinates; /* how a state of the log becomes a point */
    double covered;       /* share of the target's next actions that the log has ever taken */
    const char *angles;   /* "s0, s2": columns taken for angles; NULL: none */
    bool borrowed_starts; /* actions at the start states are those of the nearest next states */
} bf__points;

/* Standardises states (angles as cosine and sine), and actions where they are vectors; gathers the
 * start states where they are needed. Actions that the log never shows get no probability: the
 * rest is scaled up, and `covered` says how much was left. */
bf_status bf__points_make(bf__points *out, const bf_problem *problem, const char *periodic,
                          const char *scale, const bf_context *context, bf_arena *arena,
                          bf_error *err);

/* Refuses coordinates z (d, n) of the columns x that are too large to go on with: it names the row
 * and the column, `prefix` and its number. */
bf_status bf__points_check(const double *z, const double *x, const bf__coordinates *coordinates,
                           const char *prefix, const bf_dataset *data, bf_error *err);

/* The diagnostic `coverage_actions`, and the warnings that go with the above. */
bf_status bf__points_report(bf_estimate *out, const bf__points *points, bf_arena *arena,
                            bf_error *err);

#endif
