/* page.c - Text that is printed into memory. */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "report/report.h"

bf_status bf__page_open(bf__page *page, bf_error *err) {
    *page = (bf__page){.file = NULL};
    page->file = open_memstream(&page->text, &page->size);
    return page->file ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

bf_status bf__page_close(bf__page *page, const char **out, bf_arena *arena, bf_error *err) {
    bool bad = fclose(page->file) != 0;
    char *copy = bad ? NULL : bf_arena_alloc(arena, (int64_t)page->size + 1, 1, err);
    if (copy)
        memcpy(copy, page->text, page->size + 1);
    else if (bad)
        bf_fail(err, BF_ENOMEM, "out of memory");
    free(page->text);
    *out = copy;
    return copy ? BF_OK : BF_ENOMEM;
}
