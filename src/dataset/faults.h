/* faults.h - Everything that is wrong with a log, not only the first thing. */
#ifndef BF_DATASET_FAULTS_H
#define BF_DATASET_FAULTS_H

#include <stdint.h>

#include "backflow/dataset.h"
#include "backflow/memory.h"

/* A list of which the first `limit` are kept. */
typedef struct bf__faults {
    bf_arena *arena;
    int limit, count;
    bf_fault *list; /* (count) */
    int64_t found;  /* all of them */
} bf__faults;

bf_status bf__faults_create(bf__faults **out, int limit, bf_arena *arena, bf_error *err);
/* The texts are copied. */
bf_status bf__faults_add(bf__faults *faults, const bf_fault *fault, bf_error *err);

/* For checks that go on: a `status` that is not BF_OK, with its message in `told`, becomes one of
 * the faults, and the result is BF_OK. `at` says where it is. Without a list (faults is NULL) the
 * result is `status`. */
bf_status bf__faults_take(bf__faults *faults, bf_status status, const bf_fault *at, bf_error *told);

/* The first of the list as an error. */
bf_status bf__faults_first(const bf__faults *faults, bf_error *err);

/* Nowhere in particular; in a file, or in one of its columns; and in row i of a log. */
bf_fault bf__fault_in(const char *file, const char *column);
bf_fault bf__fault_at(const bf_dataset *data, int64_t i, const char *column);

/* What stands in for a value that is one of the faults: no number, and no gap either. */
double bf__faulty(void);
bool bf__is_faulty(double value);

#endif
