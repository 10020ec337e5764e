/* output.h - Files that are whole or not there: written out of sight, then put into place. */
#ifndef BF_CORE_OUTPUT_H
#define BF_CORE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "backflow/status.h"

#define BF__PATH_SIZE 4096

typedef struct bf__output {
    FILE *file;                 /* write here; the commit reports any failure */
    char path[BF__PATH_SIZE];   /* as the user wrote it; messages name it */
    char target[BF__PATH_SIZE]; /* the file behind it: a path that is a symbolic link stays one */
    char beside[BF__PATH_SIZE]; /* the name of what is being written, or "": it has none yet */
    bool direct;                /* a device or a pipe: written as it is, there is nothing to undo */
} bf__output;

bf_status bf__output_open(bf__output *out, const char *path, bf_error *err);
/* Brings the file to the disk and puts it into place. On failure nothing is left and the old file
 * stands. */
bf_status bf__output_commit(bf__output *out, bf_error *err);
/* Closes the file and removes it. This is safe after a failed open and after a commit. */
void bf__output_abandon(bf__output *out);

#endif
