/* piece.h - Some rows of a file: those of the episodes that begin in a range of its lines or rows.
 */
#ifndef BF_DATASET_PIECE_H
#define BF_DATASET_PIECE_H

#include "dataset/assemble.h"

typedef struct bf__piece {
    bool by_index; /* ranges count rows, and the first that was read is number `index` */
    int64_t index;
    int64_t first_line, end_line; /* episodes that begin in [first_line, end_line) are wanted */
    bool from_start, to_end; /* the rows that were read begin, end where those of the file do */
    /* What was found. */
    bool short_behind;  /* no row before first_line: more has to be read before it, */
    bool short_ahead;   /* no episode begins from end_line on: or after it */
    bool has_id, has_t; /* the log has these columns */
    bool timed;         /* t is a point in time */
    bool ended;         /* the last row ends its episode */
    double first_id, last_id, first_t, last_t;
} bf__piece;

/* Leaves the rows of the piece alone in data and rows; data->n is 0 if there are none. */
bf_status bf__piece_cut(bf__piece *piece, bf_dataset *data, bf__rows *rows, bf_error *err);

#endif
