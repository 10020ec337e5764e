/* words.c - A dictionary: texts and their codes, in the order in which they came.
 *
 * The table is open, with linear probing; hashes are FNV-1a. Tables that have become too small stay
 * in the arena, which doubles its memory at most. Cost: O(length) per question. */
#include "dataset/words.h"

#include <string.h>

#include "core/fail.h"

bf_status bf__words_create(bf__words **out, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, 1, err);
    (*out)->arena = arena;
    return BF_OK;
}

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* The slot that has the text, or the empty one where it would stand. */
static int64_t slot_of(const bf__words *words, const char *text, size_t length) {
    int64_t slot = (int64_t)(hash_of(text, length) & (uint64_t)(words->slot_count - 1));
    for (;; slot = (slot + 1) & (words->slot_count - 1)) {
        int64_t code = words->slots[slot];
        if (code < 0 ||
            (strncmp(words->text[code], text, length) == 0 && words->text[code][length] == '\0'))
            return slot;
    }
}

int64_t bf__words_find(const bf__words *words, const char *text, size_t length) {
    return words->slot_count ? words->slots[slot_of(words, text, length)] : -1;
}

static bf_status grow(bf__words *words, bf_error *err) {
    const char **text;
    int64_t *slots, room = words->room ? 2 * words->room : 8;
    BF_ALLOC(text, words->arena, room, err);
    BF_ALLOC(slots, words->arena, 2 * room, err);
    for (int64_t i = 0; i < words->count; i++)
        text[i] = words->text[i];
    for (int64_t i = 0; i < 2 * room; i++)
        slots[i] = -1;
    words->text = text;
    words->slots = slots;
    words->room = room;
    words->slot_count = 2 * room;
    for (int64_t i = 0; i < words->count; i++)
        slots[slot_of(words, text[i], strlen(text[i]))] = i;
    return BF_OK;
}

/* A terminated copy. Short texts share a block: a piece of an arena takes 64 bytes at least. */
static bf_status keep(const char **out, bf__words *words, const char *text, size_t length,
                      bf_error *err) {
    if (words->pool_left < length + 1) {
        size_t room = words->count < 64 ? 1024 : 65536;
        words->pool_left = length + 1 > room ? length + 1 : room;
        BF_ALLOC(words->pool, words->arena, (int64_t)words->pool_left, err);
    }
    memcpy(words->pool, text, length);
    words->pool[length] = '\0';
    *out = words->pool;
    words->pool += length + 1;
    words->pool_left -= length + 1;
    return BF_OK;
}

bf_status bf__words_add(bf__words *words, const char *text, size_t length, int64_t *code,
                        bf_error *err) {
    if (words->count == words->room)
        BF_TRY(grow(words, err));
    int64_t slot = slot_of(words, text, length);
    if (words->slots[slot] < 0) {
        BF_TRY(keep(&words->text[words->count], words, text, length, err));
        words->slots[slot] = words->count++;
    }
    *code = words->slots[slot];
    return BF_OK;
}
