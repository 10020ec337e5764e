/* array.h - Numbers in memory that somebody else owns, in any layout that numpy has.
 *
 * Element (i, j, k) is at (const char *)data + i * strides[0] + j * strides[1] + k * strides[2].
 * This struct is complete: it will not grow. */
#ifndef BACKFLOW_ARRAY_H
#define BACKFLOW_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bf_element {
    BF_FLOAT64 = 0, /* double */
    BF_FLOAT32 = 1, /* float */
    BF_INT32 = 2,   /* int32_t */
    BF_INT64 = 3,   /* int64_t */
    BF_UINT8 = 4,   /* uint8_t, bool */
} bf_element;

typedef struct bf_array {
    const void *data;
    bf_element type;
    int ndim;           /* 1, 2 or 3 */
    int64_t shape[3];   /* the first `ndim` count */
    int64_t strides[3]; /* in bytes; 0 repeats, a negative one goes back */
} bf_array;

/* `rows` numbers, one after the other. */
static inline bf_array bf_array_1d(const void *data, bf_element type, int64_t rows) {
    static const int64_t sizes[] = {8, 4, 4, 8, 1};
    bf_array array = {data, type, 1, {rows, 0, 0}, {sizes[type], 0, 0}};
    return array;
}

/* `rows` rows of `columns` numbers, row after row. */
static inline bf_array bf_array_2d(const void *data, bf_element type, int64_t rows,
                                   int64_t columns) {
    bf_array array = bf_array_1d(data, type, rows);
    array.ndim = 2;
    array.shape[1] = columns;
    array.strides[1] = array.strides[0];
    array.strides[0] *= columns;
    return array;
}

/* Element (i, j) of an array of doubles; j is 0 if it has one dimension. */
static inline double bf_array_double(const bf_array *array, int64_t i, int64_t j) {
    const char *at = (const char *)array->data + i * array->strides[0] + j * array->strides[1];
    return *(const double *)(const void *)at;
}

#ifdef __cplusplus
}
#endif
#endif
