/* hull.h - A point as a convex combination of its neighbours. */
#ifndef BF_SOLVER_HULL_H
#define BF_SOLVER_HULL_H

enum { BF__HULL_MOST = 128 }; /* the largest k */

typedef struct bf__hull_options {
    double near;      /* eps: how much the distance counts */
    double spread;    /* how strongly w is held near where it starts; 0: not at all */
    double tolerance; /* stop if the violation is below this share of the mean |z_j|^2 */
    int steps;        /* or after so many steps */
} bf__hull_options;

/* What serves where rows have no weights. */
extern const bf__hull_options bf__hull_usual;

/* Moves w (k), on the simplex, from its present value towards the minimum of |sum_j w_j z_j|^2 +
 * near sum_j w_j |z_j|^2 + spread size sum_j w_j^2 / s_j, with s where it starts and size the mean
 * of |z_j|^2. The rows of z (k, d), row-major, are the neighbours minus the point. gram (k, k) is
 * scratch. Returns |sum_j w_j z_j|, the distance of the combination from the point. */
double bf__hull_solve(double *w, const double *z, int k, int d, const bf__hull_options *options,
                      double *gram);

/* A point and its neighbours, as above. */
typedef struct bf__hull_task {
    double *w;       /* (k) */
    const double *z; /* (k, d) */
    int k;
    double *gram; /* (k, k): scratch */
} bf__hull_task;

/* The same for two points at once, digit for digit, in little more than the time of one. */
void bf__hull_solve_two(const bf__hull_task task[2], int d, const bf__hull_options *options);

#endif
