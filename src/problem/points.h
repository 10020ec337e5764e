/* points.h - The question in coordinates: what every method for real-valued states reads.
 *
 * Arrays are column after column: coordinate c of point j of z (d, n) is z[c * n + j]. Actions are
 * numbers with probabilities (actions > 0), or vectors with samples of the target's (actions 0). */
#ifndef BF_PROBLEM_POINTS_H
#define BF_PROBLEM_POINTS_H

#include "backflow/context.h"
#include "backflow/options.h"
#include "kernel/coordinates.h"
#include "problem/column_list.h"
#include "problem/steps.h"

typedef struct bf__points {
    int64_t n;    /* transitions */
    int64_t size; /* rows by which a method decides what it has the time for; mostly n */
    int d;
    const double *z, *nz; /* (d, n): states and next states, standardised */

    int actions;           /* A; 0: vectors */
    const int32_t *action; /* (n) */
    const double *npi;     /* (A, n): pi at the next states */

    int action_dim, samples; /* k, M */
    const double *u;         /* (k, n), standardised */
    const double *nu;        /* (M * k, n): actions sampled from pi at the next states */

    bf__steps steps;      /* what the transitions mean: g and h */
    const double *weight; /* (n): how much rows count, mean 1; NULL: all the same */

    int64_t starts;        /* start states; 0 if steps.starts is false */
    const double *weight0; /* (starts): how much they count, mean 1; NULL: all the same */
    const double *z0;      /* (d, starts) */
    const double *pi0;     /* (A, starts) */
    const double *u0;      /* (M * k, starts) */
    int64_t most_starts;   /* of which a flow draws this many; 0: 1,000 */

    uint64_t seed;                      /* of whatever is sampled from here on */
    bf__coordinates coordinates;        /* how a state of the log becomes a point */
    bf__coordinates action_coordinates; /* how an action does, if actions are vectors */
    const bool *seen;     /* (A): the log shows the action; NULL if actions are vectors */
    double covered;       /* share of the target's next actions that the log has ever taken */
    const char *angles;   /* "s0, s2": columns taken for angles; NULL: none */
    const char *left_out; /* the same of columns that were left out */
    int left_out_count;
    bool borrowed_starts; /* actions at the start states are those of the nearest next states */

    struct bf__share *share; /* of the log; NULL: nothing is shared */
    const char *made_by;     /* key of the coordinates: what they were made by */
} bf__points;

/* How much transition i counts. */
static inline double bf__point_weight(const bf__points *points, int64_t i) {
    return points->weight ? points->weight[i] : 1;
}

/* Standardises states (angles as cosine and sine; columns that are in the way left out, idle.h),
 * and actions where they are vectors; gathers the start states where they are needed. Actions that
 * the log never shows get no probability: the rest is scaled up, and `covered` says how much was
 * left. */
bf_status bf__points_make(bf__points *out, const bf_problem *problem, const char *periodic,
                          const char *scale, const bf_context *context, bf_arena *arena,
                          bf_error *err);

/* Other rows of the same kind, in the coordinates of `as` and with the actions that were seen
 * there: the points of a row do not depend on the rows beside it. `as` does not borrow starts. If a
 * step ends, some step of `as` has to. */
bf_status bf__points_like(bf__points *out, const bf__points *as, const bf_problem *problem,
                          bf_arena *arena, bf_error *err);

/* Refuses coordinates z (d, n) of the columns x that are too large to go on with: it names the row
 * and the column, `prefix` and its number. */
bf_status bf__points_check(const double *z, const double *x, const bf__coordinates *coordinates,
                           const char *prefix, const bf_dataset *data, bf_error *err);

#endif
