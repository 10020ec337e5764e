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

static void inner_products(double *gram, const double *z, int k, int d) {
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int c = 0; c < d; c++)
                sum += z[i * d + c] * z[j * d + c];
            gram[i * k + j] = gram[j * k + i] = sum;
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

/* Solves, given the inner products. Returns false if all points are the point itself. gram is
 * symmetric and is read by rows. */
BF_INLINE bool descend(double *restrict w, double *restrict gram, int k,
                       const bf__hull_options *options) {
    double slope[BF__HULL_MOST], size = 0; /* half the gradient; mean |z_j|^2 */
    for (int i = 0; i < k; i++)
        size += gram[i * k + i] / k;
    if (!(size > 1e-18))
        return false;
    for (int i = 0; i < k; i++) {
        slope[i] = 0.5 * options->near * gram[i * k + i];
        if (options->spread > 0) /* sum_j (w_j - s_j)^2 / s_j, but for a constant */
            gram[i * k + i] += options->spread * size / fmax(w[i], 1e-12);
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            slope[i] += gram[j * k + i] * w[j];
    for (int step = 0; step < options->steps; step++) {
        double least = INFINITY, most = -INFINITY;
        int low = 0, high = 0;
        for (int i = 0; i < k; i++) {
            double taken = w[i] > 0 ? slope[i] : -INFINITY;
            low = slope[i] < least ? i : low;
            least = slope[i] < least ? slope[i] : least;
            high = taken > most ? i : high;
            most = taken > most ? taken : most;
        }
        double gain = most - least; /* below 0 if no point has weight */
        if (gain <= options->tolerance * size)
            break;
        double bend = gram[low * k + low] + gram[high * k + high] - 2 * gram[low * k + high];
        double move = bend > 1e-300 ? fmin(w[high], gain / bend) : w[high];
        w[low] += move;
        w[high] -= move;
        for (int j = 0; j < k; j++)
            slope[j] += move * (gram[low * k + j] - gram[high * k + j]);
    }
    return true;
}

/* The usual number of neighbours is a constant, so that its loops dissolve. */
BF_CLONES static bool hull_descend(double *restrict w, double *restrict gram, int k,
                                   const bf__hull_options *options) {
    return k == 16 ? descend(w, gram, 16, options) : descend(w, gram, k, options);
}

double bf__hull_solve(double *w, const double *z, int k, int d, const bf__hull_options *options,
                      double *gram) {
    inner_products(gram, z, k, d);
    return hull_descend(w, gram, k, options) ? distance(w, z, k, d) : 0;
}
