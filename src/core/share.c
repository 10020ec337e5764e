/* share.c - Things that several runs on one log have in common, made once.
 *
 * Every thing has an arena of its own, so that what makes it may go back to marks as it likes. A
 * part of the log is a prefix of keys. There are tens of things: they are found by going through
 * them. */
#include "core/share.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"

enum { PREFIX = 64 };

typedef struct thing {
    struct thing *older;
    bf_arena *arena;
    void *made;
    char key[BF__SHARE_KEY];
} thing;

struct bf__share {
    bf__share *whole; /* itself, unless it is of a part */
    char prefix[PREFIX];
    /* Of the whole: */
    bf_arena *arena;
    thing *newest;
    size_t most;
};

bf_status bf__share_create(bf__share **out, size_t most, const bf_allocator *allocator,
                           bf_error *err) {
    bf_arena *arena;
    *out = NULL;
    BF_TRY(bf_arena_create(&arena, allocator, err));
    bf__share *share = bf_arena_zalloc(arena, 1, sizeof *share, err);
    if (!share) {
        bf_arena_destroy(arena);
        return BF_ENOMEM;
    }
    share->whole = share;
    share->arena = arena;
    share->most = most;
    *out = share;
    return BF_OK;
}

void bf__share_destroy(bf__share *share) {
    if (!share)
        return;
    for (thing *t = share->newest; t; t = t->older)
        bf_arena_destroy(t->arena);
    bf_arena_destroy(share->arena);
}

bool bf__share_has_room(const bf__share *share) {
    size_t held = 0;
    for (const thing *t = share ? share->whole->newest : NULL; t; t = t->older)
        held += bf_arena_bytes(t->arena);
    return share && held < share->whole->most;
}

/* Makes a thing that will be kept. */
static bf_status add(void **out, bf__share *whole, const char *key, bf__share_make *make,
                     const void *self, bf_error *err) {
    thing *t;
    bf_arena *arena;
    BF_ALLOC(t, whole->arena, 1, err);
    BF_TRY(bf_arena_create(&arena, bf_arena_allocator(whole->arena), err));
    bf_status status = make(out, self, arena, err);
    if (status != BF_OK) {
        bf_arena_destroy(arena);
        return status;
    }
    *t = (thing){.older = whole->newest, .arena = arena, .made = *out};
    strcpy(t->key, key);
    whole->newest = t;
    return BF_OK;
}

bf_status bf__share_get(void **out, bf__share *share, bf__share_make *make, const void *self,
                        bf_arena *arena, bf_error *err, const char *key, ...) {
    char full[BF__SHARE_KEY];
    va_list arguments;
    if (!share)
        return make(out, self, arena, err);
    size_t prefix = strlen(strcpy(full, share->prefix));
    va_start(arguments, key);
    int length = vsnprintf(full + prefix, sizeof full - prefix, key, arguments);
    va_end(arguments);
    bool fits = length >= 0 && prefix + (size_t)length < sizeof full;
    for (const thing *t = fits ? share->whole->newest : NULL; t; t = t->older)
        if (strcmp(t->key, full) == 0) {
            *out = t->made;
            return BF_OK;
        }
    return fits && bf__share_has_room(share) ? add(out, share->whole, full, make, self, err)
                                             : make(out, self, arena, err);
}

bf_status bf__share_part(bf__share **out, bf__share *share, int split, int count, int part,
                         bf_error *err) {
    *out = NULL;
    if (!share)
        return BF_OK;
    BF_ALLOC(*out, share->whole->arena, 1, err);
    **out = (bf__share){.whole = share->whole};
    snprintf((*out)->prefix, PREFIX, "split %d, part %d of %d: ", split, part, count);
    return BF_OK;
}
