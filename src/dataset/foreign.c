/* foreign.c - Forms of data that are not read, and how to get them into one that is.
 *
 * Parquet and Arrow have no C library in Debian, and a pickle is a program that Python runs. Their
 * users have Python at hand, so the message is a line for it. To add a form: a row of the table. */
#include "dataset/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "core/fail.h"

/* The path stands between `before` and `after`, which together are a data frame. */
static const struct {
    const char *magic;
    size_t length;
    const char *name, *before, *after;
} forms[] = {
    {"PAR1", 4, "a Parquet file", "import pandas; pandas.read_parquet('", "')"},
    {"ARROW1", 6, "an Arrow file", "import pandas; pandas.read_feather('", "')"},
    {"FEA1", 4, "a Feather file", "import pandas; pandas.read_feather('", "')"},
    {"\xff\xff\xff\xff", 4, "an Arrow stream",
     "import pyarrow as p; p.ipc.open_stream(p.memory_map('", "')).read_pandas()"},
    {"\x80\x02", 2, "a pickle", "import pandas; pandas.read_pickle('", "')"},
    {"\x80\x03", 2, "a pickle", "import pandas; pandas.read_pickle('", "')"},
    {"\x80\x04", 2, "a pickle", "import pandas; pandas.read_pickle('", "')"},
    {"\x80\x05", 2, "a pickle", "import pandas; pandas.read_pickle('", "')"},
};

/* A path that can stand in a command as it is. */
static bool is_plain(const char *path) {
    for (const char *c = path; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+/", *c))
            return false;
    return strlen(path) < 200;
}

bf_status bf__foreign_check(const char *path, const bf__bytes *bytes, bf_error *err) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        if (bytes->size < forms[k].length ||
            memcmp(bytes->data, forms[k].magic, forms[k].length) != 0)
            continue;
        bool pickle = forms[k].magic[0] == '\x80';
        return bf_fail(
            err, BF_EFORMAT,
            "%s: %s, which is not read; as a table it becomes a CSV by: python3 -c "
            "\"%s%s%s.to_csv('log.csv', index=False)\"%s",
            path, forms[k].name, forms[k].before, is_plain(path) ? path : "FILE", forms[k].after,
            pickle ? " (opening a pickle runs what is in it: only if you trust it)" : "");
    }
    return BF_OK;
}
