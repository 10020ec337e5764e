/* arrays.h - Arrays with names become columns of a log: s (n, 3) is s0, s1, s2.
 *
 * NumPy archives and the arrays of a calling program go through here, so that shapes are checked
 * and described once. */
#ifndef BF_DATASET_ARRAYS_H
#define BF_DATASET_ARRAYS_H

#include "dataset/reader.h"
#include "format/npy.h"

typedef struct bf__keyed {
    const char *key;
    bf__npy npy;    /* kind, dimensions and shape; of an array in memory, nothing else */
    int64_t source; /* where its reader finds the elements */
    int columns;    /* how many columns of the log; 0: ignored */
    int first;      /* the first of them */
} bf__keyed;

/* Whether the key means something in a log by itself. Others may get a meaning from a mapping. */
bool bf__keyed_meant(const char *key);

/* Fills a->columns. Keys that mean something have the shape that they must have; others give
 * columns if they can. `path` stands in messages. */
bf_status bf__keyed_count(bf__keyed *a, const char *path, bf_error *err);

/* Fills file->rows, ->names, ->arrays and ->count, and `first` of every array. */
bf_status bf__keyed_name(bf__file *file, bf__keyed *arrays, int count, bf_arena *scratch,
                         bf_error *err);

/* For readers of numbers, if the sink wants words: the numbers that are in sink->values become
 * words, as people write them. */
bf_status bf__sink_words(const bf__sink *sink, int64_t rows, bf_error *err);

#endif
