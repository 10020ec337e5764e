/* pieces.c - Reading a log in pieces, with progress over all of it. Pieces are dealt to the
 * processes of a team in turn. */
#include "cli/pieces.h"

#include "cli/team.h"

typedef struct watch {
    bf__tool *tool;
    const char *task;
    double done, total, piece;
} watch;

/* A piece is a part of the whole: its own progress is told as such. */
static bool on_progress(void *context, const bf_progress *p) {
    watch *w = context;
    bf_progress whole = *p;
    whole.task = w->task;
    whole.total = w->total;
    whole.done = w->done + (p->total > 0 ? p->done / p->total : 0) * w->piece;
    const bf_callbacks *tell = &w->tool->context.callbacks;
    return !tell->progress || tell->progress(tell->context, &whole);
}

static bf_status use_piece(bf_stream *stream, int64_t piece, bf__piece_use *use, void *self,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data;
    int64_t first;
    BF_TRY(bf_stream_read(&data, &first, stream, piece, context, arena, err));
    return data ? use(self, data, first, piece, arena, err) : BF_OK;
}

bf_status bf__pieces_read(bf__tool *tool, bf_stream *stream, const char *task, bf__piece_use *use,
                          void *self, bf_error *err) {
    const bf__team *team = tool->team;
    watch w = {.tool = tool, .task = task, .total = (double)bf_stream_bytes(stream, -1)};
    bf_context context = tool->context;
    context.callbacks.progress = on_progress;
    context.callbacks.context = &w;
    for (int64_t k = 0; k < bf_stream_pieces(stream); k++) {
        bf_arena *arena;
        w.piece = (double)bf_stream_bytes(stream, k);
        if (!team || k % team->size == team->rank) {
            bf_progress now = {task, 0, 0, NULL};
            if (!on_progress(&w, &now))
                return bf_fail(err, BF_ECANCELLED, "reading was interrupted");
            BF_TRY(bf_arena_create(&arena, NULL, err));
            bf_status status = use_piece(stream, k, use, self, &context, arena, err);
            bf_arena_destroy(arena);
            BF_TRY(status);
        }
        w.done += w.piece;
    }
    return BF_OK;
}
