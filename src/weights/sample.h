/* sample.h - A few transitions that stand for all of a large log under given weights. */
#ifndef BF_WEIGHTS_SAMPLE_H
#define BF_WEIGHTS_SAMPLE_H

#include "problem/points.h"

typedef struct bf__sample {
    int64_t n;
    int64_t *row; /* (n), ascending, each once */
    double *u;    /* (n): sum_k u_k f(row_k) is about sum_i w_i f(i), whatever f */
} bf__sample;

/* About `size` rows of the n that w (n) is on, not negative and not all 0: half of them by w, half
 * at random. */
bf_status bf__sample_draw(bf__sample *out, const double *w, int64_t n, int64_t size, uint64_t seed,
                          bf_arena *arena, bf_error *err);

/* The transitions of the sample, with everything else as it was. */
bf_status bf__sample_take(bf__points *out, const bf__points *in, const bf__sample *sample,
                          bf_arena *arena, bf_error *err);

#endif
