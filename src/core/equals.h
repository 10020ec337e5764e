/* equals.h - Which of n things are equal. */
#ifndef BF_CORE_EQUALS_H
#define BF_CORE_EQUALS_H

#include <stdbool.h>

#include "backflow/memory.h"

/* Things by their numbers. Equal things have equal hashes, whose low bits are as good as random. */
typedef struct bf__things {
    const void *self;
    uint64_t (*hash)(const void *self, int64_t i);
    bool (*equal)(const void *self, int64_t i, int64_t j);
} bf__things;

/* Kinds are numbered in the order in which they come first: of (n) is the kind of each thing, and
 * first (most) the first thing of each kind. Returns in *kinds how many there are, or 0 if they are
 * more than `most`; `of` and `first` are not whole then. O(n) hashes, 12 to 24 bytes a thing. */
bf_status bf__equals_find(int64_t *kinds, int64_t *of, int64_t *first, int64_t n, int64_t most,
                          const bf__things *things, bf_arena *arena, bf_error *err);

#endif
