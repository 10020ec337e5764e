/* distinct.c - How many different things there are, by hashes of 64 bits: a table of hashes with
 * open addressing, from which the larger half of what is too much is thrown out now and then.
 *
 * Cost  O(1) per hash; 24 bytes per hash that is kept */
#include "core/distinct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

enum { FIRST_ROOM = 1024 };

bf__distinct bf__distinct_make(int64_t most, bf_arena *arena) {
    return (bf__distinct){.most = most, .arena = arena};
}

/* Puts the hash, which is not 0, where it belongs; false if it was there. */
static bool put(uint64_t *slots, int64_t room, uint64_t hash) {
    uint64_t mask = (uint64_t)room - 1, at = hash & mask;
    for (; slots[at]; at = (at + 1) & mask)
        if (slots[at] == hash)
            return false;
    slots[at] = hash;
    return true;
}

static bf_status grow(bf__distinct *s, bf_error *err) {
    int64_t room = s->room ? 2 * s->room : FIRST_ROOM;
    uint64_t *slots;
    BF_ZALLOC(slots, s->arena, room, err);
    for (int64_t k = 0; k < s->room; k++)
        if (s->slots[k])
            put(slots, room, s->slots[k]);
    s->slots = slots;
    s->room = room;
    return BF_OK;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bf_status bf__distinct_sorted(const uint64_t **out, bf__distinct *s, bf_arena *arena,
                              bf_error *err) {
    uint64_t *list;
    int64_t count = 0;
    BF_ALLOC(list, arena, s->count, err);
    for (int64_t k = 0; k < s->room; k++)
        if (s->slots[k] && !(s->full && s->slots[k] >= s->limit))
            list[count++] = s->slots[k];
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, by_size);
    if (count > s->most) {
        s->full = true;
        s->limit = list[s->most];
        count = s->most;
    }
    if (s->room > 0)
        memset(s->slots, 0, (size_t)s->room * sizeof *s->slots);
    for (int64_t k = 0; k < count; k++)
        put(s->slots, s->room, list[k]);
    s->count = count;
    *out = list;
    return BF_OK;
}

bf_status bf__distinct_add(bf__distinct *s, uint64_t hash, bf_error *err) {
    const uint64_t *list;
    hash += hash == 0;
    if (s->full && hash >= s->limit)
        return BF_OK;
    if (2 * s->count >= 3 * s->most && s->count > 0) { /* half as much again as is wanted */
        bf_arena *scratch;
        BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(s->arena), err));
        bf_status status = bf__distinct_sorted(&list, s, scratch, err);
        bf_arena_destroy(scratch);
        BF_TRY(status);
    }
    if (4 * (s->count + 1) > 3 * s->room)
        BF_TRY(grow(s, err));
    s->count += put(s->slots, s->room, hash);
    return BF_OK;
}

bf_status bf__distinct_join(bf__distinct *s, const bf__distinct *other, bf_error *err) {
    if (other->full && (!s->full || other->limit < s->limit)) {
        s->full = true;
        s->limit = other->limit;
    }
    for (int64_t k = 0; k < other->room; k++)
        if (other->slots[k])
            BF_TRY(bf__distinct_add(s, other->slots[k], err));
    return BF_OK;
}

bf_status bf__distinct_count(double *out, bool *exact, bf__distinct *s, bf_error *err) {
    bf_arena *scratch;
    const uint64_t *list;
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(s->arena), err));
    bf_status status = bf__distinct_sorted(&list, s, scratch, err);
    bf_arena_destroy(scratch);
    *exact = !s->full;
    *out = s->full ? ldexp((double)s->count, 64) / (double)s->limit : (double)s->count;
    return status;
}
