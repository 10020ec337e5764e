/* npy.h - Arrays in NumPy's .npy form: the header, and elements as doubles. */
#ifndef BF_FORMAT_NPY_H
#define BF_FORMAT_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/status.h"

#define BF__NPY_DIMS 8
#define BF__NPY_HEAD 65536 /* no header that we accept is longer than this many bytes */

typedef struct bf__npy {
    char kind;    /* 'f' real, 'i' signed, 'u' unsigned, 'b' truth value */
    int size;     /* bytes of an element */
    bool swapped; /* not in this machine's byte order */
    bool fortran; /* first index fastest */
    int dims;     /* number of dimensions */
    int64_t shape[BF__NPY_DIMS];
    int64_t count; /* elements: the product of shape */
    size_t offset; /* bytes before the first element */
} bf__npy;

/* Says if the bytes start like a .npy file. */
bool bf__npy_claims(const unsigned char *head, size_t length);

/* Reads the header from the first `length` bytes. Messages begin with `name` ("log.npz: s"). */
bf_status bf__npy_header(bf__npy *out, const unsigned char *head, size_t length, const char *name,
                         bf_error *err);

/* Writes the shape as NumPy prints it: "(100, 3)". */
const char *bf__npy_shape(const bf__npy *array, char text[160]);

/* Reads column `column` into out[i], i < rows. The first dimension of the array is the rows; the
 * others, taken together in C order, are the columns. `elements` points at the first element. */
void bf__npy_column(const bf__npy *array, const unsigned char *elements, int64_t column,
                    double *out);

/* The elements of the array before that of row 0 in this column; the next row's is *step further.
 */
int64_t bf__npy_place(const bf__npy *array, int64_t column, int64_t *step);

#endif
