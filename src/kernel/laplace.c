/* laplace.c - k(x, y) = exp(-|x - y| / h), of the Euclidean distance.
 *
 * Its frequencies are Cauchy in d dimensions: a normal vector over an independent |normal|. */
#include <math.h>

#include "kernel/rows.h"

static double profile(double r2) {
    return exp(-sqrt(r2));
}

BF_INLINE float profile_f(float r2, float s) {
    return bf__exp2f_inline(-1.44269504f * sqrtf(r2 * s)); /* 1 / ln 2 */
}

BF_INLINE double profile_d(double r2, double s) {
    return bf__exp_inline(-sqrt(r2 * s));
}

BF__KERNEL_ROWS(laplace)

static double spread(bf_rng *rng) {
    double g = fabs(bf_rng_normal(rng));
    return 1 / (g > 1e-300 ? g : 1e-300);
}

const bf__kernel_kind bf__kernel_laplace = {
    .name = "laplace",
    .summary = "exp(-|x-y| / h): rough",
    .wide = true,
    .profile = profile,
    BF__KERNEL_FIELDS(laplace),
    .spread = spread,
};
