/* ration.h - An allocator that fails from the k-th piece on, and counts what is not given back. */
#ifndef BF_TESTS_RATION_H
#define BF_TESTS_RATION_H

#include <stdlib.h>

#include "harness.h"

typedef struct ration {
    long left; /* allocations that still succeed */
    long live; /* pieces not yet given back */
} ration;

static inline void *ration_take(void *context, size_t size) {
    ration *r = context;
    if (r->left == 0)
        return NULL;
    r->left--;
    r->live++;
    return malloc(size);
}

static inline void ration_give(void *context, void *memory) {
    ((ration *)context)->live--;
    free(memory);
}

/* Every piece of an arena by itself. */
static inline bf_allocator ration_allocator(ration *r) {
    return (bf_allocator){ration_take, ration_give, r, 1};
}

#endif
