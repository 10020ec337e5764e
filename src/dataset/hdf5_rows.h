/* hdf5_rows.h - A log as HDF5: what of the file is which column, and its rows. */
#ifndef BF_DATASET_HDF5_ROWS_H
#define BF_DATASET_HDF5_ROWS_H

#include "dataset/spaces.h"
#include "format/hdf5.h"

enum { BF__HDF5_PLACE = 1200 }; /* bytes of a place within the file */

/* What arrays are called in a layout; NULL: it has none. */
typedef struct bf__hdf5_layout {
    const char *terminated, *truncated, *next, *log_probs;
    bool episodes; /* a group per episode, with one observation more than steps */
} bf__hdf5_layout;

typedef struct bf__hdf5_log {
    bf__hdf5 *hdf5;
    const bf__hdf5_layout *layout;
    int64_t pieces;
    int64_t *begin; /* (pieces + 1): the first row of each */
    bf__space state, action;
    bool has_terminated, has_truncated, has_next, has_mu;
    int s, a, r, ns, terminated, truncated, mu, episode; /* first columns; -1: none */
    int columns;
} bf__hdf5_log;

/* "episode_3/observations/arm", or "observations". */
const char *bf__hdf5_place(const bf__hdf5_log *log, int64_t piece, const char *name,
                           const char *below, char text[BF__HDF5_PLACE]);

/* Fills rows [file->skip, file->skip + file->rows) of the log, as a reader does. */
bf_status bf__hdf5_fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                        const bf_context *context, bf_arena *scratch, bf_error *err);

#endif
