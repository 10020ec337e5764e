/* landmarks.h - How many rows of the log belong to each pair of the sample, and to one episode. */
#ifndef BF_PASS_LANDMARKS_H
#define BF_PASS_LANDMARKS_H

#include "pass/kind.h"
#include "pass/lens.h"

typedef struct bf__landmarks {
    bf__lens lens;
    uint64_t print;  /* of the lens: passes of one lens have the same */
    int64_t *rows;   /* (nodes) */
    int64_t all;     /* rows that were looked at */
    int64_t longest; /* rows of the longest episode */
} bf__landmarks;

bf_status bf__landmarks_make(bf_pass **out, const bf__lens *lens, bf_arena *arena, bf_error *err);

/* The landmarks of the pass; an error if it is of another kind. */
bf_status bf__landmarks_of(const bf__landmarks **out, const bf_pass *pass, bf_error *err);

#endif
