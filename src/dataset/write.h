/* write.h - Writing a log, as CSV or NPZ. */
#ifndef BF_DATASET_WRITE_H
#define BF_DATASET_WRITE_H

#include "dataset/dataset.h"

/* ---- What the two formats share */

typedef enum bf__block_type { BF_BLOCK_REAL, BF_BLOCK_WHOLE, BF_BLOCK_FLAG } bf__block_type;

/* One array of the log: an array of an .npz, or one or several columns of a .csv. */
typedef struct bf__block {
    const char *key; /* "s", "npi" */
    bf__block_type type;
    int width; /* columns; 0: a single one whose name has no number */
    int inner; /* of `na`: numbers per sampled action; 0 otherwise */
    int64_t n;
    const double *real;   /* (width, n), column after column; */
    const int64_t *whole; /* or these */
    const uint8_t *flag;
} bf__block;

#define BF_MAX_BLOCKS 16

/* The blocks of the log in the order of their columns; room for BF_MAX_BLOCKS. */
bf_status bf__blocks(bf__block *blocks, int *count, const bf_dataset *data, bf_arena *arena,
                     bf_error *err);

bf_status bf__write_csv(const bf__block *blocks, int count, int64_t n, const char *path,
                        const bf_context *context, bf_error *err);
bf_status bf__write_npz(const bf__block *blocks, int count, const char *path,
                        const bf_context *context, bf_arena *arena, bf_error *err);

#endif
