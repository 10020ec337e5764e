/* rows.h - What the fast half of a kernel is made of.
 *
 * A kernel file writes its profile as an inline function of (r2, s), s = 1 / h^2, for float and for
 * double. It passes the profile to bf__row_of_f and bf__row_of_d inside a BF_CLONES function.
 * Distance and profile then are one loop, compiled for each instruction set. */
#ifndef BF_KERNEL_ROWS_H
#define BF_KERNEL_ROWS_H

#include "kernel/kernel.h"
#include "linalg/clones.h"
#include "linalg/exp.h"

#define REAL    float
#define NAME(x) x##_f
#include "kernel/rows.inc"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_d
#include "kernel/rows.inc"
#undef REAL
#undef NAME

/* The row and quad functions of the kernel file `name`, which defines profile_f and profile_d. They
 * carry the name because clang gives the function that picks a clone external linkage, even if it
 * is static. */
#define BF__KERNEL_ROWS(name)                                                                      \
    BF_CLONES static void name##_row_f(float *out, const float *x, int64_t xs, const float *z,     \
                                       int64_t zs, int d, int64_t n, const float *scale,           \
                                       int scales) {                                               \
        bf__row_of_f(out, x, xs, z, zs, d, n, scale, scales, profile_f);                           \
    }                                                                                              \
    BF_CLONES static void name##_row_d(double *out, const double *x, int64_t xs, const double *z,  \
                                       int64_t zs, int d, int64_t n, const double *scale,          \
                                       int scales) {                                               \
        bf__row_of_d(out, x, xs, z, zs, d, n, scale, scales, profile_d);                           \
    }                                                                                              \
    BF_CLONES static void name##_quad_f(float *out, const float *x, const float *y, int64_t xs,    \
                                        const float *z, const float *v, int64_t zs, int d,         \
                                        int64_t n, const float *const f[4], float scale) {         \
        bf__quad_of_f(out, x, y, xs, z, v, zs, d, n, f, scale, profile_f);                         \
    }                                                                                              \
    BF_CLONES static void name##_quad_d(double *out, const double *x, const double *y, int64_t xs, \
                                        const double *z, const double *v, int64_t zs, int d,       \
                                        int64_t n, const double *const f[4], double scale) {       \
        bf__quad_of_d(out, x, y, xs, z, v, zs, d, n, f, scale, profile_d);                         \
    }

/* The fields of the descriptor that these functions fill. */
#define BF__KERNEL_FIELDS(name)                                                                    \
    .row_f = name##_row_f, .row_d = name##_row_d, .quad_f = name##_quad_f, .quad_d = name##_quad_d

#endif
