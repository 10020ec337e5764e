/* load.h - From opened files to a log. */
#ifndef BF_DATASET_LOAD_H
#define BF_DATASET_LOAD_H

#include "dataset/map.h"
#include "dataset/reader.h"

/* What a log is made of: files that a reader has opened, and how they are to be read. */
typedef struct bf__sources {
    bf__file *files; /* (count) */
    int count;
    const bf_read_options *options; /* never NULL */
    bf__map map;
    bf__faults *faults; /* everything that is wrong goes here; NULL: the first thing is an error */
} bf__sources;

bf_status bf__load(bf_dataset *out, const bf__sources *sources, const bf_context *context,
                   bf_arena *arena, bf_arena *scratch, bf_error *err);

#endif
