/* faults.h - Everything that is wrong with a log, not only the first thing. */
#ifndef BF_DATASET_FAULTS_H
#define BF_DATASET_FAULTS_H

#include <stdint.h>

#include "backflow/memory.h"

/* A list of sentences, of which the first `limit` are kept. */
typedef struct bf__faults {
    bf_arena *arena;
    int limit, count;
    const char **text; /* (count) */
    int64_t found;     /* all of them */
} bf__faults;

bf_status bf__faults_create(bf__faults **out, int limit, bf_arena *arena, bf_error *err);
bf_status bf__faults_add(bf__faults *faults, const char *text, bf_error *err);

/* For checks that go on: a `status` that is not BF_OK, with its message in `told`, becomes one of
 * the faults, and the result is BF_OK. Without a list (faults is NULL) the result is `status`. */
bf_status bf__faults_take(bf__faults *faults, bf_status status, bf_error *told);

#endif
