/* matrix.h - Views of numbers that somebody else owns. */
#ifndef BACKFLOW_MATRIX_H
#define BACKFLOW_MATRIX_H

#include <stdint.h>

/* Row-major: element (i, j) is data[i * stride + j]. */
typedef struct bf_matrix {
    double *data;
    int64_t rows, cols, stride;
} bf_matrix;

/* The same, read only. */
typedef struct bf_view {
    const double *data;
    int64_t rows, cols, stride;
} bf_view;

static inline bf_matrix bf_matrix_of(double *data, int64_t rows, int64_t cols) {
    return (bf_matrix){data, rows, cols, cols};
}

static inline bf_view bf_view_of(const double *data, int64_t rows, int64_t cols) {
    return (bf_view){data, rows, cols, cols};
}

static inline double *bf_row(bf_matrix m, int64_t i) {
    return m.data + i * m.stride;
}

#endif
