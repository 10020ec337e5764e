/* grow.c - Arrays that grow in an arena. */
#include "core/grow.h"

#include <string.h>

bf_status bf__grow(void *array, int64_t held, int64_t room, size_t size, bf_arena *arena,
                   bf_error *err) {
    void *old, *more = bf_arena_alloc(arena, room, size, err);
    if (!more)
        return BF_ENOMEM;
    memcpy(&old, array, sizeof old);
    if (held > 0)
        memcpy(more, old, (size_t)held * size);
    memcpy(array, &more, sizeof more);
    return BF_OK;
}
