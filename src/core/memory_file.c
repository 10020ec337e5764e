/* memory_file.c - A stream that prints into memory. */
#include "core/memory_file.h"

#include <stdlib.h>
#include <string.h>

static ssize_t put(void *cookie, const char *bytes, size_t count) {
    bf__memory_file *out = cookie;
    if (out->size + count + 1 > out->room) {
        size_t room = 2 * out->room + count + 1024;
        char *larger = out->bad ? NULL : realloc(out->text, room);
        if (!larger) {
            out->bad = true;
            return 0;
        }
        out->text = larger;
        out->room = room;
    }
    memcpy(out->text + out->size, bytes, count);
    out->size += count;
    return (ssize_t)count;
}

bool bf__memory_file_open(bf__memory_file *out) {
    *out = (bf__memory_file){.file = NULL};
    out->file = fopencookie(out, "w", (cookie_io_functions_t){.write = put});
    if (out->file)
        out->before = bf__numeric_begin();
    return out->file != NULL;
}

bool bf__memory_file_close(bf__memory_file *out) {
    bf__numeric_end(out->before);
    bool good = ferror(out->file) == 0;
    good = fclose(out->file) == 0 && good && put(out, "", 0) == 0 && !out->bad;
    out->file = NULL;
    if (good)
        out->text[out->size] = '\0';
    else
        free(out->text);
    if (!good)
        *out = (bf__memory_file){.bad = true};
    return good;
}
