/* exact.h - K kept in memory: the upper half, float32, in tiles. */
#ifndef BF_FLOW_EXACT_H
#define BF_FLOW_EXACT_H

#include "flow/flow.h"

typedef struct bf__exact {
    int64_t n, tiles;    /* along one side */
    float *k;            /* tile (I, J), I <= J, at its place of BF__TILE^2 numbers, row-major */
    float *left, *right; /* room for the partial sums of a product: BF__TILE per tile */
    float *w;            /* (n rounded up to tiles) */
} bf__exact;

/* Bytes that an exact K of n transitions takes. */
double bf__exact_bytes(int64_t n);

/* Room for K of n transitions; filling it again with another flow of the same n costs no pages. */
bf_status bf__exact_create(bf__exact **out, int64_t n, bf_arena *arena, bf_error *err);
void bf__exact_fill(bf__exact *exact, const bf__flow *flow, const bf_context *context);

float bf__exact_at(const bf__exact *exact, int64_t i, int64_t j);

/* y = K w. Not safe from two threads on one `exact`. */
void bf__exact_product(double *y, bf__exact *exact, const double *w, const bf_context *context);

#endif
