/* rademacher.c - How well a class of functions can follow random signs, and what it is good for.
 *
 * Signs       E |s_1 + ... + s_m| = m C(m - 1, floor((m - 1) / 2)) / 2^(m - 1), which is the same
 *             for m and m - 1 if m is even, and about sqrt(2 m / pi)
 * Box         The best W takes `high` at a point whose signs have a sum above 0, and `low` at the
 *             others. The middle of the box makes no difference in the mean.
 * Ball        sup a' v = radius |v| with v = mean s_i phi_i, and E |v| <= sqrt(E |v|^2), which is
 *             sqrt(mean |phi_i|^2 / n). The other way round: Khintchine's inequality.
 * Bound       Mousavi, Li, Liu, Zhou 2020, theorem 4.2 */
#include "solver/rademacher.h"

#include <math.h>

double bf__signs_mean(int64_t m) {
    if (m < 1)
        return 0;
    /* Odd m = 2 k + 1: (2 k + 1) C(2 k, k) / 4^k, as a product, or for large k as a series. */
    int64_t k = (m - 1) / 2;
    double share = 1, u = 1 / (double)k;
    for (int64_t i = 1; i <= k && k < 256; i++)
        share *= (double)(2 * i - 1) / (double)(2 * i);
    if (k >= 256)
        share = sqrt(u / acos(-1)) * (1 - u / 8 + u * u / 128 + 5 * u * u * u / 1024);
    return (double)(2 * k + 1) * share;
}

double bf__rademacher_box(double low, double high, double signs, int64_t n) {
    return 0.5 * (high - low) * signs / (double)n;
}

double bf__rademacher_ball(double radius, double squares, int64_t n) {
    return radius * sqrt(squares / (double)n);
}

double bf__generalization_bound(double r_max, double rademacher, int64_t n, double delta) {
    double square = r_max * r_max;
    return 16 * r_max * rademacher +
           (16 * square + square * sqrt(8 * log(1 / delta))) / sqrt((double)n);
}
