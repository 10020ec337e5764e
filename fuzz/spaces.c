/* spaces.c - Any text as the description of a space. What is accepted can be laid out in columns,
 * every column has a name, and numbers go where they belong or are refused. */
#include "fuzz.h"

#include "dataset/spaces.h"

/* Puts rows of the same number into every leaf; each column takes as many values as there are rows,
 * and choices are 0 or 1. */
static void put(const bf__space *space, double value) {
    enum { ROWS = 2 };
    int64_t elements = 1;
    for (int k = 0; k < space->count; k++)
        elements = space->leaves[k].elements > elements ? space->leaves[k].elements : elements;
    double *values = malloc((size_t)(elements * ROWS) * sizeof *values);
    double *columns = malloc((size_t)(space->width * ROWS) * sizeof *columns);
    bf__sink *sinks = calloc((size_t)space->width, sizeof *sinks);
    MUST(values && columns && sinks);
    for (int64_t i = 0; i < elements * ROWS; i++)
        values[i] = value;
    for (int64_t c = 0; c < space->width; c++)
        sinks[c].values = columns + c * ROWS;
    for (int k = 0; k < space->count; k++) {
        bf_error err;
        int64_t wrong = 0; /* the first element that is no choice */
        const bf__leaf *leaf = &space->leaves[k];
        bf_status status = bf__space_check(leaf, values, ROWS, &wrong, &err);
        bf__space_put(space, leaf, status == BF_OK ? values : NULL, ROWS, space->choice, sinks, 0);
        if (status == BF_OK)
            continue;
        must_explain(status, &err);
        MUST(wrong >= 0 && wrong < ROWS * leaf->elements);
    }
    free(values);
    free(columns);
    free(sinks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bf_arena *arena = new_arena();
    bf_error err;
    bf__space space;
    json_t *text = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    bf_status status = text ? bf__space_parse(&space, text, "space", arena, &err) : BF_OK;
    if (text && status != BF_OK)
        must_explain(status, &err);
    if (text && status == BF_OK) {
        MUST(space.count > 0 && space.width > 0 && space.width <= 1 << 20);
        if (space.width <= 4096) {
            put(&space, 0);
            put(&space, 2.5);
        }
    }
    json_decref(text);
    bf_arena_destroy(arena);
    return 0;
}
