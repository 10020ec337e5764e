/* stream_rows.c - A log in pieces: arrays, by ranges of their rows.
 *
 * Piece [begin, end) has the episodes whose first row is in it. So one row before `begin` is read
 * as well, and some after `end`, for the rest of the last episode; more of these until it is
 * enough. */
#include "dataset/stream.h"

enum { AHEAD = 1024 };

/* One attempt with so many rows after the piece. */
static bf_status try_rows(bf_dataset *out, bf__piece *p, bf__open_file *open,
                          const bf__range_of *range, int64_t ahead, const bf_read_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t all = open->row_count, low = range->begin > 0 ? range->begin - 1 : 0;
    int64_t high = all - range->end > ahead ? range->end + ahead : all;
    *p = (bf__piece){.by_index = true,
                     .index = low,
                     .first_line = range->begin,
                     .end_line = range->end == all ? INT64_MAX : range->end,
                     .from_start = low == 0,
                     .to_end = high == all};
    open->rows.skip = low;
    open->rows.rows = high - low;
    open->rows.piece = p;
    return bf__dataset_opened(out, &open->rows, options, context, arena, err);
}

bf_status bf__stream_rows(bf_dataset *out, bf__piece *p, bf__open_file *open,
                          const bf__range_of *range, const bf_read_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    for (int64_t ahead = AHEAD;; ahead *= 8) {
        bf_mark mark = bf_arena_mark(arena);
        BF_TRY(try_rows(out, p, open, range, ahead, options, context, arena, err));
        if (!p->short_ahead)
            return BF_OK;
        bf_arena_rewind(arena, mark);
    }
}
