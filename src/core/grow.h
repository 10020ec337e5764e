/* grow.h - Arrays that grow in an arena. What they leave behind stays there until the arena goes,
 * so that doubling costs three times the array at most. */
#ifndef BF_CORE_GROW_H
#define BF_CORE_GROW_H

#include "backflow/memory.h"

/* Makes *array, a pointer to `held` items of `size` bytes, one to `room` items that begins with
 * them. */
bf_status bf__grow(void *array, int64_t held, int64_t room, size_t size, bf_arena *arena,
                   bf_error *err);

#define BF__GROW(pointer, held, room, arena, err)                                                  \
    do {                                                                                           \
        if (bf__grow(&(pointer), held, room, sizeof *(pointer), arena, err) != BF_OK)              \
            return BF_ENOMEM;                                                                      \
    } while (0)

#endif
