/* equals.c - Which of n things are equal: a table of kinds with open addressing. */
#include "core/equals.h"

#include "core/fail.h"

bf_status bf__equals_find(int64_t *kinds, int64_t *of, int64_t *first, int64_t n, int64_t most,
                          const bf__things *things, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t *table, room = 16, count = 0; /* 1 + the kind; 0: free */
    while (2 * room < 3 * most)
        room *= 2;
    BF_ZALLOC(table, arena, room, err);
    uint64_t mask = (uint64_t)room - 1;
    for (int64_t i = 0; i < n && count >= 0; i++) {
        uint64_t at = things->hash(things->self, i) & mask;
        while (table[at] > 0 && !things->equal(things->self, first[table[at] - 1], i))
            at = (at + 1) & mask;
        if (table[at] == 0 && count == most) {
            count = -1;
        } else {
            if (table[at] == 0) {
                first[count++] = i;
                table[at] = count;
            }
            of[i] = table[at] - 1;
        }
    }
    *kinds = count > 0 ? count : 0;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
