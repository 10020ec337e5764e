/* delta.c - k(x, y) = 1 if x equals y, otherwise 0. It is for states that occur again exactly. */
#include "kernel/rows.h"

static double profile(double r2) {
    return r2 == 0 ? 1 : 0;
}

BF_INLINE float profile_f(float r2, float s) {
    (void)s;
    return r2 == 0 ? 1.0f : 0.0f;
}

BF_INLINE double profile_d(double r2, double s) {
    (void)s;
    return r2 == 0 ? 1.0 : 0.0;
}

BF__KERNEL_ROWS(delta)

const bf__kernel_kind bf__kernel_delta = {
    .name = "delta",
    .summary = "1 where x = y, else 0: finite state spaces",
    .profile = profile,
    BF__KERNEL_FIELDS(delta),
};
