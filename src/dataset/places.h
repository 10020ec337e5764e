/* places.h - Where a log lies: files, folders of files, patterns. */
#ifndef BF_DATASET_PLACES_H
#define BF_DATASET_PLACES_H

#include <stdbool.h>

#include "backflow/memory.h"

/* The files that the paths name, in order: a folder is its files with one of the suffixes (which
 * may be followed by .gz or .zst), a pattern with * ? [ ] that no file is called is the files that
 * match it, everything else is itself. Names within a folder or a pattern are in the order of
 * their numbers and letters: log2 comes before log10. */
bf_status bf__places_find(const char *const **out, int *out_count, const char *const *paths,
                          int count, const char *const *suffixes, bf_arena *arena, bf_error *err);

#endif
