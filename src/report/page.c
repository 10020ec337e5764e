/* page.c - Text that is printed into memory. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "report/report.h"

bf_status bf__page_open(bf__page *page, bf_error *err) {
    return bf__memory_file_open(page) ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

bf_status bf__page_close(bf__page *page, const char **out, bf_arena *arena, bf_error *err) {
    *out = NULL;
    if (!bf__memory_file_close(page))
        return bf_fail(err, BF_ENOMEM, "out of memory");
    char *copy = bf_arena_alloc(arena, (int64_t)page->size + 1, 1, err);
    if (copy)
        memcpy(copy, page->text, page->size + 1);
    free(page->text);
    *out = copy;
    return copy ? BF_OK : BF_ENOMEM;
}
