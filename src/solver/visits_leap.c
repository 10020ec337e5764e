/* visits_leap.c - Leaps of an iteration that creeps on and on in one direction.
 *
 * Where all has settled but one way of moving mass, the drift of x over some steps is c times that
 * over the steps before, and the sum of all drifts to come is c / (1 - c) times the last one
 * (Aitken). Whether there is but one way shows in the change of the drift, which then points along
 * the drift itself: it must explain all but a twenty-fifth of it, in squares. Early on, while many
 * ways are on the move, it does not, and x is left alone. So it is where c is below a half, which
 * needs no help.
 *
 * A drift that grows a little has no limit to be seen yet: mass is falling into a trap, faster and
 * faster. Then, and where the limit is far, the leap is FAR drifts long. No mass falls below a
 * tenth of what it was, so a leap too long is undone by the steps that follow, and by the next
 * leap. A drift that grows much is the work of the combinations of steps, which find the limit.
 *
 * Three calls at least are between two leaps, and there are MOST of them at most.
 *
 * Cost  some passes over x a call; memory two vectors. */
#include "solver/visits_leap.h"

#include <string.h>

#include "core/fail.h"
#include "solver/sums.h"

enum { FAR = 50, MOST = 20 };
static const double unexplained = 0.04, least_ratio = 0.5, most_ratio = 1.1, least_kept = 0.1;

bf_status bf__leap_make(bf__leap *leap, int64_t n, bf_arena *arena, bf_error *err) {
    *leap = (bf__leap){.n = n};
    BF_ALLOC(leap->before, arena, n, err);
    BF_ALLOC(leap->drift, arena, n, err);
    return BF_OK;
}

/* before: the drift since then. */
static void take_drift(bf__leap *l, const double *x, int together) {
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t j = 0; j < l->n; j++)
        l->before[j] = x[j] - l->before[j];
}

/* By how many of the new drifts x should leap, from the old drift and the new; 0: not at all. */
static double length(const double *old, const double *new, int64_t n, int threads) {
    double old_old = bf__sum_products(old, old, n, threads);
    double new_old = bf__sum_products(new, old, n, threads);
    double new_new = bf__sum_products(new, new, n, threads);
    double along = new_new - new_old, change = new_new - 2 * new_old + old_old;
    bool creeps = new_old > least_ratio * old_old && new_old < most_ratio * old_old && change > 0;
    if (!creeps || along * along < (1 - unexplained) * change * new_new)
        return 0;
    double ahead = -along / change;
    return ahead > 0 && ahead < FAR ? ahead : FAR;
}

bool bf__leap_try(bf__leap *leap, double *x, int threads) {
    int together = bf__threads_over(leap->n, threads);
    double ahead = 0, *spare = leap->drift;
    if (leap->calls > 0 && leap->taken < MOST) {
        take_drift(leap, x, together);
        if (leap->calls > 1)
            ahead = length(leap->drift, leap->before, leap->n, threads);
        leap->drift = leap->before;
        leap->before = spare;
    }
    leap->calls++;
    if (ahead > 0) {
#pragma omp parallel for schedule(static) num_threads(together)
        for (int64_t j = 0; j < leap->n; j++) {
            double there = x[j] + ahead * leap->drift[j], least = least_kept * x[j];
            x[j] = there > least ? there : least;
        }
        bf__scale_to_one(x, leap->n, threads);
        leap->calls = 0;
        leap->taken++;
    }
    memcpy(leap->before, x, (size_t)leap->n * sizeof *x);
    return ahead > 0;
}
