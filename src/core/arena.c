/* arena.c - A stack of blocks, newest first.
 *
 *     arena -> [ block | piece | piece | free ] -> [ block | ... ] -> NULL
 *
 * If a piece does not fit, the arena opens a new block. A large piece gets a block of its own size.
 * Small pieces share blocks that double from 64 KiB to 8 MiB. Going back to a mark releases every
 * block that was opened since. Memory is cleared only if the caller asks for it, because touching
 * fresh pages costs time. */
#include "backflow/memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

#define ALIGNMENT   64u
#define FIRST_BLOCK ((size_t)64 << 10)
#define LAST_BLOCK  ((size_t)8 << 20)

typedef struct block {
    struct block *older;
    size_t size, used; /* of the bytes after this header */
    unsigned char *bytes;
} block;

struct bf_arena {
    bf_allocator allocator;
    block *newest;
    size_t next_size, held;
};

static void *plain_allocate(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void plain_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

bf_status bf_arena_create(bf_arena **out, const bf_allocator *allocator, bf_error *err) {
    static const bf_allocator plain = {plain_allocate, plain_release, NULL, 0};
    if (!allocator)
        allocator = &plain;
    bf_arena *arena = allocator->allocate(allocator->context, sizeof *arena);
    *out = arena;
    if (!arena)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    *arena = (bf_arena){.allocator = *allocator,
                        .next_size = allocator->block ? allocator->block : FIRST_BLOCK};
    return BF_OK;
}

const bf_allocator *bf_arena_allocator(const bf_arena *arena) {
    return &arena->allocator;
}

static void drop_newest(bf_arena *arena) {
    block *top = arena->newest;
    arena->newest = top->older;
    arena->held -= top->size;
    arena->allocator.release(arena->allocator.context, top);
}

void bf_arena_destroy(bf_arena *arena) {
    if (!arena)
        return;
    while (arena->newest)
        drop_newest(arena);
    bf_allocator allocator = arena->allocator;
    allocator.release(allocator.context, arena);
}

static block *open_block(bf_arena *arena, size_t need) {
    size_t size = need > arena->next_size ? need : arena->next_size;
    size_t total = size + sizeof(block) + ALIGNMENT;
    block *top = total < size ? NULL : arena->allocator.allocate(arena->allocator.context, total);
    if (!top)
        return NULL;
    uintptr_t start = ((uintptr_t)(top + 1) + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    *top = (block){.older = arena->newest, .size = size, .bytes = (unsigned char *)start};
    arena->newest = top;
    arena->held += size;
    if (!arena->allocator.block && size == arena->next_size && arena->next_size < LAST_BLOCK)
        arena->next_size *= 2;
    return top;
}

void *bf_arena_alloc(bf_arena *arena, int64_t count, size_t size, bf_error *err) {
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        bytes > SIZE_MAX - 2 * ALIGNMENT) {
        bf_fail(err, BF_ENOMEM, "out of memory: %lld objects of %zu bytes", (long long)count, size);
        return NULL;
    }
    bytes = (bytes + ALIGNMENT) & ~(size_t)(ALIGNMENT - 1); /* at least one byte past the end */
    block *top = arena->newest;
    if (!top || top->size - top->used < bytes)
        top = open_block(arena, bytes);
    if (!top) {
        bf_fail(err, BF_ENOMEM, "out of memory: %.6g MB more were needed", (double)bytes / 1e6);
        return NULL;
    }
    void *piece = top->bytes + top->used;
    top->used += bytes;
    return piece;
}

void *bf_arena_zalloc(bf_arena *arena, int64_t count, size_t size, bf_error *err) {
    void *piece = bf_arena_alloc(arena, count, size, err);
    if (piece)
        memset(piece, 0, (size_t)count * size);
    return piece;
}

bf_mark bf_arena_mark(const bf_arena *arena) {
    return (bf_mark){arena->newest, arena->newest ? arena->newest->used : 0};
}

void bf_arena_rewind(bf_arena *arena, bf_mark mark) {
    while (arena->newest && arena->newest != mark.block)
        drop_newest(arena);
    if (arena->newest)
        arena->newest->used = mark.used;
}

size_t bf_arena_bytes(const bf_arena *arena) {
    return arena->held;
}
