/* shared.c - The same log for several questions, which are asked one after the other. */
#include "core/fail.h"
#include "core/share.h"
#include "dataset/dataset.h"

bf_status bf_dataset_share(const bf_dataset **out, const bf_dataset *data, double bytes,
                           bf_arena *arena, bf_error *err) {
    bf_dataset *shared;
    BF_ALLOC(shared, arena, 1, err);
    *shared = *data;
    BF_TRY(bf__share_create(&shared->share, (size_t)bytes, bf_arena_allocator(arena), err));
    *out = shared;
    return BF_OK;
}

void bf_dataset_unshare(const bf_dataset *shared) {
    if (shared)
        bf__share_destroy(shared->share);
}
