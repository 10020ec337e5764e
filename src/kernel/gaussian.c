/* gaussian.c - k(x, y) = exp(-|x - y|^2 / (2 h^2)); frequencies N(0, I) / h. */
#include <math.h>

#include "kernel/rows.h"

static double profile(double r2) {
    return exp(-0.5 * r2);
}

BF_INLINE float profile_f(float r2, float s) {
    return bf__exp2f_inline(r2 * (-0.721347520f * s)); /* 1 / (2 ln 2) */
}

BF_INLINE double profile_d(double r2, double s) {
    return bf__exp_inline(r2 * (-0.5 * s));
}

BF__KERNEL_ROWS(gaussian)

static double spread(bf_rng *rng) {
    (void)rng;
    return 1;
}

const bf__kernel_kind bf__kernel_gaussian = {
    .name = "gaussian",
    .summary = "exp(-|x-y|^2 / 2h^2): smooth",
    .wide = true,
    .profile = profile,
    BF__KERNEL_FIELDS(gaussian),
    .spread = spread,
};
