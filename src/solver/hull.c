/* hull.c - A point as a convex combination of its neighbours.
 *
 *     min over the simplex of  |sum_j w_j z_j|^2 + eps sum_j w_j |z_j|^2,   z_j = x_j - x
 *
 * The first term asks that the combination be the point itself. The second term prefers near
 * neighbours. If the point is inside their hull, w is a kind of linear interpolation.
 *
 * A third term, spread sum_j (w_j - s_j)^2 / s_j, holds w near where it starts, if that is asked.
 *
 * A step moves weight between the two points that violate optimality most: from the point with the
 * largest gradient that has weight to the point with the smallest gradient, as far as that lowers
 * the objective. A step costs O(k), after O(k^2 d) for the inner products. The start matters: if we
 * stop early from smooth weights, they stay spread, which averages over the noise of a random
 * process. */
#include "solver/hull.h"

#include <math.h>
#include <stdbool.h>

#include "linalg/clones.h"

const bf__hull_options bf__hull_usual = {.near = 0.02, .tolerance = 1e-4, .steps = 100};

/* gram (k, k) of the rows of z (k, d), coordinate by coordinate, so that a row of it is a few
 * vector operations. */
BF_INLINE void inner_products(double *restrict gram, const double *restrict z, int k, int d) {
    double column[BF__HULL_MOST];
    for (int i = 0; i < k * k; i++)
        gram[i] = 0;
    for (int c = 0; c < d; c++) {
        for (int j = 0; j < k; j++)
            column[j] = z[j * d + c];
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                gram[i * k + j] += column[i] * column[j];
    }
}

static double distance(const double *w, const double *z, int k, int d) {
    double square = 0;
    for (int c = 0; c < d; c++) {
        double sum = 0;
        for (int j = 0; j < k; j++)
            sum += w[j] * z[j * d + c];
        square += sum * sum;
    }
    return sqrt(square);
}

/* A descent under way, between two steps. */
typedef struct descent {
    double slope[BF__HULL_MOST]; /* half the gradient */
    double shut[BF__HULL_MOST];  /* 0; -INFINITY: no weight can be taken there */
    double size;                 /* mean |z_j|^2 */
    bool ended;
} descent;

/* Mean squares of distances up to which all points are the point itself. */
static const double nothing = 1e-18;

/* Fills gram as well. If all points are the point itself, the descent has ended. */
BF_INLINE void begin(descent *restrict at, const bf__hull_task *task, int k, int d,
                     const bf__hull_options *options) {
    double *restrict gram = task->gram;
    const double *restrict w = task->w;
    inner_products(gram, task->z, k, d);
    at->size = 0;
    for (int i = 0; i < k; i++)
        at->size += gram[i * k + i] / k;
    at->ended = !(at->size > nothing);
    for (int i = 0; i < k; i++) {
        at->shut[i] = w[i] > 0 ? 0 : -INFINITY;
        at->slope[i] = 0.5 * options->near * gram[i * k + i];
        if (options->spread > 0) /* sum_j (w_j - s_j)^2 / s_j, but for a constant */
            gram[i * k + i] += options->spread * at->size / fmax(w[i], 1e-12);
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            at->slope[i] += gram[j * k + i] * w[j];
}

/* gram is symmetric and is read by rows. */
BF_INLINE void step(descent *restrict at, double *restrict w, const double *restrict gram, int k,
                    const bf__hull_options *options) {
    double least = INFINITY, most = -INFINITY;
    int low = 0, high = 0;
    for (int i = 0; i < k; i++) {
        double taken = at->slope[i] + at->shut[i]; /* a branch would be wrong every few points */
        low = at->slope[i] < least ? i : low;
        least = at->slope[i] < least ? at->slope[i] : least;
        high = taken > most ? i : high;
        most = taken > most ? taken : most;
    }
    double gain = most - least; /* below 0 if no point has weight */
    at->ended = gain <= options->tolerance * at->size;
    if (at->ended)
        return;
    double bend = gram[low * k + low] + gram[high * k + high] - 2 * gram[low * k + high];
    double whole = w[high], part = gain / (bend > 1e-300 ? bend : 1e-300);
    double move = part < whole ? part : whole;
    w[low] += move;
    w[high] = whole - move;
    at->shut[low] = 0;
    at->shut[high] = w[high] > 0 ? 0 : -INFINITY;
    for (int j = 0; j < k; j++)
        at->slope[j] += move * (gram[low * k + j] - gram[high * k + j]);
}

/* Whether there was anything to combine. */
BF_INLINE bool descend(const bf__hull_task *task, int k, int d, const bf__hull_options *options) {
    descent at;
    begin(&at, task, k, d, options);
    for (int s = 0; s < options->steps && !at.ended; s++)
        step(&at, task->w, task->gram, k, options);
    return at.size > nothing;
}

/* A step waits for the one before it most of its time, and the processor takes one of another
 * descent in between. */
BF_INLINE void descend_both(const bf__hull_task task[2], int k, int d,
                            const bf__hull_options *options) {
    descent one, other;
    begin(&one, &task[0], k, d, options);
    begin(&other, &task[1], k, d, options);
    for (int s = 0; s < options->steps && !(one.ended && other.ended); s++) {
        if (!one.ended)
            step(&one, task[0].w, task[0].gram, k, options);
        if (!other.ended)
            step(&other, task[1].w, task[1].gram, k, options);
    }
}

enum { USUAL = 16 }; /* neighbours; as a constant, so that loops over them dissolve */

BF_CLONES static bool hull_descend(const bf__hull_task *task, int d,
                                   const bf__hull_options *options) {
    return task->k == USUAL ? descend(task, USUAL, d, options) : descend(task, task->k, d, options);
}

BF_CLONES static void hull_descend_both(const bf__hull_task task[2], int d,
                                        const bf__hull_options *options) {
    descend_both(task, USUAL, d, options);
}

double bf__hull_solve(double *w, const double *z, int k, int d, const bf__hull_options *options,
                      double *gram) {
    const bf__hull_task task = {w, z, k, gram};
    return hull_descend(&task, d, options) ? distance(w, z, k, d) : 0;
}

void bf__hull_solve_two(const bf__hull_task task[2], int d, const bf__hull_options *options) {
    if (task[0].k == USUAL && task[1].k == USUAL) {
        hull_descend_both(task, d, options);
        return;
    }
    for (int t = 0; t < 2; t++)
        hull_descend(&task[t], d, options);
}
