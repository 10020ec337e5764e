/* options.c - Any text as options of an estimator: the first byte chooses which one, then lines
 * NAME=VALUE. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int count = 0;
    while (bf_estimator_at(count))
        count++;
    if (size < 2)
        return 0;
    bf_arena *arena = new_arena();
    bf_error err;
    bf_settings *settings;
    const bf_estimator *estimator = bf_estimator_at(data[0] % count);
    MUST(bf_estimator_settings(&settings, estimator, NULL, arena, &err) == BF_OK);
    char *text = malloc(size), *rest = text;
    MUST(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        bf_status status = bf_settings_set(settings, line, value, &err);
        if (status != BF_OK)
            must_explain(status, &err);
    }
    free(text);
    bf_arena_destroy(arena);
    return 0;
}
