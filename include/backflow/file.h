/* file.h - Files that are whole or not there. */
#ifndef BACKFLOW_FILE_H
#define BACKFLOW_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes beside `path`, then renames: a file that was there stands until the new one is whole. */
BF_API bf_status bf_file_write(const char *path, const char *text, size_t size, bf_error *err);

/* Whether a file could be written there. Worth asking before long work. */
BF_API bf_status bf_file_check(const char *path, bf_error *err);

/* Whether two paths mean the same plain file, be it through links, or a name in the same folder
 * that does not exist yet. Devices and pipes are never the same: nothing of theirs is replaced. */
BF_API bool bf_file_same(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
