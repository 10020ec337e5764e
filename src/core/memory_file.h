/* memory_file.h - A stream that prints into memory, and that tells if there was not enough of it.
 *
 * open_memstream does not tell: what did not fit is missing, and neither ferror nor fclose knows.
 * Numbers that are printed between open and close have decimal points, whatever the locale.
 */
#ifndef BF_CORE_MEMORY_FILE_H
#define BF_CORE_MEMORY_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/numeric.h"

typedef struct bf__memory_file {
    FILE *file;  /* print here */
    char *text;  /* after the close: what was printed, with a '\0' after it; to be freed */
    size_t size; /* without the '\0' */
    size_t room;
    bool bad;        /* some of it is missing */
    locale_t before; /* of the thread, until the close */
} bf__memory_file;

/* False if there is no memory for the stream itself. `out` must not move until it is closed. */
bool bf__memory_file_open(bf__memory_file *out);
/* True if all of the text is there; otherwise there is none. */
bool bf__memory_file_close(bf__memory_file *out);

#endif
