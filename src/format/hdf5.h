/* hdf5.h - Arrays of numbers in an HDF5 file.
 *
 * Only what a file holds itself is read: links to elsewhere, data in other files and compression
 * that asks for a plug-in are refused. What an array claims to hold is checked against the bytes
 * that are there before anybody asks for memory. */
#ifndef BF_FORMAT_HDF5_H
#define BF_FORMAT_HDF5_H

#include <stdbool.h>

#include "format/bytes.h"
#include "format/npy.h"

typedef struct bf__hdf5 bf__hdf5;

/* Says if the bytes start like an HDF5 file. */
bool bf__hdf5_claims(const unsigned char *head, size_t length);

/* Opens the bytes, which have to outlive *out. `path` stands in messages. If bytes->data is NULL,
 * the file at `path` is read as far as it is asked for, and has bytes->size bytes. */
bf_status bf__hdf5_open(bf__hdf5 **out, const char *path, const bf__bytes *bytes, bf_arena *arena,
                        bf_error *err);
/* Gives back everything that is outside the arena. NULL is fine, and so is a second call. */
void bf__hdf5_close(bf__hdf5 *file);

/* The names in the root, in the order of the library. */
bf_status bf__hdf5_names(const char ***out, int64_t *count, bf__hdf5 *file, bf_arena *arena,
                         bf_error *err);

typedef enum bf__hdf5_kind { BF__HDF5_NOTHING, BF__HDF5_ARRAY, BF__HDF5_GROUP } bf__hdf5_kind;
/* What stands at `place` ("infos/qpos"); anything that is not in the file itself is an error. */
bf_status bf__hdf5_look(bf__hdf5_kind *out, bf__hdf5 *file, const char *place, bf_error *err);

typedef struct bf__hdf5_array {
    bf__npy npy;       /* kind, element size, shape and count, as of a NumPy array */
    int64_t id;        /* of the library; given back when the file is closed, or before */
    const char *place; /* for messages */
    int64_t block;     /* rows that are read at a time without unpacking anything twice */
} bf__hdf5_array;

/* Opens the array at `place`, which has to outlive it. */
bf_status bf__hdf5_array_open(bf__hdf5_array *out, bf__hdf5 *file, const char *place,
                              bf_error *err);
void bf__hdf5_array_close(bf__hdf5 *file, bf__hdf5_array *array);

/* Rows [first, first + rows) as doubles, row after row. The caller stays within the shape. */
bf_status bf__hdf5_read(bf__hdf5 *file, const bf__hdf5_array *array, int64_t first, int64_t rows,
                        double *out, bf_error *err);

#endif
