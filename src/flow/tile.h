/* tile.h - Inner products of one atom with a range of atoms, in float and in double. */
#ifndef BF_FLOW_TILE_H
#define BF_FLOW_TILE_H

#include "flow/atoms.h"

/* Tiles of K are BF__TILE x BF__TILE: what a row of one needs of its columns stays in the first
 * level of cache, and a tile of floats in the second. */
enum { BF__TILE = 256, BF__LANES = 16 };

/* Work space of one thread. `held` is the chain point whose row is in chain[0]; -1: none. It has
 * to be set to -1 whenever the columns change. */
typedef struct bf__scratch_f {
    _Alignas(64) float state[4][BF__TILE], factor[4][BF__TILE],
        chain[2][2 * BF__TILE + 3 * BF__LANES];
    int64_t held[2];
} bf__scratch_f;
typedef struct bf__scratch_d {
    _Alignas(64) double state[4][BF__TILE], factor[4][BF__TILE],
        chain[2][2 * BF__TILE + 3 * BF__LANES];
    int64_t held[2];
} bf__scratch_d;

/* out[j - first] = K_ij for first <= j < end, end - first <= BF__TILE. */
void bf__tile_row_f(float *out, const bf__flow *flow, int64_t i, int64_t first, int64_t end,
                    bf__scratch_f *scratch);
void bf__tile_row_d(double *out, const bf__flow *flow, int64_t i, int64_t first, int64_t end,
                    bf__scratch_d *scratch);

/* acc += wi row; returns row' w. All of n numbers. */
float bf__dot_axpy_f(float *acc, float wi, const float *row, const float *w, int64_t n);
double bf__dot_axpy_d(double *acc, double wi, const double *row, const double *w, int64_t n);

/* Inner products of one atom with `count` atoms of a set from `first` on, any count: the data or
 * next atom i of the left set, the data or next atoms of the right one. */
void bf__data_data_d(double *out, const bf__flow *flow, const bf__data_d *left, int64_t i,
                     const bf__data_d *right, int64_t first, int64_t count);
void bf__data_next_d(double *out, const bf__flow *flow, const bf__data_d *left, int64_t i,
                     const bf__next_d *right, int64_t first, int64_t count);
void bf__next_data_d(double *out, const bf__flow *flow, const bf__next_d *left, int64_t i,
                     const bf__data_d *right, int64_t first, int64_t count);
void bf__next_next_d(double *out, const bf__flow *flow, const bf__next_d *left, int64_t i,
                     const bf__next_d *right, int64_t first, int64_t count);
void bf__data_data_f(float *out, const bf__flow *flow, const bf__data_f *left, int64_t i,
                     const bf__data_f *right, int64_t first, int64_t count);
void bf__data_next_f(float *out, const bf__flow *flow, const bf__data_f *left, int64_t i,
                     const bf__next_f *right, int64_t first, int64_t count);
void bf__next_data_f(float *out, const bf__flow *flow, const bf__next_f *left, int64_t i,
                     const bf__data_f *right, int64_t first, int64_t count);
void bf__next_next_f(float *out, const bf__flow *flow, const bf__next_f *left, int64_t i,
                     const bf__next_f *right, int64_t first, int64_t count);

/* The state kernel between one next state and the columns of a tile. */
typedef struct bf__held_d {
    _Alignas(64) double state[BF__TILE];
    int64_t of; /* the transition; -1: none. To be set whenever the columns change. */
} bf__held_d;

/* data[j] = <phi_i, x_j> and next[j] = <g_i E phi'_i, x_j> for `count` atoms x_j of `right` from
 * `first` on, count <= BF__TILE. If transitions are asked for in order, the next state of one is
 * the state of the one after it along a trajectory, and its kernel is held. */
void bf__both_data_d(double *data, double *next, const bf__flow *flow, int64_t i,
                     const bf__data_d *right, int64_t first, int64_t count, bf__held_d *held);

#endif
