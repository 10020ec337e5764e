/* imq.c - Inverse multiquadric, k(x, y) = (1 + |x - y|^2 / h^2)^(-1/2): heavy tails.
 *
 * The kernel is the mean of exp(-g^2 |x - y|^2 / 2h^2) over g ~ N(0, 1). Therefore its frequencies
 * are a normal vector times an independent |normal|. */
#include <math.h>

#include "kernel/rows.h"

static double profile(double r2) {
    return 1 / sqrt(1 + r2);
}

BF_INLINE float profile_f(float r2, float s) {
    return 1 / sqrtf(1 + r2 * s);
}

BF_INLINE double profile_d(double r2, double s) {
    return 1 / sqrt(1 + r2 * s);
}

BF__KERNEL_ROWS(imq)

static double spread(bf_rng *rng) {
    return fabs(bf_rng_normal(rng));
}

const bf__kernel_kind bf__kernel_imq = {
    .name = "imq",
    .summary = "(1 + |x-y|^2 / h^2)^(-1/2): inverse multiquadric, heavy tails",
    .wide = true,
    .profile = profile,
    BF__KERNEL_FIELDS(imq),
    .spread = spread,
};
