/* foreign.h - Forms of data that are not read, and how to get them into one that is. */
#ifndef BF_DATASET_FOREIGN_H
#define BF_DATASET_FOREIGN_H

#include "backflow/status.h"
#include "format/bytes.h"

/* An error that says what the file is and how to convert it, if its first bytes tell; BF_OK if they
 * do not. */
bf_status bf__foreign_check(const char *path, const bf__bytes *bytes, bf_error *err);

#endif
