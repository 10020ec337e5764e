/* pieces.h - Reading a log in pieces, with progress over all of it. */
#ifndef BF_CLI_PIECES_H
#define BF_CLI_PIECES_H

#include "cli/cli.h"

/* Memory that a log takes as a whole, in bytes of its text or numbers. */
#define BF__OF_BYTES 4.0

/* Does something with the rows of a piece, which is number `piece`; `first` is the number of their
 * first row. The arena is given back after the call. */
typedef bf_status bf__piece_use(void *self, const bf_dataset *rows, int64_t first, int64_t piece,
                                bf_arena *arena, bf_error *err);

/* Reads all pieces that are this process's, one after the other. `task` is what the progress says.
 */
bf_status bf__pieces_read(bf__tool *tool, bf_stream *stream, const char *task, bf__piece_use *use,
                          void *self, bf_error *err);

#endif
