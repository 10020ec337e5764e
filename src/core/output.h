/* output.h - Files that are whole or not there: written beside, then renamed. */
#ifndef BF_CORE_OUTPUT_H
#define BF_CORE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "backflow/status.h"

typedef struct bf__output {
    FILE *file; /* write here; the commit reports any failure */
    char path[4096], beside[4096];
} bf__output;

bf_status bf__output_open(bf__output *out, const char *path, bf_error *err);
/* Closes and renames into place; on failure nothing is left and the old file stands. */
bf_status bf__output_commit(bf__output *out, bf_error *err);
/* Closes and forgets; safe after a failed open, and after a commit. */
void bf__output_abandon(bf__output *out);

#endif
