/* matrix.h - A view of numbers that somebody else owns. */
#ifndef BACKFLOW_MATRIX_H
#define BACKFLOW_MATRIX_H

#include <stdint.h>

/* Row-major: element (i, j) is data[i * stride + j]. */
typedef struct bf_view {
    const double *data;
    int64_t rows, cols, stride;
} bf_view;

/* Rows one after the other without gaps. */
static inline bf_view bf_view_of(const double *data, int64_t rows, int64_t cols) {
    bf_view view = {data, rows, cols, cols};
    return view;
}

static inline const double *bf_view_row(bf_view view, int64_t i) {
    return view.data + i * view.stride;
}

#endif
