/* tile.c - Rows of K, factored over actions.
 *
 * With the action factors o and pg of flow.h, and G the state kernel between (state, next state)
 * of i and (state, next state) of j,
 *
 *     K_ij =   G00 o(a_i, j) - G01 pg(a_i, j)
 *            - G10 sum_a q_i(a) o(a, j) + G11 sum_a q_i(a) pg(a, j)  - h_j b_i + h_i e_j
 *
 * four values of the state kernel per pair whatever the number of actions; along a chain of
 * transitions (s'_j = s_{j+1}) G01 is the neighbour of G00 in one row of the chain, and the row
 * of s'_i is the row of s_{i+1}: one value per pair. Continuous actions have their factors
 * computed by rows of the action kernel, 1 + 2M + M^2 of them.
 *
 * The code is in tile.inc, once for float (training) and once for double (reports, low rank). */
#include "flow/tile.h"

#include "linalg/clones.h"

#define REAL    float
#define NAME(x) x##_f
#include "flow/tile.inc"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_d
#include "flow/tile.inc"

BF_CLONES static void tile_products(double *restrict out, const double *restrict a,
                                    const double *restrict b, int64_t n) {
#pragma omp simd
    for (int64_t j = 0; j < n; j++)
        out[j] = a[j] * b[j];
}

/* Whether transition i begins where the one before it led. */
static bool goes_on(const bf__flow *flow, int64_t i) {
    for (int c = 0; c < flow->d; c++)
        if (flow->data_d.z[c * flow->n + i] != flow->next_d.z[c * flow->n + i - 1])
            return false;
    return true;
}

void bf__both_data_d(double *data, double *next, const bf__flow *flow, int64_t i,
                     const bf__data_d *right, int64_t first, int64_t count, bf__held_d *held) {
    const double *z = right->z + first;
    double buffer[BF__TILE];
    if (held->of < 0 || held->of != i - 1 || !goes_on(flow, i))
        state_row_d(held->state, flow, flow->data_d.z + i, flow->n, z, right->n, count);
    tile_products(data, held->state,
                  factor_data_data_d(buffer, flow, &flow->data_d, i, right, first, count), count);
    state_row_d(held->state, flow, flow->next_d.z + i, flow->n, z, right->n, count);
    tile_products(next, held->state,
                  factor_next_data_d(buffer, flow, &flow->next_d, i, right, first, count), count);
    held->of = i;
}
