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
