/* kernel.c - The list of kernels, and one of them at given widths. */
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

#define BF_KERNEL(name) extern const bf__kernel_kind bf__kernel_##name;
#include "kernel/kernels.def"
#undef BF_KERNEL

static const bf__kernel_kind *const kinds[] = {
#define BF_KERNEL(name) &bf__kernel_##name,
#include "kernel/kernels.def"
#undef BF_KERNEL
};

const bf__kernel_kind *bf__kernel_at(int index) {
    int count = (int)(sizeof kinds / sizeof *kinds);
    return index >= 0 && index < count ? kinds[index] : NULL;
}

const bf__kernel_kind *bf__kernel_find(const char *name) {
    for (int i = 0; bf__kernel_at(i); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

bf_status bf__kernel_set(bf__kernel *out, const bf__kernel_kind *kind, const double *width,
                         int widths, bf_error *err) {
    *out = (bf__kernel){.kind = kind, .widths = kind->wide ? widths : 1};
    for (int w = 0; w < out->widths; w++) {
        double h = kind->wide ? width[w] : 1;
        /* 1 / h^2 has to be a float */
        if (!(h > 1e-18 && h < 1e18))
            return bf_fail(err, BF_EUSAGE,
                           "a kernel of width %g cannot be used: widths are measured in standard "
                           "deviations, and about 1 is usual",
                           h);
        out->width[w] = h;
        out->scale_d[w] = 1 / (h * h);
        out->scale_f[w] = (float)out->scale_d[w];
    }
    return BF_OK;
}

double bf__kernel_plain(const bf__kernel *kernel, const double *x, int64_t xs, const double *y,
                        int64_t ys, int d) {
    double r2 = 0, sum = 0;
    for (int k = 0; k < d; k++)
        r2 += (x[k * xs] - y[k * ys]) * (x[k * xs] - y[k * ys]);
    for (int w = 0; w < kernel->widths; w++)
        sum += kernel->kind->profile(r2 / (kernel->width[w] * kernel->width[w]));
    return sum / kernel->widths;
}

void bf__kernel_block_f(float *out, const bf__kernel *kernel, const float *x, int64_t n,
                        const float *z, int64_t m, int d, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++)
        kernel->kind->row_f(out + i * m, x + i, n, z, m, d, m, kernel->scale_f, kernel->widths);
}

void bf__kernel_block_d(double *out, const bf__kernel *kernel, const double *x, int64_t n,
                        const double *z, int64_t m, int d, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++)
        kernel->kind->row_d(out + i * m, x + i, n, z, m, d, m, kernel->scale_d, kernel->widths);
}
