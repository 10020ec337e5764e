/* file.h - Files that are whole or not there. */
#ifndef BACKFLOW_FILE_H
#define BACKFLOW_FILE_H

#include <stddef.h>

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes beside `path`, then renames: a file that was there stands until the new one is whole. */
BF_API bf_status bf_file_write(const char *path, const char *text, size_t size, bf_error *err);

/* Whether a file could be written there. Worth asking before long work. */
BF_API bf_status bf_file_check(const char *path, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
