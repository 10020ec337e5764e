/* memory.h - Memory comes from arenas.
 *
 * An arena hands out 64-byte aligned pieces and gives them all back at once: what a call makes
 * for its caller lives in the arena that the caller passed, and an early return needs no cleanup.
 * Where the memory comes from is the allocator's choice (NULL: malloc and free). */
#ifndef BACKFLOW_MEMORY_H
#define BACKFLOW_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_allocator {
    void *(*allocate)(void *context, size_t size); /* NULL on failure */
    void (*release)(void *context, void *memory);
    void *context;
    size_t block; /* ask for at least so much at a time; 0: 64 KiB, growing. 1: piece by piece */
} bf_allocator;

typedef struct bf_arena bf_arena;

/* A place in an arena to go back to. */
typedef struct bf_mark {
    void *block;
    size_t used;
} bf_mark;

/* `allocator` is copied; NULL means malloc and free. */
BF_API bf_status bf_arena_create(bf_arena **out, const bf_allocator *allocator, bf_error *err);
BF_API void bf_arena_destroy(bf_arena *arena); /* NULL is fine */

/* Where the arena's memory comes from: for another arena, of scratch, beside it. */
BF_API const bf_allocator *bf_arena_allocator(const bf_arena *arena);

/* `count` objects of `size` bytes, not cleared. NULL, with BF_ENOMEM in err, where there is no
 * memory or count * size does not fit; never NULL for count 0. */
BF_API void *bf_arena_alloc(bf_arena *arena, int64_t count, size_t size, bf_error *err);
/* The same, all bytes zero. */
BF_API void *bf_arena_zalloc(bf_arena *arena, int64_t count, size_t size, bf_error *err);

/* `pointer` = room for `count` objects of its type, or return BF_ENOMEM. For C. */
#define BF_ALLOC(pointer, arena, count, err)                                                       \
    do {                                                                                           \
        (pointer) = bf_arena_alloc(arena, count, sizeof *(pointer), err);                          \
        if (!(pointer))                                                                            \
            return BF_ENOMEM;                                                                      \
    } while (0)
#define BF_ZALLOC(pointer, arena, count, err)                                                      \
    do {                                                                                           \
        (pointer) = bf_arena_zalloc(arena, count, sizeof *(pointer), err);                         \
        if (!(pointer))                                                                            \
            return BF_ENOMEM;                                                                      \
    } while (0)

/* Gives back everything handed out since the mark was taken. */
BF_API bf_mark bf_arena_mark(const bf_arena *arena);
BF_API void bf_arena_rewind(bf_arena *arena, bf_mark mark);

/* Bytes held now, for reports and tests. */
BF_API size_t bf_arena_bytes(const bf_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
