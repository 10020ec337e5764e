/* distinct.h - How many different things there are, by hashes of 64 bits.
 *
 * The least hashes are kept, up to a number of them. Up to there the count is exact. Beyond, it
 * follows from how dense they lie: `most` of N random numbers below 2^64 are below `limit`, so that
 * N is about most 2^64 / limit, with a relative error of 1 / sqrt(most). Sets of parts can be made
 * one, and are the same however things were dealt to parts (Bar-Yossef et al. 2002, "Counting
 * distinct elements in a data stream"). */
#ifndef BF_CORE_DISTINCT_H
#define BF_CORE_DISTINCT_H

#include <stdbool.h>

#include "backflow/memory.h"

typedef struct bf__distinct {
    int64_t most;   /* hashes that are kept */
    bool full;      /* some were left out: */
    uint64_t limit; /* those from here on */
    int64_t count, room;
    uint64_t *slots; /* (room), a power of 2; 0: free */
    bf_arena *arena;
} bf__distinct;

bf__distinct bf__distinct_make(int64_t most, bf_arena *arena);
bf_status bf__distinct_add(bf__distinct *set, uint64_t hash, bf_error *err);
bf_status bf__distinct_join(bf__distinct *set, const bf__distinct *other, bf_error *err);

/* The hashes in order, in *out (set->count): `most` at most. The set stays as it is. */
bf_status bf__distinct_sorted(const uint64_t **out, bf__distinct *set, bf_arena *arena,
                              bf_error *err);

/* How many there are; *exact says whether that is a count. */
bf_status bf__distinct_count(double *out, bool *exact, bf__distinct *set, bf_error *err);

#endif
