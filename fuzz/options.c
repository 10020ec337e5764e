/* options.c - Any text as options of an estimator: the first byte chooses which one, then lines
 * NAME=VALUE. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int count = 0;
    while (bf_estimator_at(count))
        count++;
    if (size < 2)
        return 0;
    const bf_option_table *table = bf_estimator_at(data[0] % count)->options;
    if (!table)
        return 0;
    char *text = malloc(size), *rest = text;
    void *options = calloc(1, table->size);
    MUST(text && options);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    bf_options_init(table, options);
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        const bf_option *row = bf_options_find(table, line);
        bf_error err;
        bf_status status = row ? bf_options_set(row, options, value, &err) : BF_OK;
        if (status != BF_OK)
            must_explain(status, &err);
    }
    free(options);
    free(text);
    return 0;
}
