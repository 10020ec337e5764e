/* matern.c - k(x, y) = (1 + sqrt(3) r) exp(-sqrt(3) r), r = |x - y| / h: Matern's with nu = 3/2.
 *
 * Its frequencies are Student's with 3 degrees of freedom: a normal vector over the root of an
 * independent chi-square of 3, divided by 3. */
#include <math.h>

#include "kernel/rows.h"

#define ROOT_3 1.7320508075688772935274463415059

static double profile(double r2) {
    double r = ROOT_3 * sqrt(r2);
    return (1 + r) * exp(-r);
}

BF_INLINE float profile_f(float r2, float s) {
    float r = (float)ROOT_3 * sqrtf(r2 * s);
    return (1.0f + r) * bf__exp2f_inline(-1.44269504f * r); /* 1 / ln 2 */
}

BF_INLINE double profile_d(double r2, double s) {
    double r = ROOT_3 * sqrt(r2 * s);
    return (1 + r) * bf__exp_inline(-r);
}

BF__KERNEL_ROWS(matern)

static double spread(bf_rng *rng) {
    double squares = 0;
    for (int i = 0; i < 3; i++) {
        double g = bf_rng_normal(rng);
        squares += g * g;
    }
    return 1 / sqrt(fmax(squares / 3, 1e-300));
}

const bf__kernel_kind bf__kernel_matern = {
    .name = "matern",
    .summary = "(1 + sqrt(3) r) exp(-sqrt(3) r), r = |x-y| / h: once differentiable",
    .wide = true,
    .profile = profile,
    BF__KERNEL_FIELDS(matern),
    .spread = spread,
};
