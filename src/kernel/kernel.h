/* kernel.h - Kernels on states: radial, of one width or a mean over several.
 *
 *     k(x, y) = mean_w profile(|x - y|^2 / h_w^2),   profile(0) = 1
 *
 * A kind of kernel gives its profile twice. The plain form is the oracle. The fast form also
 * computes the distances of one point to a block of points; all fast code is built on this loop. */
#ifndef BF_KERNEL_KERNEL_H
#define BF_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/memory.h"
#include "backflow/rng.h"

/* out[j] = k(x, z_j), j < n. Coordinate c of x is x[c * xs], of z_j is z[c * zs + j];
 * scale[w] = 1 / h_w^2. */
typedef void bf__row_f(float *out, const float *x, int64_t xs, const float *z, int64_t zs, int d,
                       int64_t n, const float *scale, int scales);
typedef void bf__row_d(double *out, const double *x, int64_t xs, const double *z, int64_t zs, int d,
                       int64_t n, const double *scale, int scales);

/* out[j] = k(x, z_j) f[0][j] - k(x, v_j) f[1][j] - k(y, z_j) f[2][j] + k(y, v_j) f[3][j]. These are
 * the four terms of a pair of transitions, in one pass. Only for d <= BF__QUAD_DIMS and one
 * width. */
enum { BF__QUAD_DIMS = 6 };
typedef void bf__quad_f(float *out, const float *x, const float *y, int64_t xs, const float *z,
                        const float *v, int64_t zs, int d, int64_t n, const float *const f[4],
                        float scale);
typedef void bf__quad_d(double *out, const double *x, const double *y, int64_t xs, const double *z,
                        const double *v, int64_t zs, int d, int64_t n, const double *const f[4],
                        double scale);

typedef struct bf__kernel_kind {
    const char *name;
    const char *summary;          /* one line, for `backflow list` */
    bool wide;                    /* has a width */
    double (*profile)(double r2); /* plain; r2 is the squared distance in widths */
    bf__row_f *row_f;
    bf__row_d *row_d;
    bf__quad_f *quad_f;
    bf__quad_d *quad_d;
    double (*spread)(bf_rng *rng); /* its frequencies are spread * N(0, I) / h; NULL: not known */
} bf__kernel_kind;

enum { BF__MAX_WIDTHS = 8 };

typedef struct bf__kernel {
    const bf__kernel_kind *kind;
    int widths;
    double width[BF__MAX_WIDTHS];
    double scale_d[BF__MAX_WIDTHS]; /* 1 / width^2 */
    float scale_f[BF__MAX_WIDTHS];
} bf__kernel;

/* Every kind, in the order of kernels.def; NULL past the end. */
const bf__kernel_kind *bf__kernel_at(int index);
const bf__kernel_kind *bf__kernel_find(const char *name);

/* Makes a kernel of given widths, which have to be finite and above 0. */
bf_status bf__kernel_set(bf__kernel *out, const bf__kernel_kind *kind, const double *width,
                         int widths, bf_error *err);

/* The plain evaluation, for one pair. Coordinate c of x is x[c * xs]. */
double bf__kernel_plain(const bf__kernel *kernel, const double *x, int64_t xs, const double *y,
                        int64_t ys, int d);

/* out[i * m + j] = k(x_i, z_j): features of n points against m. x (d, n), z (d, m). */
void bf__kernel_block_f(float *out, const bf__kernel *kernel, const float *x, int64_t n,
                        const float *z, int64_t m, int d, int threads);
void bf__kernel_block_d(double *out, const bf__kernel *kernel, const double *x, int64_t n,
                        const double *z, int64_t m, int d, int threads);

#endif
