/* exp.h - Exponentials that a loop can run on many lanes at once.
 *
 *     e^x = 2^k e^r,   k = round(x / ln 2),   r = x - k ln 2,  |r| <= ln 2 / 2
 *
 * Adding 1.5 * 2^(mantissa bits) leaves k in the low bits of the sum. ln 2 is subtracted in two
 * pieces; k times the first piece is exact. e^r = 1 + r + r^2 P(r), where P interpolates at
 * Chebyshev nodes (relative error 1e-8 in float, 2e-17 in double). 2^k is assembled in the exponent
 * bits. There is no branch, no table and no call, so `#pragma omp simd` vectorises it.
 *
 * The result is within 2 units in the last place of the true value (tests/test_linalg.c). A result
 * below about 1.7e-38 (float) or 3.3e-308 (double) is 0; there are no subnormal results. Above the
 * largest number the result is infinity. NaN stays NaN. This file must not be compiled with
 * -ffast-math. */
#ifndef BF_LINALG_EXP_H
#define BF_LINALG_EXP_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* exp(x) / 2^k; the low bits of *t are those of k. */
static inline float bf__expf_fraction(float *t, float x) {
    const float shift = 0x1.8p23f;
    *t = x * 1.44269504f + shift;
    float k = *t - shift;
    float r = x - k * 0.693359375f;
    r = r + k * 2.12194440e-4f;
    float p = 0.00139261836f;
    p = p * r + 0.00836317905f;
    p = p * r + 0.0416665546f;
    p = p * r + 0.166665770f;
    p = p * r + 0.5f;
    return p * (r * r) + (r + 1.0f);
}

/* 2^(k + offset - 127) of such a t; the high bits fall out. */
static inline float bf__expf_scale(float t, uint32_t offset) {
    uint32_t bits;
    float scale;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits + offset) << 23;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static inline float bf__expf_inline(float x) {
    float t, p = bf__expf_fraction(&t, x);
    float y = p * bf__expf_scale(t, 126) * 2.0f; /* 2^(k-1), so that k = 128 has a place */
    y = x < -86.98f ? 0.0f : y;
    return x > 88.7228394f ? INFINITY : y;
}

/* The same digits for -86 <= x <= 86, where nothing has to be done about numbers that are too large
 * or too small. */
static inline float bf__expf_within_inline(float x) {
    float t, p = bf__expf_fraction(&t, x);
    return p * bf__expf_scale(t, 127);
}

/* 2^t for t <= 0, with fewer steps. The reduction t - round(t) is exact, a polynomial of degree 5
 * is enough (relative error 9e-8, none at t = 0), and k is added to the exponent bits of its value.
 * The result is within 3 units in the last place. Below t = -125, and at NaN, it is 0. The rounding
 * of t costs |t| 2^t eps, which is never above eps. */
static inline float bf__exp2f_inline(float t) {
    const float shift = 0x1.8p23f;
    float moved = t + shift;
    float f = t - (moved - shift);
    float p = 0.00132647288f;
    p = p * f + 0.00967151318f;
    p = p * f + 0.0555073374f;
    p = p * f + 0.240222421f;
    p = p * f + 0.693146978f;
    p = p * f + 1.0f;
    uint32_t k, bits;
    memcpy(&k, &moved, sizeof k);
    memcpy(&bits, &p, sizeof bits);
    bits += k << 23;
    memcpy(&p, &bits, sizeof p);
    return t > -125.0f ? p : 0.0f;
}

static inline double bf__exp_inline(double x) {
    const double shift = 0x1.8p52;
    double t = x * 1.4426950408889634074 + shift;
    double k = t - shift;
    double r = x - k * 6.93147180369123816490e-01;
    r = r - k * 1.90821492927058770002e-10;
    double p = 2.5100385495510319078e-8;
    p = p * r + 2.7620088445409748161e-7;
    p = p * r + 2.7557268459997064772e-6;
    p = p * r + 2.4801521295954375131e-5;
    p = p * r + 1.9841269863053616878e-4;
    p = p * r + 1.3888888917213716901e-3;
    p = p * r + 8.3333333333300618325e-3;
    p = p * r + 4.1666666666624127873e-2;
    p = p * r + 1.6666666666666667453e-1;
    p = p * r + 5.0000000000000010221e-1;
    p = p * (r * r) + r + 1.0;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits + 1022u) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    double y = p * scale * 2.0;
    y = x < -708.0 ? 0.0 : y;
    return x > 709.78271289338397 ? INFINITY : y;
}

#endif
